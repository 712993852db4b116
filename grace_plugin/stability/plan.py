"""What a bootstrap does in every window, worked out from the source, the data and the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import COMMON_OPTIONS, Options, OptionValue, RefineConfig
from grace_plugin._common.signatures import keyword_only
from grace_plugin.exceptions import DataError, OptionError, UnknownResultError
from grace_plugin.graph.knowledge import unasked_edges
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import matched, native_of, own_data, read_together
from grace_plugin.hosts.registry import find_adapter, get_adapter
from grace_plugin.pipeline.candidates import FixedCandidates, SearchedCandidates
from grace_plugin.pipeline.discovery import checked_lag
from grace_plugin.pipeline.options import data_option_names, read_data, sort_options
from grace_plugin.pipeline.run import Job, usable_rows, with_step_settled
from grace_plugin.protocols import Adapter, CompositeAdapter, HostResult
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import Panel
from grace_plugin.skeletons import available_skeletons, get_skeleton
from grace_plugin.stability.function_identity import identity_of
from grace_plugin.stability.window_runner import HostRun, PipelineRun, WindowRule
from grace_plugin.stability.windows import Timeline, Window


@dataclass(frozen=True, eq=False)
class BootstrapPlan:
    """What is to be done in every window, and to what."""

    panel: Panel
    rule: WindowRule
    config: RefineConfig
    max_lag: int | None
    timelines: tuple[Timeline, ...]
    frames: Callable[[Panel, Window], Data]
    identity: Callable[
        [], tuple[OptionValue, ...]
    ]  # what the rule depends on; asked for only where runs are cached
    skeleton: Skeleton | None = None
    make_native: Callable[[BoolArray], HostResult] | None = None

    @property
    def candidates(self) -> int:
        """The most that any effect can have."""
        if self.skeleton is not None:
            return int(self.skeleton.mask.sum(axis=(0, 2)).max())
        return self.panel.n_variables * (self.max_lag or 1)

    @property
    def names(self) -> tuple[str, ...]:
        if self.skeleton is not None:
            return self.skeleton.names
        return self.panel.names or tuple(f"x{i}" for i in range(self.panel.n_variables))


def make_plan(
    source: HostResult, data: Data, max_lag: int | None, options: dict[str, OptionValue]
) -> BootstrapPlan:
    """The plan for `source`: a skeleton by name, a host's result, or a function that makes one."""
    if isinstance(source, str) and (source in available_skeletons() or not _is_result(source)):
        return _searched(source, data, max_lag, options)
    adapter = None
    if not isinstance(source, Skeleton):
        adapter = _adapter(source, options)
        if adapter is None:
            return _host_run(source, data, max_lag, options)
        data = own_data(adapter, source, options) if data is None else data
    return _fixed(source, adapter, data, max_lag, {k: v for k, v in options.items() if k != "adapter"})


def _is_result(text: str) -> bool:
    """Whether a string is a graph written as text, not the name of a skeleton."""
    try:
        find_adapter(text)
    except UnknownResultError:
        return False
    return True


def _adapter(source: HostResult, options: Options) -> Adapter | None:
    """The adapter of a host's result; None for a function that makes one."""
    if options.get("adapter") is not None and not callable(source):
        return get_adapter(options["adapter"])
    try:
        return find_adapter(source)
    except UnknownResultError:
        if callable(source):
            return None
        raise


def _searched(name: str, data: Data, max_lag: int | None, options: dict[str, OptionValue]) -> BootstrapPlan:
    find = get_skeleton(name)
    own, data_options, rest = sort_options(find, data, options)
    if max_lag is None:
        msg = f"max_lag is needed to search candidates with {name!r}; give the largest lag."
        raise OptionError(msg)
    lag = checked_lag(max_lag)
    panel, config = _panel(data, data_options, rest)
    panel = usable_rows(panel, lag, config)
    config = with_step_settled(Job(panel, SearchedCandidates(find, own), lag, config))
    rule = PipelineRun(Job(panel, SearchedCandidates(find, own), lag, config, warns=False))
    timelines, frames = _timelines(panel)
    return BootstrapPlan(panel, rule, config, lag, timelines, frames, lambda: (name, identity_of(find), own))


def _fixed(
    source: HostResult,
    adapter: Adapter | None,
    data: Data,
    max_lag: int | None,
    options: dict[str, OptionValue],
) -> BootstrapPlan:
    host_options: Options = {}
    if adapter is None:
        known = data_option_names(data)
        rest = {name: value for name, value in options.items() if name not in known}
        read = {name: value for name, value in options.items() if name in known}
        panel, config = _panel(data, read, rest)
        skeleton, panel = matched(source, panel)
    else:
        if isinstance(adapter, CompositeAdapter) and adapter.split(source) is not None:
            msg = "This result holds several graphs; bootstrap one of them at a time."
            raise OptionError(msg)
        own, data_options, rest = sort_options(adapter.to_skeleton, data, options)
        if max_lag is not None and "max_lag" in keyword_only(adapter.to_skeleton):
            own["max_lag"] = max_lag  # a result without lags needs it
        panel, config = _panel(data, data_options, rest)
        skeleton, panel, host_options = read_together(adapter, source, panel, own)
    if max_lag not in (None, skeleton.max_lag):
        msg = f"max_lag={max_lag}, but the graph has lags up to {skeleton.max_lag}; leave max_lag out."
        raise OptionError(msg)
    panel = usable_rows(panel, skeleton.max_lag, config)
    timelines, frames = _timelines(panel)
    unasked = unasked_edges(config, skeleton)
    native = None if adapter is None else partial(_native, adapter, source, host_options, unasked)
    return BootstrapPlan(
        panel,
        PipelineRun(Job(panel, FixedCandidates(skeleton), skeleton.max_lag, config, warns=False)),
        config,
        skeleton.max_lag,
        timelines,
        frames,
        lambda: (skeleton.mask, skeleton.required),
        skeleton,
        native,
    )


def _native(
    adapter: Adapter, source: HostResult, host_options: Options, unasked: BoolArray, graph: BoolArray
) -> Any:
    return adapter.from_graph(source, graph | unasked, **host_options)


def _host_run(
    function: Any, data: Data, max_lag: int | None, options: dict[str, OptionValue]
) -> BootstrapPlan:
    common = {name: value for name, value in options.items() if name in COMMON_OPTIONS}
    panel, config = _panel(data, {}, common)
    timelines, frames = _timelines(panel)
    lag = None if max_lag is None else checked_lag(max_lag)
    passed = {name: value for name, value in options.items() if name != "progress"}
    return BootstrapPlan(
        panel,
        HostRun(function, passed),
        config,
        lag,
        timelines,
        frames,
        lambda: (identity_of(function), passed),
        make_native=partial(_rerun, function, data),
    )


def _rerun(function: Callable[[Any], Any], data: Data, graph: BoolArray) -> Any:
    """The function's result on all rows, without the edges that are not stable."""
    native = function(data)
    if isinstance(native, Skeleton):
        return Skeleton(native.mask & graph, native.names, native.scores)
    adapter = find_adapter(native)
    panel, _ = _panel(data, {}, {})
    skeleton, _, options = read_together(adapter, native, panel, {})
    if panel.names is not None and skeleton.named and skeleton.names != panel.names:
        order = [panel.names.index(name) for name in skeleton.names]
        graph = graph[np.ix_(order, order)]
    return native_of(adapter, native, skeleton.mask & graph, None, options)


def _panel(data: Data, data_options: Options, options: Options) -> tuple[Panel, RefineConfig]:
    panel, config = read_data(data, data_options, options)
    if panel is None:
        msg = "The source holds no data; pass them: bootstrap(source, data, ...)."
        raise DataError(msg)
    return panel.loaded(), config


def _timelines(panel: Panel) -> tuple[tuple[Timeline, ...], Callable[[Panel, Window], Any]]:
    """The rows of every series with their times, and how to hand a window to a user's function."""
    timelines = tuple(Timeline(len(one.values), _times(one.index)) for one in panel.series)
    return timelines, _arrays if any(one.index is None for one in panel.series) else _frames


def _times(index: Any) -> Any:
    if getattr(getattr(index, "dtype", None), "kind", "") != "M":
        return None
    # Absolute time: clocks on the wall repeat an hour each autumn.
    naive = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    return naive.to_numpy().astype("datetime64[ns]")


def _arrays(panel: Panel, window: Window) -> Any:
    parts = [panel.series[span.series].values[span.first : span.stop] for span in window.spans]
    return parts[0] if len(parts) == 1 else parts


def _frames(panel: Panel, window: Window) -> Any:
    import pandas as pd

    cuts = ((panel.series[span.series], slice(span.first, span.stop)) for span in window.spans)
    parts = [
        pd.DataFrame(one.values[rows], index=one.index[rows], columns=panel.names)
        for one, rows in cuts
        if one.index is not None
    ]
    return parts[0] if len(parts) == 1 else parts
