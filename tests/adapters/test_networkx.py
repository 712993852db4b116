"""networkx graphs with lagged nodes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, difference, named_edges, outcome_for

NAMES = ("rain", "flow", "level")
EDGES = (("rain", "flow", 2), ("flow", "level", 0), ("flow", "flow", 1))
NO_EDGES = (("flow", "rain", 2), ("rain", "flow", 1), ("level", "flow", 0), ("rain", "flow", 0))

adapter = get_adapter("networkx")


class RiverGraph(nx.DiGraph):
    """A subclass, as users have them."""


def build(node, kind=RiverGraph):
    """EDGES with a shifted copy each; the nodes come in another order than the lags."""
    graph = kind(region="Elbe")
    for name in NAMES:
        for lag in (1, 0, 2):
            graph.add_node(node(name, lag), gauge=[name])
    graph.add_edge(node("rain", 2), node("flow", 0), weight=-0.5, note=["seen"])
    graph.add_edge(node("flow", 0), node("level", 0), weight=0.25)
    graph.add_edge(node("flow", 1), node("level", 1), weight=0.25)
    graph.add_edge(node("flow", 1), node("flow", 0), weight=np.float64(0.75))
    graph.add_edge(node("flow", 2), node("flow", 1), weight=0.75)
    return graph


def negative(name, lag):
    return (name, -lag)


class TestNegativeLags(AdapterContract):
    adapter_name = "networkx"
    names = NAMES
    edges = EDGES
    no_edges = NO_EDGES

    def make_native(self):
        return build(negative)


class TestPositiveLags(TestNegativeLags):
    def make_native(self):
        return build(lambda name, lag: (name, lag))


class TestSuffixes(TestNegativeLags):
    def make_native(self):
        return build(lambda name, lag: f"{name}_lag{lag}")


class TestBareNamesForThePresent(TestNegativeLags):
    def make_native(self):
        return build(lambda name, lag: f"{name}_lag{lag}" if lag else name)


class TestMultiDiGraph(TestNegativeLags):
    def make_native(self):
        graph = build(negative, nx.MultiDiGraph)
        graph.add_edge(("rain", -2), ("flow", 0), weight=0.125)
        return graph


class TestFrozenGraph(TestNegativeLags):
    def make_native(self):
        return nx.freeze(build(negative))

    def difference(self, one, other):
        return difference(nx.DiGraph(one), nx.DiGraph(other))


class TestPlainGraph(AdapterContract):
    adapter_name = "networkx"
    names = NAMES
    edges = (("rain", "flow", 0),)
    no_edges = (("flow", "rain", 0),)
    supports_lags = False

    def make_native(self):
        graph = nx.DiGraph([("rain", "flow")])
        graph.add_node("level")
        return graph


def test_copies_in_the_past_go_together():
    native = build(negative)
    skeleton = adapter.to_skeleton(native)
    graph = skeleton.mask.copy()
    graph[1, 2, 0] = graph[1, 1, 1] = False
    assert list(adapter.from_graph(native, graph).edges) == [(("rain", -2), ("flow", 0))]


def test_the_edge_into_lag_zero_decides_where_copies_disagree():
    native = nx.DiGraph([("a_lag0", "b_lag0"), ("b_lag1", "a_lag1"), ("a_lag2", "b_lag1")])
    skeleton = adapter.to_skeleton(native)
    assert named_edges(skeleton) == {("a", "b", 0)}
    assert difference(adapter.from_graph(native, skeleton.mask), native) is None
    pruned = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    assert list(pruned.edges) == [("a_lag2", "b_lag1")]


def test_both_directions_at_lag_zero_are_one_unoriented_pair():
    native = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    skeleton = adapter.to_skeleton(native)
    assert list(skeleton) == [(0, 1, 0), (1, 2, 0)]
    assert skeleton.unoriented[0, 1]
    graph = skeleton.mask.copy()
    graph[0, 1, 0] = graph[1, 0, 0] = False
    assert list(adapter.from_graph(native, graph).edges) == [("b", "c")]


def test_what_is_no_candidate_stays():
    native = nx.DiGraph([(("a", -1), ("b", 0)), (("b", 0), ("a", -1)), (("a", 0), ("a", 0))])
    skeleton = adapter.to_skeleton(native)
    assert named_edges(skeleton) == {("a", "b", 1)}
    nothing = np.zeros_like(skeleton.mask)
    pruned = adapter.from_graph(native, nothing, outcome=outcome_for(skeleton, nothing))
    assert dict(pruned.edges) == {(("b", 0), ("a", -1)): {}, (("a", 0), ("a", 0)): {}}


def test_a_graph_that_runs_back_in_time_is_refused():
    with pytest.raises(AdapterError, match="point into the past"):
        adapter.to_skeleton(build(negative).reverse().edge_subgraph([(("flow", 0), ("rain", -2))]))


def test_weights_are_scores_without_their_sign():
    skeleton = adapter.to_skeleton(build(negative))
    assert skeleton.scores is not None
    assert skeleton.scores[0, 1, 2] == 0.5
    assert adapter.to_skeleton(nx.DiGraph([("a", "b")])).scores is None
    odd = nx.DiGraph()
    odd.add_edge("a", "b", weight="strong")
    odd.add_edge("b", "a", weight=np.nan)
    assert adapter.to_skeleton(odd).scores is None


def test_attributes_are_copied_not_shared():
    native = build(negative)
    result = adapter.from_graph(native, adapter.to_skeleton(native).mask)
    assert result.graph == {"region": "Elbe"}
    result.nodes["rain", 0]["gauge"].append("changed")
    result.edges[("rain", -2), ("flow", 0)]["note"].append("changed")
    assert difference(native, build(negative)) is None


def test_an_outcome_is_noted_on_the_edges():
    native = build(negative)
    skeleton = adapter.to_skeleton(native)
    result = adapter.from_graph(native, skeleton.mask, outcome=outcome_for(skeleton, skeleton.mask))
    noted = result.edges[("rain", -2), ("flow", 0)]
    assert (noted["grace_gate"], noted["grace_gain"], noted["grace_p_value"]) == (1.0, 0.25, 0.125)
    assert noted["weight"] == -0.5


def test_integers_mean_columns():
    native = nx.DiGraph([((2, -1), (0, 0)), ((1, -1), (0, 0))])
    skeleton = adapter.to_skeleton(native)
    assert sorted(skeleton) == [(1, 0, 1), (2, 0, 1)]
    assert not skeleton.named


def test_names_give_the_order_of_the_columns():
    native = nx.DiGraph([("b_lag1", "a_lag0"), ("c_lag0", "a_lag0")])
    skeleton = adapter.to_skeleton(native, names=["a", "b", "c"])
    assert skeleton.names == ("a", "b", "c")
    assert sorted(skeleton) == [(1, 0, 1), (2, 0, 0)]
    graph = skeleton.mask.copy()
    graph[1, 0, 1] = False
    assert list(adapter.from_graph(native, graph, names=["a", "b", "c"]).edges) == [("c_lag0", "a_lag0")]
    with pytest.raises(OptionError, match=r"speaks of \['c'\], the variables "):
        adapter.to_skeleton(native, names=["a", "b", "d"])


def test_views_give_graphs():
    native = build(negative)
    view = native.edge_subgraph([(("rain", -2), ("flow", 0))])
    pruned = adapter.from_graph(view, np.zeros_like(adapter.to_skeleton(view).mask))
    assert type(pruned) is RiverGraph
    assert pruned.number_of_edges() == 0
    assert set(pruned.nodes) == {("rain", -2), ("flow", 0)}


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(AdapterError, match="no nodes"):
        adapter.to_skeleton(nx.DiGraph())


def test_graphs_of_other_adapters_are_not_claimed():
    structure_model = type("StructureModel", (nx.DiGraph,), {})
    pywhy = type("StationaryTimeSeriesDiGraph", (nx.DiGraph,), {"__module__": "pywhy_graphs.classes"})
    heir = type("Model", (structure_model,), {})
    assert adapter.is_native(RiverGraph())
    assert not any(adapter.is_native(kind()) for kind in (structure_model, pywhy, heir, nx.Graph))
    assert not adapter.is_native(nx.DiGraph)


@pytest.mark.host
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_causationentropy_goes_in_and_comes_out() -> None:
    """Its MultiDiGraph has one edge a lag, told by the attribute `lag`."""
    import contextlib
    import io

    import numpy as np
    import pandas as pd
    from causationentropy import discover_network

    import grace_plugin as gp

    x = np.random.default_rng(0).normal(size=(300, 3))
    for t in range(2, 300):
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 0.8 * x[t - 2, 1]
    data = pd.DataFrame(x, columns=["a", "b", "c"])
    with contextlib.redirect_stdout(io.StringIO()):
        host = discover_network(
            data, max_lag=2, alpha_forward=0.3, alpha_backward=0.3, n_shuffles=20, n_jobs=1
        )
    refined = gp.refine(host, data)
    assert type(refined) is type(host)
    assert {(c, e, told["lag"]) for c, e, told in refined.edges(data=True)} == {("a", "b", 1), ("b", "c", 2)}
