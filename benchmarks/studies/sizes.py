"""The paper's main tables: CDNOTS, and CDNOTS refined, by number of variables and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import graded, measured
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

TITLE = "CDNOTS and CDNOTS refined by d and T (the paper's F1, SHD, precision and runtime tables)"
MAX_LAG = 5
FEW_SEEDS = 3  # for what takes long: shallow and missing skeletons
Numbers = dict[str, float]
Method = Callable[[FloatArray, BoolArray], Numbers]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = list(seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS))
    for seed in chosen:
        for d in (20,) if quick else (20, 50, 100, 30, 70):
            for rows in (300,) if quick else (300, 500, 1000, 2000):
                yield _job("CDNOTS", d, rows, seed, raw_cdnots)
                yield _job("CDNOTS refined", d, rows, seed, refined_cdnots)
                if d in (30, 70):  # the other sizes belong to the benchmark `discover`
                    yield _job("discover", d, rows, seed, discovered)
    for seed in chosen[:FEW_SEEDS]:
        for d in (20,) if quick else (50, 100):
            for rows in (300,) if quick else (500, 1000):
                yield _job("shallow CDNOTS refined", d, rows, seed, refined_shallow)
    for rows in () if quick else (500, 1000):
        yield _job("no skeleton", 50, rows, chosen[0], refined_everything)


def _job(name: str, d: int, rows: int, seed: int, method: Method) -> Job:
    def run() -> Numbers:
        try:
            values, truth = scp(d, seed, rows)
        except RuntimeError:  # the generator found no stationary process for this seed
            return {}
        return method(values, truth)

    return Job(name, d, rows, seed, run)


def raw_cdnots(values: FloatArray, truth: BoolArray) -> Numbers:
    found, spent = measured(lambda: get_skeleton("cdnots")(Source(as_panel(values), MAX_LAG)))
    assert found.scores is not None
    strength = np.where(found.mask, np.nan_to_num(found.scores), 0.0)
    return {**graded(truth, found.mask, strength), **spent}


def refined_cdnots(values: FloatArray, truth: BoolArray) -> Numbers:
    return _discover(values, truth, skeleton="cdnots")


def refined_shallow(values: FloatArray, truth: BoolArray) -> Numbers:
    return _discover(values, truth, skeleton="cdnots", max_degree=1)


def refined_everything(values: FloatArray, truth: BoolArray) -> Numbers:
    return _discover(values, truth, skeleton="full")


def discovered(values: FloatArray, truth: BoolArray) -> Numbers:
    return _discover(values, truth, skeleton="basis")


def _discover(values: FloatArray, truth: BoolArray, **options: Any) -> Numbers:
    found, spent = measured(lambda: gp.discover(values, MAX_LAG, progress=False, **options))
    return {**graded(truth, found.graph, certainty(found)), **spent}


def certainty(found: gp.Refinement) -> FloatArray:
    """-log10 p of every candidate, those that stayed above those that went; 0 for all that were none.

    >>> import grace_plugin as gp
    >>> found = gp.discover(gp.load_example("toy_climate").data, max_lag=3)
    >>> bool(certainty(found)[found.graph].min() > certainty(found)[~found.graph].max())
    True
    """
    level = -np.log10(np.maximum(np.nan_to_num(found.outcome.p_value, nan=1.0), 1e-300))
    return np.asarray(level + 1000.0 * found.graph)


def table(rows: Sequence[Row]) -> str:
    made = [row for row in rows if row.numbers]
    made.sort(key=lambda row: (row.d, row.T, row.method))
    return mean_table(made, ("precision", "recall", "f1", "shd", "pair_f1", "pair_auroc", "cpu", "peak_mib"))
