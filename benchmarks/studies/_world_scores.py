"""How a graph of a world is scored: edges between different variables, with their lags or as pairs.

A variable's own past is left out: it is easy, and in some worlds nobody can say how far it reaches. An edge
at lag 0 whose direction is left open is one edge that is half right.
"""

from __future__ import annotations

import numpy as np

from benchmarks.worlds import World
from benchmarks.worlds.base import BoolArray, FloatArray

Numbers = dict[str, float]
LEVELS = (0.7, 1, 1.3, 1.6, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 13, 16, 20, 30, 50)  # of -log10 p
SIZES = (
    0.0,
    0.01,
    0.02,
    0.03,
    0.05,
    0.07,
    0.1,
    0.13,
    0.16,
    0.2,
    0.25,
    0.3,
    0.35,
    0.4,
    0.5,
    0.6,
    0.8,
    1.0,
)  # of weights


def halved(graph: BoolArray) -> FloatArray:
    """1 for an edge, one half for each direction of an edge at lag 0 that has both."""
    shares = graph.astype(np.float64)
    shares[:, :, 0] = np.where(graph[:, :, 0] & graph[:, :, 0].T, 0.5, shares[:, :, 0])
    return shares


def cells(array: FloatArray, scored: str) -> FloatArray:
    """The values of all edges that are scored, as a row: cells of different variables, or pairs of them."""
    off = ~np.eye(len(array), dtype=bool)
    return np.asarray((array.max(axis=2) if scored == "pairs" else array)[off]).ravel()


def compared(truth: FloatArray, found: FloatArray) -> tuple[float, float, float]:
    """Precision, recall and F1 of shares; 1 where there is nothing to find and nothing was found.

    >>> compared(np.array([1.0, 1.0]), np.array([1.0, 0.5]))
    (1.0, 0.75, 0.8571428571428571)
    """
    hits, true, all_found = float(truth @ found), float(truth.sum()), float(found.sum())
    if true == 0:
        return (1.0, 1.0, 1.0) if all_found == 0 else (0.0, 1.0, 0.0)
    return hits / all_found if all_found else 0.0, hits / true, 2 * hits / (true + all_found)


def scored(world: World, graph: BoolArray, strength: FloatArray | None = None) -> Numbers:
    """All numbers of a graph, and those of the ranking by `strength` where there is one."""
    found, truth = halved(graph), world.truth.astype(np.float64)
    kind = world.scored
    precision, recall, f1 = compared(cells(truth, kind), cells(found, kind))
    numbers = {
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "lag_f1": compared(cells(truth, "lags"), cells(found, "lags"))[2],
        "pair_f1": compared(cells(truth, "pairs"), cells(found, "pairs"))[2],
        "false": float((cells(found, kind) * (1 - cells(truth, kind))).sum()),
    }
    return numbers if strength is None else {**numbers, **ranked(world, strength)}


def ranked(world: World, strength: FloatArray) -> Numbers:
    """Areas under the curves over all cells that could be true: lag 0 only where the world has such edges."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    first = 0 if world.truth[:, :, 0].any() or world.scored == "pairs" else 1
    truth = cells(world.truth[:, :, first:].astype(np.float64), world.scored) > 0
    values = cells(np.nan_to_num(strength[:, :, first:]), world.scored)
    if not 0 < truth.sum() < len(truth):
        return {}
    return {
        "auroc": float(roc_auc_score(truth, values)),
        "auprc": float(average_precision_score(truth, values)),
    }


def at_level(graph: BoolArray, strength: FloatArray, level: float) -> BoolArray:
    """The edges that are stronger than `level`, with the directions within one step that a program found."""
    cut = strength > level
    now = graph[:, :, 0]
    decided = now ^ now.T  # one direction only
    cut[:, :, 0] &= ~decided | now
    return cut


def curve(world: World, graph: BoolArray, strength: FloatArray, levels: tuple[float, ...]) -> list[float]:
    """F1 at each of some levels."""
    truth = cells(world.truth.astype(np.float64), world.scored)
    graphs = [halved(at_level(graph, strength, level)) for level in levels]
    return [compared(truth, cells(found, world.scored))[2] for found in graphs]


def best_in_hindsight(world: World, graph: BoolArray, strength: FloatArray) -> float:
    """The highest F1 of any level at all, for this very data set."""
    values = np.unique(strength[strength > 0])
    levels = np.concatenate([[0.0], (values[:-1] + values[1:]) / 2]) if len(values) else np.zeros(1)
    return max(curve(world, graph, strength, tuple(levels)))


def fdr(strength: FloatArray, level: float = 0.05) -> BoolArray:
    """Benjamini-Hochberg over all cells between variables that were tested, own past too."""
    from scipy.stats import false_discovery_control

    lags = slice(0 if strength[:, :, 0].any() else 1, None)
    found = np.zeros(strength.shape, dtype=np.bool_)
    p = 10.0 ** -strength[:, :, lags]
    found[:, :, lags] = false_discovery_control(p.ravel()).reshape(p.shape) <= level
    return found
