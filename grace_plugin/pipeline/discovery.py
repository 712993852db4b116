"""From data alone: find candidate edges, then refine them, on the same moments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grace_plugin._common.checks import whole
from grace_plugin._common.config import KnownEdge, Odds, OptionValue, Variable
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.background import Knowledge
from grace_plugin.graph.cell_skeleton import pruned
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.pipeline.candidates import SearchedCandidates
from grace_plugin.pipeline.options import collected, read_data, sort_options
from grace_plugin.pipeline.run import Job, run
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.forms import Data
from grace_plugin.skeletons import SkeletonFunction, get_skeleton


def discover(
    data: Data,
    max_lag: int | str,
    skeleton: str | SkeletonFunction | Skeleton = "basis",
    *,
    engine: str = "additive",
    penalty: str | float = "auto",
    alpha: str | float = "auto",
    fdr: float | None = None,
    gate_threshold: float = 0.5,
    keep: Iterable[KnownEdge] = (),
    forbid: Iterable[KnownEdge] = (),
    likely: Odds = (),
    knowledge: Knowledge | None = None,
    effects: Iterable[Variable] = (),
    controls: Iterable[Variable] | Data = (),
    prepare: str | Sequence[str] = "auto",
    interactions: bool = True,
    control_lag: int = 5,
    gaps: str = "fill",
    pool: str = "units",
    contemporaneous: bool | str = "auto",
    orient: bool = False,
    n_jobs: int | None = 1,
    seed: int = 0,
    progress: bool | None = None,
    lag_concentration: float = 0.0,
    free_lags: float = 1.0,
    **host_options: OptionValue,
) -> Refinement:
    """Find the causal graph of `data` without any host's result.

    Args:
        data: everything that `refine` takes as data.
        max_lag: the largest lag to search, or "auto": the largest lag of an edge that is certain in a
            search up to 10 lags (20, 40 where an edge needs the last one).
        skeleton: where candidates come from: "basis" (default), "cdnots", "lasso", "pcmci", "pcmciplus",
            "full", a name given to `register_skeleton`, or such a function itself.
        engine: as in `refine`, like all up to `free_lags`.
        penalty: as there.
        alpha: as there.
        fdr: as there.
        gate_threshold: as there.
        keep: as there; these edges are candidates whether the skeleton finds them or not.
        forbid: as there.
        likely: as there.
        knowledge: as there.
        effects: as there; no edge into others is searched.
        controls: as there.
        prepare: as there.
        interactions: as there.
        control_lag: as there.
        gaps: as there.
        pool: as there.
        contemporaneous: as there.
        orient: as there.
        n_jobs: as there.
        seed: as there.
        progress: as there.
        lag_concentration: as there.
        free_lags: as there.
        **host_options: options of the engine and of the skeleton function.

    Returns:
        A Refinement whose `native` is the pruned Skeleton.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[2:, 1] += 0.8 * np.abs(x[:-2, 0])
    >>> list(discover(x, max_lag=3).native)
    [(0, 1, 2)]
    """
    options = collected(locals())
    function = skeleton_function(skeleton)
    own, data_options, rest = sort_options(function, data, options)
    panel, config = read_data(data, data_options, rest)
    if panel is None:
        msg = "discover() needs data; see `refine` for the forms it takes."
        raise DataError(msg)
    lag = None if isinstance(max_lag, str) and max_lag == "auto" else checked_lag(max_lag)
    learned = run(Job(panel, SearchedCandidates(function, own), lag, config))
    found = learned.skeleton
    return Refinement(pruned(found, learned.outcome), found, learned.outcome, learned.config)


def skeleton_function(skeleton: str | SkeletonFunction | Skeleton) -> SkeletonFunction:
    """The function that a user names or gives."""
    if isinstance(skeleton, Skeleton):
        msg = "A Skeleton was given; candidates that are known already go through refine(skeleton, data)."
        raise OptionError(msg)
    return skeleton if callable(skeleton) else get_skeleton(skeleton)


def checked_lag(max_lag: int | str) -> int:
    """A largest lag that a user gave as a number."""
    return whole("max_lag", max_lag, 1, also=", or 'auto'")
