"""causal-learn's results, from the real searches."""

from __future__ import annotations

import itertools
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

from grace_plugin import analyze, refine
from grace_plugin.exceptions import AdapterError, DataError, OptionError
from grace_plugin.hosts.lagging import lag_expand
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, named_edges, require_host

HostEdge = require_host("causallearn.graph.Edge").Edge
Endpoint = require_host("causallearn.graph.Endpoint").Endpoint
GeneralGraph = require_host("causallearn.graph.GeneralGraph").GeneralGraph
GraphNode = require_host("causallearn.graph.GraphNode").GraphNode
cdnod = require_host("causallearn.search.ConstraintBased.CDNOD").cdnod
fci = require_host("causallearn.search.ConstraintBased.FCI").fci
pc = require_host("causallearn.search.ConstraintBased.PC").pc
ges = require_host("causallearn.search.ScoreBased.GES").ges
GraphUtils = require_host("causallearn.utils.GraphUtils").GraphUtils
BackgroundKnowledge = require_host("causallearn.utils.PCUtils.BackgroundKnowledge").BackgroundKnowledge

adapter: Any = get_adapter("causal-learn")
TAIL, ARROW, CIRCLE = Endpoint.TAIL, Endpoint.ARROW, Endpoint.CIRCLE


@cache
def series() -> pd.DataFrame:
    """Lag 1 of each variable, A -> B at lag 1, B -> C at lag 0."""
    x = np.random.default_rng(0).normal(size=(400, 3))
    for t in range(1, len(x)):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.6 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t, 1]
    return pd.DataFrame(x, columns=list("ABC"))


def knowledge(names: Any = ("A", "B", "C"), max_lag: int = 2) -> Any:
    return import_module("grace_plugin.adapters.causal_learn").lagged_knowledge(names, max_lag)


def lagged_arguments() -> dict[str, Any]:
    return {"node_names": list(lag_expand(series(), 2).columns), "show_progress": False}


@cache
def pc_result() -> Any:
    table = lag_expand(series(), 2).to_numpy()
    return pc(table, alpha=0.01, background_knowledge=knowledge(), **lagged_arguments())


def lagged_graph(*edges: tuple[str, Any, Any, str], names: str = "A B", max_lag: int = 2) -> Any:
    labels = [f"{name}_lag{lag}" for lag in range(max_lag + 1) for name in names.split()]
    nodes = {label: GraphNode(label) for label in labels}
    graph = GeneralGraph(list(nodes.values()))
    for one, mark, other_mark, other in edges:
        graph.add_edge(HostEdge(nodes[one], nodes[other], mark, other_mark))
        assert graph.graph[labels.index(one), labels.index(other)] != 0
    return graph


def texts(graph: Any) -> set[str]:
    return {str(edge) for edge in graph.get_graph_edges()}


def cells(native: Any, **options: Any) -> set[tuple[str, str, int]]:
    return named_edges(adapter.to_skeleton(native, **options))


class LaggedContract(AdapterContract):
    adapter_name = "causal-learn"
    names = ("A", "B", "C")
    edges = (("A", "B", 1), ("A", "A", 1), ("C", "C", 1), ("B", "C", 0))
    no_edges = (("B", "A", 1), ("A", "B", 2), ("A", "B", 0), ("B", "C", 1), ("B", "C", 2))


class TestPc(LaggedContract):
    no_edges = (*LaggedContract.no_edges, ("C", "B", 0))
    carries_data = True

    def make_native(self) -> Any:
        return pc_result()

    def marks(self, native: Any) -> dict[Any, Any]:
        return {("B", "C", 0): "B_lag0 --> C_lag0" in texts(native.G)}


class TestGeneralGraph(LaggedContract):
    def make_native(self) -> Any:
        return pc_result().G


class TestFci(LaggedContract):
    def make_native(self) -> Any:
        table = lag_expand(series(), 2).to_numpy()
        return fci(table, alpha=0.01, background_knowledge=knowledge(), **lagged_arguments())


class TestGes(LaggedContract):
    """Without time knowledge ges points many edges backward in time; the time order decides."""

    edges = (("A", "B", 1), ("B", "C", 0))
    no_edges = (("C", "B", 0), ("A", "B", 2), ("A", "B", 0))

    def make_native(self) -> Any:
        table = lag_expand(series(), 2)
        return ges(table.to_numpy(), node_names=list(table.columns))


class TestContemporaneous(AdapterContract):
    """Ordinary rows, no lags: A -> C <- B."""

    adapter_name = "causal-learn"
    names = ("X1", "X2", "X3")
    edges = (("X1", "X3", 0), ("X2", "X3", 0))
    no_edges = (("X3", "X1", 0), ("X3", "X2", 0), ("X1", "X2", 0))
    supports_lags = False
    carries_data = True

    def make_native(self) -> Any:
        x = np.random.default_rng(1).normal(size=(400, 3))
        x[:, 2] += x[:, 0] + x[:, 1]
        return pc(x, show_progress=False)


@cache
def cdnod_result() -> Any:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 2))
    time = np.arange(400)[:, None]
    x[:, 0] += np.linspace(0, 4, 400)
    x[:, 1] += x[:, 0]
    return cdnod(x, time, show_progress=False)


def test_the_time_index_of_cdnod_is_no_variable_and_keeps_its_edges():
    native = cdnod_result()
    assert native.G.get_node_names() == ["X1", "X2", "X3"]
    assert any("X3" in text for text in texts(native.G)), "the example must have an edge of the index"
    skeleton = adapter.to_skeleton(native)
    assert skeleton.names == ("X1", "X2")
    assert len(skeleton) == 1
    pruned = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    assert texts(pruned.G) == {text for text in texts(native.G) if "X3" in text}
    data = adapter.data_of(native)
    assert data.names == ("X1", "X2")
    assert np.array_equal(data.series[0].values, native.test.data[:, :2])


def test_a_domain_index_is_named_by_naming():
    x = np.random.default_rng(3).normal(size=(200, 2))
    native = cdnod(x, np.repeat([[0], [1]], 100, axis=0), show_progress=False)
    assert adapter.to_skeleton(native).names == ("X1", "X2", "X3")
    place = {"X1": ("rain", 0), "X2": ("flow", 0)}
    assert adapter.to_skeleton(native, naming=place.get).names == ("rain", "flow")
    assert adapter.data_of(native, naming=place.get).names == ("rain", "flow")


@pytest.mark.parametrize(
    "mark", [(TAIL, TAIL), (TAIL, ARROW), (CIRCLE, CIRCLE), (CIRCLE, ARROW), (ARROW, ARROW)]
)
def test_between_times_any_mark_is_a_candidate_from_earlier_to_later(mark):
    assert cells(lagged_graph(("A_lag2", *mark, "B_lag0"))) == {("A", "B", 2)}


def test_an_arrow_backward_in_time_is_read_forward_and_left_as_it_is():
    native = lagged_graph(("B_lag0", TAIL, ARROW, "A_lag1"))
    assert cells(native) == {("A", "B", 1)}
    kept = adapter.from_graph(native, adapter.to_skeleton(native).mask)
    assert texts(kept) == {"B_lag0 --> A_lag1"}


@pytest.mark.parametrize("mark", [(TAIL, TAIL), (CIRCLE, CIRCLE), (ARROW, ARROW), (TAIL, CIRCLE)])
def test_at_lag_zero_an_unknown_direction_is_a_pair(mark):
    assert cells(lagged_graph(("A_lag0", *mark, "B_lag0"))) == {("A", "B", 0), ("B", "A", 0)}


@pytest.mark.parametrize("tail", [TAIL, CIRCLE])
def test_at_lag_zero_an_arrow_is_directed(tail):
    assert cells(lagged_graph(("B_lag0", tail, ARROW, "A_lag0"))) == {("B", "A", 0)}


def test_an_unoriented_pair_stays_while_either_direction_does():
    native = lagged_graph(("A_lag0", TAIL, TAIL, "B_lag0"))
    graph = adapter.to_skeleton(native).mask.copy()
    graph[1, 0, 0] = False
    assert texts(adapter.from_graph(native, graph)) == {"A_lag0 --- B_lag0"}


def test_time_shifted_copies_fall_with_their_edge_whatever_their_marks():
    native = lagged_graph(
        ("A_lag1", TAIL, ARROW, "B_lag0"),
        ("A_lag2", TAIL, TAIL, "B_lag1"),
        ("A_lag0", TAIL, ARROW, "B_lag0"),
        ("B_lag1", TAIL, ARROW, "A_lag1"),
        ("B_lag2", TAIL, ARROW, "B_lag1"),
    )
    assert cells(native) == {("A", "B", 1), ("A", "B", 0)}
    skeleton = adapter.to_skeleton(native)
    without_lag_one, without_lag_zero = skeleton.mask.copy(), skeleton.mask.copy()
    without_lag_one[0, 1, 1] = False
    without_lag_zero[0, 1, 0] = False
    # B_lag2 --> B_lag1 has no version at lag 0: nothing was decided about it.
    assert texts(adapter.from_graph(native, without_lag_one)) == {
        "A_lag0 --> B_lag0",
        "B_lag1 --> A_lag1",
        "B_lag2 --> B_lag1",
    }
    assert texts(adapter.from_graph(native, without_lag_zero)) == {
        "A_lag1 --> B_lag0",
        "B_lag1 --- A_lag2",
        "B_lag2 --> B_lag1",
    }


def test_every_copy_of_a_pruned_edge_of_pc_is_gone():
    native = pc_result()
    assert "A_lag2 --> B_lag1" in texts(native.G)
    graph = adapter.to_skeleton(native).mask.copy()
    graph[0, 1, 1] = False
    pruned = adapter.from_graph(native, graph)
    assert texts(native.G) - texts(pruned.G) == {"A_lag1 --> B_lag0", "A_lag2 --> B_lag1"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_ancestors_are_right_after_pruning(order):
    nodes = [GraphNode(name) for name in "abcde"]
    native = GeneralGraph(nodes)
    chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    for place in order:
        native.add_directed_edge(nodes[chain[place][0]], nodes[chain[place][1]])
    graph = adapter.to_skeleton(native).mask.copy()
    graph[3, 4, 0] = False
    pruned = adapter.from_graph(native, graph)
    wanted = {(i, j) for i in range(4) for j in range(i, 4)} | {(4, 4)}
    found = {
        (i, j) for i in range(5) for j in range(5) if pruned.is_ancestor_of(pruned.nodes[i], pruned.nodes[j])
    }
    assert found == wanted


def test_fci_loses_the_pruned_edges_from_its_list_and_keeps_the_others():
    native = TestFci().native
    skeleton = adapter.to_skeleton(native)
    graph = skeleton.mask.copy()
    graph[0, 1, 1] = False
    general, edges = adapter.from_graph(native, graph)
    assert [str(edge) for edge in edges] == [str(edge) for edge in native[1] if str(edge) in texts(general)]
    assert len(edges) == len(native[1]) - 2
    assert [edge.properties for edge in edges] == [
        edge.properties for edge in native[1] if str(edge) in texts(general)
    ]


def test_ges_keeps_everything_but_the_graph():
    native = TestGes().native
    result = adapter.from_graph(native, np.zeros_like(adapter.to_skeleton(native).mask))
    assert result.keys() == native.keys()
    assert all(result[key] is native[key] for key in native if key != "G")


def test_colliders_and_drawings_follow_the_graph():
    native = TestContemporaneous().make_native()
    native.to_nx_graph()
    native.to_nx_skeleton()
    native.definite_UC = [(0, 2, 1)]
    graph = adapter.to_skeleton(native).mask.copy()
    graph[0, 2, 0] = False
    pruned = adapter.from_graph(native, graph)
    assert list(pruned.nx_graph.edges) == [(1, 2)]
    assert list(pruned.nx_skel.edges) == [(1, 2)]
    assert pruned.definite_UC == []
    assert len(native.nx_graph.edges) == 2
    assert native.definite_UC == [(0, 2, 1)]


def test_the_pruned_graph_is_drawn_without_the_pruned_edge():
    native = pc_result()
    graph = adapter.to_skeleton(native).mask.copy()
    graph[0, 1, 1] = False
    pruned = adapter.from_graph(native, graph)
    before, after = (GraphUtils.to_pydot(one.G) for one in (native, pruned))
    assert len(after.get_edges()) == len(before.get_edges()) - 2
    assert len(after.get_nodes()) == len(before.get_nodes())


def test_the_original_series_come_back_from_the_lagged_columns():
    data = adapter.data_of(pc_result())
    assert data.names == ("A", "B", "C")
    assert len(data.series) == 1
    assert np.array_equal(data.series[0].values, series().to_numpy())


def test_realisations_and_gaps_come_back_as_separate_series():
    first, second = series().iloc[:150], series().iloc[200:400]
    table = lag_expand([first, second], 2)
    native = pc(table.to_numpy(), node_names=list(table.columns), show_progress=False)
    data = adapter.data_of(native)
    assert [len(one.values) for one in data.series] == [150, 200]
    assert np.array_equal(data.series[1].values, second.to_numpy())


def test_missing_values_come_back_as_missing():
    holes = series().copy()
    holes.iloc[[5, 70], 1] = np.nan
    table = lag_expand(holes, 1)
    native = pc(table.to_numpy(), 0.01, "mv_fisherz", node_names=list(table.columns), show_progress=False)
    data = adapter.data_of(native)
    assert len(data.series) == 1
    assert np.array_equal(data.series[0].values, holes.to_numpy(), equal_nan=True)


def test_columns_in_another_order_are_put_right():
    table = lag_expand(series(), 2)[
        ["C_lag2", "A_lag0", "B_lag1", "C_lag0", "B_lag0", "A_lag1", "A_lag2", "C_lag1", "B_lag2"]
    ]
    native = pc(table.to_numpy(), 0.01, node_names=list(table.columns), show_progress=False)
    assert adapter.to_skeleton(native).names == ("C", "A", "B")
    assert ("A", "B", 1) in cells(native)
    assert np.array_equal(adapter.data_of(native).series[0].values, series()[["C", "A", "B"]].to_numpy())


def test_other_node_names_need_naming():
    table = lag_expand(series(), 1)
    renamed = [f"{column[0]}(t-{column[-1]})" for column in table.columns]
    native = pc(table.to_numpy(), 0.01, node_names=renamed, show_progress=False)
    assert adapter.to_skeleton(native).max_lag == 0
    read = {"naming": lambda node: (node[0], int(node[4]))}
    assert ("A", "B", 1) in cells(native, **read)
    assert np.array_equal(adapter.data_of(native, **read).series[0].values, series().to_numpy())
    emptied = adapter.from_graph(native, np.zeros((3, 3, 2), dtype=bool), **read)
    assert texts(emptied.G) == set()
    assert ("A", "B", 1) in cells(refine(native, **read), **read)


@pytest.mark.parametrize(
    ("naming", "words"),
    [
        (lambda node: node, "must give"),
        (lambda node: (node, -1), "from 0 up"),
        (lambda node: ("A", 0), "more than one"),
        (lambda node: None, "No node"),
    ],
)
def test_a_naming_that_makes_no_sense_is_refused(naming, words):
    with pytest.raises(AdapterError, match=words):
        adapter.to_skeleton(pc_result(), naming=naming)


def test_names_without_a_lag_beside_lagged_ones_are_lag_zero():
    nodes = [GraphNode(name) for name in ("A", "B", "A_lag1")]
    native = GeneralGraph(nodes)
    native.add_directed_edge(nodes[2], nodes[1])
    assert cells(native) == {("A", "B", 1)}


def test_data_of_other_variables_are_refused():
    with pytest.raises(DataError, match="different variables"):
        refine(pc_result(), series().rename(columns={"C": "D"}))
    with pytest.raises(DataError, match="3 variables"):
        refine(pc_result(), series()[["A", "B"]])


def test_refining_with_reordered_columns_gives_the_same_graph():
    assert texts(refine(pc_result(), series()[["C", "A", "B"]]).G) == texts(refine(pc_result()).G)


def test_refine_prunes_the_false_edges_of_a_lenient_search():
    true = {("A", "B", 1), ("B", "C", 1), ("C", "D", 2)} | {(name, name, 1) for name in "ABCD"}
    x = np.random.default_rng(0).normal(size=(300, 4))
    for t in range(2, len(x)):
        for cause, effect, lag in sorted(true):
            x[t, "ABCD".index(effect)] += 0.45 * x[t - lag, "ABCD".index(cause)]
    table = lag_expand(pd.DataFrame(x, columns=list("ABCD")), 2)
    time = knowledge(list("ABCD"))
    lenient = pc(
        table.to_numpy(), 0.3, node_names=list(table), background_knowledge=time, show_progress=False
    )
    before, after = cells(lenient), cells(refine(lenient))
    assert before > true, "the example must hold all true edges and false ones"
    assert after == true


def test_required_edges_are_not_remembered_by_the_host():
    required = BackgroundKnowledge()
    required.add_required_by_node(GraphNode("X1"), GraphNode("X3"))
    x = np.random.default_rng(1).normal(size=(400, 3))
    x[:, 2] += x[:, 0] + x[:, 1]
    native = pc(x, background_knowledge=required, show_progress=False)
    assert not adapter.to_skeleton(native).required.any()
    assert not any(isinstance(value, BackgroundKnowledge) for value in vars(native).values())


def test_knowledge_forbids_the_past_and_nothing_else():
    made = knowledge(("A", "B"), 1)
    now, past = GraphNode("A_lag0"), GraphNode("B_lag1")
    assert made.is_forbidden(now, past)
    assert not made.is_forbidden(past, now)
    assert not made.is_forbidden(GraphNode("B_lag0"), now)


@pytest.mark.parametrize(("names", "max_lag"), [("AB", 1), (["A"], -1), (["A"], 1.0)])
def test_wrong_knowledge_is_refused(names, max_lag):
    with pytest.raises(OptionError):
        knowledge(names, max_lag)


@pytest.mark.parametrize(
    "other", [(), ([], []), {}, {"G": 1}, {"graph": np.zeros((2, 2, 2))}, np.zeros((2, 2)), "G", None]
)
def test_other_objects_are_not_recognised(other):
    assert not adapter.is_native(other)


@pytest.mark.parametrize("search", ["fci", "ges", "general graph"])
@pytest.mark.parametrize("form", ["table", "array", "shuffled", "series"])
def test_the_very_table_that_the_search_ran_on_will_do(search: str, form: str) -> None:
    table = lag_expand(series(), 2)
    native = {
        "fci": TestFci().make_native,
        "ges": TestGes().make_native,
        "general graph": TestGeneralGraph().make_native,
    }[search]()
    forms = {
        "table": table,
        "array": table.to_numpy(),
        "shuffled": table[sorted(table.columns, reverse=True)],
        "series": series(),
    }
    found, wanted = analyze(native, forms[form]), analyze(native, series())
    assert found.outcome.rows_used == wanted.outcome.rows_used
    assert np.array_equal(found.graph, wanted.graph)
    assert ("A", "B", 1) in named_edges(found.skeleton, found.graph)


def test_the_table_of_a_search_without_names_for_its_columns() -> None:
    table = lag_expand(series(), 2)
    native = ges(table.to_numpy())  # calls its nodes X1 to X9
    places = dict(zip((f"X{i}" for i in range(1, 10)), table.columns, strict=True))

    def naming(node: str) -> tuple[str, int]:
        name, _, lag = places[node].rpartition("_lag")
        return name, int(lag)

    found = analyze(native, table, naming=naming)
    assert found.outcome.rows_used == analyze(native, series(), naming=naming).outcome.rows_used
    assert ("A", "B", 1) in named_edges(found.skeleton, found.graph)
