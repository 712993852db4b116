"""The paper's ablations with its engine: start of the gates, threshold, penalty, lags, skeleton, batches.

One change to `preset="paper"` a row, from CDNOTS skeletons of the paper's generator. Every row has its F1 at
thresholds from 0.3 to 0.7. The paper's sizes are d = 50 and 100; d = 20 comes first because it takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.reporting import paper
from benchmarks.studies.paper_table import (
    MAX_LAG,
    STORE,
    THRESHOLDS,
    Numbers,
    gated,
    lagged_cdnots,
    wanted_cell,
)
from benchmarks.studies.penalties import FIXED, in_nats
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp

TITLE = "The paper's ablations with the paper's engine"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((20, 1000), (50, 500), (50, 1000), (100, 500), (100, 1000))
SEARCHED = (2, 3, 5, 7, 10)
NO_SKELETON = "no skeleton"
STARTS = {"preset": {}, "start 0": {"initial_gate": 0.0}, "start -0.5": {"initial_gate": -0.5}}
CHANGES: dict[str, dict[str, Any]] = {
    **STARTS,
    "start -0.5, gates at 1e-2": {"initial_gate": -0.5, "gate_learning_rate": 1e-2},
    "one draw a row": {"gate_noise": "row"},
    "one hidden layer": {"decoder_layers": 1},
    "uniform weights": {"initial_weights": "uniform"},
    "squares and absolute values": {"features": ("linear", "square", "absolute")},
    "batches of 64": {"batch_size": 64},
    "batches of 256": {"batch_size": 256},
    "lag concentration 1": {"lag_concentration": 1.0},
    "constant noise": {"noise": "constant"},
    "one shared decoder": {"decoder": "shared"},
}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    wanted = set(methods or ())
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    cells = [(5, 200)] if quick else [cell for cell in CELLS if wanted_cell(cell, wanted)]
    names = {word for word in wanted if not word[1:].isdigit()}
    for seed, (d, rows) in product(chosen, cells):
        for name, run in _runs(d, rows).items():
            if not names or name in names:
                yield Job(name, d, rows, seed, partial(_one, run, d, rows, seed))


def _runs(d: int, rows: int) -> dict[str, Any]:
    """Of each row, what makes its skeleton and which options it has."""
    full = partial(lagged_cdnots, max_lag=MAX_LAG)
    runs: dict[str, Any] = {name: (full, options) for name, options in CHANGES.items()}
    for value in FIXED:
        runs[f"lambda={value}"] = full, {"penalty": in_nats(value, d, rows - MAX_LAG)}
    for lag in SEARCHED:
        runs[f"lags to {lag}"] = partial(lagged_cdnots, max_lag=lag), {}
    runs["shallow CDNOTS"] = partial(lagged_cdnots, max_lag=MAX_LAG, max_degree=1), {}
    runs[NO_SKELETON] = _everything, {}
    return runs


def _one(run: Any, d: int, rows: int, seed: int) -> Numbers:
    make, options = run
    try:
        values, truth = scp(d, seed, rows)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    skeleton = make(values)
    lags = max(truth.shape[2], skeleton.mask.shape[2])
    padded = gp.Skeleton(_padded(skeleton.mask, lags))
    if lags > truth.shape[2]:  # a longer search; edges beyond the searched lags are missed ones
        return gated(padded, values, _padded(truth, lags), {"preset": "paper", **options})
    return gated(padded, values, truth, {"preset": "paper", **options})


def _padded(mask: BoolArray, lags: int) -> BoolArray:
    missing = lags - mask.shape[2]
    return np.pad(mask, ((0, 0), (0, 0), (0, missing))) if missing else mask


def _everything(values: FloatArray) -> gp.Skeleton:
    d = values.shape[1]
    mask = np.ones((d, d, MAX_LAG + 1), dtype=np.bool_)
    mask[:, :, 0] = False
    return gp.Skeleton(mask)


def table(rows: Sequence[Row]) -> str:
    made = [row for row in rows if row.numbers]
    order = list(_runs(50, 1000))
    made.sort(key=lambda row: (row.d, row.T, order.index(row.method)))
    levels = tuple(f"f1_at_{level}" for level in THRESHOLDS)
    numbers = mean_table(made, ("precision", "recall", "f1", "skeleton_f1", *levels, "cpu"))
    return f"{numbers}\n\n{_said(made)}"


def _said(rows: Sequence[Row]) -> str:
    """The paper's F1 of the same rows."""
    known = {
        **paper.PENALTIES,
        "preset": paper.PENALTIES["paper"],
        NO_SKELETON: paper.SKELETONS["no skeleton"],
        "shallow CDNOTS": paper.SKELETONS["shallow CDNOTS"],
        **{f"lags to {lag}": {(50, 1000): value} for lag, value in paper.LAGS["GRACE"].items()},
    }
    cells = sorted({(row.method, row.d, row.T) for row in rows})
    said = [
        f"{name} at d={d}, T={length}: {known[name][d, length]:.3f}"
        for name, d, length in cells
        if (d, length) in known.get(name, {})
    ]
    return f"The paper's F1: {'; '.join(said)}." if said else "The paper has no figures at these sizes."
