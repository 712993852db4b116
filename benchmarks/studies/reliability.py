"""Are probabilities what they say, over all worlds? Ten bins of probability, group by group.

A row is all worlds of a group at one seed, up to 20 variables. Edges are compared with their lags, also where
a world is scored by pairs otherwise: a probability speaks of one lag. Systems in continuous time have no true
lag, so their groups can only look worse than they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.studies._decision_measures import (
    Numbers,
    binned,
    calibration_error,
    cross_cells,
    reliability,
)
from benchmarks.worlds import REPORTED, Entry, worlds
from benchmarks.worlds.grid import kinds, verified
from grace_plugin.exceptions import DataError

TITLE = "Are probabilities what they say, over the worlds?"
CLEAN = ("linear", "mechanisms", "by others")
_MOST = 20  # variables


def groups() -> dict[str, list[Entry]]:
    """The worlds of each group."""
    found: dict[str, list[Entry]] = {}
    for entry in worlds():
        if entry.d <= _MOST:
            found.setdefault(kinds()[entry.world].group, []).append(entry)
    return found


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for seed in seeds if seeds is not None else (range(1) if quick else REPORTED):
        for name, entries in groups().items():
            if not quick or name == "gaps":
                yield Job(name, 0, 0, seed, partial(_row, entries[: 1 if quick else None], seed))


def _row(entries: Sequence[Entry], seed: int) -> Numbers:
    total: Numbers = {}
    for entry in entries:
        world = verified(entry, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = gp.discover(
                    world.series if world.parts else world.data, world.max_lag, progress=False
                )
            except DataError:
                continue
        levels = found.outcome.details.levels
        if (
            levels is None or levels.probability.shape != world.truth.shape
        ):  # words: one decision for several columns
            continue
        for name, value in reliability(found, world.truth, cross_cells(world.truth)).items():
            total[name] = total.get(name, 0.0) + value
    return {name: round(value, 4) for name, value in total.items()}


def table(rows: Sequence[Row]) -> str:
    """The calibration error of each group, with and without the bin of the hopeless."""
    lines = ["| worlds | cells | edges expected | edges | ECE | ECE above .1 | seeds |", "|" + " --- |" * 7]
    for name in sorted({row.method for row in rows}):
        same = [row for row in rows if row.method == name]
        lines.append(_line(name, same))
    return "\n".join([*lines, _line("all", rows)])


def _line(name: str, rows: Sequence[Row]) -> str:
    cells, edges, predicted = (binned(rows, one).sum() for one in ("cells", "edges", "predicted"))
    seeds = len({row.seed for row in rows})
    errors = f"{calibration_error(rows):.3f} | {calibration_error(rows, first=1):.3f}"
    return f"| {name} | {cells:.0f} | {predicted:.0f} | {edges:.0f} | {errors} | {seeds} |"
