"""Edge lists written as text: GML, as dowhy and networkx write it, and DOT, as graphviz reads it."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grace_plugin.exceptions import AdapterError

from ._edges_rows import Listing, Row

_GML = re.compile(r"(?:\s*(?:#[^\n]*\n|(?:Creator|Version|comment)\s+(?:\"[^\"]*\"|\S+)))*\s*graph\s*\[")
_GML_TOKEN = re.compile(r'"[^"]*"|\[|\]|#[^\n]*|[^\s\[\]"]+')
_DOT = re.compile(
    r"(?:\s*(?://[^\n]*\n|#[^\n]*\n|/\*.*?\*/))*\s*(?:strict\s+)?(?:di)?graph\b[^{\[]*\{", re.DOTALL
)


class GmlForm:
    """A GML text; pruned edges are cut out of it, and every other character stays."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a string that starts as GML does."""
        return isinstance(obj, str) and _GML.match(obj) is not None

    def read(self, native: str) -> Listing:
        """One row per edge block; an edge may have a `lag` and a `weight`."""
        graph = _gml_graph(native)
        nodes = graph.all("node")
        labels = {node.first("id"): _label(node.first("label", node.first("id"))) for node in nodes}
        undirected = graph.first("directed", "0") == "0"
        return Listing(
            [_gml_row(edge, labels, undirected) for edge in graph.all("edge")], list(labels.values())
        )

    def select(self, native: str, kept: Sequence[bool]) -> str:
        """The text without the blocks of pruned edges."""
        edges = _gml_graph(native).all("edge")
        spans = [edge.span for edge, keep in zip(edges, kept, strict=True) if not keep]
        for start, end in reversed(spans):
            line_start = native[:start].rstrip(" \t")
            native = line_start.removesuffix("\n") + native[end:]
        return native


class DotForm:
    """A DOT text; read and written by pydot, unchanged where nothing is pruned."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a string that starts as DOT does."""
        return isinstance(obj, str) and _DOT.match(obj) is not None

    def read(self, native: str) -> Listing:
        """One row per edge; an edge may have a `lag` and a `weight`."""
        graph = _dot_graph(native)
        edges = [edge for _, edge in _dot_edges(graph)]
        rows = [
            Row(
                _label(edge.get_source()),
                _label(edge.get_destination()),
                _int(edge.get("lag")),
                _float(edge.get("weight")),
                graph.get_type() == "graph",
            )
            for edge in edges
        ]
        return Listing(rows, list(_dot_nodes(graph)))

    def select(self, native: str, kept: Sequence[bool]) -> str:
        """The text without the pruned edges, as pydot writes it."""
        if all(kept):
            return native
        graph = _dot_graph(native)
        for (owner, edge), keep in zip(list(_dot_edges(graph)), kept, strict=True):
            if not keep:
                _remove_dot_edge(owner, edge)
        return str(graph.to_string())


@dataclass
class _Block:
    """A GML list: its entries in order, and where in the text it stands, key included."""

    span: tuple[int, int] = (0, 0)
    entries: list[tuple[str, Any]] = field(default_factory=list)

    def first(self, key: str, default: str | None = None) -> str | None:
        return next((value for name, value in self.entries if name == key), default)

    def all(self, key: str) -> list[_Block]:
        return [value for name, value in self.entries if name == key and isinstance(value, _Block)]


def _gml_graph(text: str) -> _Block:
    tokens = (found for found in _GML_TOKEN.finditer(text) if not found[0].startswith("#"))
    graphs = _gml_block(tokens).all("graph")
    if len(graphs) != 1:
        msg = f"The GML text holds {len(graphs)} graphs; give one."
        raise AdapterError(msg)
    return graphs[0]


def _gml_block(tokens: Iterator[re.Match[str]]) -> _Block:
    block = _Block()
    for key in tokens:
        if key[0] == "]":
            block.span = (0, key.end())
            return block
        value = next(tokens, None)
        if value is None:
            break
        if value[0] == "[":
            inner = _gml_block(tokens)
            inner.span = (key.start(), inner.span[1])
            block.entries.append((key[0], inner))
        else:
            block.entries.append((key[0], value[0]))
    return block


def _gml_row(edge: _Block, labels: dict[str | None, Hashable], undirected: bool) -> Row:
    source, target = edge.first("source"), edge.first("target")
    if source not in labels or target not in labels:
        msg = f"The GML edge {source} -> {target} names an unknown node; give each node a block with its id."
        raise AdapterError(msg)
    lag, weight = _int(edge.first("lag")), _float(edge.first("weight"))
    return Row(labels[source], labels[target], lag, weight, undirected)


def _label(text: Any) -> Hashable:
    """A label without its quotes; ('flow', -1), as networkx writes a tuple, is a tuple again."""
    bare = html.unescape(str(text).strip().removeprefix('"').removesuffix('"'))
    if not bare.startswith("("):
        return bare
    try:
        value = ast.literal_eval(bare)
    except (ValueError, SyntaxError):
        return bare
    return value if isinstance(value, tuple) else bare


def _int(text: Any) -> int | None:
    if text is None:
        return None
    bare = str(text).strip('"')
    if not re.fullmatch(r"[+-]?\d+", bare):
        msg = f"The lag {bare!r} of an edge is not a whole number."
        raise AdapterError(msg)
    return int(bare)


def _float(text: Any) -> float | None:
    try:
        return None if text is None else float(str(text).strip('"'))
    except ValueError:
        return None


def _dot_graph(text: str) -> Any:
    try:
        import pydot
    except ImportError as error:
        msg = "Reading DOT text needs pydot (pip install pydot); GML text needs nothing."
        raise AdapterError(msg) from error
    parsed = pydot.graph_from_dot_data(text)
    if not parsed or len(parsed) != 1:
        msg = f"pydot reads {len(parsed or [])} graphs from this DOT text; give the text of one graph."
        raise AdapterError(msg)
    return parsed[0]


def _dot_edges(graph: Any) -> Iterator[tuple[Any, Any]]:
    for edge in sorted(graph.get_edge_list(), key=lambda edge: edge.get_sequence()):
        yield graph, edge
    for inner in graph.get_subgraph_list():
        yield from _dot_edges(inner)


def _dot_nodes(graph: Any) -> Iterator[Hashable]:
    for node in sorted(graph.get_node_list(), key=lambda node: node.get_sequence()):
        if node.get_name() not in {"node", "edge", "graph", '"\\n"', "\\n"}:  # defaults, not nodes
            yield _label(node.get_name())
    for inner in graph.get_subgraph_list():
        yield from _dot_nodes(inner)


def _remove_dot_edge(owner: Any, edge: Any) -> None:
    ends = edge.get_source(), edge.get_destination()
    same = list(owner.get_edge(*ends))
    owner.del_edge(*ends, index=same.index(edge) if len(same) > 1 else None)
