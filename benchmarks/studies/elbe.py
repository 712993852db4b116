"""Real data, nonstationary, with rain as a hidden cause of everything: the Elbe flood of 2024.

A pair counts as found at whichever lag. Hourly means, lags to 12 hours. The transform of the bootstrap is
chosen by `examples/elbe_flood.py` from the distribution alone (it is the logarithm); single runs are shown
for every transform, so that the best of them is known.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds.paper import BoolArray
from grace_plugin.datasets import Example

TITLE = "Elbe flood: pairs of gauges"
MAX_LAG = 12
MAIN_RIVER = ["177", "176", "175", "174"]
Numbers = dict[str, float]
COLUMNS = ("precision", "recall", "f1", "false", "auroc", "seconds")

TRANSFORMS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "levels": lambda hourly: hourly,
    "logs": lambda hourly: np.log(hourly),
    "differences": lambda hourly: hourly.diff().iloc[1:],
    "log differences": lambda hourly: np.log(hourly).diff().iloc[1:],
}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterator[Job]:
    """Single runs, bootstraps and clusters, or those whose names begin with one of `methods`."""
    begins = tuple(methods or ("",))
    yield from (job for job in _every_job(quick, seeds) if job.method.startswith(begins))


def _every_job(quick: bool, seeds: Sequence[int] | None) -> Iterator[Job]:
    elbe = gp.load_example("elbe_flood")
    examples = [elbe.select(MAIN_RIVER)] if quick else [elbe.select(MAIN_RIVER), elbe]
    for example in examples:
        hourly = example.data.resample("1h").mean()
        size = len(example.names), len(hourly)
        for name, transform in TRANSFORMS.items():
            data = transform(hourly)
            for skeleton in ("basis",) if quick else ("basis", "cdnots"):
                run = single_run(data, example.pair_graph, skeleton)
                yield Job(f"single, {skeleton}, {name}", *size, 0, run)
        for seed in seeds if seeds is not None else range(1 if quick else 5):
            run = bootstrap_run(np.log(hourly), example.pair_graph, seed, runs=4 if quick else 50, n_jobs=2)
            yield Job("bootstrap, basis, logs", *size, seed, run)
    if not quick:
        yield from _cluster_jobs(elbe)


def single_run(data: pd.DataFrame, truth: BoolArray, skeleton: str = "basis") -> Callable[[], Numbers]:
    """Discovery on all rows at once."""
    return lambda: refined_pairs(lambda: gp.discover(data, MAX_LAG, skeleton=skeleton), truth)


def refined_pairs(call: Callable[[], gp.Refinement], truth: BoolArray) -> Numbers:
    """How well the pairs of a refinement agree with the truth."""
    started = time.perf_counter()
    found = call()
    seconds = time.perf_counter() - started
    strength = np.where(found.graph, np.nan_to_num(found.outcome.gain), 0.0).max(axis=2)
    return pair_numbers(truth, found.graph.any(axis=2), strength, seconds)


def bootstrap_run(
    data: pd.DataFrame, truth: BoolArray, seed: int, runs: int, n_jobs: int, source: Any = "basis"
) -> Callable[[], Numbers]:
    """The bootstrap with its defaults."""

    def run() -> Numbers:
        started = time.perf_counter()
        stable = _stable(data, seed, runs, n_jobs, source)
        seconds = time.perf_counter() - started
        return pair_numbers(truth, stable.pair_graph, stable.pair_frequency, seconds)

    return run


def _stable(data: pd.DataFrame, seed: int, runs: int, n_jobs: int, source: Any = "basis") -> gp.Stability:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*windows failed and do not count")
        return gp.bootstrap(source, data, max_lag=MAX_LAG, runs=runs, seed=seed, n_jobs=n_jobs)


def pair_numbers(truth: BoolArray, found: Any, strength: Any, seconds: float) -> Numbers:
    off = ~np.eye(len(truth), dtype=bool)
    right, false = int((found & truth).sum()), int((found & ~truth & off).sum())
    return {
        "precision": right / max(right + false, 1),
        "recall": right / int(truth.sum()),
        "f1": 2 * right / (right + false + int(truth.sum())),
        "false": float(false),
        "auroc": float(roc_auc_score(truth[off], strength[off])),
        "seconds": seconds,
    }


@cache
def _alone() -> gp.Stability:
    """The same on one core."""
    return _stable(np.log(gp.load_example("elbe_flood").data.resample("1h").mean()), 0, 50, n_jobs=1)


def _cluster_jobs(elbe: Example) -> Iterator[Job]:
    """50 runs on 42 gauges with one and two Dask workers; `same` is 1 if all is as on one core."""
    data = np.log(elbe.data.resample("1h").mean())
    for repeat in range(3):
        for workers in (1, 2):
            yield Job(f"Dask, {workers} workers", len(elbe.names), len(data), repeat, _dask(data, workers))


def _dask(data: pd.DataFrame, workers: int) -> Callable[[], Numbers]:
    def run() -> Numbers:
        import joblib
        from distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster),
            joblib.parallel_config(backend="dask"),
        ):
            _stable(data, 0, 2 * workers, n_jobs=1)  # imports and data are in place
            started = time.perf_counter()
            found = _stable(data, 0, 50, n_jobs=1)
            seconds = time.perf_counter() - started
        alone = _alone()
        same = np.array_equal(found.gates, alone.gates) and np.array_equal(found.presence, alone.presence)
        return {"seconds": seconds, "same": float(same)}

    return run


def table(rows: Sequence[Row]) -> str:
    graphs = [row for row in rows if "f1" in row.numbers]
    clusters = [row for row in rows if "same" in row.numbers]
    parts = [mean_table(graphs, COLUMNS, by=("d", "method"))]
    if clusters:
        parts.append(mean_table(clusters, ("seconds", "same"), by=("d", "method")))
    return "\n\n".join(parts)
