"""The paper's figure of gate values (appendix A): its sizes, its three seeds, true and false edges apart.

Both refine our CDNOTS skeletons: `preset="paper"`, and the default options of the neural engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.neural_gates import COLUMNS, PICTURE, by_truth, draw
from benchmarks.studies.paper_table import DEFAULT, MAX_LAG, OPTIONS, PRESET, STORE, Numbers, lagged_cdnots
from benchmarks.worlds.paper import scp

TITLE = "Gate values with the paper's engine, true and false edges apart"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((50, 1000), (100, 1000))
SEEDS = range(3)  # the paper's figure has as many


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else SEEDS)
    for (d, rows), seed, name in product([(5, 200)] if quick else CELLS, chosen, (PRESET, DEFAULT)):
        yield Job(name, d, rows, seed, partial(_one, name, d, rows, seed))


def _one(name: str, d: int, rows: int, seed: int) -> Numbers:
    values, truth = scp(max(d, 20), seed, rows)
    values, truth = values[:, :d], truth[:d, :d]
    skeleton = lagged_cdnots(values, MAX_LAG)
    found = gp.analyze(skeleton, values, engine="neural", progress=False, **OPTIONS[name])
    return by_truth(found.gates, skeleton.mask, truth)


def table(rows: Sequence[Row]) -> str:
    if {(row.d, row.T, row.seed) for row in rows} == {(*cell, seed) for cell in CELLS for seed in SEEDS}:
        draw(rows, PICTURE.with_name("paper_gates.png"))
    return mean_table(rows, COLUMNS)
