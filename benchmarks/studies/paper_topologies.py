"""The default engine on the authors' topologies (`topology_scp` of `causalts`), and how much there is to see.

Pairs are ranked by `pair_scores`, which every pair has; gates ("gate_auroc") tie all pairs that are no
candidates. "visible" is the share of true edges that are significant at 0.05 when all other true parents of
the effect are known: what is below it no method can be asked to find. "ceiling" is the pair AUROC of those
very tests, were the p-values of all false edges uniform. "coefficient" is the median size of the linear
coefficients between two variables, beside all true parents; the generator is asked for 0.40 to 0.89.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np
from scipy.stats import f as fisher

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import auroc, graded, measured
from benchmarks.reporting import paper
from benchmarks.studies.paper_sources import TOPOLOGIES, topology
from benchmarks.studies.paper_table import MAX_LAG, STORE, Numbers, lagged_cdnots, wanted_cell
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray

TITLE = "The default engine on the authors' topologies"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((50, 1000), (70, 1000), (100, 1000))
METHODS = ("CDNOTS refined", "discover")
_LEVEL = 0.05


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are sizes such as `d50` that leave out the other cells."""
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    cells = [(8, 200)] if quick else [cell for cell in CELLS if wanted_cell(cell, set(methods or ()))]
    for seed, (d, rows), kind, method in product(chosen, cells, TOPOLOGIES, METHODS):
        yield Job(f"{kind}: {method}", d, rows, seed, partial(_one, kind, method, d, rows, seed))


def _one(kind: str, method: str, d: int, rows: int, seed: int) -> Numbers:
    try:
        values, truth = topology(kind, d, rows, seed)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    found, spent = measured(lambda: _found(method, values))
    across = ~np.eye(d, dtype=np.bool_)
    numbers = graded(truth, found.graph, found.scores)
    pairs = np.asarray(truth.any(axis=2))
    tests = p_values_of_true_edges(values, truth)
    return {
        **{name: numbers[name] for name in ("precision", "recall", "f1", "pair_f1")},
        "pair_auroc": auroc(pairs[across], found.pair_scores[across]),
        "gate_auroc": auroc(pairs[across], (found.gates + found.graph).max(axis=2)[across]),
        "ceiling": ceiling(truth, tests),
        "coefficient": float(np.median(coefficients(values, truth))),
        "edges": float(truth.sum()),
        "visible": float(np.mean(tests[truth] < _LEVEL)),
        "cpu": spent["cpu"],
    }


def _found(method: str, values: FloatArray) -> gp.Refinement:
    if method == "discover":
        return gp.discover(values, MAX_LAG, progress=False)
    return gp.analyze(lagged_cdnots(values, MAX_LAG), values, progress=False)


def p_values_of_true_edges(values: FloatArray, truth: BoolArray) -> FloatArray:
    """Of true edges, the F-test of x, x^2 and |x| beside those of all other true parents; 1 elsewhere."""
    max_lag = truth.shape[2] - 1
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    tests = np.ones(truth.shape)
    for effect in range(len(truth)):
        parents = np.argwhere(truth[:, effect])
        target = standard[max_lag:, effect]
        blocks = [_features(standard[max_lag - lag : len(values) - lag, cause]) for cause, lag in parents]
        free = len(target) - 1 - 3 * len(blocks)
        whole = _unexplained(blocks, target)
        for place, (cause, lag) in enumerate(parents):
            without = _unexplained(blocks[:place] + blocks[place + 1 :], target)
            tests[cause, effect, lag] = fisher.sf((without - whole) / 3 / (whole / free), 3, free)
    return tests


def coefficients(values: FloatArray, truth: BoolArray) -> FloatArray:
    """Sizes of the linear coefficients of true edges between two variables, beside all true parents."""
    max_lag = truth.shape[2] - 1
    found: list[float] = []
    for effect in range(len(truth)):
        parents = np.argwhere(truth[:, effect])
        blocks = [values[max_lag - lag : len(values) - lag, cause] for cause, lag in parents]
        design = np.column_stack([np.ones(len(values) - max_lag), *blocks])
        weights = np.linalg.lstsq(design, values[max_lag:, effect], rcond=None)[0][1:]
        found += list(np.abs(weights[parents[:, 0] != effect]))
    return np.array(found)


def ceiling(truth: BoolArray, tests: FloatArray) -> float:
    """The chance that a true pair's smallest p-value is below a false pair's, all of whose are uniform.

    A true pair has the p-value p of its edge and uniform ones at its L - 1 other lags, a false pair L uniform
    ones: the false pair is first with chance L / (2 L - 1) (1 - (1 - p)^(2 L - 1)).
    """
    smallest = tests.min(axis=2)[truth.any(axis=2) & ~np.eye(len(truth), dtype=np.bool_)]
    lags = truth.shape[2] - 1
    return float(np.mean(1.0 - lags / (2 * lags - 1) * (1.0 - (1.0 - smallest) ** (2 * lags - 1))))


def _features(x: FloatArray) -> FloatArray:
    return np.column_stack([x, x**2, np.abs(x)])


def _unexplained(blocks: list[FloatArray], target: FloatArray) -> float:
    design = np.column_stack([np.ones(len(target)), *blocks])
    residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(residual @ residual)


def table(rows: Sequence[Row]) -> str:
    made = sorted((row for row in rows if row.numbers), key=lambda row: (row.d, row.method))
    columns = (
        "pair_auroc",
        "gate_auroc",
        "ceiling",
        "precision",
        "recall",
        "f1",
        "pair_f1",
        "edges",
        "visible",
        "coefficient",
        "cpu",
    )
    said = [f"{kind} {known['GRACE']:.3f}" for kind, known in paper.TOPOLOGY_AUROC.items()]
    return f"{mean_table(made, columns)}\n\nThe paper's pair AUROC at d = 50: {', '.join(said)}."
