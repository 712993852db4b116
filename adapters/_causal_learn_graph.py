"""The mark matrix of a causal-learn graph: read as a skeleton, and with edges taken out.

`graph[i, j]` is the mark at node i of the edge between i and j (tail -1, arrow 1, circle 2), so
i --> j is -1 at [i, j] and 1 at [j, i].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._causal_learn_nodes import Places

_TAIL, _ARROW, _CIRCLE, _TAIL_AND_ARROW = -1, 1, 2, 4

Marks = npt.NDArray[np.int_]
Cells = list[tuple[int, int, int]]


def candidate_mask(marks: Marks, places: Places) -> BoolArray:
    """Every edge that ends at lag 0, as [cause, effect, lag]."""
    count = len(places.names)
    mask = np.zeros(checked_shape(count, places.max_lag), dtype=np.bool_)
    for one, other in _adjacent(marks):
        later = _later_lag(places, one, other)
        if later == 0:
            for cell in _cells(marks, places, one, other):
                mask[cell] = True
    return mask


def pruned_pairs(marks: Marks, places: Places, graph: BoolArray) -> list[tuple[int, int]]:
    """The adjacent nodes whose edge at lag 0 was a candidate and is not in `graph`.

    An edge between past nodes follows the edge at lag 0 that it is a copy of, whatever its marks;
    where there is no such edge, nothing was decided and it stays.
    """
    gone = _either_way_now(candidate_mask(marks, places)) & ~_either_way_now(graph)
    return [
        (one, other)
        for one, other in _adjacent(marks)
        if any(gone[cell] for cell in _cells(marks, places, one, other))
    ]


def remove_pairs(general_graph: Any, pairs: list[tuple[int, int]]) -> None:
    """Take the edges between `pairs` of node indices out of a GeneralGraph, in place."""
    for one, other in pairs:
        general_graph.graph[one, other] = general_graph.graph[other, one] = 0
    if pairs:
        # The host's own bookkeeping (adjust_dpath) misses paths, depending on the order of its edges.
        general_graph.dpath = _ancestors(general_graph.graph)


def open_pairs(
    marks: Marks, places: Places, directions: BoolArray, open_tails: bool
) -> list[tuple[int, int]]:
    """The adjacent nodes of one time, at any lag, whose open edge is to point from the first to the second.

    A circle is open; so is an edge of two tails where the host means an edge of unknown direction by it.
    """
    found = []
    for one, other in _adjacent(marks):
        first, second = places.where[one], places.where[other]
        if first is None or second is None or first[1] != second[1]:
            continue
        for cause, effect, way in ((first[0], second[0], (one, other)), (second[0], first[0], (other, one))):
            if (
                directions[cause, effect]
                and not directions[effect, cause]
                and _may_point(marks, way, open_tails)
            ):
                found.append(way)
    return found


def point_pairs(general_graph: Any, pairs: list[tuple[int, int]]) -> None:
    """Let the edges between `pairs` point from the first to the second, in place."""
    for one, other in pairs:
        general_graph.graph[one, other], general_graph.graph[other, one] = _TAIL, _ARROW
    if pairs:
        general_graph.dpath = _ancestors(general_graph.graph)


def _may_point(marks: Marks, way: tuple[int, int], open_tails: bool) -> bool:
    at_cause, at_effect = int(marks[way]), int(marks[way[::-1]])
    if at_cause == at_effect == _TAIL:
        return open_tails
    return (
        _CIRCLE in (at_cause, at_effect) and at_cause in (_TAIL, _CIRCLE) and at_effect in (_ARROW, _CIRCLE)
    )


def _adjacent(marks: Marks) -> Iterator[tuple[int, int]]:
    for one, other in np.argwhere(np.triu((marks != 0) | (marks.T != 0), k=1)):
        yield int(one), int(other)


def _later_lag(places: Places, one: int, other: int) -> int | None:
    first, second = places.where[one], places.where[other]
    return None if first is None or second is None else min(first[1], second[1])


def _cells(marks: Marks, places: Places, one: int, other: int) -> Cells:
    """The edge between two nodes as cells: time gives the direction, at equal times the marks do."""
    first, second = places.where[one], places.where[other]
    if first is None or second is None:
        return []
    if first[1] != second[1]:
        (cause, early), (effect, late) = (first, second) if first[1] > second[1] else (second, first)
        return [(cause, effect, early - late)]
    forward, backward = (first[0], second[0], 0), (second[0], first[0], 0)
    if _points(marks, one, other):
        return [forward]
    if _points(marks, other, one):
        return [backward]
    return [forward, backward]


def _points(marks: Marks, one: int, other: int) -> bool:
    """Whether the edge is `one --> other` or `one o-> other`: not from `other` to `one`."""
    return bool(marks[one, other] in (_TAIL, _CIRCLE) and marks[other, one] == _ARROW)


def _either_way_now(graph: BoolArray) -> BoolArray:
    result = graph.copy()
    result[:, :, 0] |= graph[:, :, 0].T
    return result


def _ancestors(marks: Marks) -> Marks:
    """dpath[j, i] = 1 where a directed path leads from i to j, or i is j."""
    parent = ((marks == _TAIL) & (marks.T == _ARROW)) | (marks == _TAIL_AND_ARROW)
    reached = parent | np.eye(len(marks), dtype=np.bool_)
    for middle in range(len(marks)):
        reached |= np.outer(reached[:, middle], reached[middle])
    return np.asarray(reached.T, dtype=np.int_)


def made_graph(skeleton: Skeleton) -> Any:
    """A new GeneralGraph with one node per variable and lag, and the edges that end at lag 0."""
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    lags = range(skeleton.max_lag + 1)
    places = list(enumerate(skeleton.names))
    nodes = {(place, lag): GraphNode(f"{name}_lag{lag}") for lag in lags for place, name in places}
    graph = GeneralGraph(list(nodes.values()))
    open_now = skeleton.unoriented
    for cause, effect, lag in skeleton:
        head = Endpoint.TAIL if lag == 0 and open_now[cause, effect] else Endpoint.ARROW
        graph.add_edge(Edge(nodes[cause, lag], nodes[effect, 0], Endpoint.TAIL, head))
    return graph
