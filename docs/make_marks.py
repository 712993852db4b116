"""Make docs/marks.md from the adapters' own tables: python docs/make_marks.py (a second)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from grace_plugin.hosts.registry import available_adapters, get_adapter

PAGE = Path(__file__).parent / "marks.md"
_ENDS = {-1: "tail", 1: "arrow", 2: "circle"}  # causal-learn's numbers
_HEAD = """# Marks, attributes and columns

How each host's own signs are read: which edge a mark is, which attribute or column tells a lag. This page
is made from the adapters' own tables by `python docs/make_marks.py`; a test fails where it is not current.
"first" is the variable on the first axis, or before the arrow. At lags above 0 time gives the direction,
whatever the mark; an edge of unknown direction at lag 0 is a candidate both ways, and stays or goes as one.
"""


def page() -> str:
    """The whole page."""
    parts = [
        _HEAD,
        _tigramite(),
        _causal_learn(),
        _labels(),
        _tables(),
        _layouts(),
        _entries(),
        _takes(),
        _reads(),
    ]
    return "\n".join(parts)


def _private(name: str) -> Any:
    return import_module(f"grace_plugin.adapters.{name}")


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


def _words(cells: set[tuple[int, int]]) -> str:
    names = {(0, 1): "first causes second", (1, 0): "second causes first"}
    if len(cells) == 2:
        return "an edge of unknown direction"
    return names[next(iter(cells))] if cells else "no candidate, stays as it is"


def _tigramite() -> str:
    marks = _private("_tigramite_marks")

    def read(mark: str, lag: int) -> str:
        graph = np.full((2, 2, 2), "", dtype="<U3")
        graph[0, 1, lag] = mark
        return _words({(int(c), int(e)) for c, e, at in np.argwhere(marks.candidates(graph)) if at == lag})

    rows = [(f"`{mark}`", read(mark, 1), read(mark, 0)) for mark in (*marks.KNOWN_MARKS, "?-?")]
    return "## tigramite\n\n" + _rows(("`graph[first, second, lag]`", "lag above 0", "lag 0"), rows)


def _causal_learn() -> str:
    graph, nodes = _private("_causal_learn_graph"), _private("_causal_learn_nodes")

    def read(one: int, other: int, names: list[str], lag: int) -> str:
        matrix = np.array([[0, one], [other, 0]])
        mask = graph.candidate_mask(matrix, nodes.places_of(names, None, None))
        return _words({(int(c), int(e)) for c, e, at in np.argwhere(mask) if at == lag})

    rows = [
        (_ENDS[one], _ENDS[other], read(one, other, ["a_lag1", "b_lag0"], 1), read(one, other, ["a", "b"], 0))
        for one in _ENDS
        for other in _ENDS
    ]
    head = ("mark at first", "mark at second", "first one step earlier", "both at lag 0")
    return "## causal-learn\n\n" + _rows(head, rows)


def _labels() -> str:
    lags, dot, graphml = (_private(name) for name in ("_edges_lags", "_edges_dot", "_edges_graphml"))
    styles = [style.value for style in _private("_lagged_names").LagStyle]
    rows = [
        ("nodes of networkx, GML, GraphML, DOT, pairs of nodes", ", ".join(f"`{style}`" for style in styles)),
        ("the same as text", "`\"('name', -lag)\"`"),
        (
            "attribute of an edge that tells its lag (networkx, GML, GraphML, DOT)",
            ", ".join(f"`{word}`" for word in lags.LAG_WORDS) + ", in any case",
        ),
        ("its value", "a whole number, several of them in a tuple or list, or such a number as text"),
        ("attribute that is the score", "`weight`"),
        (
            "`dir` of a DOT edge",
            ", ".join(f"`{word}`" for word in dot._NO_DIRECTION) + ": unknown direction; `back` is refused",
        ),
        (
            "`directed 0` in GML, `graph` in DOT, `edgedefault` or `directed` of GraphML",
            "edges of unknown direction at lag 0",
        ),
        (
            "name of a node in GraphML",
            " or ".join(f"its `{word}`" for word in graphml.NAME_WORDS)
            + ", where all nodes have one, else its id",
        ),
        ("any other attribute", "not looked at, and kept"),
    ]
    return "## Nodes and attributes\n\n" + _rows(("what", "read as"), rows)


def _tables() -> str:
    columns = _private("_edges_tables").COLUMNS
    rows = [(ours, ", ".join(f"`{name}`" for name in names)) for ours, names in columns.items()]
    return "## Columns of tables\n\nIn any case, with blanks for `_`.\n\n" + _rows(
        ("meaning", "columns"), rows
    )


def _layouts() -> str:
    rows = [
        (adapter, ", ".join(f"`{layout}`" for layout in _private(module).LAYOUTS))
        for adapter, module in (("numpy (three axes)", "numpy"), ("pairs (two axes)", "_pairs_cells"))
    ]
    return "## Axes of arrays\n\n" + _rows(("adapter", "`layout=`"), rows)


def _entries() -> str:
    """One entry that is not zero, wherever it stands, read by the adapter itself."""
    array, matrix = np.zeros((2, 2, 2)), np.zeros((2, 2))
    rows = [
        (
            "numpy",
            f"array[2, 1, 0], `{layout}`",
            _cell("numpy", _one(np.zeros((3, 3, 3)), (2, 1, 0)), layout=layout),
        )
        for layout in _private("numpy").LAYOUTS
    ]
    rows += [
        ("pairs", f"array[0, 1], `{layout}`", _cell("pairs", _one(matrix, (0, 1)), layout=layout, max_lag=1))
        for layout in _private("_pairs_cells").LAYOUTS[:2]
    ]
    rows += [
        ("dynotears", "W[0, 1]", _cell("dynotears", (_one(matrix, (0, 1)), matrix))),
        ("dynotears", "A[0, 1]", _cell("dynotears", (matrix, _one(matrix, (0, 1))))),
        (
            "lingam",
            "adjacency_matrices_[0][1, 0]",
            _cell("lingam", SimpleNamespace(_adjacency_matrices=_one(array, (0, 1, 0)))),
        ),
        (
            "lingam",
            "adjacency_matrices_[1][1, 0]",
            _cell("lingam", SimpleNamespace(_adjacency_matrices=_one(array, (1, 1, 0)))),
        ),
        (
            "causalts",
            "cg_tig[0, 1, 1]",
            _cell("causalts", SimpleNamespace(cg_tig=_one(array, (0, 1, 1)), var_names=["a", "b"])),
        ),
    ]
    return "## Entries of arrays\n\nVariables are counted from 0.\n\n" + _rows(
        ("adapter", "entry", "read as"), rows
    )


def _one(empty: Any, place: tuple[int, ...]) -> Any:
    found = empty.copy()
    found[place] = 1.0
    return found


def _cell(name: str, native: Any, **options: Any) -> str:
    mask = get_adapter(name).to_skeleton(native, **options).mask
    cells = [(c, e, lag) for c, e, lag in np.argwhere(mask).tolist() if c != e]  # own lags come along
    return ", ".join(f"{c} causes {e} at lag {lag}" for c, e, lag in cells)


def _reads() -> str:
    built_in = [name for name in available_adapters() if _is_built_in(name)]
    parts = [f"**{name}.** {inspect.getdoc(type(get_adapter(name)))}\n" for name in built_in]
    return "## How each adapter reads\n\nIn its own words.\n\n" + "\n".join(parts)


def _takes() -> str:
    built_in = [name for name in available_adapters() if _is_built_in(name)]
    return "## What each adapter takes\n\n" + _rows(
        ("adapter", "takes"),
        [(f"`{name}`", get_adapter(name).accepts.replace("|", "\\|")) for name in built_in],
    )


def _is_built_in(name: str) -> bool:
    return type(get_adapter(name)).__module__.startswith("grace_plugin.adapters.")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
