"""Other shapes of graphs: scale-free, Erdos-Renyi and small-world, made by networkx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import certainty, raw_cdnots
from benchmarks.worlds.paper import REPORTED_SEEDS
from benchmarks.worlds.paper_like import MAX_LAG, draw

TITLE = "Graph topologies (our generator with the paper's graph parameters)"
KINDS = ("scale-free", "Erdos-Renyi", "small-world")


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    d, rows = (8, 300) if quick else (50, 1000)
    for seed in chosen:
        for kind in KINDS:
            for method in ("CDNOTS", "CDNOTS refined", "discover"):
                yield _job(kind, method, d, rows, seed)


def _job(kind: str, method: str, d: int, rows: int, seed: int) -> Job:
    def run() -> dict[str, float]:
        values, truth = draw(kind, d, seed, rows)
        if method == "CDNOTS":
            return raw_cdnots(values, truth)
        skeleton = "basis" if method == "discover" else "cdnots"
        found, spent = measured(lambda: gp.discover(values, MAX_LAG, skeleton=skeleton, progress=False))
        return {**graded(truth, found.graph, certainty(found)), **spent, "edges": float(np.sum(truth))}

    return Job(f"{kind}: {method}", d, rows, seed, run)


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: row.method)
    return mean_table(ordered, ("pair_auroc", "auroc", "pair_f1", "precision", "recall", "f1", "cpu"))
