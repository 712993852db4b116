"""The stored rows, asked by (benchmark, method, d, T) and metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from benchmarks.core import Row, Store
from benchmarks.environment import engine

FULL = 10  # seeds of a finished row


@dataclass(frozen=True)
class Cell:
    """A number of a table: the mean over seeds, or one of the paper's."""

    values: tuple[float, ...]
    measured: bool = True

    @property
    def mean(self) -> float:
        return mean(self.values)

    def text(self, digits: int = 3) -> str:
        spread = f" ±{short(stdev(self.values), max(digits - 1, 0))}" if len(self.values) > 2 else ""
        few = f" ({len(self.values)} seed{'s' * (len(self.values) > 1)})" if self._few else ""
        return short(self.mean, digits) + spread + few

    @property
    def _few(self) -> bool:
        return self.measured and len(self.values) != FULL


def short(value: float, digits: int = 3) -> str:
    """`.912` rather than `0.912`.

    >>> short(0.9124), short(1.0), short(104.2, 0), short(-0.05)
    ('.912', '1.000', '104', '-.050')
    """
    return f"{value:.{digits}f}".replace("0.", ".", 1) if digits and abs(value) < 1 else f"{value:.{digits}f}"


class Evidence:
    """All rows that are not quick ones and have numbers."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = [row for row in rows if not row.quick and row.numbers]
        self._index: dict[tuple[str, str, int, int], dict[int, dict[str, float]]] = {}
        for row in self.rows:
            self._index.setdefault((row.benchmark, row.method, row.d, row.T), {})[row.seed] = row.numbers

    @classmethod
    def stored(cls, stores: Sequence[Store]) -> Evidence:
        return cls(row for store in stores for row in store.rows(quick=False))

    def of(self, *benchmarks: str) -> list[Row]:
        return [row for row in self.rows if row.benchmark in benchmarks]

    def cell(self, benchmark: str, method: str, d: int, rows: int, metric: str = "f1") -> Cell | None:
        found = self._index.get((benchmark, method, d, rows), {})
        values = tuple(numbers[metric] for _, numbers in sorted(found.items()) if metric in numbers)
        return Cell(values) if values else None

    def paired(
        self,
        benchmark: str,
        ours: str,
        theirs: str,
        d: int,
        rows: int,
        metric: str = "f1",
    ) -> tuple[float, float, int] | None:
        """Means of two methods over the seeds that both have, and how many."""
        left = self._index.get((benchmark, ours, d, rows), {})
        right = self._index.get((benchmark, theirs, d, rows), {})
        both = [s for s in left if s in right and metric in left[s] and metric in right[s]]
        if not both:
            return None
        return mean(left[s][metric] for s in both), mean(right[s][metric] for s in both), len(both)

    def made(self, *benchmarks: str) -> str:
        """When and by which state of the engine the rows of some benchmarks were made."""
        rows = self.of(*benchmarks)
        if not rows:
            return "No rows yet"
        dates = sorted({row.made for row in rows if row.made})
        if not dates:
            return "Rows made before dates were kept, on 2026-11-16 or earlier, by an **older engine**"
        span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        return f"Rows of {span} {_by(rows)}"


def _by(rows: Sequence[Row]) -> str:
    """The states of the engine, and how many rows an older one made."""
    states = {row.code: row.engine or engine(row.code) for row in rows if row.code}
    codes = ", ".join(sorted(states))
    old = [row for row in rows if states.get(row.code, "") != engine()]
    if not old:
        return f"by this engine (at {codes})"
    which = "all" if len(old) == len(rows) else f"{len(old)} of {len(rows)}"
    return f"at {codes}: {which} by an **older engine** than this one"
