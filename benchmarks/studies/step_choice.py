"""Whether contemporaneous="auto" looks within the step where it should, beside always and never.

One row is one data set of the small worlds (fewer than 20 variables) with F1 of all three; of null worlds,
where nothing acts, the false edges. The table has the means of every group of worlds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.studies._world_scores import scored
from benchmarks.worlds import REPORTED, Entry, World, one_split, worlds
from benchmarks.worlds.grid import kinds, verified
from grace_plugin.exceptions import DataError

TITLE = 'Effects within one step: looked for by "auto", always and never'
CHOICES: dict[str, Any] = {"auto": "auto", "always": True, "never": False}
_MOST_VARIABLES = 20
_SEEDS = 4
_QUICK = ("linear_var", "within_step_laplace", "hidden_fast")


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Seed by seed, so that an interrupted run has as many seeds of every world."""
    chosen = list(seeds if seeds is not None else REPORTED[: 1 if quick else _SEEDS])
    one_split(chosen)
    entries = [worlds(name)[0] for name in _QUICK] if quick else worlds()
    for seed in chosen:
        for entry in (one for one in entries if one.d < _MOST_VARIABLES):
            work = partial(_numbers, entry, seed)
            yield Job(f"{entry.world}/{entry.strength}", entry.d, entry.T, seed, work)


def _numbers(entry: Entry, seed: int) -> dict[str, float]:
    world = verified(entry, seed)
    numbers: dict[str, float] = {}
    for name, choice in CHOICES.items():
        found = _scores(world, choice)
        numbers |= {name: round(found["f1"], 4), f"{name}_false": round(found["false"], 2)}
    return numbers


def _scores(world: World, choice: Any) -> dict[str, float]:
    """Data that are refused count as an empty graph."""
    data: Any = world.series if world.parts else world.data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            graph = gp.discover(data, world.max_lag, contemporaneous=choice, progress=False).graph
        except DataError:
            graph = np.zeros_like(world.truth)
    return scored(world, graph)


def table(rows: Sequence[Row]) -> str:
    """Means of groups; `behind` is how far "auto" is below the better of the others."""
    lines = ["| worlds | auto | always | never | behind | data sets |", "|" + " --- |" * 6]
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(kinds()[row.method.split("/")[0]].group, []).append(row)
    for group, mine in groups.items():
        null = all(kinds()[row.method.split("/")[0]].null for row in mine)
        means = [_mean(mine, f"{name}_false" if null else name) for name in CHOICES]
        behind = means[0] - min(means[1:]) if null else max(means[1:]) - means[0]
        title = f"{group} (false edges)" if null else group
        cells = [*(f"{mean:.3f}" for mean in means), f"{behind:.3f}", str(len(mine))]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _mean(rows: Sequence[Row], name: str) -> float:
    return float(np.mean([row.numbers[name] for row in rows]))
