"""Temporal bootstrap: refine many windows, keep the edges that appear in most of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grace_plugin._common.checks import file_path, job_count, number
from grace_plugin._common.progress import progress_bar
from grace_plugin.engines import load_engine
from grace_plugin.exceptions import DataError
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.data_warnings import warn_about_data
from grace_plugin.pipeline.discovery import _MomentsEngine
from grace_plugin.stability.plan import Study, make_study
from grace_plugin.stability.result import Stability
from grace_plugin.stability.run_store import RunCache, RunRecord
from grace_plugin.stability.window_runner import Bench, HostRun
from grace_plugin.stability.windows import Window, draw_windows, shared_units
from grace_plugin.stability.workers import run_windows

_SHARING_PAYS = 4  # explained rows of a window per lag and shared piece
_WINDOW_ALPHA = 1e-3  # windows must agree, so that none of them has to answer for all possible edges


def bootstrap(
    source: Any,
    data: Any = None,
    max_lag: int | None = None,
    window: Any = None,
    runs: int = 50,
    threshold: float = 0.7,
    seed: int = 0,
    n_jobs: int | None = 1,
    *,
    scheme: str = "moving",
    level: str = "pair",
    cache: str | Path | None = None,
    share_moments: bool | None = None,
    **options: Any,
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
        cache: a folder for finished runs; the same call goes on where an earlier one was interrupted.
        share_moments: whether windows share sums over common rows, which makes all of them use one
            standardisation; by default where it saves time.
        **options: as in `refine` or `discover`; `alpha` is 0.001 in every window, however many edges are
            possible, because windows have to agree ("auto": as in `refine`).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(600, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> bootstrap("basis", x, max_lag=2, window=200, runs=10).edges[["cause", "effect", "frequency", "lag"]]
      cause effect  frequency  lag
    0    x0     x1        1.0    1
    """
    job_count(n_jobs)
    cache = None if cache is None else file_path("cache", cache)
    number("threshold", threshold, 0.0, 1.0)
    study = make_study(source, data, max_lag, {"alpha": _WINDOW_ALPHA, **options, "seed": seed})
    max_lag = study.max_lag
    windows = draw_windows(study.timelines, window, runs, scheme, max_lag or 0, seed, study.candidates)
    bench = Bench(study.panel, study.plan, study.config, max_lag, study.frames)
    _share(bench, windows, scheme, share_moments)
    store = None if cache is None else RunCache(cache, _fingerprint(study, windows, bench))
    records = _all_records(bench, windows, n_jobs, store, options.get("progress"))
    _refuse_failure(records)
    warn_about_data(Moments.of(study.panel, max_lag or 1, LINEAR_BASIS), study.names, study.panel)
    return Stability(
        records=tuple(records),
        windows=windows,
        names=study.names,
        threshold=threshold,
        level=level,
        scheme=scheme,
        times=tuple(one.times for one in study.timelines),
        skeleton=study.skeleton,
        make_native=study.make_native,
    )


def _share(bench: Bench, windows: Sequence[Window], scheme: str, wanted: bool | None) -> None:
    """Cut windows into common pieces, where the engine works on sums and where it pays."""
    possible = bench.max_lag is not None and isinstance(load_engine(bench.config.engine), _MomentsEngine)
    if wanted is False or not possible or isinstance(bench.plan, HostRun):
        return
    assert bench.max_lag is not None
    if scheme in ("resampled", "pairs"):
        units = tuple(window.spans for window in windows)
    else:
        units = shared_units(windows, bench.max_lag)
    if wanted or scheme in ("resampled", "pairs") or _pays(windows, units, bench.max_lag):
        bench.units = {window.run: parts for window, parts in zip(windows, units, strict=True)}
        bench.reference = Moments.of(bench.panel, 0, LINEAR_BASIS)


def _pays(windows: Sequence[Window], units: Sequence[Sequence[Any]], max_lag: int) -> bool:
    """Adding a piece costs about as much as summing up (max_lag + 1) * `_SHARING_PAYS` rows."""
    rows = sum(span.stop - span.first - max_lag for window in windows for span in window.spans)
    once = sum(unit.stop - unit.first - max_lag for unit in {unit for group in units for unit in group})
    added = sum(len(group) for group in units)
    return bool(rows - once > _SHARING_PAYS * (max_lag + 1) * added)


def _fingerprint(study: Study, windows: Sequence[Window], bench: Bench) -> str:
    from joblib import hash as joblib_hash

    series = [(one.values, one.as_target, one.as_input) for one in study.panel.series]
    config = replace(study.config, progress=None)
    whole = (series, study.names, study.identity, config, tuple(windows), study.max_lag, bench.units is None)
    return str(joblib_hash(whole))[:20]


def _all_records(
    bench: Bench,
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
        for record in run_windows(bench, missing, n_jobs) if missing else ():
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
    warnings.warn(msg, stacklevel=3)
