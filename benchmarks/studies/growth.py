"""How discover() grows with the number of variables: time and peak memory, a fresh process each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds.paper import BoolArray, FloatArray

TITLE = "discover() at d = 100, 300, 1000 (T = 2000, lags up to 5, two threads)"
_ROWS = 2000


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d in (10,) if quick else (100, 300, 1000):
        for seed in seeds if seeds is not None else (0,):
            yield Job("basis", d, _ROWS, seed, partial(_in_own_process, d, seed))


def _in_own_process(d: int, seed: int) -> dict[str, float]:
    code = f"from benchmarks.studies.growth import measure; measure({d}, {seed})"
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def measure(d: int, seed: int) -> None:
    """Print one line of JSON: scores, seconds, peak memory in GiB."""
    import resource
    import time

    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    import grace_plugin as gp
    from benchmarks.metrics import scores

    values, truth = sparse_process(d, seed)
    start = time.perf_counter()
    with threadpool_limits(limits=2):
        graph = gp.discover(values, max_lag=5, progress=True).graph
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({**scores(truth, graph), "seconds": seconds, "GiB": peak}))


def sparse_process(d: int, seed: int) -> tuple[FloatArray, BoolArray]:
    """Each variable has its own past and up to two other parents, half of them nonlinear.

    The paper's generator finds no stationary process of this size in reasonable time; here every
    effect is bounded, so that the process is stationary by construction.
    """
    rng = np.random.default_rng(seed)
    effect = np.repeat(np.arange(d), rng.integers(0, 3, d))
    cause = (effect + rng.integers(1, d, len(effect))) % d
    lag = rng.integers(1, 6, len(effect))
    weight, bent = rng.uniform(0.3, 0.6, len(effect)), rng.random(len(effect)) < 0.5
    truth = np.zeros((d, d, 6), dtype=np.bool_)
    truth[np.arange(d), np.arange(d), 1] = True
    truth[cause, effect, lag] = True
    values = rng.normal(size=(_ROWS + 100, d))
    for t in range(5, len(values)):
        past = values[t - lag, cause]
        shaped = np.where(bent, np.minimum(np.abs(past), 3.0) - 0.8, np.clip(past, -4.0, 4.0))
        values[t] += 0.4 * values[t - 1]
        np.add.at(values[t], effect, weight * shaped)
    return values[100:], truth


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("precision", "recall", "f1", "seconds", "GiB"))
