"""LASSO-VAR, which the paper calls DYNOTEARS, at the thresholds 0 and 0.05, at the best one, and refined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.hosts.programs import Found
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import certainty
from benchmarks.worlds.paper import BoolArray, scp
from benchmarks.worlds.paper_like import draw

TITLE = "DYNOTEARS (LASSO-VAR) at t = 0, t = 0.05 and the best threshold, and refined"
SEEDS = {20: 10, 50: 3, 100: 1}  # a cross-validated path per effect takes long at d = 100
METHODS = ("t=0", "t=0.05", "best threshold", "t=0 refined", "t=0.05 refined")


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d in (5,) if quick else SEEDS:
        for seed in seeds if seeds is not None else range(1 if quick else SEEDS[d]):
            for rows in (200,) if quick else (1000, 500):
                for method in METHODS:
                    yield _job(method, d, rows, seed, quick)


def _job(method: str, d: int, rows: int, seed: int, quick: bool) -> Job:
    def run() -> dict[str, float]:
        values, truth = draw("plain", d, seed, rows) if quick else scp(d, seed, rows)
        host = programs.run("LASSO-VAR", values, f"{'plain' if quick else 'scp'}_{d}_{seed}_{rows}")
        if method == "best threshold":
            best = host.best(truth)
            return {**graded(truth, best, host.strength), "threshold": _lowest(host, best), **host.spent}
        graph = host.graph & (host.strength > (0.05 if "0.05" in method else 0.0))
        if not method.endswith("refined"):
            return {**graded(truth, graph, host.strength), **host.spent}
        result, spent = measured(lambda: gp.analyze(gp.Skeleton(graph), values, progress=False))
        return {**graded(truth, result.graph, certainty(result)), **spent}

    return Job(method, d, rows, seed, run)


def _lowest(host: Found, graph: BoolArray) -> float:
    """The smallest weight that stayed."""
    return float(host.strength[graph].min()) if graph.any() else 0.0


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: (row.d, row.T, METHODS.index(row.method)))
    return mean_table(ordered, ("precision", "recall", "f1", "threshold", "cpu", "peak_mib"))
