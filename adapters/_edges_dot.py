"""DOT text, as graphviz reads it and `Refinement.to_dot` writes it; parsed and written by pydot."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from grace_plugin.exceptions import AdapterError

from ._edges_lags import lag_keys, told_lags
from ._edges_rows import Listing, Row
from ._edges_words import bare_label, number_in, skipped
from ._lagged_names import tuple_in_text

_HEAD = re.compile(r"\s+|//[^\n]*\n|#[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/")
_BODY = re.compile(r"(?:strict\s+)?(?:di)?graph\b[^{\[]*\{")
_DEFAULTS = {"node", "edge", "graph"}
_NO_DIRECTION = ("none", "both")  # values of `dir`: an arrowhead at no end, or at both


class DotForm:
    """A DOT text; read and written by pydot, unchanged where nothing is pruned."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a string that starts as DOT does."""
        return isinstance(obj, str) and _BODY.match(obj, skipped(_HEAD, obj)) is not None

    def read(self, native: str) -> Listing:
        """One row per edge and lag; an edge may have a `lag` (or several), a `weight` and a `dir`."""
        graph = _graph(native)
        undirected = graph.get_type() == "graph"
        rows = [row for _, edge in _edges(graph) for row in _rows(edge, undirected)]
        return Listing(rows, list(_nodes(graph)), lagged_labels=True)

    def select(self, native: str, kept: Sequence[bool]) -> str:
        """The text without the pruned edges, as pydot writes it."""
        if all(kept):
            return native
        graph, keep = _graph(native), iter(kept)
        for owner, edge in list(_edges(graph)):
            lags = told_lags(_attributes(edge)) or (None,)
            left = [lag for lag in lags if next(keep)]
            if not left:
                _remove(owner, edge)
            elif len(left) < len(lags):
                for key in lag_keys(_attributes(edge)):
                    edge.set(key, f'"{", ".join(map(str, left))}"')
        return str(graph.to_string())


def _rows(edge: Any, undirected: bool) -> Iterator[Row]:
    attributes = _attributes(edge)
    ends = edge.get_source(), edge.get_destination()
    if not all(isinstance(end, str) for end in ends):
        msg = "The DOT text has edges of groups of nodes ({a b} -> c); write one edge for each pair."
        raise AdapterError(msg)
    direction = bare_label(str(attributes.get("dir", "forward")))
    if direction not in ("forward", *_NO_DIRECTION):
        msg = f"The DOT edge {ends[0]} -> {ends[1]} has dir={direction}; turn it round and leave dir out."
        raise AdapterError(msg)
    unoriented = undirected or direction in _NO_DIRECTION
    cause, effect = map(_label, ends)
    for lag in told_lags(attributes) or (None,):
        yield Row(cause, effect, lag, number_in(attributes.get("weight")), unoriented)


def _attributes(edge: Any) -> dict[str, Any]:
    return dict(edge.get_attributes())


def _label(text: str) -> Hashable:
    """A name without its quotes; ('flow', -1) is a tuple."""
    bare = text.strip()
    if bare.startswith('"'):
        bare = re.sub(r"\\(.)", r"\1", bare_label(bare), flags=re.DOTALL)
    return tuple_in_text(bare) or bare


def _graph(text: str) -> Any:
    try:
        import pydot
    except ImportError as error:
        msg = "Reading DOT text needs pydot (pip install pydot); GML text needs nothing."
        raise AdapterError(msg) from error
    with contextlib.redirect_stdout(io.StringIO()):  # pydot prints what it does not understand
        parsed = pydot.graph_from_dot_data(text)
    if not parsed or len(parsed) != 1:
        msg = f"pydot reads {len(parsed or [])} graphs from this DOT text; give the text of one graph."
        raise AdapterError(msg)
    return parsed[0]


def _edges(graph: Any) -> Iterator[tuple[Any, Any]]:
    for edge in sorted(graph.get_edge_list(), key=lambda edge: edge.get_sequence()):
        yield graph, edge
    for inner in graph.get_subgraph_list():
        yield from _edges(inner)


def _nodes(graph: Any) -> Iterator[Hashable]:
    for node in sorted(graph.get_node_list(), key=lambda node: node.get_sequence()):
        name = node.get_name()
        if name == "edge" and lag_keys(_attributes(node)):
            msg = "The DOT text gives a lag to all later edges (edge [lag=...]); give each edge its own."
            raise AdapterError(msg)
        if name not in _DEFAULTS and bare_label(name) != "\\n":
            yield _label(name)
    for inner in graph.get_subgraph_list():
        yield from _nodes(inner)


def _remove(owner: Any, edge: Any) -> None:
    ends = edge.get_source(), edge.get_destination()
    numbers = [one.get_sequence() for one in owner.get_edge(*ends)]  # pydot's == compares the ends alone
    owner.del_edge(*ends, index=numbers.index(edge.get_sequence()) if len(numbers) > 1 else None)
