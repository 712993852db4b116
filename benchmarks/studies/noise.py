"""False edges on independent AR(1) noise, and whether p-values are what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import pcmci
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, ar_noise

TITLE = "Independent AR(1) noise: false cross edges per graph"


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    d = 10 if quick else 50
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for rows in (300,) if quick else (300, 500, 1000):
        for seed in chosen:
            yield Job("PCMCI, alpha 0.05", d, rows, seed, partial(_raw, d, rows, seed))
            yield Job("PCMCI refined", d, rows, seed, partial(_refined, d, rows, seed, "pcmci"))
            yield Job("all candidates refined", 10, rows, seed, partial(_refined, 10, rows, seed, "all"))


def _skeleton(d: int, rows: int, seed: int, kind: str) -> BoolArray:
    if kind == "pcmci":
        return pcmci(ar_noise(d, seed, rows)[0], f"noise_{d}_{seed}_{rows}").skeleton(0.05)
    mask = np.ones((d, d, 6), dtype=bool)
    mask[:, :, 0] = False
    return mask


def _cross(graph: BoolArray) -> float:
    d = len(graph)
    return float(graph[~np.eye(d, dtype=bool)].sum())


def _raw(d: int, rows: int, seed: int) -> dict[str, float]:
    return {"false_cross_edges": _cross(_skeleton(d, rows, seed, "pcmci"))}


def _refined(d: int, rows: int, seed: int, kind: str) -> dict[str, float]:
    result = gp.analyze(gp.Skeleton(_skeleton(d, rows, seed, kind)), ar_noise(d, seed, rows)[0])
    return {"false_cross_edges": _cross(result.graph), "alpha": result.alpha}


def table(rows: Sequence[Row]) -> str:
    return mean_table(sorted(rows, key=lambda row: (row.method, row.T)), ("false_cross_edges",))
