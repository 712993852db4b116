"""Graphs from data alone: quality by size and rows, wrong lags, nonlinear pool, speed against others.

Wall times are of one thread in one process; `cpu` is the processor time of the same call, which a
busy machine does not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp
from grace_plugin.stability.workers import one_thread

TITLE = "discover(): from data alone"
_TRUE_LAG = 5
_ROWS = 1000
_FEW = 5  # variables in quick mode


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for d in (_FEW,) if quick else (20, 50, 100):
        for rows in (300, 1000) if quick else (300, 500, 1000, 2000):
            for seed in chosen:
                yield _job("basis", d, rows, seed)
    for seed in chosen:
        yield from _variants(quick, seed)
    if not quick:
        yield Job("speed", 50, _ROWS, 0, lambda: _speed(50, gated=True))
        yield Job("speed", 100, _ROWS, 0, lambda: _speed(100, gated=False))


def _variants(quick: bool, seed: int) -> Iterable[Job]:
    for d in (_FEW,) if quick else (20, 50, 100):
        yield _job("cdnots", d, _ROWS, seed, skeleton="cdnots")
        yield _job("cdnots, max_degree=1", d, _ROWS, seed, skeleton="cdnots", max_degree=1)
    for lag in (2, 3, 5, 7, 10, "auto"):
        yield _job(f"basis, searched lag {lag}", _FEW if quick else 50, _ROWS, seed, max_lag=lag)
    yield _job("lasso", _FEW if quick else 20, _ROWS, seed, skeleton="lasso")
    for d in (_FEW,) if quick else (20, 30, 50):
        yield _job("nonlinear pool: basis", d, _ROWS, seed, pool="nonlinear")
        yield _job("nonlinear pool: cdnots", d, _ROWS, seed, pool="nonlinear", skeleton="cdnots")


def _job(method: str, d: int, rows: int, seed: int, pool: str = "default", **options: Any) -> Job:
    def run() -> dict[str, float]:
        try:
            values, truth = scp(d, seed, rows, pool)
        except RuntimeError:  # the generator found no stationary process for this seed
            return {}
        return discovered(values, truth, **options)

    return Job(method, d, rows, seed, run)


def discovered(
    values: FloatArray, truth: BoolArray, max_lag: int | str = _TRUE_LAG, **options: Any
) -> dict[str, float]:
    """The scores of one call, and what it took."""
    graph, spent = _timed(lambda: gp.discover(values, max_lag, **options).graph)
    return {**scores(*_same_lags(truth, _each_pair_once(graph))), **spent}


def _timed(call: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    import torch  # noqa: F401  (what is loaded is limited, too)

    with one_thread():
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
    return result, {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _each_pair_once(graph: BoolArray) -> BoolArray:
    """An unoriented edge at lag 0 is one edge, not two."""
    once = graph.copy()
    now = once[:, :, 0]
    now &= ~np.tril(now & now.T)
    return once


def _same_lags(truth: BoolArray, found: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Both with as many lags: what was not searched was not found."""
    lags = max(truth.shape[2], found.shape[2])

    def padded(graph: BoolArray) -> BoolArray:
        return np.pad(graph, ((0, 0), (0, 0), (0, lags - graph.shape[2])))

    return padded(truth), padded(found)


def _speed(d: int, gated: bool) -> dict[str, float]:
    """One data set, one process, one thread each: ours, PCMCI, and the paper's own program."""
    values, truth = scp(d, 0, _ROWS)
    gp.discover(values[:200, :5], 1)  # imports are paid once per process
    ours = discovered(values, truth)
    numbers = {f"discover {name}": ours[name] for name in ("f1", "seconds", "cpu")}
    others: dict[str, Callable[[], BoolArray]] = {"PCMCI": lambda: _pcmci(values)}
    if gated:
        others["gated"] = lambda: _gated(values)
    for name, run in others.items():
        graph, spent = _timed(run)
        numbers[f"{name} f1"] = scores(truth, graph)["f1"]
        numbers[f"{name} seconds"] = spent["seconds"]
        numbers[f"{name} cpu"] = spent["cpu"]
        numbers[f"times faster than {name}"] = spent["cpu"] / ours["cpu"]
    return numbers


def _pcmci(values: FloatArray) -> BoolArray:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    host = PCMCI(dataframe=pp.DataFrame(values), cond_ind_test=ParCorr(), verbosity=0)
    results = host.run_pcmci(tau_min=1, tau_max=_TRUE_LAG, pc_alpha=0.05, alpha_level=0.05)
    return np.asarray(results["p_matrix"] <= 0.05) & (np.arange(_TRUE_LAG + 1) > 0)


def _gated(values: FloatArray) -> BoolArray:
    import pandas as pd
    from causalts.grace import run_cdnots_gated

    frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
    result = run_cdnots_gated(frame, max_lag=_TRUE_LAG, verbose=False, device="cpu", model_seed=0)
    return gp.get_adapter("causalts").to_skeleton(result).mask


def table(rows: Sequence[Row]) -> str:
    quality = [row for row in rows if row.method != "speed" and row.numbers]
    parts = [mean_table(quality, ("precision", "recall", "f1", "seconds", "cpu"))]
    for row in rows:
        if row.method == "speed":
            shown = "; ".join(f"{name} {value:.3g}" for name, value in row.numbers.items())
            parts.append(f"Speed at d = {row.d}, T = {row.T}, seed {row.seed}: {shown}.")
    return "\n\n".join(parts)
