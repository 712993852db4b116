"""Names and lags that could be misread: rows of docs/hard_use.md -> a call that reads and refines them.

The truth is a -> b at lag 1 and b -> c at lag 2, in columns 0, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import grace_plugin as gp

from .data_kinds import DATA

NAMES = "abc"
EVERY = [(cause, effect, lag) for cause in NAMES for effect in NAMES for lag in (1, 2)]
WRITTEN_BY_TIGRAMITE = ("Variable i", "Variable j", "Time lag of i")


def table() -> pd.DataFrame:
    frame: pd.DataFrame = DATA["pandas, datetime index"]()
    return frame


def _array() -> Any:
    return table().to_numpy()


def _attributes(kind: type[Any], key: str, *, tuples: bool = False) -> Any:
    graph = kind()
    if tuples:
        graph.add_edges_from((c, e, {key: (1, 2)}) for c in NAMES for e in NAMES)
    else:
        graph.add_edges_from((c, e, {key: lag}) for c, e, lag in EVERY)
    return graph


def _nodes(change: Callable[[str, int], Any] = lambda name, lag: (name, -lag)) -> Any:
    return nx.DiGraph([(change(cause, lag), change(effect, 0)) for cause, effect, lag in EVERY])


def _disagreeing() -> Any:
    graph = _nodes()
    graph.edges[("a", -1), ("b", 0)]["lag"] = 2
    return graph


def _half() -> Any:
    graph = _attributes(nx.MultiDiGraph, "lag")
    graph.add_edge("a", "c")
    return graph


def _gml(native: Any) -> str:
    return "\n".join(nx.generate_gml(native, stringizer=str))


def _graphml(native: Any) -> str:
    return "\n".join(nx.generate_graphml(native))


def _dot() -> str:
    return "\n".join(["digraph {", *(f"{c} -> {e} [lag={lag}];" for c, e, lag in EVERY), "}"])


def _named(columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(EVERY, columns=list(columns))


def _numbered(shift: int = 0, kind: Callable[[int], Any] = int) -> list[tuple[Any, Any, int]]:
    return [(kind(NAMES.index(c) + shift), kind(NAMES.index(e) + shift), lag) for c, e, lag in EVERY]


def _lag_column() -> pd.DataFrame:
    return table().rename(columns={"a": "b_lag1"})


MEANINGS: dict[str, Callable[[], Any]] = {
    "networkx, `lag` on parallel edges": lambda: gp.analyze(_attributes(nx.MultiDiGraph, "lag"), table()),
    "networkx, `time_lag` as a tuple": lambda: gp.analyze(
        _attributes(nx.DiGraph, "time_lag", tuples=True), table()
    ),
    "networkx, nodes and attribute disagree": lambda: gp.analyze(_disagreeing(), table()),
    "networkx, one edge without a lag": lambda: gp.analyze(_half(), table()),
    "networkx, parallel edges without a lag": lambda: gp.analyze(
        nx.MultiDiGraph([(c, e) for c, e, _ in EVERY]), table()
    ),
    "networkx, tuples that a file made text": lambda: gp.analyze(
        nx.relabel_nodes(_nodes(), lambda node: str(node)), table()
    ),
    "GML, `time_lag` of edges": lambda: gp.analyze(_gml(_attributes(nx.MultiDiGraph, "time_lag")), table()),
    "GML, two nodes of one name": lambda: gp.analyze(
        _gml(_attributes(nx.MultiDiGraph, "lag")).replace('label "b"', 'label "a"'), table()
    ),
    "GraphML, `lag` of edges": lambda: gp.analyze(_graphml(_attributes(nx.MultiDiGraph, "lag")), table()),
    "DOT, `lag` of edges": lambda: gp.analyze(_dot(), table()),
    "a table by tigramite's write_csv": lambda: gp.analyze(_named(WRITTEN_BY_TIGRAMITE), table()),
    "a table by DoWhy": lambda: gp.analyze(_named(("node1", "node2", "time_lag")), table()),
    "a table with Source, Sink, Lag": lambda: gp.analyze(_named(("Source", "Sink", "Lag")), table()),
    "a table with two columns of lags": lambda: gp.analyze(
        _named(("cause", "effect", "tau")).assign(delay=1), table()
    ),
    "names x0, x1, ... and an array": lambda: gp.analyze(_numbered(kind=lambda i: f"x{i}"), _array()),
    "numbers and an array": lambda: gp.analyze(_numbered(kind=np.int64), _array()),
    "numbers from 1 and an array": lambda: gp.analyze(_numbered(1), _array()),
    "other names and an array": lambda: gp.analyze(EVERY, _array()),
    "other names, an array and names=": lambda: gp.analyze(EVERY, _array(), names=list(NAMES)),
    "numbers and columns called 1, 0, 2": lambda: gp.analyze(
        _numbered(), table().set_axis([1, 0, 2], axis=1)
    ),
    "what discover found, refined again": lambda: gp.analyze(
        gp.discover(_array(), 2).edges.query("kept"), _array()
    ),
    "a label that is a column or a past": lambda: gp.analyze(
        [("b_lag1", "b"), ("b", "c")], _lag_column(), max_lag=2
    ),
}
