"""The rows of the worlds, asked by entry of the grid and way of using a method.

Ways: "discover" and its rules, "PCMCI refined", and of each host "PCMCI" (its default), "PCMCI, FDR .05",
"PCMCI, tuned" (the level that is best over the tuning seeds of the same entry: what an expert would choose
who knows this kind of data) and "PCMCI, best" (the best level for each data set in hindsight, which nobody
can have).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.core import NOT_THERE, Row
from benchmarks.hosts.on_worlds import PROGRAMS, WITH_P
from benchmarks.studies.worlds import OURS, RULES
from benchmarks.worlds import REPORTED, TUNING, Entry, worlds
from benchmarks.worlds.grid import kinds

Numbers = dict[str, float]
_AT = tuple(f"at_{place:02d}" for place in range(18))
REAL = [entry for entry in worlds() if not kinds()[entry.world].null]
NULL = [entry for entry in worlds() if kinds()[entry.world].null]


@dataclass(frozen=True)
class Difference:
    """Mean of paired differences over entries, and half of its interval of 95 %."""

    mean: float
    half: float
    count: int

    @property
    def text(self) -> str:
        return f"{self.mean:+.3f} ± {self.half:.3f}".replace("0.", ".")


class WorldEvidence:
    """All rows of the worlds; reported seeds in every figure, tuning seeds for tuned levels alone."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = [row for row in rows if NOT_THERE not in row.numbers and row.numbers]
        self._found: dict[tuple[str, str], dict[int, Numbers]] = {}
        for row in self.rows:
            name, _, method = row.method.partition(": ")
            key = f"{name}/{row.d}x{row.T}"
            self._found.setdefault((key, method), {})[row.seed] = row.numbers

    def numbers(self, entry: Entry, method: str, seeds: Sequence[int] = REPORTED) -> dict[int, Numbers]:
        found = self._found.get((entry.key, method), {})
        return {seed: found[seed] for seed in seeds if seed in found}

    def f1(self, entry: Entry, way: str) -> dict[int, float]:
        """F1 of each reported seed that has been run."""
        method, _, use = way.partition(", ")
        if way in OURS:
            method, use = way, ""
        metric = {"": "f1", "FDR .05": "fdr_f1", "best": "best_f1", "tuned": self.tuned(entry, method)}[use]
        made = self.numbers(entry, method)
        return {seed: numbers[metric] for seed, numbers in made.items() if metric in numbers}

    def tuned(self, entry: Entry, method: str) -> str:
        """The name of the level with the highest mean F1 over the tuning seeds, or nothing."""
        made = list(self.numbers(entry, method, TUNING).values())
        if not made:
            return ""
        means = [np.mean([numbers[name] for numbers in made]) for name in _AT]
        return _AT[int(np.argmax(means))]

    def mean(self, entry: Entry, way: str) -> float | None:
        values = list(self.f1(entry, way).values())
        return float(np.mean(values)) if values else None

    def metric(self, entry: Entry, method: str, name: str) -> float | None:
        """The mean of another number of a method's own row."""
        made = self.numbers(entry, method).values()
        values = [numbers[name] for numbers in made if name in numbers]
        return float(np.mean(values)) if values else None

    def overall(self, way: str, entries: Sequence[Entry] | None = None) -> float | None:
        """The mean over entries of the mean over seeds."""
        values = [self.mean(entry, way) for entry in (REAL if entries is None else entries)]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known else None

    def difference(self, mine: str, other: str, name: str = "f1") -> Difference | None:
        """Mine minus the other's, over the seeds that both have, entry by entry."""
        gaps = [gap for entry in REAL if (gap := self.gap(entry, mine, other, name)) is not None]
        if len(gaps) < 2:
            return None
        half = 1.96 * float(np.std(gaps, ddof=1)) / len(gaps) ** 0.5
        return Difference(float(np.mean(gaps)), half, len(gaps))

    def gap(self, entry: Entry, mine: str, other: str, name: str = "f1") -> float | None:
        """The mean difference of one entry over common seeds."""
        left, right = self._values(entry, mine, name), self._values(entry, other, name)
        both = [left[seed] - right[seed] for seed in left if seed in right]
        return float(np.mean(both)) if both else None

    def _values(self, entry: Entry, way: str, name: str) -> dict[int, float]:
        if name == "f1":
            return self.f1(entry, way)
        made = self.numbers(entry, way)
        return {seed: numbers[name] for seed, numbers in made.items() if name in numbers}

    @cached_property
    def seeds(self) -> tuple[int, int]:
        """The fewest and the most reported seeds of `discover` that an entry has."""
        counts = [len(self.f1(entry, "discover")) for entry in (*REAL, *NULL)]
        known = [count for count in counts if count]
        return (min(known), max(known)) if known else (0, 0)

    @property
    def seeds_text(self) -> str:
        few, many = self.seeds
        return f"{few} seed{'s' * (few != 1)}" if few == many else f"{few} to {many} seeds"

    @cached_property
    def ways(self) -> list[str]:
        """Every way that has rows, ours first."""
        hosts = [
            way
            for host in PROGRAMS
            for way in (host, *([f"{host}, FDR .05"] * (host in WITH_P)), f"{host}, tuned", f"{host}, best")
        ]
        refined = [method for method in OURS if method not in RULES]
        return [way for way in (*RULES, *refined, *hosts) if any(self.f1(entry, way) for entry in REAL)]
