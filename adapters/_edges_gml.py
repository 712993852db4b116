"""GML text, as dowhy and networkx write it: read, and with edges cut out of it."""

from __future__ import annotations

import html
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grace_plugin.exceptions import AdapterError

from ._edges_lags import LAG_WORDS, told_lags
from ._edges_rows import Listing, Row
from ._edges_words import bare_label, nodes_by_id, number_in, skipped
from ._lagged_names import tuple_in_text

_HEAD = re.compile(r'\s+|#[^\n]*\n|(?:Creator|Version|comment)\s+(?:"[^"]*"|[^\s"]+)')
_BODY = re.compile(r"graph\s*\[")
_TOKEN = re.compile(r'"[^"]*"|\[|\]|#[^\n]*|[^\s\[\]"]+')
_LIST_MARK = "_networkx_list_start"  # networkx' way to say that a single value is a list

Span = tuple[int, int]


class GmlForm:
    """A GML text; pruned edges are cut out of it, and every other character stays."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a string that starts as GML does."""
        return isinstance(obj, str) and _BODY.match(obj, skipped(_HEAD, obj)) is not None

    def read(self, native: str) -> Listing:
        """One row per edge block and lag; an edge may have a `lag` (or several) and a `weight`."""
        graph = _graph(native)
        nodes = graph.all("node")
        named = ((str(node.first("id")), _label(node.first("label", node.first("id")))) for node in nodes)
        labels = nodes_by_id(named, "GML")
        undirected = graph.first("directed", "0") == "0"
        rows = [row for edge in graph.all("edge") for row in _rows(edge, labels, undirected)]
        return Listing(rows, list(labels.values()), lagged_labels=True)

    def select(self, native: str, kept: Sequence[bool]) -> str:
        """The text without the blocks of pruned edges; of several lags of one edge the pruned ones go."""
        keep = iter(kept)
        cut: list[Span] = []
        for edge in _graph(native).all("edge"):
            entries = [entry for entry in edge.lag_entries() if entry.value != _LIST_MARK]
            flags = [next(keep) for _ in range(max(len(entries), 1))]
            if not any(flags):
                cut.append(edge.span)
            else:
                cut += [entry.span for entry, flag in zip(entries, flags, strict=False) if not flag]
        return _without(native, cut)


@dataclass(frozen=True)
class _Entry:
    key: str
    value: Any  # text, or a _Block
    span: Span


@dataclass
class _Block:
    """A GML list: its entries in order, and where in the text it stands, key included."""

    span: Span = (0, 0)
    entries: list[_Entry] = field(default_factory=list)

    def first(self, key: str, default: str | None = None) -> str | None:
        found = (entry.value for entry in self.entries if entry.key == key)
        return next((value for value in found if isinstance(value, str)), default)

    def all(self, key: str) -> list[_Block]:
        return [e.value for e in self.entries if e.key == key and isinstance(e.value, _Block)]

    def lag_entries(self) -> list[_Entry]:
        return [e for e in self.entries if e.key.lower() in LAG_WORDS and isinstance(e.value, str)]


def _graph(text: str) -> _Block:
    tokens = (found for found in _TOKEN.finditer(text) if not found[0].startswith("#"))
    graphs = _block(tokens).all("graph")
    if len(graphs) != 1:
        msg = f"The GML text holds {len(graphs)} graphs; give one."
        raise AdapterError(msg)
    return graphs[0]


def _block(tokens: Iterator[re.Match[str]]) -> _Block:
    block = _Block()
    for key in tokens:
        if key[0] == "]":
            block.span = (0, key.end())
            return block
        value = next(tokens, None)
        if value is None:
            break
        if value[0] == "[":
            inner = _block(tokens)
            inner.span = (key.start(), inner.span[1])
            block.entries.append(_Entry(key[0], inner, inner.span))
        else:
            block.entries.append(_Entry(key[0], value[0].strip('"'), (key.start(), value.end())))
    return block


def _rows(edge: _Block, labels: dict[str, Hashable], undirected: bool) -> Iterator[Row]:
    source, target = str(edge.first("source")), str(edge.first("target"))
    if source not in labels or target not in labels:
        msg = f"The GML edge {source} -> {target} names an unknown node; give each node a block with its id."
        raise AdapterError(msg)
    told: dict[str, list[str]] = {}
    for entry in edge.lag_entries():
        if entry.value != _LIST_MARK:
            told.setdefault(entry.key, []).append(entry.value)
    if len(told) > 1:
        msg = f"The GML edge {source} -> {target} tells its lag in {sorted(told)}; leave one of them."
        raise AdapterError(msg)
    weight = number_in(edge.first("weight"))
    for lag in told_lags(told) or (None,):
        yield Row(labels[source], labels[target], lag, weight, undirected)


def _label(text: str | None) -> Hashable:
    """A label; ('flow', -1), as networkx writes a tuple, is a tuple again."""
    plain = html.unescape(bare_label(str(text)))
    return tuple_in_text(plain) or plain


def _without(text: str, cut: list[Span]) -> str:
    """`text` without these parts, nor the line breaks and blanks before them; in one pass."""
    pieces, at = [], 0
    for start, end in cut:
        pieces.append(text[at:start].rstrip(" \t").removesuffix("\n"))
        at = end
    return "".join([*pieces, text[at:]])
