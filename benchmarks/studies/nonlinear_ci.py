"""A nonlinear test of conditional independence against a linear one, both refined, at a size that finishes.

causal-learn's PC with RCIT (a randomised kernel test, close kin of the paper's RCoT) on lagged columns; our
own generator. The paper runs d = 20 to 100 on this question, at 380 to 19,000 seconds per graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import certainty, raw_cdnots, refined_cdnots
from benchmarks.worlds.paper import BoolArray, FloatArray
from benchmarks.worlds.paper_like import draw

TITLE = "Nonlinear tests of conditional independence (RCIT) against linear ones"
SEEDS = 3
MAX_LAG = 5
LINEAR, KERNEL = "linear CDNOTS", "PC with RCIT"
Method = Callable[[FloatArray, BoolArray, str], dict[str, float]]  # data, truth, name in the cache


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    d, rows = (2, 100) if quick else (5, 500)
    methods: dict[str, Method] = {
        LINEAR: lambda values, truth, _: raw_cdnots(values, truth),
        f"{LINEAR} refined": lambda values, truth, _: refined_cdnots(values, truth),
        KERNEL: _kernel,
        f"{KERNEL} refined": _kernel_refined,
        "discover": _discovered,
    }
    for seed in seeds if seeds is not None else range(1 if quick else SEEDS):
        for name, method in methods.items():
            yield Job(name, d, rows, seed, partial(_one, method, d, seed, rows))


def _one(method: Method, d: int, seed: int, rows: int) -> dict[str, float]:
    return method(*_data(d, seed, rows))


def _data(d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray, str]:
    return *draw("plain", d, seed, rows), f"plain_{d}_{seed}_{rows}"


def _kernel(values: FloatArray, truth: BoolArray, key: str) -> dict[str, float]:
    host = programs.run("PC with RCIT", values, key, MAX_LAG)
    return {**graded(truth, host.graph, host.strength), **host.spent}


def _kernel_refined(values: FloatArray, truth: BoolArray, key: str) -> dict[str, float]:
    """Time with that of the skeleton, as in the paper's table."""
    host = programs.run("PC with RCIT", values, key, MAX_LAG)
    result, spent = measured(lambda: gp.analyze(gp.Skeleton(host.graph), values, progress=False))
    both = {name: value + host.spent.get(name, 0.0) for name, value in spent.items() if name != "peak_mib"}
    return {**graded(truth, result.graph, certainty(result)), **both}


def _discovered(values: FloatArray, truth: BoolArray, key: str) -> dict[str, float]:
    del key
    found, spent = measured(lambda: gp.discover(values, MAX_LAG, progress=False))
    return {**graded(truth, found.graph, certainty(found)), **spent}


def times_slower(rows: Sequence[Row]) -> float | None:
    """Processor time of the nonlinear pipeline over that of the linear one."""

    def mean(method: str) -> float:
        return float(np.mean([row.numbers["cpu"] for row in rows if row.method == method] or [np.nan]))

    ratio = mean(f"{KERNEL} refined") / mean(f"{LINEAR} refined")
    return None if np.isnan(ratio) else ratio


def table(rows: Sequence[Row]) -> str:
    made = mean_table(rows, ("precision", "recall", "f1", "cpu"))
    ratio = times_slower(rows)
    return made if ratio is None else f"{made}\n\nThe nonlinear pipeline took {ratio:.0f} times as long."
