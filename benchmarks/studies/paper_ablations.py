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
    padded, whole = gp.Skeleton(_padded(skeleton.mask, lags)), _padded(truth, lags)
    numbers = gated(padded, values, whole, {"preset": "paper", **options})
    return {**numbers, **_within(numbers, int(truth.sum()), int(truth[:, :, : skeleton.mask.shape[2]].sum()))}


def _within(numbers: Numbers, edges: int, searched: int) -> Numbers:
    """F1 where true edges beyond the searched lags are not counted as missed ones.

    >>> _within({"f1": 0.5, "precision": 0.5, "recall": 0.5, "skeleton_f1": 0.0}, 8, 4)["within_f1"]
    0.6666666666666666
    """
    hits = numbers["recall"] * edges
    found = hits / numbers["precision"] if numbers["precision"] else 0.0
    kept = numbers.get("skeleton_recall", 0.0) * edges
    candidates = kept / numbers["skeleton_precision"] if numbers.get("skeleton_precision") else 0.0
    return {
        "within_f1": 2.0 * hits / max(found + searched, 1.0),
        "skeleton_within_f1": 2.0 * kept / max(candidates + searched, 1.0),
    }


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
    return "\n\n".join(part for part in (_by_cell(made), _by_threshold(made), _by_lag(made)) if part)


def _by_cell(rows: Sequence[Row]) -> str:
    """F1 of every change in every cell, beside the paper's where it has one."""
    known: dict[str, Any] = {
        **paper.PENALTIES,
        "preset": paper.PENALTIES["paper"],
        NO_SKELETON: paper.SKELETONS["no skeleton"],
        "shallow CDNOTS": paper.SKELETONS["shallow CDNOTS"],
    }
    cells = sorted({(row.d, row.T) for row in rows})
    lines = [_line("F1, here / in the paper (seeds)", *(f"d={d}, T={length}" for d, length in cells))]
    lines.append("|" + " --- |" * (len(cells) + 1))
    preset = [row for row in rows if row.method == "preset"]
    lines.append(_line("CDNOTS", *(_mean(preset, cell, "skeleton_f1", paper.F1["CDNOTS"]) for cell in cells)))
    for name in _runs(50, 1000):
        of_name = [row for row in rows if row.method == name]
        if of_name and not name.startswith("lags to"):
            lines.append(_line(name, *(_mean(of_name, cell, "f1", known.get(name, {})) for cell in cells)))
    return "\n".join(lines)


def _by_threshold(rows: Sequence[Row]) -> str:
    """F1 at thresholds from 0.3 to 0.7, by where gates start."""
    names = [*STARTS, "start -0.5, gates at 1e-2"]
    chosen = [row for row in rows if row.method in names]
    chosen.sort(key=lambda row: (row.d, row.T, names.index(row.method)))
    if not chosen:
        return ""
    return "Thresholds:\n\n" + mean_table(chosen, tuple(f"f1_at_{level}" for level in THRESHOLDS))


def _by_lag(rows: Sequence[Row]) -> str:
    """By how far lags were searched, with the skeleton's own F1."""
    titles = ("F1", "F1 within the searched lags", "CDNOTS", "CDNOTS within the searched lags")
    names = ("f1", "within_f1", "skeleton_f1", "skeleton_within_f1")
    lines = [_line("d", "T", "lags to", *titles), "|" + " --- |" * 7]
    for d, length in sorted({(row.d, row.T) for row in rows}):
        for lag in SEARCHED:
            members = [row for row in rows if row.method == f"lags to {lag}"]
            said = [{(50, 1000): paper.LAGS[name][lag]} for name in ("GRACE", "CDNOTS")]
            pairs = zip(names, (said[0], said[0], said[1], said[1]), strict=True)
            shown = [_mean(members, (d, length), name, figures) for name, figures in pairs]
            if any(shown):
                lines.append(_line(d, length, lag, *shown))
    return "Searched lags (true ones reach to 5):\n\n" + "\n".join(lines) if len(lines) > 2 else ""


def _line(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _mean(rows: Sequence[Row], cell: tuple[int, int], name: str, known: Any) -> str:
    values = [row.numbers[name] for row in rows if (row.d, row.T) == cell and name in row.numbers]
    if not values:
        return ""
    said = f" / {known[cell]:.3f}" if cell in known else ""
    return f"{np.mean(values):.3f}{said} ({len(values)})"
