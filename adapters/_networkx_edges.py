"""The edges of a networkx graph as cells [cause, effect, lag]; nodes or attributes tell the lags."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError

from ._columns import Columns, columns_of
from ._edges_lags import lag_keys, refuse_half_told, sign_of, told_lags
from ._lagged_names import LaggedNames, LagStyle, read_lagged_names

Cell = tuple[int, int, int]
Edge = tuple[Hashable, ...]  # (cause, effect), with its key in a multigraph


@dataclass(frozen=True)
class Arc:
    """One edge of the graph.

    Args:
        edge: as networkx knows it.
        cells: where it belongs; several where its attribute tells several lags.
        shift: by how many steps it is a copy in the past of the edge into lag 0.
        attributes: of the edge, as they are.
    """

    edge: Edge
    cells: tuple[Cell, ...]
    shift: int
    attributes: Mapping[Any, Any]

    @property
    def candidates(self) -> tuple[Cell, ...]:
        """Its cells that can be pruned: not loops at lag 0, nor edges back in time."""
        return tuple((c, e, lag) for c, e, lag in self.cells if lag > 0 or (lag == 0 and c != e))


@dataclass(frozen=True)
class Arcs:
    """A whole graph, understood."""

    columns: Columns
    max_lag: int
    listed: tuple[Arc, ...]


def read_arcs(native: Any, names: Sequence[object] | None) -> Arcs:
    """Every edge of `native` with its cells.

    Raises:
        AdapterError: where nodes and attributes tell different lags, or only some edges tell one.
    """
    nodes = read_lagged_names(native.nodes, names)
    if not nodes.variables:
        msg = "The graph has no nodes; add the variables, or refine the graph before removing them."
        raise AdapterError(msg)
    _refuse_reversed_time(native, nodes)
    columns = columns_of(nodes.variables, names)
    edges = [(edge[:-1], edge[-1]) for edge in _edges(native)]
    told = [told_lags(attributes) for _, attributes in edges]
    listed = [lags for lags in told if lags is not None]
    if nodes.style is LagStyle.PLAIN:
        refuse_half_told(len(listed), len(edges))
        if not listed:
            _refuse_parallel([edge for edge, _ in edges])
    sign = sign_of([lag for lags in listed for lag in lags])
    place = [columns.place[variable] for variable in nodes.variables]
    arcs = []
    for (edge, attributes), lags in zip(edges, told, strict=True):
        (cause, before), (effect, after) = nodes.place[edge[0]], nodes.place[edge[1]]
        if lags is None:
            steps: tuple[int, ...] = (before - after,)
        elif nodes.style is LagStyle.PLAIN:
            steps = tuple(sign * lag for lag in lags)
        else:
            steps = _agreed(edge, before - after, lags)
        cells = tuple((place[cause], place[effect], lag) for lag in dict.fromkeys(steps))
        arcs.append(Arc(edge, cells, after, attributes))
    reached = max([nodes.max_lag, *(lag for arc in arcs for *_, lag in arc.cells)])
    return Arcs(columns, reached, tuple(arcs))


def pruned(arcs: Arcs, before: BoolArray, graph: BoolArray) -> tuple[list[Edge], dict[Edge, set[int]]]:
    """The edges to remove, and those of whose lags only some stay, with these lags."""
    gone, narrowed = [], {}
    for arc in arcs.listed:
        judged = [cell for cell in arc.candidates if _was_judged(cell, before)]
        lost = [cell for cell in judged if not _is_left(cell, before, graph)]
        if not lost:
            continue
        if len(lost) == len(arc.cells):
            gone.append(arc.edge)
        else:
            narrowed[arc.edge] = {lag for *_, lag in set(arc.cells) - set(lost)}
    return gone, narrowed


def narrow(attributes: dict[Any, Any], lags: set[int]) -> None:
    """Leave only these lags in an edge's own attributes, in a value of the same type."""
    for key in lag_keys(attributes):
        value = attributes[key]
        kept = [lag for lag in told_lags({key: value}) or () if abs(lag) in lags]
        if isinstance(value, str):
            attributes[key] = f"({', '.join(map(str, kept))})"
        else:
            attributes[key] = type(value)(kept) if isinstance(value, (tuple, set, frozenset)) else kept


def _edges(native: Any) -> Iterator[tuple[Any, ...]]:
    multiple = {"keys": True} if native.is_multigraph() else {}
    yield from native.edges(data=True, **multiple)


def _refuse_parallel(edges: Sequence[Edge]) -> None:
    """Two edges from one node to another mean two lags, which nobody told."""
    seen: set[Edge] = set()
    for edge in edges:
        if edge[:2] in seen:
            msg = (
                f"There are several edges {edge[0]!r} -> {edge[1]!r} and none tells its lag; give every edge "
                "an attribute `lag`."
            )
            raise AdapterError(msg)
        seen.add(edge[:2])


def _agreed(edge: Edge, gap: int, lags: tuple[int, ...]) -> tuple[int, ...]:
    if any(abs(lag) != abs(gap) for lag in lags):
        msg = (
            f"The edge {edge[0]!r} -> {edge[1]!r} spans {gap} steps by its nodes, but its attribute tells "
            f"the lag {', '.join(map(str, lags))}; leave one of the two."
        )
        raise AdapterError(msg)
    return (gap,)


def _was_judged(cell: Cell, before: BoolArray) -> bool:
    cause, effect, lag = cell
    return bool(before[cell] or (lag == 0 and before[effect, cause, 0]))


def _is_left(cell: Cell, before: BoolArray, graph: BoolArray) -> bool:
    cause, effect, _ = cell
    # A past copy alone at lag 0 may be the other direction of a pair that was judged.
    return bool(graph[cell] if before[cell] else graph[effect, cause, 0])


def _refuse_reversed_time(native: Any, nodes: LaggedNames) -> None:
    steps = [nodes.place[cause][1] - nodes.place[effect][1] for cause, effect in native.edges()]
    across = [step for step in steps if step]
    if across and max(across) < 0:
        msg = (
            f"All {len(across)} edges between different times point into the past; an edge goes from its "
            "cause to its effect, and a lag counts steps back from the present. Try graph.reverse()."
        )
        raise AdapterError(msg)
