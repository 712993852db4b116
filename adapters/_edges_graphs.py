"""Graph objects that are edge lists at heart: cdans' and pywhy-graphs' time-series graphs."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ._edges_rows import Listing, Row

_PASSED_THROUGH = "bidirected"  # a hidden common cause: no influence that could be pruned


class CdansForm:
    """cdans' TimeSeriesGraph, or a CDANsResult around one; changing modules are passed through."""

    def matches(self, obj: object) -> bool:
        """Whether `obj`, or its `graph`, has cdans' two kinds of edges."""
        return _is_cdans_graph(obj) or (
            type(obj).__name__ == "CDANsResult" and _is_cdans_graph(getattr(obj, "graph", None))
        )

    def read(self, native: Any) -> Listing:
        """Lagged edges, then contemporaneous ones."""
        graph = _cdans_graph(native)
        rows = [Row(*edge) for edge in sorted(graph.lagged_edges)]
        for cause, effect in _adjacent(graph.contemp_adj):
            rows.append(Row(cause, effect, 0, unoriented=bool(graph.contemp_adj[effect, cause])))
        return Listing(rows, range(graph.n_vars), graph.tau_max, graph.var_names)

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """A deep copy without the pruned edges."""
        result = copy.deepcopy(native)
        graph = _cdans_graph(result)
        lagged = sorted(graph.lagged_edges)
        graph.lagged_edges = {edge for edge, keep in zip(lagged, kept[: len(lagged)], strict=True) if keep}
        for (cause, effect), keep in zip(_adjacent(graph.contemp_adj), kept[len(lagged) :], strict=True):
            if not keep:
                graph.contemp_adj[cause, effect] = graph.contemp_adj[effect, cause] = 0
        return result


class PywhyForm:
    """pywhy-graphs' time-series graphs; copies of an edge shifted in time are one edge."""

    def matches(self, obj: object) -> bool:
        """Whether one of the classes of `obj` is pywhy-graphs' base class of such graphs."""
        return any(
            kind.__name__ == "BaseTimeSeriesGraph" and kind.__module__.partition(".")[0] == "pywhy_graphs"
            for kind in type(obj).__mro__
        )

    def read(self, native: Any) -> Listing:
        """One row per adjacent pair of nodes, whatever the kinds of edges between them."""
        rows = [_row_of(native, edges) for edges in _adjacencies(native)]
        return Listing(rows, list(native.nodes), int(native.max_lag))

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """A deep copy without any edge between the nodes of a pruned pair."""
        result = copy.deepcopy(native)
        pruned = [edges for edges, keep in zip(_adjacencies(native), kept, strict=True) if not keep]
        for edge in (edge for edges in pruned for edge in edges):
            if result.has_edge(*edge):  # removing one may have removed its shifted copies
                result.remove_edge(*edge)
        return result


def _is_cdans_graph(obj: object) -> bool:
    return type(obj).__name__ == "TimeSeriesGraph" and all(
        hasattr(obj, part) for part in ("lagged_edges", "contemp_adj", "n_vars", "tau_max", "var_names")
    )


def _cdans_graph(native: Any) -> Any:
    return native if _is_cdans_graph(native) else native.graph


def _adjacent(matrix: Any) -> list[tuple[int, int]]:
    """Every adjacent pair once: (cause, effect), or (smaller, larger) where it is unoriented."""
    pairs = [(int(cause), int(effect)) for cause, effect in np.argwhere(np.asarray(matrix))]
    return [(cause, effect) for cause, effect in pairs if cause < effect or not matrix[effect, cause]]


Edge = tuple[Hashable, ...]  # as has_edge and remove_edge take it: (cause, effect[, kind])


def _edges(native: Any) -> Iterator[Edge]:
    edges = native.edges()
    if isinstance(edges, dict):  # a graph with several kinds of edges
        for kind, listed in edges.items():
            yield from ((cause, effect, kind) for cause, effect in listed)
    else:
        yield from ((cause, effect) for cause, effect in edges)


def _adjacencies(native: Any) -> list[list[Edge]]:
    """The edges of every kind between each pair of nodes."""
    found: dict[frozenset[Hashable], list[Edge]] = {}
    for edge in _edges(native):
        if edge[2:] != (_PASSED_THROUGH,):
            found.setdefault(frozenset(edge[:2]), []).append(edge)
    return list(found.values())


def _row_of(native: Any, edges: list[Edge]) -> Row:
    plain_kind = () if getattr(native, "is_directed", bool)() else None
    directed = {edge[:2] for edge in edges if edge[2:] in (("directed",), plain_kind)}
    cause, effect = next(iter(directed)) if len(directed) == 1 else edges[0][:2]
    return Row(cause, effect, unoriented=len(directed) != 1)
