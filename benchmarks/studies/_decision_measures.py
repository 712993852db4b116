"""What the studies of the decision count of one graph, so that sums over graphs tell rates and shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import grace_plugin as gp
from benchmarks.core import Row
from benchmarks.worlds.base import BoolArray, FloatArray

RATES = (0.05, 0.1, 0.2)
BINS = 10
STRENGTHS = {"below .1": (0.0, 0.1), ".1 to .2": (0.1, 0.2), ".2 to .4": (0.2, 0.4), "above .4": (0.4, 9.0)}
Numbers = dict[str, float]


def cross_cells(truth: BoolArray) -> BoolArray:
    """[cause, effect, lag]: lagged cells of different variables."""
    cross = np.broadcast_to(~np.eye(len(truth), dtype=bool)[:, :, None], truth.shape).copy()
    cross[:, :, 0] = False
    return cross


def rates(found: gp.Refinement, truth: BoolArray, cross: BoolArray) -> Numbers:
    """The share of false edges, its square and the hits at each rate: cuts of one run."""
    numbers: Numbers = {}
    for rate in RATES:
        graph = found.at(fdr=rate).graph & cross
        share = float((graph & ~truth).sum()) / max(int(graph.sum()), 1)
        numbers |= {f"share {rate}": share, f"square {rate}": share**2}
        numbers[f"hits {rate}"] = float((graph & truth).sum())
    return numbers


def reliability(found: gp.Refinement, truth: BoolArray, cross: BoolArray) -> Numbers:
    """How many cells, edges and expected edges there are in each bin of probability."""
    levels = found.outcome.details.levels
    assert levels is not None
    chance, right = levels.probability[cross], truth[cross]
    place = np.minimum((chance * BINS).astype(int), BINS - 1)
    numbers: Numbers = {}
    for one in range(BINS):
        mine = place == one
        numbers |= {f"cells {one}": float(mine.sum()), f"edges {one}": float(right[mine].sum())}
        numbers[f"predicted {one}"] = float(chance[mine].sum())
    return numbers


def fixed_coverage(data: FloatArray, made: FloatArray) -> Numbers:
    """How many intervals of the true graph's edges, all of them kept, hold the true coefficient."""
    truth = made != 0
    fixed = gp.analyze(gp.Skeleton(truth), data, keep=[tuple(one) for one in np.argwhere(truth).tolist()])
    true, _, inside = _intervals(fixed, truth & cross_cells(truth), made)
    return {"fixed inside": float(inside.sum()), "fixed intervals": float(len(true))}


def kept_coverage(found: gp.Refinement, cells: BoolArray, made: FloatArray) -> Numbers:
    """The same of true edges that were kept, by the size of their effect, and how large they look."""
    true, looks, inside = _intervals(found, cells, made)
    numbers: Numbers = {}
    for name, (least, most) in STRENGTHS.items():
        mine = (np.abs(true) >= least) & (np.abs(true) < most)
        numbers |= {f"inside {name}": float(inside[mine].sum()), f"kept {name}": float(mine.sum())}
        numbers[f"looks {name}"] = float((looks[mine] / true[mine]).sum())
    return numbers


def _intervals(
    found: gp.Refinement, cells: BoolArray, made: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """True and estimated coefficients in standard deviations, and whether the interval holds the true one.

    Effects in standard deviations of the prepared data beside those in units tell its scales.
    """
    further = {name: found.outcome.further(name) for name in ("low", "high", "effect_size", "effect_raw")}
    known = cells & ~np.isnan(further["low"])
    low, high, looks, raw = (column[known] for column in further.values())
    true = made[known] * looks / raw
    return true, looks, (low <= true) & (true <= high)


def calibration_error(rows: Sequence[Row], first: int = 0) -> float:
    """The mean distance of predicted and true shares over the bins from `first` on, weighted by their cells.

    Nine cells of ten are hopeless and counted as such: without the first bin the error is that of the others.
    """
    cells, edges, predicted = (binned(rows, name) for name in ("cells", "edges", "predicted"))
    far = np.abs(edges - predicted)[first:].sum()
    return float(far / max(cells[first:].sum(), 1.0))


def binned(rows: Sequence[Row], name: str) -> FloatArray:
    """[BINS]: sums over rows of "cells", "edges" or "predicted"."""
    return np.array([sum(row.numbers.get(f"{name} {one}", 0.0) for row in rows) for one in range(BINS)])


def summed(rows: Sequence[Row]) -> Numbers:
    """Every number, added up over rows."""
    total: Numbers = {}
    for row in rows:
        for name, value in row.numbers.items():
            total[name] = total.get(name, 0.0) + value
    return total
