"""Several hosts at once: their union under one decision, beside each host refined alone and majority votes.

PCMCI, PCMCI+, VARLiNGAM and VAR at their defaults on one entry of each world. "majority" keeps what more than
half of the hosts have, "half" what at least half have. F1 is that of the worlds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.hosts.graphs import host_graph
from benchmarks.studies._world_scores import scored
from benchmarks.worlds import Entry, World, worlds
from benchmarks.worlds.base import BoolArray
from benchmarks.worlds.grid import kinds, verified

TITLE = "Several hosts under one certificate"
HOSTS = ("PCMCI", "PCMCI+", "VARLiNGAM", "VAR")
OURS = ("consensus", *(f"{host} refined" for host in HOSTS), "discover")
METHODS = (*OURS, "majority", "half", *HOSTS)
_QUICK = ("linear_var",)
_MOST_VARIABLES = 6  # hosts take seconds a graph there


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Every method on every world."""
    for seed in seeds if seeds is not None else range(1 if quick else 10):
        for entry in entries(quick):
            for method in METHODS:
                run = partial(_numbers, entry, method, seed)
                yield Job(f"{entry.key}: {method}", entry.d, entry.T, seed, run, ours=method in OURS)


def entries(quick: bool = False) -> list[Entry]:
    """One entry a world: the middle of its strengths."""
    chosen: dict[str, Entry] = {}
    for entry in worlds(*_QUICK) if quick else worlds():
        studied = not kinds()[entry.world].null and entry.d <= _MOST_VARIABLES
        if studied and (entry.world not in chosen or entry.strength == "medium"):
            chosen[entry.world] = entry
    return list(chosen.values())


@lru_cache(maxsize=2)
def _drawn(entry: Entry, seed: int) -> tuple[World, dict[str, BoolArray]]:
    world = verified(entry, seed)
    return world, {host: host_graph(host, world, entry, seed) for host in HOSTS}


def _numbers(entry: Entry, method: str, seed: int) -> dict[str, float]:
    world, graphs = _drawn(entry, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = scored(world, _graph(method, world, graphs))
    return {name: round(numbers[name], 4) for name in ("f1", "precision", "recall")}


def _graph(method: str, world: World, graphs: dict[str, BoolArray]) -> BoolArray:
    data: Any = world.series if world.parts else world.data
    votes = np.sum(list(graphs.values()), axis=0)
    given = {host: gp.Skeleton(graph) for host, graph in graphs.items()}
    makers: dict[str, Callable[[], BoolArray]] = {
        "consensus": lambda: gp.consensus(given, data, progress=False).graph,
        "discover": lambda: gp.discover(data, world.max_lag, progress=False).graph,
        "majority": lambda: votes > len(HOSTS) / 2,
        "half": lambda: votes >= len(HOSTS) / 2,
    }
    if method in makers:
        return makers[method]()
    if method in graphs:
        return graphs[method]
    return gp.analyze(given[method.removesuffix(" refined")], data, progress=False).graph


def table(rows: Sequence[Row]) -> str:
    """Means over worlds and seeds."""
    lines = ["| | F1 | precision | recall | worlds | seeds |", "| --- | --- | --- | --- | --- | --- |"]
    for method in METHODS:
        mine = [row for row in rows if row.method.endswith(f": {method}")]
        if mine:
            means = [np.mean([row.numbers[name] for row in mine]) for name in ("f1", "precision", "recall")]
            counts = [str(len({row.method for row in mine})), str(len({row.seed for row in mine}))]
            lines.append("| " + " | ".join([method, *(f"{one:.3f}" for one in means), *counts]) + " |")
    return "\n".join(lines)
