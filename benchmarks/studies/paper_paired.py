"""`preset="paper"` beside the authors' package `causalts`, on the same data and the same candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import measured, scores
from benchmarks.reporting.beside import cells
from benchmarks.studies.neural_speed import theirs
from benchmarks.studies.paper_table import MAX_LAG, STORE, Numbers, lagged_cdnots, wanted_cell
from benchmarks.worlds.paper import REPORTED_SEEDS, scp

TITLE = "The paper's method here and in causalts, paired"
__all__ = ["STORE", "TITLE", "jobs", "table"]
CELLS = ((20, 300), (20, 500), (20, 1000), (30, 300), (30, 500), (50, 300), (50, 1000))
_EPOCHS = 150  # the paper's


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are sizes such as `d20` and `T300` that leave out the other cells."""
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    sizes = [(5, 200)] if quick else [cell for cell in CELLS if wanted_cell(cell, set(methods or ()))]
    for seed, (d, rows) in product(chosen, sizes):
        yield Job("both", d, rows, seed, partial(_both, d, rows, seed, 2 if quick else _EPOCHS))


def _both(d: int, rows: int, seed: int, epochs: int) -> Numbers:
    import causalts.grace  # noqa: F401  (loading torch and either package is not part of the comparison)

    import grace_plugin.engines.neural.engine  # noqa: F401

    values, truth = scp(d, seed, rows)
    mask = lagged_cdnots(values, MAX_LAG).mask
    options: dict[str, Any] = {"engine": "neural", "preset": "paper", "epochs": epochs, "progress": False}
    found, spent = measured(lambda: gp.analyze(gp.Skeleton(mask), values, **options))
    clock, other = theirs(values, mask, epochs)
    one, two = scores(truth, found.graph), scores(truth, other)
    return {
        **{name: one[name] for name in ("f1", "precision", "recall")},
        **{f"causalts_{name}": two[name] for name in ("f1", "precision", "recall")},
        "same": float(np.mean(found.graph[mask] == other[mask])),  # share of candidates judged alike
        "cpu": spent["cpu"],
        "causalts_cpu": clock["cpu"],
        "ratio": clock["cpu"] / spent["cpu"],
    }


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: (row.d, row.T))
    names = ("f1", "precision", "recall")
    columns = (*names, *(f"causalts_{name}" for name in names), "same", "cpu", "causalts_cpu", "ratio")
    return f"{mean_table(ordered, columns, by=('d', 'T'))}\n\n{_overall(ordered)}"


def _overall(rows: Sequence[Row]) -> str:
    """One sentence: means over the cells, how far the two are apart in them, and how much faster ours is."""
    means = np.array(
        [
            [np.mean([row.numbers[name] for row in members]) for name in ("f1", "causalts_f1", "same")]
            for members in cells(rows).values()
        ]
    )
    mine, theirs, same = means.T
    spent, other = (sum(row.numbers[name] for row in rows) for name in ("cpu", "causalts_cpu"))
    return (
        f"F1 over {len(means)} cell{'s' * (len(means) > 1)}: {mine.mean():.3f} here, {theirs.mean():.3f} in "
        f"`causalts`; the cells differ by {np.abs(mine - theirs).mean():.3f} in the mean of their absolute "
        f"differences. {100 * same.min():.0f} to {100 * same.max():.0f} % of the candidates are judged "
        f"alike. All rows together take {other / spent:.0f} times less processor time here."
    )
