"""What a benchmark is: a module of this folder with TITLE, `jobs(quick, seeds)` and `table(rows)`.

A job is one row of results, identified by (benchmark, method, d, T, seed). Rows are appended to one
plain file as they are finished, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from benchmarks.environment import commit, engine, today

RESULTS = Path(__file__).parent / "results.jsonl"
NOT_THERE = "not_there"  # the number of a row that waits for an option of the library
QUICK_RESULTS = Path(__file__).parent / "cache" / "quick.jsonl"  # nobody reports these


@dataclass(frozen=True)
class Job:
    """One row to be made: `run` returns its numbers."""

    method: str
    d: int
    T: int
    seed: int
    run: Callable[[], dict[str, float]]
    ours: bool = True  # a row of somebody else's program does not grow old with the engine


@dataclass(frozen=True)
class Row:
    """One row that was made."""

    benchmark: str
    method: str
    d: int
    T: int
    seed: int
    quick: bool
    numbers: dict[str, float] = field(default_factory=dict)
    made: str = ""  # date, and the commit of the code
    code: str = ""
    engine: str = ""  # the state of grace_plugin/, whatever else changed around it

    @classmethod
    def read(cls, line: dict[str, Any]) -> Row:
        """From a stored line; what this version does not know is left out."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in line.items() if name in known})

    @property
    def key(self) -> tuple[str, str, int, int, int, bool]:
        return self.benchmark, self.method, self.d, self.T, self.seed, self.quick


class Store:
    """The rows of all benchmarks, one JSON object per line; a half-written last line is ignored."""

    def __init__(self, path: Path = RESULTS) -> None:
        self.path = path

    def rows(self, benchmark: str | None = None, quick: bool | None = None) -> list[Row]:
        found: dict[object, Row] = {}
        for line in self._lines():
            row = Row.read(line)
            if benchmark in (None, row.benchmark) and quick in (None, row.quick):
                found[row.key] = row  # the newest wins
        return list(found.values())

    def add(self, row: Row) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        ragged = self.path.exists() and not _ends_with_a_line(self.path)
        with self.path.open("a") as file:
            file.write(("\n" if ragged else "") + json.dumps(asdict(row)) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.path.exists():
            return
        for text in self.path.read_text().splitlines():
            try:
                yield json.loads(text)
            except json.JSONDecodeError:
                continue


def _ends_with_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 1))
        return file.read() in (b"", b"\n")


def run_jobs(
    benchmark: str,
    jobs: Iterable[Job],
    store: Store,
    quick: bool,
    again: bool = False,
    stale: bool = False,
) -> list[Row]:
    """Make the rows that are missing, with a progress bar, and return all that were asked for.

    `again` makes all of them anew, `stale` those of ours that another state of the engine made.
    """
    from tqdm import tqdm

    known = {row.key: row for row in store.rows(benchmark, quick)}
    rows = []
    for job in tqdm(list(jobs), desc=benchmark):
        row = Row(benchmark, job.method, job.d, job.T, job.seed, quick)
        old = known.get(row.key)
        if (
            again
            or old is None
            or NOT_THERE in old.numbers
            or (stale and job.ours and old.engine != engine())
        ):
            row = replace(row, numbers=job.run(), made=today(), code=commit(), engine=engine())
            store.add(row)
        else:
            row = old
        rows.append(row)
    return rows


def mean_table(rows: Sequence[Row], columns: Sequence[str], by: Sequence[str] = ("d", "T", "method")) -> str:
    """A Markdown table of means over seeds, one line per group, with the number of seeds."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    lines = [
        "| " + " | ".join([*by, *columns, "seeds"]) + " |",
        "|" + " --- |" * (len(by) + len(columns) + 1),
    ]
    for group, members in groups.items():
        cells = [_mean([row.numbers.get(name) for row in members]) for name in columns]
        lines.append("| " + " | ".join([*map(str, group), *cells, str(len(members))]) + " |")
    return "\n".join(lines)


def _mean(values: Sequence[float | None]) -> str:
    present = [value for value in values if value is not None]
    if not present:
        return ""
    mean = sum(present) / len(present)
    return f"{mean:.3f}" if abs(mean) < 100 else f"{mean:.0f}"
