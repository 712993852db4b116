"""Temporal bootstrap: refine many windows, keep the edges that appear in most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from grace_plugin._common.checks import file_path, job_count, number, shown
from grace_plugin._common.config import KnownEdge, Odds, OptionValue, RefineConfig, Variable
from grace_plugin._common.progress import progress_bar
from grace_plugin._common.telling import tell
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.background import Knowledge
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.control_lags import looked_at
from grace_plugin.pipeline.data_warnings import warn_about_data
from grace_plugin.pipeline.options import collected
from grace_plugin.protocols import HostResult
from grace_plugin.series.forms import Data
from grace_plugin.stability.plan import BootstrapPlan, make_plan
from grace_plugin.stability.result import Stability
from grace_plugin.stability.run_store import RunCache, RunRecord
from grace_plugin.stability.shared_sums import shared_sums
from grace_plugin.stability.window_runner import WindowRunner, cut
from grace_plugin.stability.windows import Length, Window, draw_windows
from grace_plugin.stability.workers import run_windows

WINDOW_ALPHA = 1e-3  # windows must agree, so that none of them has to answer for all possible edges


def bootstrap(
    source: str | Skeleton | Callable[[Data], HostResult] | HostResult,
    data: Data | None = None,
    max_lag: int | None = None,
    window: Length | None = None,
    runs: int = 50,
    threshold: float = 0.7,
    seed: int = 0,
    n_jobs: int | None = 1,
    *,
    scheme: str = "moving",
    level: str = "pair",
    cache: str | Path | None = None,
    cache_key: str | None = None,
    share_moments: bool | None = None,
    adapter: str | None = None,
    engine: str = "additive",
    penalty: str | float = "auto",
    alpha: str | float = WINDOW_ALPHA,
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
    progress: bool | None = None,
    lag_concentration: float = 0.0,
    free_lags: float = 1.0,
    **host_options: OptionValue,
) -> Stability:
    """Refine many windows of the data and keep the edges that most of them agree on.

    Args:
        source: a host's result (its candidates are reused in every window), the name of a skeleton such as
            "basis" (candidates are searched anew), a `Skeleton`, or a function from data to a host's result
            (called in every window, with the data in the form they were given).
        data: as in `refine`; not needed where `source` holds its own.
        max_lag: the largest lag; needed where `source` is the name of a skeleton.
        window: rows per window, or a duration such as "30D" where the data have a datetime index; by default
            a quarter of the rows, or as many rows as an effect has candidates if that is more.
        runs: how many windows; an upper limit for "blocks".
        threshold: an edge stays if it appears in more than this share of the windows.
        seed: windows, and engines that draw numbers, are the same for the same seed.
        n_jobs: processes of this machine; 1 leaves the choice to `joblib.parallel_config`, so that a Dask
            or Ray cluster serves.
        scheme: "moving" (random windows), "blocks" (disjoint ones, each once), "resampled" (blocks drawn with
            replacement, as many as there are) or "pairs" (random halves of the blocks and their
            complements; the result has a bound on false edges).
        level: "pair" counts a pair of variables at whichever lag; "lag" counts every lag by itself.
        cache: a folder for finished runs; the same call goes on where an earlier one was interrupted. Data,
            options and all that a function of yours depends on make it the same call.
        cache_key: a text that stands for your function instead, where what it depends on cannot be told;
            change it whenever the function does.
        share_moments: whether windows share sums over common rows, which makes all of them use one
            standardisation; by default where it saves time.
        adapter: as in `refine`, like all up to `free_lags`.
        engine: as there.
        penalty: as there.
        alpha: 0.001 in every window, however many edges are possible, because windows have to agree ("auto":
            as in `refine`).
        fdr: a false discovery rate inside every window instead; not that of the stable graph.
        gate_threshold: as in `refine`.
        keep: as there.
        forbid: as there.
        likely: as there.
        knowledge: as there.
        effects: as there.
        controls: as there.
        prepare: as there.
        interactions: as there.
        control_lag: as there.
        gaps: as there.
        pool: as there.
        contemporaneous: as there.
        orient: as there.
        progress: as there.
        lag_concentration: as there.
        free_lags: as there.
        **host_options: options of the engine, of the host's adapter, and of the skeleton function.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(600, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> bootstrap("basis", x, max_lag=2, window=200, runs=10).edges[["cause", "effect", "frequency", "lag"]]
      cause effect  frequency  lag
    0    x0     x1        1.0    1
    """
    options = collected(locals())
    options.pop("n_jobs", None)  # windows are shared among workers, not what one of them does
    if fdr is not None and alpha == WINDOW_ALPHA:
        options["alpha"] = "auto"  # one way to cut, not two
    if adapter is not None:
        options["adapter"] = adapter
    job_count(n_jobs)
    cache = None if cache is None else file_path("cache", cache)
    if not (cache_key is None or isinstance(cache_key, str)):
        msg = f"cache_key={shown(cache_key)}; give a text."
        raise OptionError(msg)
    number("threshold", threshold, 0.0, 1.0)
    plan = make_plan(source, data, max_lag, {**options, "seed": seed})
    config, windows = _windows(plan, window, runs, scheme, seed)
    runner = WindowRunner(plan.panel, plan.rule, config, plan.frames)
    if share_moments is not False:
        runner.shared = shared_sums(plan, config, windows, scheme, share_moments is True)
    store = None
    if cache is not None:
        store = RunCache(cache, _fingerprint(plan, windows, runner, cache_key), plan.panel.n_variables)
    records = _all_records(runner, windows, n_jobs, store, progress)
    _refuse_failure(records)
    warn_about_data(Moments.of(plan.panel, plan.max_lag or 1, LINEAR_BASIS), plan.names, plan.panel)
    return Stability(
        records=tuple(records),
        windows=windows,
        names=plan.names,
        threshold=threshold,
        level=level,
        scheme=scheme,
        times=tuple(one.times for one in plan.timelines),
        skeleton=plan.skeleton,
        make_native=plan.make_native,
    )


def _windows(
    plan: BootstrapPlan, window: Length | None, runs: int, scheme: str, seed: int
) -> tuple[RefineConfig, tuple[Window, ...]]:
    """All windows, and the options with a control lag that the shortest of them can afford."""

    def drawn(lag: int) -> tuple[Window, ...]:
        return draw_windows(plan.timelines, window, runs, scheme, lag, seed, plan.candidates)

    if plan.max_lag is None:  # a function that makes graphs says later how far they reach
        return plan.config, drawn(0)
    lag, windows = plan.max_lag, drawn(plan.max_lag)
    looked = min(looked_at(cut(plan.panel, one), lag, plan.config.control_lag) for one in windows)
    if looked > lag and scheme != "moving":  # blocks begin with the past that their first rows need
        windows = drawn(looked)
    return replace(plan.config, control_lag=min(plan.config.control_lag, looked)), windows


def _fingerprint(
    plan: BootstrapPlan, windows: Sequence[Window], runner: WindowRunner, key: str | None
) -> str:
    from joblib import hash as joblib_hash

    series = [(one.values, one.as_target, one.as_input) for one in plan.panel.series]
    config = replace(runner.config, progress=None)
    alone = runner.shared is None
    identity = plan.identity() if key is None else ("key", key)
    whole = (series, plan.names, identity, config, tuple(windows), plan.max_lag, alone, _version())
    return str(joblib_hash(whole))[:20]


def _version() -> str:
    """Of this package: another one may decide otherwise."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("grace-plugin")
    except PackageNotFoundError:
        return "0.0.0"


def _all_records(
    runner: WindowRunner,
    windows: Sequence[Window],
    n_jobs: int | None,
    store: RunCache | None,
    progress: bool | None,
) -> list[RunRecord]:
    found = {} if store is None else {w.run: store.load(w.run) for w in windows}
    records = {run: record for run, record in found.items() if record is not None}
    missing = [window for window in windows if window.run not in records]
    with progress_bar(len(windows), "windows", progress) as tick:
        for _ in records:
            tick()
        for record in run_windows(runner, missing, n_jobs) if missing else ():
            records[record.run] = record
            if store is not None:
                store.save(record)
            tick()
    return [records[window.run] for window in windows]


def _refuse_failure(records: Sequence[RunRecord]) -> None:
    failed = [record for record in records if record.failure]
    if not failed:
        return
    reasons = sorted({record.failure for record in failed})
    shown = "; ".join(reasons[:3]) + ("; ..." if len(reasons) > 3 else "")
    if len(failed) == len(records):
        msg = f"All {len(records)} windows failed: {shown}. Give longer windows, or drop such columns."
        raise DataError(msg)
    msg = f"{len(failed)} of {len(records)} windows failed and do not count: {shown}. See Stability.runs."
    tell(msg, UserWarning)
