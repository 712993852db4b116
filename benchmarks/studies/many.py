"""Many variables, candidates, workers and rows: processor seconds, peak memory, F1, a fresh process each.

`run many --methods wide` makes one group of rows alone; the others are `widest`, `part`, `step`, `waves`,
`workers`, `host`, `windows`, `growth` and `long`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.big import in_own_process, slope

TITLE = "Many: discover() to 10,000 variables, workers, hosts' graphs of 100,000 candidates (CPU seconds)"
# Variables, rows, largest lag.
_WIDE, _WIDE_QUICK = ((1000, 2000, 5), (3000, 2000, 5)), ((60, 300, 2),)
_WIDEST, _WIDEST_QUICK = (10_000, 1000, 1), (80, 300, 1)
_ALONE = 1000  # variables up to which one process works; two beyond
# Growth: variables, rows, lags and candidates, one of them at a time.
_GROWING, _ROWS, _LAGS = 600, (500, 1000, 2000, 4000), (5, 10, 20)
_CANDIDATES = (10_000, 30_000)  # `host` has a hundred thousand


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    groups: dict[str, Callable[[bool, int], Iterator[Job]]] = {
        "wide": _wide,
        "widest": _widest,
        "part": _part,
        "step": _step,
        "waves": _waves,
        "workers": _workers,
        "host": _host,
        "windows": _windows,
        "growth": _growth,
        "long": _long,
    }
    for seed in seeds if seeds is not None else (0,):
        for name in methods or groups:
            yield from groups[name](quick, seed)


def _wide(quick: bool, seed: int) -> Iterator[Job]:
    for d, rows, lag in _WIDE_QUICK if quick else _WIDE:
        yield _job(f"discover, lags up to {lag}", d, rows, seed, lag, 1 if d <= _ALONE else 2)


def _widest(quick: bool, seed: int) -> Iterator[Job]:
    d, rows, lag = _WIDEST_QUICK if quick else _WIDEST
    yield _job(f"discover, lags up to {lag}", d, rows, seed, lag, 2)


def _part(quick: bool, seed: int) -> Iterator[Job]:
    d, rows, lag = _WIDEST_QUICK if quick else _WIDEST
    effects = 8 if quick else 256
    run = partial(in_own_process, _MEASURES, "discover", d, rows, lag, 1, seed, effects)
    yield Job(f"discover, {effects} effects, lags up to {lag}", d, rows, seed, run)


def _step(quick: bool, seed: int) -> Iterator[Job]:
    d, rows, pairs = (60, 300, 5) if quick else (1000, 1000, 50)
    run = partial(in_own_process, _MEASURES, "step", d, rows, pairs, seed)
    yield Job("discover, effects within the step", d, rows, seed, run)


def _waves(quick: bool, seed: int) -> Iterator[Job]:
    d, rows = (40, 300) if quick else (600, 1000)
    for features in (3, 4):
        run = partial(in_own_process, _MEASURES, "waves", d, rows, features, seed)
        yield Job(f"discover, sines, {features} features", d, rows, seed, run)


def _workers(quick: bool, seed: int) -> Iterator[Job]:
    d, rows, lag = _WIDE_QUICK[0] if quick else _WIDE[0]
    yield _job("discover, two workers", d, rows, seed, lag, 2)


def _growth(quick: bool, seed: int) -> Iterator[Job]:
    d, few = (60, 300) if quick else (_GROWING, 1000)
    for rows in (300,) if quick else _ROWS:
        yield _job("growth by rows", d, rows, seed, 5, 1)
    for lag in (2,) if quick else _LAGS:
        yield _job(f"growth by lags: {lag}", d, few, seed, lag, 1)
    for candidates in () if quick else _CANDIDATES:
        yield from _refined(300, candidates, seed)


def _host(quick: bool, seed: int) -> Iterator[Job]:
    yield from _refined(*((30, 1000) if quick else (300, 100_000)), seed)


def _refined(d: int, candidates: int, seed: int) -> Iterator[Job]:
    run = partial(in_own_process, _MEASURES, "host", d, candidates, seed)
    yield Job(f"refine {candidates:,} candidates", d, 1000, seed, run)


def _long(quick: bool, seed: int) -> Iterator[Job]:
    d, rows = 5, 200_000 if quick else 100_000_000
    for kind in ("memory-mapped .npy", "Parquet"):
        run = partial(in_own_process, "benchmarks.studies._big_measures", "long_file", kind, d, rows)
        yield Job(f"sums, {kind}", d, rows, seed, run)
    whole = partial(in_own_process, _MEASURES, "long", rows, seed)
    yield Job("discover, memory-mapped .npy", d, rows, seed, whole)


def _windows(quick: bool, seed: int) -> Iterator[Job]:
    d, candidates, runs = (10, 100, 3) if quick else (42, 3308, 50)
    run = partial(in_own_process, _MEASURES, "windows", d, candidates, runs, seed)
    yield Job(f"bootstrap of {runs} windows, {candidates:,} candidates", d, 1000, seed, run)


_MEASURES = "benchmarks.studies._many_measures"


def _job(method: str, d: int, rows: int, seed: int, lag: int, workers: int) -> Job:
    return Job(
        method, d, rows, seed, partial(in_own_process, _MEASURES, "discover", d, rows, lag, workers, seed)
    )


def table(rows: Sequence[Row]) -> str:
    costs, graph = ("seconds", "wall", "GiB", "of_the_limit", "ratio"), ("precision", "recall", "f1")
    made = mean_table(rows, (*costs, *graph, "acting", "told", "false"))
    wide = [row for row in rows if row.method == "discover, lags up to 5"]
    if len({row.d for row in wide}) < 2:
        return made
    return f"{made}\n\nSlopes against d: time {slope(wide, 'seconds'):.2f}, memory {slope(wide, 'GiB'):.2f}."
