"""Several hosts' results on the same data: the union of their candidates, judged by one decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.checks import shown
from grace_plugin._common.config import COMMON_OPTIONS, Options, OptionValue
from grace_plugin._common.signatures import keyword_only
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import matched, own_data, read_together
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.pipeline.candidates import UnionCandidates
from grace_plugin.pipeline.conversion import edges_of
from grace_plugin.pipeline.options import collected, data_option_names, read_data
from grace_plugin.pipeline.run import Job, run
from grace_plugin.protocols import HostResult
from grace_plugin.results.consensus import Consensus
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import Panel

_MAX_LAG = "max_lag"


def consensus(
    natives: Sequence[HostResult] | Mapping[str, HostResult],
    data: Data | None = None,
    *,
    to: str = "",
    max_lag: int | None = None,
    **options: OptionValue,
) -> Consensus:
    """Judge the edges of several hosts' results together.

    Args:
        natives: results of any hosts (and `Skeleton`s and `Refinement`s) on the same variables, as a list, or
            as a dict that names them.
        data: as in `refine`; not needed where one of the results holds its own.
        to: the host whose kind of object `.native` is to be ("tigramite", "networkx", ...); by default it is
            a `Skeleton`, and `.to(host)` makes any other later.
        max_lag: the largest lag for results that tell none; by default the largest of the others.
        **options: those of `refine`.

    Every edge of any host is a candidate and is decided by the same evidence; `.edges` says which hosts
    proposed it, how many, with which support, and its probability; `.weights` how many edges of each host
    hold. Whether there are effects within one step is asked of the data, as in `discover`, because hosts are
    at odds about it by their nature.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> one, other = [(0, 1, 1), (1, 0, 1)], [(0, 1, 1), (0, 1, 2)]
    >>> found = consensus({"one": one, "other": other}, x)
    >>> found.edges.query("cause != effect")[["cause", "effect", "lag", "kept", "hosts", "votes"]]
      cause effect  lag   kept       hosts  votes
    0    x0     x1    1   True  one, other      2
    1    x0     x1    2  False       other      1
    5    x1     x0    1  False         one      1
    """
    named = _named(natives)
    special = {name: one for name, one in options.items() if name not in (*COMMON_OPTIONS, "knowledge")}
    rest = collected({**options, "host_options": special})
    data = _own_data(named) if data is None else data
    data_options = {name: rest.pop(name) for name in data_option_names(data) & set(rest)}
    panel, config = read_data(data, data_options, rest)
    if panel is None:
        msg = "None of these results holds its own data; pass them: consensus(results, data)."
        raise DataError(msg)
    read = _skeletons(named, panel, max_lag)
    names = _names(read, panel)
    lags = max(one.max_lag for one in read.values())
    masks = {host: _longer(_ordered(one, names), lags) for host, one in read.items()}
    required = np.any([_longer(_ordered(one, names, True), lags) for one in read.values()], axis=0)
    union = Skeleton(np.any(list(masks.values()), axis=0), names, required=required)
    union, panel = matched(union, panel)
    learned = run(Job(panel, UnionCandidates(union), lags, config))
    pruned = Skeleton(learned.outcome.graph, names)
    return Consensus(Refinement(pruned, learned.skeleton, learned.outcome, learned.config), masks, to)


def _named(natives: Any) -> dict[str, HostResult]:
    """Every result with a name of its own: the adapter's, numbered where it occurs again."""
    if isinstance(natives, Mapping) and natives and all(isinstance(name, str) for name in natives):
        return dict(natives)
    if isinstance(natives, (str, bytes, Mapping)) or not isinstance(natives, Iterable):
        msg = f"consensus() takes a list of results, or a dict that names them, not {shown(natives)}."
        raise OptionError(msg)
    found: dict[str, HostResult] = {}
    for native in natives:
        name = _kind(native)
        times = sum(one.split(" (")[0] == name for one in found)
        found[name if not times else f"{name} ({times + 1})"] = native
    if not found:
        msg = "consensus() was given no results; give at least one."
        raise OptionError(msg)
    return found


def _kind(native: HostResult) -> str:
    if isinstance(native, Refinement):
        return native.adapter or "discover"
    return "skeleton" if isinstance(native, Skeleton) else find_adapter(native).name


def _own_data(named: Mapping[str, HostResult]) -> Any:
    for native in named.values():
        if not isinstance(native, (Refinement, Skeleton)):
            found = own_data(find_adapter(native), native, {})
            if found is not None:
                return found
    return None


def _skeletons(named: Mapping[str, HostResult], panel: Panel, max_lag: int | None) -> dict[str, Skeleton]:
    """What each host proposes; those that tell no lags are read last, with those of the others."""
    found: dict[str, Skeleton] = {}
    waiting: dict[str, OptionError] = {}
    for host, native in named.items():
        try:
            found[host] = _skeleton(native, panel, {})
        except OptionError as error:
            waiting[host] = error
    largest = max_lag or max((one.max_lag for one in found.values()), default=None)
    for host, why in waiting.items():
        native = named[host]
        if largest is None or _MAX_LAG not in keyword_only(find_adapter(native).to_skeleton):
            raise why
        found[host] = _skeleton(native, panel, {_MAX_LAG: largest})
    return {host: found[host] for host in named}


def _skeleton(native: HostResult, panel: Panel, options: Options) -> Skeleton:
    if isinstance(native, (Refinement, Skeleton)):
        return matched(edges_of(native), panel)[0]
    return read_together(find_adapter(native), native, panel, options)[0]


def _names(read: Mapping[str, Skeleton], panel: Panel) -> tuple[str, ...] | None:
    """The data's own names, or those on which all hosts agree; None where nobody has any."""
    if panel.names is not None:
        return panel.names
    given = {one.names for one in read.values() if one.named}
    if len(given) > 1:
        msg = "The hosts name the variables differently, and the data have no names; give a pandas DataFrame."
        raise OptionError(msg)
    return next(iter(given), None)


def _ordered(skeleton: Skeleton, names: tuple[str, ...] | None, required: bool = False) -> BoolArray:
    """A host's cells in the order of the data's variables."""
    assert skeleton.required is not None
    cells = skeleton.required if required else skeleton.mask
    if names is None or not skeleton.named or skeleton.names == names:
        return cells
    order = [skeleton.names.index(name) for name in names]
    return cells[np.ix_(order, order)]


def _longer(cells: BoolArray, lags: int) -> BoolArray:
    return np.pad(cells, ((0, 0), (0, 0), (0, lags + 1 - cells.shape[2])))
