"""Many rows in little room: one line for all seeds of a method, beside a working file outside git."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.core import Row, Store
from grace_plugin._common.files import written


class PackedStore(Store):
    """Rows of a packed file, and newer ones of a working file until they are packed."""

    def __init__(self, path: Path, packed: Path) -> None:
        super().__init__(path)
        self.packed = packed

    def _lines(self) -> Iterator[dict[str, Any]]:
        if self.packed.exists():
            for line in self.packed.read_text().splitlines():
                yield from map(asdict, unpacked(json.loads(line)))
        yield from super()._lines()

    def pack(self, keep: Callable[[Row], bool] = lambda row: True) -> int:
        """Put all rows, or those to `keep`, into the packed file; the number of its lines."""
        rows = [row for row in self.rows(quick=False) if keep(row)]
        lines = [json.dumps(line, separators=(",", ":")) for line in packed(rows)]
        self.packed.parent.mkdir(parents=True, exist_ok=True)
        with written(self.packed) as file:
            file.write(("\n".join(lines) + "\n").encode())
        return len(lines)


def packed(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """One object for all seeds of a method that were made together; a number that a seed lacks is None."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = (row.benchmark, row.method, row.d, row.T, row.made, row.code, row.engine)
        groups.setdefault(key, []).append(row)
    for key in sorted(groups):
        members = sorted(groups[key], key=lambda row: row.seed)
        names = sorted({name for row in members for name in row.numbers})
        numbers = {name: [_short(row.numbers.get(name)) for row in members] for name in names}
        yield {
            **dict(zip(("benchmark", "method", "d", "T", "made", "code", "engine"), key, strict=True)),
            "seeds": [row.seed for row in members],
            "numbers": numbers,
        }


def _short(value: float | None) -> float | None:
    """Three digits: more than twenty seeds can tell."""
    return None if value is None else round(value, 3)


def unpacked(line: dict[str, Any]) -> Iterator[Row]:
    """The rows of one such object."""
    fixed = {name: line[name] for name in ("benchmark", "method", "d", "T", "made", "code", "engine")}
    for place, seed in enumerate(line["seeds"]):
        found = {name: values[place] for name, values in line["numbers"].items() if values[place] is not None}
        yield Row(**fixed, seed=seed, quick=False, numbers=found)
