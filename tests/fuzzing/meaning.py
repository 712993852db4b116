"""Fuzzing over meaning: good inputs in every disguise, each with the one right answer.

A case is a random graph under random names, written in one of the forms that adapters read, beside data whose
columns are permuted, renamed, re-indexed, cut into chunks or split into series. Every column bears its
own number in its values, so that the right answer is known: the edges between numbers, at their
lags. A reading is right, or it is refused where the labels leave a choice; anything else is a finding. Then
half of the edges are pruned, and what was written is read once more. Every hundredth case goes through
`discover`: whatever happens to the data, the graph follows.
"""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp
from grace_plugin.hosts.convert import native_of, read_panel, read_together
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.series.panel import Panel

from .encodings import ALONE, BY_LABEL, BY_POSITION, Graph

Cells = set[tuple[int, int, int]]
_EVERY = 100  # one case in so many is decided by the engine

WORDS = (
    "rain",
    "Rain",
    "flow",
    "jet_lag",
    "level 2",
    "Größe",
    "流量",
    "a-b",
    "T(2m)",
    "x",
    "lag",
    "it's",
    "R&D",
)
SUFFIXED = ("a_lag1", "b_lag2", "c_lag0")


@dataclass
class Tally:
    """What came of the cases, by form."""

    right: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


def run(cases: int, seed: int) -> Tally:
    """`cases` cases; case i of seed s is always the same one."""
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(cases):
            random = Random(f"{seed}:{number}")
            case = engine_case if number % _EVERY == 0 else reading_case
            _judge(case, random, f"{seed}:{number}", tally)
    return tally


def _judge(case: Callable[[Random], tuple[str, str]], random: Random, label: str, tally: Tally) -> None:
    try:
        form, words = case(random)
    except Exception as error:  # a bare error is a finding too
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        tally.findings.append(f"{label}: {type(error).__name__} at {where}: {str(error)[:160]}")
        return
    if words == "right":
        tally.right[form] += 1
    elif words == "refused":
        tally.refused[form] += 1
    else:
        tally.findings.append(f"{label}: {form}: {words}")


def reading_case(random: Random) -> tuple[str, str]:
    """A graph in one form, read beside data in another."""
    form = random.choice([*BY_LABEL, *BY_POSITION])
    if form == "dot" and random.random() < 0.8:  # pydot takes a tenth of a second for each
        form = "gml"
    graph, choice_left = _graph(random, form)
    choice_left |= form == "gml" and "it's" in graph.labels  # networkx writes such a tuple as broken GML
    native, options = {**BY_LABEL, **BY_POSITION}[form](graph, random)
    data, told = _data(graph, random, form)
    if told == "names":
        options = {**options, "names": [str(label) for label in graph.labels]}
    try:
        words = _read(graph, native, dict(options), data, random)
    except gp.GraceError as error:
        no_order = form == "causal-learn" and told == "position"
        fine = choice_left or no_order or told == "nothing" or _is_ambiguous(graph, data)
        return form, "refused" if fine else f"refused without need: {graph.labels} {str(error)[:200]}"
    return form, words


def _read(graph: Graph, native: Any, options: dict[str, Any], data: Any, random: Random) -> str:
    panel = read_panel(data, {})
    assert panel is not None
    adapter = find_adapter(native)
    skeleton, panel, options = read_together(adapter, native, panel, options)  # type: ignore[assignment]
    truth = set(graph.edges)
    found = _by_content(skeleton.mask, panel)
    if found != truth:
        return f"WRONG {adapter.name}: {sorted(found)} instead of {sorted(truth)}, names {graph.labels}"
    kept = skeleton.mask & (np.array([random.random() < 0.5 for _ in range(skeleton.mask.size)])).reshape(
        skeleton.mask.shape
    )
    left = _by_content(kept, panel)
    if not left:
        return "right"
    again, again_panel, _ = read_together(
        adapter, native_of(adapter, native, kept, None, options), panel, {**options}
    )
    back = _by_content(again.mask, again_panel)
    return "right" if back == left else f"WRONG after pruning: {sorted(back)} instead of {sorted(left)}"


def _by_content(mask: Any, panel: Panel) -> Cells:
    """The edges between the numbers that the columns bear in their values."""
    bearer = [round(float(value)) // 1000 for value in panel.series[0].values[0]]
    return {(bearer[c], bearer[e], int(lag)) for c, e, lag in np.argwhere(mask)}


def _graph(random: Random, form: str) -> tuple[Graph, bool]:
    d, max_lag = random.randrange(2, 6), random.randrange(1, 4)
    labels, choice_left = _labels(random, d, form)
    cells = [(c, e, lag) for c in range(d) for e in range(d) for lag in range(max_lag + 1) if lag or c < e]
    edges = random.sample(cells, min(len(cells), random.randrange(1, 7)))
    if form == "delays":  # one lag for a pair
        edges = list({edge[:2]: edge for edge in edges}.values())
    if (form == "stack" and any(lag == 0 for *_, lag in edges)) or form in ("blocks",):
        edges = [edge for edge in edges if edge[2]] or [(0, 1, 1)]  # forms without lag 0
    return Graph(tuple(edges), labels, max_lag), choice_left


def _labels(random: Random, d: int, form: str) -> tuple[tuple[Any, ...], bool]:
    """Names of one kind, and whether they leave a choice."""
    kind = random.choice(("words", "words", "counted", "digits", "numbers", "suffixed"))
    if kind == "words" or form in BY_POSITION:
        return tuple(random.sample(WORDS, d)), False
    if kind == "counted":
        return tuple(f"x{index}" for index in range(d)), False
    if kind == "digits":
        return tuple(str(index) for index in range(d)), False
    if kind == "numbers":
        return tuple(random.choice((int, np.int64))(index) for index in range(d)), False
    names = (*random.sample(SUFFIXED, min(2, d)), *WORDS)[:d]
    return names, True


def _data(graph: Graph, random: Random, form: str) -> tuple[Any, str]:
    """The data in one form, and who tells the names: the "data", an option "names", or "nothing"."""
    rows = random.randrange(40, 60)
    values = np.arange(graph.d) * 1000.0 + np.arange(rows)[:, None] * 0.001
    named = random.random() < 0.6
    if not named:
        counted = [str(label).removeprefix("x") for label in graph.labels] == [*map(str, range(graph.d))]
        if form in BY_POSITION:
            return _cut(values, random), "position"
        told = "names" if random.random() < 0.5 or not counted else "count"
        if told == "names" and random.random() < 0.3:
            told = "nothing"
        return _cut(values, random), told
    order = random.sample(range(graph.d), graph.d) if form != "lingam" else list(range(graph.d))
    frame = pd.DataFrame(values[:, order], columns=pd.Index([graph.labels[k] for k in order], dtype=object))
    index = random.choice((None, "dates", "steps", "shifted"))
    if index == "dates":
        frame.index = pd.date_range("2020", periods=rows, freq=random.choice(("D", "h", "MS")))
    elif index is not None:
        frame.index = pd.RangeIndex(7 if index == "shifted" else 0, rows + (7 if index == "shifted" else 0))
    return _cut(frame, random), "data"


def _cut(data: Any, random: Random) -> Any:
    """As it is, or in chunks, or as several series."""
    form = random.choice(("whole", "whole", "chunks", "series", "dict"))
    if form == "whole":
        return data
    at = random.randrange(5, len(data) - 5)
    parts = [data[:at], data[at:]]
    if form == "chunks":
        return iter(parts)
    return parts if form == "series" else dict(zip(("first", "second"), parts, strict=True))


def _is_ambiguous(graph: Graph, data: Any) -> bool:
    """Whole numbers beside columns that bear them in another order may mean either."""
    numbered = all(str(label).isdigit() for label in graph.labels)
    names = list(getattr(data, "columns", ())) if not isinstance(data, (list, dict)) else []
    return numbered and [str(name) for name in names] != [str(label) for label in graph.labels]


def engine_case(random: Random) -> tuple[str, str]:
    """The same series in another order, under other names, in other units and pieces: the same graph."""
    rng = np.random.default_rng(random.randrange(10**6))
    x = rng.normal(size=(240, 3))
    for t in range(2, len(x)):
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 0.8 * x[t - 2, 1]
    truth = _cells(gp.discover(x, 2).graph, [0, 1, 2])
    order = random.sample(range(3), 3)
    names = random.sample(WORDS, 3)
    moved = pd.DataFrame(
        x[:, order] * random.choice((1.0, 1e-6, 1e6)) + random.choice((0.0, 50.0)), columns=names
    )
    if random.random() < 0.5:
        moved.index = pd.date_range("1999", periods=len(x), freq="h")
    at = random.randrange(30, 200)
    shown: Any = random.choice((moved, moved.to_numpy(), iter([moved[:at], moved[at:]])))
    found = _cells(gp.discover(shown, 2).graph, order)
    if found != truth:
        return "discover", f"WRONG: {sorted(found)} instead of {sorted(truth)} with the order {order}"
    edges = [(names[order.index(c)], names[order.index(e)], lag) for c, e, lag in sorted(truth)]
    left = gp.refine(edges, moved, **ALONE)
    return "discover", "right" if set(left) <= set(edges) else f"WRONG: refine left {left} of {edges}"


def _cells(graph: Any, order: list[int]) -> Cells:
    return {(order[c], order[e], int(lag)) for c, e, lag in np.argwhere(graph)}
