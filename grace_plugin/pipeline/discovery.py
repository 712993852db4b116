"""From data alone: find candidate edges, then refine them, on the same moments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from grace_plugin._common.checks import whole
from grace_plugin._common.config import RefineConfig, make_config
from grace_plugin.engines import Engine, engine_of, load_engine
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.knowledge import kept_edges
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import read_panel
from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.control_lags import check_kept, cut, looked_at
from grace_plugin.pipeline.data_warnings import warn_about
from grace_plugin.pipeline.options import sort_options
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.panel import Panel, refuse_long_lag
from grace_plugin.skeletons import SkeletonFunction, Source, get_skeleton

_AUTO_LAGS = (10, 20, 40)  # searched one after the other, while the last lag is still needed
_AUTO_CAUTION = 0.01  # expected false edges that "auto" could take for the largest lag
_ROWS_PER_LAG = 20
_ROWS_OF_RICH_BASIS = 800
_VARIABLES_OF_RICH_BASIS = 300


def discover(
    data: Any,
    max_lag: int | str,
    skeleton: str | SkeletonFunction | Skeleton = "basis",
    *,
    control_lag: int = 5,
    **options: Any,
) -> Refinement:
    """Find the causal graph of `data` without any host's result.

    Args:
        data: everything that `refine` takes as data.
        max_lag: the largest lag to search, or "auto": the largest lag of an edge that is certain in a
            search up to 10 lags (20, 40 where an edge needs the last one).
        skeleton: where candidates come from: "basis" (default), "cdnots", "lasso", "pcmci", "pcmciplus",
            "full", a name given to `register_skeleton`, or such a function itself.
        control_lag: lags up to this one are looked at even if `max_lag` is smaller, so that their effects
            are not mistaken for later ones; they are not reported. 0 turns it off.
        **options: as in `refine`, and those of the skeleton function.

    Returns:
        A Refinement whose `native` is the pruned Skeleton.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[2:, 1] += 0.8 * np.abs(x[:-2, 0])
    >>> list(discover(x, max_lag=3).native)
    [(0, 1, 2)]
    """
    find = _function(skeleton)
    control_lag = whole("control_lag", control_lag, 0)
    own, data_options, rest = sort_options(find, data, options)
    config = make_config(rest, engine_of(rest).options)
    panel = read_panel(data, data_options)
    if panel is None:
        msg = "discover() needs data; see `refine` for the forms it takes."
        raise DataError(msg)
    config = _with_basis(config, panel)
    basis = tuple(config.engine_options.get("basis", DEFAULT_BASIS))
    if isinstance(max_lag, str) and max_lag == "auto":
        source = _searched_lags(panel, basis, config)
        reported = source.max_lag
    else:
        reported = _checked_lag(max_lag)
        refuse_long_lag(panel, reported)
        source = Source(panel, looked_at(panel, reported, control_lag), basis, config.progress)
    found = find(source, **own)
    check_kept(found, reported, config)
    return cut(_refined(_with_kept(found, config), source, config), reported)


@runtime_checkable
class _MomentsEngine(Protocol):
    """An engine that needs no more than moments."""

    def refine_moments(
        self, skeleton: Skeleton, moments: Moments, config: RefineConfig, panel: Panel | None = None
    ) -> Outcome:
        """Decide about every candidate; `panel` holds the rows if they can be read again."""


def _refined(found: Skeleton, source: Source, config: RefineConfig) -> Refinement:
    engine = load_engine(config.engine)
    outcome = _decide(engine, found, source, config)
    warn_about(outcome, found.names, source.rows)
    pruned = Skeleton(outcome.graph, found.names, found.scores)
    return Refinement(pruned, found, outcome, config)


def _decide(engine: Engine, found: Skeleton, source: Source, config: RefineConfig) -> Outcome:
    if isinstance(engine, _MomentsEngine):
        return engine.refine_moments(found, source.moments, config, source.rows)
    return engine.refine(found, source.panel, config)


def _with_basis(config: RefineConfig, panel: Panel) -> RefineConfig:
    """Richer features where rows can pay for them and the moments stay small."""
    rows = sum(len(one.values) for one in panel.series)
    if config.engine != "additive" or "basis" in config.engine_options:
        return config
    if rows < _ROWS_OF_RICH_BASIS or panel.n_variables > _VARIABLES_OF_RICH_BASIS:
        return config
    return replace(config, engine_options={**config.engine_options, "basis": RICH_BASIS})


def _function(skeleton: str | SkeletonFunction | Skeleton) -> SkeletonFunction:
    if isinstance(skeleton, Skeleton):
        msg = "A Skeleton was given; candidates that are known already go through refine(skeleton, data)."
        raise OptionError(msg)
    return skeleton if callable(skeleton) else get_skeleton(skeleton)


def _checked_lag(max_lag: object) -> int:
    return whole("max_lag", max_lag, 1, also=", or 'auto'")


def _with_kept(found: Skeleton, config: RefineConfig) -> Skeleton:
    """Edges that the user knows are candidates whether the skeleton found them or not."""
    mask = found.mask.copy()
    every_edge = np.ones_like(mask)
    every_edge[:, :, 0] = ~np.eye(len(mask), dtype=np.bool_)
    everything = Skeleton(every_edge, found.names)
    for edge in config.keep:
        known = kept_edges(replace(config, keep=(edge,)), everything)
        whole_pair = len(tuple(edge)) == 2
        if whole_pair:
            known[:, :, 0] = False
        if not whole_pair or not (mask & known).any():  # a pair means those of its lags that were found
            mask |= known
    return Skeleton(mask, found.names if found.named else None, found.scores)


def _searched_lags(panel: Panel, basis: tuple[str, ...], config: RefineConfig) -> Source:
    """The data with the largest lag that they need, and moments without another reading."""
    from grace_plugin.engines.additive.engine import AdditiveEngine

    panel = panel.loaded()
    longest = max(len(one.values) for one in panel.series) // _ROWS_PER_LAG
    needed = 1
    for most in _AUTO_LAGS:
        source = Source(panel, max(1, min(most, longest)), basis, config.progress)
        found = get_skeleton("basis")(source)
        cautious = RefineConfig(
            alpha=_AUTO_CAUTION / (source.n_variables**2 * source.max_lag),
            progress=config.progress,
        )
        graph = AdditiveEngine().refine_moments(found, source.moments, cautious).graph
        needed = max(1, int(np.flatnonzero(graph.any(axis=(0, 1))).max(initial=0)))
        if needed < source.max_lag or source.max_lag == longest:
            break
    return source.with_moments(source.moments.with_max_lag(needed))
