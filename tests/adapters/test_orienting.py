"""Open edges at lag 0 get a direction in the marks of each host; marks that are set stay."""

from __future__ import annotations

import copy

import networkx as nx
import numpy as np
import pytest

from grace_plugin.hosts.registry import get_adapter
from grace_plugin.protocols import OrientingAdapter
from grace_plugin.testing.contract import require_host

pytestmark = pytest.mark.host


def way(d: int, *edges: tuple[int, int]) -> np.ndarray:
    directions = np.zeros((d, d), dtype=bool)
    for edge in edges:
        directions[edge] = True
    return directions


def marked(mark: str, mirrored: str) -> np.ndarray:
    graph = np.full((2, 2, 2), "", dtype="<U3")
    graph[0, 1, 0], graph[1, 0, 0] = mark, mirrored
    graph[0, 1, 1] = "-->"
    return graph


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("o-o", "o-o"), ("-->", "<--")),
        (("x-x", "x-x"), ("-->", "<--")),
        (("--o", "o--"), ("-->", "<--")),
        (("o--", "--o"), ("o--", "--o")),  # its tail is at the effect
        (("<->", "<->"), ("<->", "<->")),
        (("---", "---"), ("---", "---")),
        (("<--", "-->"), ("<--", "-->")),
        (("", ""), ("", "")),
    ],
)
def test_tigramite_marks(before: tuple[str, str], after: tuple[str, str]) -> None:
    graph = marked(*before)
    result = get_adapter("tigramite").orient(
        {"graph": graph, "p_matrix": np.zeros((2, 2, 2))}, way(2, (0, 1))
    )
    assert (result["graph"][0, 1, 0], result["graph"][1, 0, 0]) == after
    assert result["graph"][0, 1, 1] == "-->"
    assert np.array_equal(graph, marked(*before))


def general_graph(names: list[str], ends: dict[tuple[int, int], tuple[int, int]]):
    """`ends[i, j]`: the marks at i and at j."""
    require_host("causallearn")
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    graph = GeneralGraph([GraphNode(name) for name in names])
    for (i, j), (at_i, at_j) in ends.items():
        graph.graph[i, j], graph.graph[j, i] = at_i, at_j
    return graph


def test_causal_learn_orients_an_edge_and_its_earlier_copies() -> None:
    names = ["a_lag0", "b_lag0", "a_lag1", "b_lag1"]
    graph = general_graph(names, {(0, 1): (-1, -1), (2, 3): (-1, -1), (2, 0): (-1, 1)})
    result = get_adapter("causal-learn").orient(graph, way(2, (1, 0)))
    assert (result.graph[1, 0], result.graph[0, 1]) == (-1, 1)
    assert (result.graph[3, 2], result.graph[2, 3]) == (-1, 1)
    assert result.dpath[2, 3] == 1  # lag 1 of b leads to lag 1 of a ...
    assert result.dpath[0, 3] == 1  # ... and on to a now
    assert (graph.graph[0, 1], graph.graph[1, 0]) == (-1, -1)


@pytest.mark.parametrize(
    ("ends", "after"),
    [((2, 2), (-1, 1)), ((2, 1), (-1, 1)), ((1, 1), (1, 1)), ((1, 2), (1, 2)), ((-1, -1), (-1, -1))],
)
def test_an_ancestral_graph_is_oriented_at_its_circles_alone(
    ends: tuple[int, int], after: tuple[int, int]
) -> None:
    graph = general_graph(["a", "b"], {(0, 1): ends})
    made, listed = get_adapter("causal-learn").orient((graph, graph.get_graph_edges()), way(2, (0, 1)))
    assert (made.graph[0, 1], made.graph[1, 0]) == after
    arrow = after == (-1, 1)
    assert [str(edge) for edge in listed] == (
        ["a --> b"] if arrow else [str(e) for e in graph.get_graph_edges()]
    )


def test_networkx_loses_the_opposite_edge_and_its_copies() -> None:
    graph = nx.DiGraph()
    for lag in (0, -1):
        graph.add_edge(("a", lag), ("b", lag), kept=1)
        graph.add_edge(("b", lag), ("a", lag))
    graph.add_edge(("a", -1), ("a", 0))
    result = get_adapter("networkx").orient(graph, way(2, (0, 1)))
    assert set(result.edges) == {(("a", 0), ("b", 0)), (("a", -1), ("b", -1)), (("a", -1), ("a", 0))}
    assert result.edges[("a", 0), ("b", 0)] == {"kept": 1}
    assert graph.number_of_edges() == 5


def test_an_edge_list_loses_the_opposite_row() -> None:
    rows = [("a", "b", 0), ("b", "a", 0), ("b", "c", 0), ("a", "a", 1)]
    before = copy.deepcopy(rows)
    result = get_adapter("edges").orient(rows, way(3, (1, 0), (2, 1)))
    assert result == [("b", "a", 0), ("b", "c", 0), ("a", "a", 1)]
    assert rows == before


def test_an_array_loses_the_opposite_entry() -> None:
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 0] = mask[1, 0, 0] = mask[0, 0, 1] = True
    result = get_adapter("numpy").orient(mask, way(2, (1, 0)), layout="cause,effect,lag")
    assert [tuple(edge) for edge in np.argwhere(result)] == [(0, 0, 1), (1, 0, 0)]


@pytest.mark.parametrize("name", ["tigramite", "causal-learn", "networkx", "edges", "numpy"])
def test_who_can_orient(name: str) -> None:
    assert isinstance(get_adapter(name), OrientingAdapter)


@pytest.mark.parametrize("name", ["lingam", "statsmodels", "dynotears"])
def test_hosts_whose_edges_all_have_a_direction_need_not(name: str) -> None:
    assert not isinstance(get_adapter(name), OrientingAdapter)
