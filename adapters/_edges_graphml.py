"""GraphML text, as networkx, igraph and yEd write it: read, and with edges cut out of it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from grace_plugin.exceptions import AdapterError

from ._edges_lags import LAG_WORDS, lag_keys, told_lags
from ._edges_rows import Listing, Row
from ._edges_words import nodes_by_id, number_in, skipped
from ._lagged_names import tuple_in_text

_HEAD = re.compile(r"\s+|\ufeff|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->")
_BODY = re.compile(r"<graphml[\s>/]")
NAME_WORDS = ("label", "name")  # of a node, where all nodes have it; else the node's id is its name

Span = tuple[int, int]  # bytes of the text in UTF-8


class GraphmlForm:
    """A GraphML text; pruned edges are cut out of it, and every other character stays."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a string that starts as GraphML does."""
        return isinstance(obj, str) and _BODY.match(obj, skipped(_HEAD, obj)) is not None

    def read(self, native: str) -> Listing:
        """One row per edge and lag; `<data>` of an edge may tell its `lag` (or several) and its `weight`."""
        found = _parsed(native)
        labels = found.labels()
        rows = [row for edge in found.edges for row in found.rows(edge, labels)]
        return Listing(rows, list(labels.values()), lagged_labels=True)

    def select(self, native: str, kept: Sequence[bool]) -> str:
        """The text without the pruned edges; of several lags of one edge the pruned ones go."""
        found, keep, text = _parsed(native), iter(kept), native.encode()
        changes: list[tuple[Span, bytes]] = []
        for edge in found.edges:
            lags = told_lags(found.attributes(edge)) or (None,)
            left = [lag for lag in lags if next(keep)]
            if not left:
                changes.append((edge.span, b""))
            elif len(left) < len(lags):
                written = ", ".join(map(str, left)).encode()
                changes += [(edge.data[key].span, written) for key in found.keys_of_lags(edge)]
        return _changed(text, sorted(changes)).decode()


@dataclass
class _Text:
    """The text of a `<data>` element in the pieces in which it came, and where it stands."""

    pieces: list[str] = field(default_factory=list)
    span: Span = (0, 0)

    @property
    def value(self) -> str:
        return "".join(self.pieces).strip()


@dataclass
class _Element:
    """A node or an edge: its XML attributes, and its `<data>` by the id of their key."""

    tag: str
    given: Mapping[str, str]
    span: Span = (0, 0)
    data: dict[str, _Text] = field(default_factory=dict)


@dataclass
class _Key:
    """What `<data>` of a kind of elements are called, and what all have that have none of their own."""

    name: str
    of: str
    default: _Text | None = None


class _Graph:
    """What the elements of a text say."""

    def __init__(self) -> None:
        self.keys: dict[str, _Key] = {}
        self.nodes: list[_Element] = []
        self.edges: list[_Element] = []
        self.graphs: list[Mapping[str, str]] = []
        self.shared: dict[str, dict[str, str]] = {}

    def attributes(self, element: _Element) -> dict[str, str]:
        """By name: its own, and those that the keys give to all that have none of their own."""
        if element.tag not in self.shared:
            self.shared[element.tag] = {
                key.name: key.default.value
                for key in self.keys.values()
                if key.default is not None
                and key.of in ("all", element.tag)
                and key.name.lower() in (*LAG_WORDS, *NAME_WORDS, "weight")  # no more is ever asked for
            }
        own = {self._name(key): text.value for key, text in element.data.items()}
        return {**self.shared[element.tag], **own}

    def keys_of_lags(self, edge: _Element) -> list[str]:
        """The ids of the keys under which an edge itself tells its lags."""
        named = {key: self._name(key) for key in edge.data}
        telling = lag_keys(dict.fromkeys(named.values(), ""))
        found = [key for key, name in named.items() if name in telling]
        if not found:
            msg = "The GraphML text gives several lags to all edges as a default; give each edge its own."
            raise AdapterError(msg)
        return found

    def labels(self) -> dict[str, Hashable]:
        """What every node is called."""
        told = [self.attributes(node) for node in self.nodes]
        word = next((word for word in NAME_WORDS if told and all(one.get(word) for one in told)), None)
        ids = [node.given.get("id", "") for node in self.nodes]
        names = ids if word is None else [one[word] for one in told]
        labels: list[Hashable] = [tuple_in_text(name) or name for name in names]
        return nodes_by_id(zip(ids, labels, strict=True), "GraphML")

    def rows(self, edge: _Element, labels: Mapping[str, Hashable]) -> Iterator[Row]:
        source, target = (edge.given.get(end, "") for end in ("source", "target"))
        if source not in labels or target not in labels:
            msg = f"The GraphML edge {source} -> {target} names an unknown node; give each node its element."
            raise AdapterError(msg)
        usual = self.graphs[0].get("edgedefault", "directed") == "directed"
        directed = {"true": True, "false": False}.get(edge.given.get("directed", ""), usual)
        attributes = self.attributes(edge)
        for lag in told_lags(attributes) or (None,):
            yield Row(labels[source], labels[target], lag, number_in(attributes.get("weight")), not directed)

    def _name(self, key: str) -> str:
        return self.keys[key].name if key in self.keys else key


class _Reader:
    """Handlers of expat, which reads in one pass and opens no other file."""

    def __init__(self) -> None:
        self.found = _Graph()
        self.open: list[Any] = []  # what every element around the present place is
        self.ended: _Element | None = None  # whose end is where the next thing begins
        self.begun: _Text | None = None  # likewise its beginning
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.DefaultHandler = self._other
        self.parser.StartDoctypeDeclHandler = self._refuse

    def read(self, text: str) -> _Graph:
        try:
            self.parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            msg = f"The GraphML text is damaged: {error}."
            raise AdapterError(msg) from error
        if len(self.found.graphs) != 1:
            msg = f"The GraphML text holds {len(self.found.graphs)} graphs; give one."
            raise AdapterError(msg)
        return self.found

    def _refuse(self, *_: object) -> None:
        msg = "The GraphML text has a DOCTYPE, which can swell without bound; take it out."
        raise AdapterError(msg)

    def _here(self) -> int:
        """The present place; whatever waited for it is told."""
        here = self.parser.CurrentByteIndex
        if self.ended is not None:
            self.ended.span = (self.ended.span[0], here)
        if self.begun is not None:
            self.begun.span = (here, here)
        self.ended = self.begun = None
        return here

    def _start(self, name: str, given: dict[str, str]) -> None:
        here, tag, found = self._here(), name.rpartition(":")[2], self.found
        made: Any = None
        if tag == "key":
            made = _Key(given.get("attr.name", given.get("id", "")), given.get("for", "all"))
            found.keys[given.get("id", "")] = made
        elif tag == "graph":
            found.graphs.append(given)
        elif tag in ("node", "edge"):
            made = _Element(tag, given, (here, here))
            (found.nodes if tag == "node" else found.edges).append(made)
        elif tag == "data" and self.open and isinstance(self.open[-1], _Element):
            made = self.begun = _Text()
            self.open[-1].data[given.get("key", "")] = made
        elif tag == "default" and self.open and isinstance(self.open[-1], _Key):
            made = self.open[-1].default = _Text()
        elif tag == "hyperedge":
            msg = "The GraphML text has hyperedges; write one edge for each pair of nodes."
            raise AdapterError(msg)
        self.open.append(made)

    def _end(self, _: str) -> None:
        here, made = self._here(), self.open.pop()
        if isinstance(made, _Element):
            self.ended = made
        elif isinstance(made, _Text):
            made.span = (made.span[0], here)

    def _text(self, text: str) -> None:
        self._here()
        if self.open and isinstance(self.open[-1], _Text):
            self.open[-1].pieces.append(text)

    def _other(self, _: str) -> None:
        """A comment, say: it tells nothing but where the thing before it ends."""
        self._here()


def _parsed(text: str) -> _Graph:
    return _Reader().read(text)


def _changed(text: bytes, changes: list[tuple[Span, bytes]]) -> bytes:
    """`text` with other words in these places; the line of what is cut goes with it."""
    pieces, at = [], 0
    for (start, end), words in changes:
        before = text[at:start]
        pieces += [before if words else before.rstrip(b" \t").removesuffix(b"\n"), words]
        at = end
    return b"".join([*pieces, text[at:]])
