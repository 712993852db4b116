"""Do gates earn their place? Gates alone, the certificate alone, and both, on three kinds of skeleton."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.worlds.paper import REPORTED_SEEDS, scp

TITLE = "Ablation: gates only, certificate only, both (d, T and skeleton as shown)"
_CASES = (
    ("full", 20, 300),
    ("full", 20, 1000),
    ("cdnots", 20, 1000),
    ("cdnots", 50, 1000),
    ("cdnots", 100, 1000),
)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for skeleton, d, rows in _CASES[2:3] if quick else _CASES:
        for seed in chosen:
            for decide in ("gates", "certificate", "both"):
                yield Job(
                    f"{skeleton}: {decide}",
                    d,
                    rows,
                    seed,
                    partial(_one, skeleton, d, rows, seed, decide),
                )


def _one(skeleton: str, d: int, rows: int, seed: int, decide: str) -> dict[str, float]:
    try:
        values, truth = scp(d, seed, rows)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    start = time.perf_counter()
    result = gp.discover(values, 5, skeleton=skeleton, decide=decide)
    return {**scores(truth, _once(result.graph)), "seconds": time.perf_counter() - start}


def _once(graph: object) -> object:
    """Every edge once: an unoriented contemporaneous pair counts as one false edge."""
    import numpy as np

    once = np.array(graph)
    once[:, :, 0] &= ~np.tril(once[:, :, 0].T)
    return once


def table(rows: Sequence[Row]) -> str:
    return mean_table([row for row in rows if row.numbers], ("precision", "recall", "f1", "seconds"))
