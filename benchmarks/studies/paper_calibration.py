"""Whether the paper's rule for lambda sits where F1 is highest: from an eighth of it to four times as much.

The paper fitted its rule on about a thousand such graphs (10 to 100 variables, 500 to 2000 rows, edges from
sparse to 0.12); here a few of them from the authors' generator, refined by `preset="paper"` from our CDNOTS.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np

from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.paper_table import MAX_LAG, STORE, Numbers, gated, lagged_cdnots
from benchmarks.worlds.paper import REPORTED_SEEDS
from grace_plugin.engines.level import paper_penalty

TITLE = "The paper's rule for lambda beside multiples of it, on Erdos-Renyi graphs"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((10, 500), (10, 1000), (20, 500), (20, 1000), (30, 1000))
DENSITIES = (0.04, 0.12)  # chances of an edge from one variable to another
TIMES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    cells = [(6, 200)] if quick else CELLS
    for seed, (d, rows), density in product(chosen, cells, DENSITIES[-1:] if quick else DENSITIES):
        yield Job(f"density {density}", d, rows, seed, partial(_one, density, d, rows, seed))


def _one(density: float, d: int, rows: int, seed: int) -> Numbers:
    """F1 at every multiple of the rule, and the best multiple (of several that tie, the middle one)."""
    from causalts.synthetic_data.synthetic_datasets import topology_scp

    try:
        made = topology_scp("erdos_renyi", seed, n_vars=d, max_lag=MAX_LAG, T=rows, er_p=density)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    values, truth = made["df"].to_numpy(np.float64), np.asarray(made["ground_truth"], np.bool_)
    skeleton = lagged_cdnots(values, MAX_LAG)
    rule = paper_penalty(skeleton, rows - MAX_LAG)
    tried = [{"preset": "paper", "penalty": times * rule} for times in TIMES]
    f1 = [gated(skeleton, values, truth, options)["f1"] for options in tried]
    best = np.flatnonzero(np.isclose(f1, max(f1)))
    return {
        **{f"f1_{times:g}": value for times, value in zip(TIMES, f1, strict=True)},
        "best_f1": max(f1),
        "best_times": TIMES[best[len(best) // 2]],
    }


def table(rows: Sequence[Row]) -> str:
    made = sorted((row for row in rows if row.numbers), key=lambda row: (row.d, row.T, row.method))
    columns = (*(f"f1_{times:g}" for times in TIMES), "best_f1", "best_times")
    means = {name: float(np.mean([row.numbers[name] for row in made])) for name in columns}
    said = ", ".join(f"{times:g} times {means[f'f1_{times:g}']:.3f}" for times in TIMES)
    return (
        f"{mean_table(made, columns)}\n\nF1 over all: {said}; the best of each graph {means['best_f1']:.3f}."
    )
