"""Our means beside the paper's figures, cell by cell, and how far apart they are on the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.core import Row

Key = tuple[int, int]  # (d, T)
_SEEDS = 10  # of the paper's means
_SPREAD_FROM = 3  # with fewer seeds of our own their spread is taken to be the paper's


@dataclass(frozen=True)
class Column:
    """One number of the rows, and what the paper says of it where it does."""

    title: str
    name: str
    paper: Mapping[Key, float]
    digits: int = 3

    def shown(self, value: float | None) -> str:
        return "" if value is None else f"{value:.{self.digits}f}"


def cells(rows: Sequence[Row]) -> dict[Key, list[Row]]:
    """The rows of each (d, T), smallest first."""
    found: dict[Key, list[Row]] = {}
    for row in sorted(rows, key=lambda one: (one.d, one.T, one.seed)):
        found.setdefault((row.d, row.T), []).append(row)
    return found


def beside(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """A Markdown table "here / in the paper", and the mean of the first column over its cells."""
    lines = [
        "| d | T | " + " | ".join(column.title for column in columns) + " | seeds |",
        "|" + " --- |" * (len(columns) + 3),
    ]
    for (d, length), members in cells(rows).items():
        shown = [_pair(column, members, (d, length)) for column in columns]
        lines.append(f"| {d} | {length} | " + " | ".join(shown) + f" | {len(members)} |")
    return "\n".join([*lines, "", overall(rows, columns[0])])


def _pair(column: Column, members: Sequence[Row], key: Key) -> str:
    mean = float(np.mean([row.numbers[column.name] for row in members]))
    said = column.shown(column.paper.get(key))
    return f"{column.shown(mean)} / {said}" if said else column.shown(mean)


def overall(rows: Sequence[Row], column: Column) -> str:
    """One sentence: means over the cells that both have, and the cell that is furthest off."""
    both = {
        key: (float(np.mean([row.numbers[column.name] for row in members])), column.paper[key])
        for key, members in cells(rows).items()
        if key in column.paper
    }
    if not both:
        return ""
    here, there = np.mean(list(both.values()), axis=0)
    furthest = max(both, key=lambda key: abs(both[key][0] - both[key][1]))
    off = both[furthest][0] - both[furthest][1]
    return (
        f"{column.title} over {len(both)} cell{'s' * (len(both) > 1)}: "
        f"{here:.3f} here, {there:.3f} in the paper; "
        f"furthest off is d={furthest[0]}, T={furthest[1]} ({off:+.3f})."
    )


def outside(
    rows: Sequence[Row], column: Column, spread: Mapping[Key, float], others: Sequence[Column]
) -> str:
    """The cells that are off by more than two combined standard errors, and what else differs there."""
    judged = {key: members for key, members in cells(rows).items() if key in spread}
    off = [
        key for key, members in judged.items() if abs(_errors_off(members, column, key, spread[key])) > 2.0
    ]
    lines = [f"{len(off)} of {len(judged)} cells are off by more than two combined standard errors."]
    for d, length in off:
        members = judged[d, length]
        away = _difference(members, column, (d, length))
        errors = _errors_off(members, column, (d, length), spread[d, length])
        beside_it = [
            f"{other.title} {_difference(members, other, (d, length)):+.3f}"
            for other in others
            if (d, length) in other.paper
        ]
        lines.append(f"- d={d}, T={length}: {away:+.3f}, {errors:+.1f} errors; {', '.join(beside_it)}.")
    return "\n".join(lines)


def above_and_below(rows: Sequence[Row], column: Column, spread: Mapping[Key, float]) -> str:
    """How many cells are better and worse than the paper's, of a method that is not the paper's."""
    off = [
        _errors_off(members, column, key, spread[key])
        for key, members in cells(rows).items()
        if key in spread
    ]
    above, below = sum(one > 2.0 for one in off), sum(one < -2.0 for one in off)
    return (
        f"Of {len(off)} cells {above} are above the paper's by more than two combined standard errors, "
        f"{below} below."
    )


def _difference(members: Sequence[Row], column: Column, key: Key) -> float:
    return float(np.mean([row.numbers[column.name] for row in members])) - column.paper[key]


def _errors_off(members: Sequence[Row], column: Column, key: Key, spread: float) -> float:
    values = [row.numbers[column.name] for row in members]
    own = float(np.std(values, ddof=1)) if len(values) >= _SPREAD_FROM else spread
    return _difference(members, column, key) / float(np.hypot(spread / _SEEDS**0.5, own / len(values) ** 0.5))
