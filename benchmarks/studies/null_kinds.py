"""False edges where nothing acts, in 26 kinds of noise, memory, drift and scale; and each rule switched off.

Ten series, 500 rows. "nothing acts": false edges a graph, and how often a warning came. "ten effects": F1 and
recall of the same kind with effects, beside least squares with the t-test of every lag at .001 (VAR). The
rules of `prepare` are left out one at a time on five seeds; where a rule did not act, leaving it out changes
nothing, and the graph of all rules stands for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.hosts.on_worlds import var
from benchmarks.metrics import measured
from benchmarks.packed import PackedStore
from benchmarks.worlds.base import BoolArray, World
from benchmarks.worlds.kinds_of_noise import NAMES, draw
from benchmarks.worlds.paper import CACHE
from grace_plugin.exceptions import DataWarning
from grace_plugin.prepare.preparing import RULES

STORE = PackedStore(CACHE / "null_kinds.jsonl", Path(__file__).parents[1] / "null_kinds.jsonl")
TITLE = "Nothing acts: false edges a graph, and each rule switched off"
EFFECTS = 10
_D, _ROWS = 10, 500
_REPEATS, _WITH_EFFECTS, _LEFT_OUT = 200, 20, 5
_VAR_LEVEL = 3.0  # of -log10 p: at .001 chance alone makes .3 false edges of 270


def ways() -> dict[str, str | list[str]]:
    """What `prepare` is given: all rules, none, and all but one."""
    without = {f"without {rule}": [other for other in RULES if other != rule] for rule in RULES}
    return {"all rules": "auto", "no rule": "none", **without}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """Seed by seed; `methods` are kinds, so that a part can be run by itself."""
    rows, names = (100, NAMES[:1]) if quick else (_ROWS, tuple(methods or NAMES))
    for seed in seeds if seeds is not None else range(1 if quick else _REPEATS):
        for kind in names:
            for way, rules in ways().items():
                most = _REPEATS if way == "all rules" else _LEFT_OUT
                if seed < most or seed >= _REPEATS:
                    work = partial(numbers, kind, seed, rows, 0, rules)
                    yield Job(f"{kind}, nothing acts: {way}", _D, rows, seed, work)
                if seed < min(most, _WITH_EFFECTS):
                    work = partial(numbers, kind, seed, rows, EFFECTS, rules)
                    yield Job(f"{kind}, ten effects: {way}", _D, rows, seed, work)
            if seed < _WITH_EFFECTS:
                work = partial(numbers, kind, seed, rows, EFFECTS, None)
                yield Job(f"{kind}, ten effects: VAR", _D, rows, seed, work, ours=False)


def numbers(
    kind: str, seed: int, rows: int, effects: int, rules: str | Sequence[str] | None
) -> dict[str, float]:
    """False edges, F1 and recall between variables; with `rules` None those of least squares."""
    values, made = draw(kind, seed, _D, rows, effects)
    off = ~np.eye(_D, dtype=bool)
    truth = (made != 0)[off]
    if rules is None:
        graph, warned, cpu = var(World(values, made != 0))[1] > _VAR_LEVEL, 0.0, 0.0
    else:
        found = _ours(kind, seed, rows, effects, rules if isinstance(rules, str) else tuple(rules))
        graph, warned, cpu = found.graph, found.warned, found.cpu
    cells = graph[off]
    both = float((cells & truth).sum())
    return {
        "false": float((cells & ~truth).sum()),
        "recall": both / max(float(truth.sum()), 1.0),
        "f1": 2 * both / max(float(cells.sum() + truth.sum()), 1.0),
        "warned": warned,
        "cpu": cpu,
    }


@dataclass(frozen=True, eq=False)
class _Found:
    """One graph of ours, whether a warning came, and which rules acted."""

    graph: BoolArray
    warned: float
    cpu: float
    acted: frozenset[str]


@lru_cache(maxsize=8)
def _ours(kind: str, seed: int, rows: int, effects: int, rules: str | tuple[str, ...]) -> _Found:
    if not isinstance(rules, str):
        every = _ours(kind, seed, rows, effects, "auto")
        if not every.acted & (set(RULES) - set(rules)):
            return every
    values, made = draw(kind, seed, _D, rows, effects)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found, spent = measured(lambda: gp.discover(values, made.shape[2] - 1, prepare=rules, progress=False))
    warned = float(any(issubclass(one.category, DataWarning) for one in told))
    acted = frozenset(one.rule for one in found.outcome.details.acted or ())
    return _Found(found.graph, warned, spent["cpu"], acted)


def table(rows: Sequence[Row]) -> str:
    """Kinds by ways: false edges and warnings where nothing acts, F1 and recall with effects."""
    null = [row for row in rows if "nothing acts" in row.method]
    real = [row for row in rows if "ten effects" in row.method]
    parts = (
        ("False edges a graph, nothing acts", null, "false"),
        ("Share of graphs with a warning, nothing acts", null, "warned"),
        ("F1, ten effects", real, "f1"),
        ("Recall, ten effects", real, "recall"),
    )
    made = [f"{title}:\n\n{_kinds_by_ways(some, number)}" for title, some, number in parts if some]
    return "\n\n".join(made)


def _kinds_by_ways(rows: Sequence[Row], number: str) -> str:
    """One line a kind, one column a way, and how many seeds the first of them has."""
    cells: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        kind, way = (part.strip() for part in row.method.rsplit(":", 1))
        cells.setdefault((kind.rsplit(",", 1)[0], way), []).append(row.numbers[number])
    kinds, columns = (list(dict.fromkeys(found)) for found in zip(*cells, strict=True))
    lines = ["| kind | " + " | ".join([*columns, "seeds"]) + " |", "|" + " --- |" * (len(columns) + 2)]
    for kind in kinds:
        means = [f"{np.mean(cells[kind, way]):.2f}" if (kind, way) in cells else "" for way in columns]
        lines.append("| " + " | ".join([kind, *means, str(len(cells[kind, columns[0]]))]) + " |")
    return "\n".join(lines)
