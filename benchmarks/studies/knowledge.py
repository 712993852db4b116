"""What knowing helps, and what believing wrongly costs: F1 with knowledge right, half right and wrong.

A belief speaks of as many edges between variables as the world has: all of them true (right), half of them
(half right), or none (wrong); the false ones are drawn among all cells that are no edges. Soft: each is ten
times as likely as others (`likely`). Hard: half of them are required (`keep`), and as many cells forbidden,
which are no edges where the knowledge is right and edges where it is wrong. One entry of each world whose
edges have known lags, and the linear world with few rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.studies._world_scores import scored
from benchmarks.worlds import Entry, World, worlds
from benchmarks.worlds.base import Rng
from benchmarks.worlds.grid import kinds, verified

TITLE = "Knowledge, right and wrong"
ODDS = 10.0
BELIEFS = (
    "none",
    "soft right",
    "soft half right",
    "soft wrong",
    "hard right",
    "hard half right",
    "hard wrong",
)
_RIGHT = {"right": 1.0, "half right": 0.5, "wrong": 0.0}
_QUICK = ("linear_var", "heavy_tails")
_MOST_VARIABLES = 10
FEW_ROWS = 200

Cell = tuple[int, int, int]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Every belief on every world."""
    for seed in seeds if seeds is not None else range(1 if quick else 10):
        for entry in entries(quick):
            for belief in BELIEFS:
                yield Job(f"{entry.key}: {belief}", entry.d, entry.T, seed, _job(entry, belief, seed))


def entries(quick: bool = False) -> list[Entry]:
    """One entry a world, the middle of its strengths, and the linear world with few rows."""
    chosen: dict[str, Entry] = {}
    few = []
    for entry in worlds():
        kind = kinds()[entry.world]
        if kind.null or kind.scored != "lags" or entry.d > _MOST_VARIABLES:
            continue
        if entry.T <= FEW_ROWS:
            few += [entry] if entry.world == "linear_var" else []
        elif entry.world not in chosen or entry.strength == "medium":
            chosen[entry.world] = entry
    found = [*chosen.values(), *few]
    return [entry for entry in found if entry.world in _QUICK][:2] if quick else found


def _job(entry: Entry, belief: str, seed: int) -> Any:
    def run() -> dict[str, float]:
        world = _drawn(entry, seed)
        data: Any = world.series if world.parts else world.data
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = gp.discover(data, world.max_lag, progress=False, **knowledge(world, belief, seed))
        numbers = scored(world, found.graph)
        return {name: round(numbers[name], 4) for name in ("f1", "precision", "recall")}

    return run


@lru_cache(maxsize=2)
def _drawn(entry: Entry, seed: int) -> World:
    return verified(entry, seed)


def knowledge(world: World, belief: str, seed: int) -> dict[str, Any]:
    """The options that a belief is told by."""
    if belief == "none":
        return {}
    kind, right = belief.split(" ", 1)
    rng = np.random.default_rng([seed, len(world.truth), 24])
    true, false = _cells(world, rng)
    count = round(_RIGHT[right] * len(true))
    told = [*true[:count], *false[: len(true) - count]]
    if kind == "soft":
        return {"likely": dict.fromkeys(told, ODDS)}
    half = max(1, len(told) // 2)
    required = [told[place] for place in rng.permutation(len(told))[:half]]
    ruled_out = [*false[len(true) : len(true) + round(_RIGHT[right] * half)], *_against(true, required)]
    return {"keep": required, "forbid": ruled_out[:half]}


def _against(true: list[Cell], required: list[Cell]) -> list[Cell]:
    """Edges that wrong knowledge rules out."""
    return [cell for cell in true if cell not in required]


def _cells(world: World, rng: Rng) -> tuple[list[Cell], list[Cell]]:
    """The edges between variables, and all lagged cells that are none, each in a drawn order."""
    off = ~np.eye(len(world.truth), dtype=bool)[:, :, None]
    possible = off & (np.arange(world.truth.shape[2]) > 0)
    edges, others = np.argwhere(world.truth & off), np.argwhere(~world.truth & possible)

    def drawn(cells: Any) -> list[Cell]:
        return [(int(c), int(e), int(lag)) for c, e, lag in cells[rng.permutation(len(cells))]]

    return drawn(edges), drawn(others)


def table(rows: Sequence[Row]) -> str:
    """Means over worlds and seeds, of many rows and of few."""
    lines = ["| F1 | enough rows | at most 200 | worlds | seeds |", "| --- | --- | --- | --- | --- |"]
    for belief in BELIEFS:
        mine = [row for row in rows if row.method.endswith(f": {belief}")]
        many, few = ([r for r in mine if (r.T > FEW_ROWS) == enough] for enough in (True, False))
        means = [f"{np.mean([r.numbers['f1'] for r in part]):.3f}" if part else "" for part in (many, few)]
        counts = [str(len({row.method for row in mine})), str(len({row.seed for row in mine}))]
        lines.append("| " + " | ".join([belief, *means, *counts]) + " |")
    return "\n".join(lines)
