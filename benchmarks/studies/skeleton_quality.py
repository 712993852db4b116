"""Skeletons before any refinement: precision and recall, each edge at lag 0 counted once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.worlds.paper import REPORTED_SEEDS, scp
from grace_plugin.hosts.lagging import lag_expand
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

TITLE = "Skeletons before refinement"
_KERNEL_SIZE = (6, 500)  # a kernel test takes milliseconds and PC makes thousands of them


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    smallest, rows = (5, 300) if quick else (20, 1000)
    for d in (smallest,) if quick else (smallest, 50, 100):
        for seed in chosen:
            yield _job("basis", d, rows, seed)
            yield _job("cdnots", d, rows, seed)
            yield _job("cdnots", d, rows, seed, max_degree=1)
            yield _job("cdnots", d, rows, seed, trends=())
    for seed in chosen:
        yield _job("lasso", smallest, rows, seed)
        yield _job("pcmci", smallest, rows, seed)
    if not quick:
        for seed in list(chosen)[:3]:
            yield Job("causal-learn PC, RCIT (nonlinear pool)", *_KERNEL_SIZE, seed, partial(_kernel, seed))
            yield Job("basis (nonlinear pool)", *_KERNEL_SIZE, seed, partial(_basis_beside, seed))


def _job(name: str, d: int, rows: int, seed: int, **options: Any) -> Job:
    def run() -> dict[str, float]:
        values, truth = scp(d, seed, rows)
        find = get_skeleton(name)
        start = time.perf_counter()
        found = find(Source(as_panel(values), 5), **options)
        seconds = time.perf_counter() - start
        mask = found.mask.copy()
        mask[:, :, 0] &= ~np.tril(found.unoriented)
        return {**scores(truth, mask), "lag-0 edges": float(mask[:, :, 0].sum()), "seconds": seconds}

    label = ", ".join([name, *(f"{key}={value}" for key, value in options.items())])
    return Job(label, d, rows, seed, run)


def _kernel(seed: int) -> dict[str, float]:
    """causal-learn's PC with a randomised kernel test on the lag-expanded table."""
    from causallearn.search.ConstraintBased.PC import pc

    d, rows = _KERNEL_SIZE
    values, truth = scp(d, seed, rows, "nonlinear")
    table = lag_expand(values, truth.shape[2] - 1).to_numpy()
    np.random.seed(0)  # noqa: NPY002  (the test draws from numpy's global state)
    start = time.perf_counter()
    graph = pc(table, alpha=0.01, indep_test="rcit", show_progress=False).G.graph != 0
    seconds = time.perf_counter() - start
    found = graph[:d].reshape(d, truth.shape[2], d).transpose(2, 0, 1).copy()
    found[:, :, 0] = np.triu(found[:, :, 0])
    return {**scores(truth, found), "seconds": seconds}


def _basis_beside(seed: int) -> dict[str, float]:
    d, rows = _KERNEL_SIZE
    values, truth = scp(d, seed, rows, "nonlinear")
    start = time.perf_counter()
    found = get_skeleton("basis")(Source(as_panel(values), truth.shape[2] - 1)).mask
    return {**scores(truth, found), "seconds": time.perf_counter() - start}


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("precision", "recall", "lag-0 edges", "seconds"))
