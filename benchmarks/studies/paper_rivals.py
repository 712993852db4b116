"""The paper's neural rivals, really run: CUTS+, and beside it neural Granger (cMLP) and NTS-NOTEARS.

They come from the package `causalcompass`, in an environment of its own (`python -m
benchmarks.hosts.neural_rivals` makes it). They score pairs without lags, so that pairs are what is counted,
own pasts apart. CUTS+ is cut at 0.5, as in the paper; the others, for which the paper has no figures, at the
threshold that is best for that very graph. "refined" gives the pairs above that cut, at all lags, to the
default engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import neural_rivals
from benchmarks.metrics import auroc, scores
from benchmarks.reporting import paper
from benchmarks.studies.paper_table import MAX_LAG, STORE, Numbers, wanted_cell
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp

TITLE = "CUTS+, neural Granger and NTS-NOTEARS, and what refining leaves of them (pairs)"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CUTS = "CUTS+"
_CUT = 0.5  # the paper's, of CUTS+
CELLS = {
    CUTS: ((20, 300), (20, 500), (20, 1000), (20, 2000), (100, 1000)),
    "cMLP": ((20, 300), (20, 1000)),
    "NTS-NOTEARS": ((20, 300), (20, 1000)),
}
QUICK = (10, 60)  # its scores are stored, because the rivals' environment is no part of the tests


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are names, or sizes such as `d20` and `T300` that leave out the other cells."""
    wanted = set(methods or ())
    names = [name for name in CELLS if name in wanted or not wanted & set(CELLS)]
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for seed, name in product(chosen, names):
        for d, rows in [QUICK] if quick else CELLS[name]:
            if (quick and name == CUTS) or (not quick and wanted_cell((d, rows), wanted)):
                yield Job(name, d, rows, seed, partial(_one, name, d, rows, seed), ours=False)


def _one(name: str, d: int, rows: int, seed: int) -> Numbers:
    values, truth = scp(max(d, 20), seed, rows)
    values, truth = values[:, :d], truth[:d, :d]
    found = neural_rivals.run(name, values, f"scp_{d}_{seed}_{rows}")
    cut = _CUT if name == CUTS else _best_cut(truth, found.pairs)
    pairs = found.above(cut)
    mask = np.repeat(pairs[:, :, None], MAX_LAG + 1, axis=2)
    mask[:, :, 0] = False
    refined = gp.analyze(gp.Skeleton(mask), values, progress=False)
    across = ~np.eye(d, dtype=np.bool_)
    return {
        **pair_scores(truth, pairs),
        "auroc": auroc(_pairs(truth)[across], found.pairs[across]),
        "cut": cut,
        **{f"refined_{key}": value for key, value in pair_scores(truth, _pairs(refined.graph)).items()},
        "cpu": found.cpu,
    }


def pair_scores(truth: BoolArray, pairs: BoolArray) -> Numbers:
    """Precision, recall and F1 of pairs [cause, effect], own pasts apart."""
    across = ~np.eye(len(truth), dtype=np.bool_)
    found = scores(_pairs(truth)[across], pairs[across])
    return {name: found[name] for name in ("precision", "recall", "f1")}


def _pairs(graph: BoolArray) -> BoolArray:
    return np.asarray(graph.any(axis=2))


def _best_cut(truth: BoolArray, pairs: FloatArray) -> float:
    across = ~np.eye(len(truth), dtype=np.bool_)
    cuts = np.concatenate([[-np.inf], np.unique(pairs[across])])
    return float(max(cuts, key=lambda cut: pair_scores(truth, pairs > cut)["f1"]))


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: (list(CELLS).index(row.method), row.d, row.T))
    columns = ("precision", "recall", "f1", "auroc", "cut", "refined_precision", "refined_recall")
    numbers = mean_table(ordered, (*columns, "refined_f1", "cpu"))
    said = [
        f"d={d}, T={length}: {paper.PAIR_F1[CUTS][d, length]:.3f}"
        for d, length in CELLS[CUTS]
        if (d, length) in paper.PAIR_F1[CUTS]
    ]
    return f"{numbers}\n\nThe paper's pair F1 of CUTS+: {'; '.join(said)}."
