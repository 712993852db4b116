"""RCoT-Gated, the paper's nonlinear first stage, beside ParCorr-Gated: F1 and processor time.

`preset="paper"` refines both. RCoT's candidates come from the authors' CDNOTS with causal-learn's RCoT
(`benchmarks.hosts.rcot`), the linear ones from our CDNOTS. Only 20 variables finish in minutes, and the
candidates of one graph are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.hosts.rcot import rcot_cdnots
from benchmarks.metrics import measured
from benchmarks.reporting import paper
from benchmarks.reporting.beside import Column, beside
from benchmarks.studies.paper_table import MAX_LAG, ROWS, STORE, Numbers, gated, lagged_cdnots, wanted_cell
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp

TITLE = "RCoT-Gated beside ParCorr-Gated, with the paper's engine"
__all__ = ["STORE", "TITLE", "jobs", "table"]
LINEAR, KERNEL = "ParCorr-Gated", "RCoT-Gated"
Candidates = Callable[[FloatArray, str], tuple[BoolArray, float]]
_PAPER = {LINEAR: "CDNOTS-Gated", KERNEL: "RCoT-Gated"}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are names, or sizes such as `T300` that leave out the other cells."""
    wanted = set(methods or ())
    names = [name for name in METHODS if name in wanted or not wanted & set(METHODS)]
    cells = [(2, 100)] if quick else [(20, rows) for rows in ROWS if wanted_cell((20, rows), wanted)]
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for seed, (d, rows), name in product(chosen, cells, names):
        yield Job(name, d, rows, seed, partial(_one, METHODS[name], d, rows, seed))


def _linear(values: FloatArray, key: str) -> tuple[BoolArray, float]:
    del key
    found, spent = measured(lambda: lagged_cdnots(values, MAX_LAG))
    return found.mask, spent["cpu"]


METHODS: dict[str, Candidates] = {LINEAR: _linear, KERNEL: rcot_cdnots}


def _one(make: Candidates, d: int, rows: int, seed: int) -> Numbers:
    values, truth = scp(20, seed, rows)
    values, truth = values[:, :d], truth[:d, :d]
    mask, spent = make(values, f"scp_{d}_{seed}_{rows}")
    numbers = gated(gp.Skeleton(mask), values, truth, {"preset": "paper"})
    return {**numbers, "cpu": numbers["cpu"] + spent, "skeleton_cpu": spent}


def table(rows: Sequence[Row]) -> str:
    parts = []
    for name, known in _PAPER.items():
        columns = (
            Column("F1", "f1", paper.F1[known]),
            Column("precision", "precision", {}),
            Column("recall", "recall", {}),
            Column("F1 of the candidates", "skeleton_f1", {}),
            Column("seconds", "cpu", paper.SECONDS[known], digits=0),
        )
        made = [row for row in rows if row.method == name]
        parts.append(f"{name}: here / in the paper.\n\n{beside(made, columns)}")
    return "\n\n".join(parts)
