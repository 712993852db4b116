"""What benchmarks/studies/many.py measures; each function prints one line of JSON, in a new process."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Cells = set[tuple[int, int, int]]


def sparse_series(d: int, rows: int, max_lag: int, seed: int) -> tuple[Any, Cells]:
    """As `growth.sparse_process`, with any largest lag; the truth as cells."""
    rng = np.random.default_rng(seed)
    effect = np.repeat(np.arange(d), rng.integers(0, 3, d))
    cause = (effect + rng.integers(1, d, len(effect))) % d
    lag = rng.integers(1, max_lag + 1, len(effect))
    weight, bent = rng.uniform(0.3, 0.6, len(effect)), rng.random(len(effect)) < 0.5
    values = rng.normal(size=(rows + 100, d))
    for t in range(max_lag, len(values)):
        past = values[t - lag, cause]
        shaped = np.where(bent, np.minimum(np.abs(past), 3.0) - 0.8, np.clip(past, -4.0, 4.0))
        values[t] += 0.4 * values[t - 1]
        np.add.at(values[t], effect, weight * shaped)
    own = {(place, place, 1) for place in range(d)}
    return values[100:], own | set(zip(cause.tolist(), effect.tolist(), lag.tolist(), strict=True))


def discover(d: int, rows: int, max_lag: int, workers: int, seed: int, effects: int | None = None) -> None:
    """From data alone; `of_the_limit`: over the time of one product of all effects with all features.

    With `effects` the causes of so many variables alone, which tells what the others would cost.
    """
    import grace_plugin as gp

    values, truth = sparse_series(d, rows, max_lag, seed)
    limit = _product_seconds(d, rows, max(max_lag, 5))
    asked = range(effects or 0)  # none are all
    if effects is not None:
        truth, limit = {cell for cell in truth if cell[1] < effects}, limit * effects / d
    numbers, found = _measured(
        lambda: gp.discover(values, max_lag=max_lag, n_jobs=workers, effects=asked, progress=False)
    )
    of_limit = {"of_the_limit": numbers["seconds"] / limit}
    print(json.dumps({**numbers, **of_limit, **_scores(truth, set(found.native))}))


def step(d: int, rows: int, pairs: int, seed: int) -> None:
    """Effects within one step among many variables: how many are told of, how many lags stand in for them."""
    import warnings

    import grace_plugin as gp

    values, truth = _within_step(d, rows, pairs, seed)
    warnings.simplefilter("ignore")
    numbers, found = _measured(lambda: gp.discover(values, max_lag=2, progress=False))
    shown = found.outcome.details.step
    told = {"acting": pairs, "told": 0 if shown is None else shown.pairs}
    cells = set(found.native)
    print(json.dumps({**numbers, **told, "false": len(cells - truth), **_scores(truth, cells)}))


def _within_step(d: int, rows: int, pairs: int, seed: int) -> tuple[Any, Cells]:
    """Slow variables; `pairs` effects within the step, as many a step later; the truth of the lagged ones."""
    rng = np.random.default_rng(seed)
    now, later = (rng.permutation(d)[: 2 * pairs].reshape(2, -1) for _ in range(2))
    values = rng.normal(size=(rows + 100, d))
    for t in range(1, len(values)):
        values[t] += 0.5 * values[t - 1]
        values[t, later[1]] += 0.4 * values[t - 1, later[0]]
        values[t, now[1]] += 0.7 * values[t, now[0]]
    lagged = {(cause, effect, 1) for cause, effect in later.T.tolist()}
    return values[100:], lagged | {(place, place, 1) for place in range(d)}


def waves(d: int, rows: int, features: int, seed: int) -> None:
    """Every fourth variable moves with the sine of another, which only the fourth feature sees."""
    import grace_plugin as gp
    from grace_plugin.moments.features import RICH_BASIS

    rng = np.random.default_rng(seed)
    values, effect = rng.normal(size=(rows, d)), np.arange(0, d, 4)
    cause = (effect + 1 + rng.integers(0, d - 1, len(effect))) % d
    for t in range(1, rows):
        values[t] += 0.4 * values[t - 1]
        values[t, effect] += 0.9 * np.sin(2.5 * values[t - 1, cause])
    truth = {(one, other, 1) for one, other in zip(cause.tolist(), effect.tolist(), strict=True)}
    basis = RICH_BASIS[:features]
    numbers, found = _measured(lambda: gp.discover(values, max_lag=5, basis=basis, progress=False))
    print(json.dumps({**numbers, **_scores(truth, {cell for cell in found.native if cell[0] != cell[1]})}))


def host(d: int, candidates: int, seed: int) -> None:
    """A host's graph that holds every true edge and as many others as make up the number."""
    import grace_plugin as gp

    values, truth = sparse_series(d, 1000, 5, seed)
    mask = _mask(d, candidates, truth, seed)
    numbers, found = _measured(lambda: gp.analyze(gp.Skeleton(mask), values, progress=False))
    kept = {(int(a), int(b), int(c)) for a, b, c in np.argwhere(found.graph)}
    print(json.dumps({**numbers, **_scores(truth, kept), "candidates": int(mask.sum())}))


def windows(d: int, candidates: int, runs: int, seed: int) -> None:
    """The same in windows of 1000 rows."""
    import grace_plugin as gp

    values, truth = sparse_series(d, 2000, 5, seed)
    skeleton = gp.Skeleton(_mask(d, candidates, truth, seed))
    numbers, _ = _measured(lambda: gp.bootstrap(skeleton, values, window=1000, runs=runs, progress=False))
    print(json.dumps(numbers))


def long(rows: int, seed: int) -> None:
    """A memory-mapped file of 5 variables, edges at lags 1 and 2 and two causes that act together."""
    import tempfile
    from pathlib import Path

    import grace_plugin as gp
    from benchmarks.studies._big_measures import private_memory

    truth = {(0, 1, 1), (2, 3, 2), (0, 4, 1), (2, 4, 1)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        _write_long(path, rows, seed)
        values = np.load(path, mmap_mode="r")
        with private_memory() as memory:
            numbers, found = _measured(lambda: gp.discover(values, max_lag=5, progress=False))
    print(json.dumps({**numbers, "GiB": max(memory), **_scores(truth, set(found.native))}))


def _write_long(path: Any, rows: int, seed: int) -> None:
    rng, chunk = np.random.default_rng(seed), 1_000_000
    stored = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, 5))
    past: Any = np.zeros((2, 5), dtype=np.float32)
    for start in range(0, rows, chunk):
        pushes = np.concatenate([past, rng.normal(size=(min(chunk, rows - start), 5)).astype(np.float32)])
        made, last, before = pushes[2:].copy(), pushes[1:-1], pushes[:-2]
        made[:, 1] += 0.01 * last[:, 0]
        made[:, 3] += 0.3 * np.abs(before[:, 2])
        made[:, 4] += 0.2 * last[:, 0] * last[:, 2]
        stored[start : start + len(made)] = made
        past = pushes[-2:]
    stored.flush()


def _mask(d: int, candidates: int, truth: Cells, seed: int) -> Any:
    mask = np.zeros((d, d, 6), dtype=np.bool_)
    mask[tuple(np.array(sorted(truth)).T)] = True
    share = max(0.0, candidates - len(truth)) / (d * d * 5 - len(truth))
    mask[:, :, 1:] |= np.random.default_rng(seed).random((d, d, 5)) < share
    return mask


def _product_seconds(d: int, rows: int, lags: int) -> float:
    """Of 2 d (3 d lags) rows operations in double precision, by the speed of a smaller product."""
    size = min(1000, max(100, d))
    table = np.random.default_rng(0).normal(size=(size, rows))
    table @ table.T
    start = time.process_time()
    table @ table.T
    return (time.process_time() - start) * (d / size) ** 2 * 3 * lags


def _measured(action: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """Processor seconds of all processes, seconds by the clock, peak memory of all processes together."""
    from joblib.externals.loky import get_reusable_executor

    wall, start = time.perf_counter(), time.process_time()
    found = action()
    wall, own = time.perf_counter() - wall, time.process_time() - start
    get_reusable_executor().shutdown(wait=True)
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = own + theirs.ru_utime + theirs.ru_stime
    return {
        "seconds": seconds,
        "wall": wall,
        "GiB": mine.ru_maxrss / 2**20,
        "worker_GiB": theirs.ru_maxrss / 2**20,
    }, found


def _scores(truth: Cells, found: Cells) -> dict[str, float]:
    hits = len(truth & found)
    precision, recall = hits / max(len(found), 1), hits / max(len(truth), 1)
    return {"precision": precision, "recall": recall, "f1": 2.0 * hits / max(len(found) + len(truth), 1)}
