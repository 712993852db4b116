"""Why the paper's gates lose recall on PCMCI's candidates: one change to `preset="paper"` a row.

Each row is a guess at what its runs had that the preset has not; "causalts" is the authors' package on the
same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import pcmci
from benchmarks.metrics import scores
from benchmarks.reporting import paper
from benchmarks.studies.neural_speed import theirs
from benchmarks.studies.paper_table import MAX_LAG, STORE, Numbers, gated, lagged_cdnots, wanted_cell
from benchmarks.worlds.paper import REPORTED_SEEDS, FloatArray, scp
from grace_plugin.engines.level import paper_penalty

TITLE = "Guesses at the recall of the paper's PCMCI-Gated"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((30, 1000), (50, 1000), (100, 1000))
GATED, CAUSALTS, SPARSE = "PCMCI-Gated", "causalts", "lambda of the CDNOTS density"
CHANGES: dict[str, dict[str, Any]] = {
    "preset": {},
    "start 0": {"initial_gate": 0.0},
    "start -0.5": {"initial_gate": -0.5},
    "squares and absolute values": {"features": ("linear", "square", "absolute")},
    "no patience": {"patience": 150},
    "lag concentration 1": {"lag_concentration": 1.0},
}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are names, or sizes such as `d30` that leave out the other cells."""
    wanted = set(methods or ())
    every = (*CHANGES, SPARSE, CAUSALTS)
    names = [name for name in every if name in wanted or not wanted & set(every)]
    cells = [(8, 200)] if quick else [cell for cell in CELLS if wanted_cell(cell, wanted)]
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for seed, (d, rows), name in product(chosen, cells, names):
        yield Job(name, d, rows, seed, partial(_one, name, d, rows, seed, 2 if quick else 150))


def _one(name: str, d: int, rows: int, seed: int, epochs: int) -> Numbers:
    try:
        values, truth = scp(d, seed, rows)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    mask = pcmci(values, f"scp_{d}_{seed}_{rows}").skeleton(0.05)
    if name == CAUSALTS:
        _, graph = theirs(values, mask, epochs)
        return {**scores(truth, graph), "kept": float(np.mean(graph[mask]))}
    found = gated(gp.Skeleton(mask), values, truth, {"preset": "paper", **_options(name, values)})
    kept = found["recall"] * truth.sum() / found["precision"] if found["precision"] else 0.0
    return {**found, "kept": kept / mask.sum()}  # share of the candidates


def _options(name: str, values: FloatArray) -> dict[str, Any]:
    if name != SPARSE:
        return CHANGES[name]
    return {"penalty": paper_penalty(lagged_cdnots(values, MAX_LAG), len(values) - MAX_LAG)}


def table(rows: Sequence[Row]) -> str:
    made = sorted((row for row in rows if row.numbers), key=lambda row: (row.d, row.T))
    said = [
        f"d={d}: precision {paper.PRECISION[GATED][d, length]:.3f}, "
        f"recall {paper.RECALL[GATED][d, length]:.3f}, F1 {paper.F1[GATED][d, length]:.3f}"
        for d, length in CELLS
    ]
    numbers = mean_table(made, ("precision", "recall", "f1", "kept"))
    return f"{numbers}\n\nThe paper's PCMCI-Gated at T = 1000: {'; '.join(said)}."
