"""What refine does with edge lists, and what it refuses."""

from __future__ import annotations

from collections import OrderedDict

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from cdans import CDANs
from edge_lists import FALSE, LIST, NAMES, data, dot_text, number, pywhy_graph, pywhy_mixed_graph, table

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, OptionError, UnknownResultError
from grace_plugin.hosts.registry import find_adapter, get_adapter

# pydot 4.0.1 calls pyparsing by its older names
pytestmark = pytest.mark.filterwarnings("ignore:.* deprecated - use .*:DeprecationWarning")


def test_a_table_keeps_its_order_index_and_columns():
    given = table([*LIST, *FALSE]).iloc[::-1]
    refined = gp.refine(given, data())
    assert list(refined.columns) == list(given.columns)
    assert set(map(tuple, refined[["cause", "effect", "lag"]].to_numpy())) == set(LIST)
    pd.testing.assert_frame_equal(refined, given.loc[refined.index])
    assert list(refined.index) == [label for label in given.index if label in set(refined.index)]


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_a_collection_keeps_its_type(kind):
    refined = gp.refine(kind([*FALSE, *LIST]), data())
    assert refined == kind(LIST)


def test_tcdf_delays_are_refined():
    edges = [*LIST, *FALSE]
    delays = OrderedDict(((number(effect), number(cause)), lag) for cause, effect, lag in edges)
    refined = gp.refine(delays, data())
    assert type(refined) is OrderedDict
    assert list(refined) == [(number(effect), number(cause)) for cause, effect, _ in LIST]


def test_tcdf_causes_have_no_lags_and_all_of_them_are_tried():
    causes = {0: [3, 0], 1: [0, 3], 2: [1], 3: []}
    assert gp.refine(causes, data(), max_lag=2) == {0: [0], 1: [0], 2: [1], 3: []}
    with pytest.raises(OptionError, match="pass max_lag"):
        gp.refine(causes, data())


def test_cdans_results_are_refined_and_changing_modules_kept():
    found = CDANs(tau_max=2, alpha=0.3, use_independent_change=False).fit(data().to_numpy(), var_names=NAMES)
    found.graph.changing_modules.add(2)
    refined = gp.refine(found, data())
    assert {(0, 1, 1), (1, 2, 2)} <= refined.lagged_edges < found.lagged_edges
    assert refined.changing_modules == found.changing_modules
    assert refined.timings == found.timings
    assert "Lagged edges" in refined.summary()


def test_shifted_copies_of_a_pywhy_edge_go_together():
    native = pywhy_graph()
    native.add_edge(("D", -1), ("A", 0))
    assert native.has_edge(("D", -2), ("A", -1))
    refined = gp.refine(native, data())
    assert set(refined.edges) == set(pywhy_graph().edges)


def test_hidden_common_causes_are_passed_through():
    native = pywhy_mixed_graph()
    skeleton = get_adapter("edges").to_skeleton(native)
    assert not skeleton.mask[1, 2, 0]
    empty = get_adapter("edges").from_graph(native, np.zeros_like(skeleton.mask))
    assert {kind: len(edges) for kind, edges in empty.edges().items()} == {
        "directed": 0, "undirected": 0, "circle": 0, "bidirected": 1,
    }  # fmt: skip


def test_gml_text_loses_only_the_blocks_of_pruned_edges():
    text = 'graph [\n  directed 1  # DAG\n  node [ id 0 label "A" ]\n  node [ id 1 label "B" ]\n'
    text += '  edge [ source 0 target 1 lag 1 note "a ] b" ]\n  edge [ source 1 target 0 lag 2 ]\n]\n'
    refined = gp.refine(text, data()[["A", "B"]])
    assert refined == text.replace("  edge [ source 1 target 0 lag 2 ]\n", "")
    assert nx.parse_gml(refined.replace("  # DAG", "").replace("a ] b", "")).number_of_edges() == 1


def test_dot_text_loses_pruned_edges_and_keeps_attributes():
    text = dot_text().replace("}", "D_lag1 -> A_lag0; A_lag2 -> D_lag0; }")
    refined = gp.refine(text, data())
    assert "D_lag1 -> A_lag0" not in refined
    assert "color=red" in refined
    assert "rankdir=LR" in refined
    assert refined.count("->") == 4


def test_parallel_dot_edges_are_told_apart():
    text = "digraph { A -> B [lag=1]; A -> B [lag=2]; }"
    graph = get_adapter("edges").to_skeleton(text).mask.copy()
    graph[0, 1, 1] = False
    result = get_adapter("edges").from_graph(text, graph)
    assert "lag=2" in result
    assert "lag=1" not in result


def test_edges_in_dot_subgraphs_are_found_and_removed():
    text = "digraph { subgraph cluster { A -> B [lag=1]; } B -> C [lag=1]; }"
    skeleton = get_adapter("edges").to_skeleton(text, names=["A", "B", "C"], own_lags=False)
    assert list(skeleton) == [(0, 1, 1), (1, 2, 1)]
    graph = skeleton.mask.copy()
    graph[0, 1, 1] = False
    assert "A -> B" not in get_adapter("edges").from_graph(text, graph, names=["A", "B", "C"])


def test_undirected_text_is_unoriented_at_lag_zero():
    skeleton = get_adapter("edges").to_skeleton("graph { A -- B }", max_lag=0)
    assert skeleton.unoriented[0, 1]


# Rules -----------------------------------------------------------------------------------------------


def test_edges_without_lags_stand_for_every_lag_and_own_lags_join_the_model():
    pairs = [("A", "B"), ("B", "C"), ("D", "A")]
    found = gp.analyze(pairs, data(), max_lag=2, names=NAMES)
    assert found.native == pairs[:2]
    assert found.skeleton.mask[3, 3, 1:].all()
    assert ("A", "B", 1) in {
        (row.cause, row.effect, row.lag) for row in found.edges[found.edges.kept].itertuples()
    }
    bare = get_adapter("edges").to_skeleton(pairs, max_lag=2, own_lags=False, include_lag0=True)
    assert bare.mask.sum() == 3 * 3


@pytest.mark.filterwarnings("ignore:.*unit root:UserWarning")
def test_a_list_of_cross_edges_alone_is_judged_beside_own_lags():
    slow = np.random.default_rng(5).normal(size=(400, 4))
    for t in range(1, 400):
        slow[t] += 0.97 * slow[t - 1]
    everything = [(cause, effect, 1) for cause in range(4) for effect in range(4) if cause != effect]
    plain = {"alpha": "level", "prepare": "none"}  # the rules for persistent series would hide it
    honest, naive = (gp.refine(everything, slow, own_lags=own, **plain) for own in (True, False))
    assert len(honest) < len(naive)
    skeleton = get_adapter("edges").to_skeleton([*LIST, ("B", "A", 1)])
    assert not skeleton.mask[1, 1].any()  # this list knows of own lags, and B has none


def test_both_directions_at_lag_zero_are_one_unoriented_edge():
    edges = [("C", "D", 0), ("D", "C", 0), ("A", "D", 0), ("D", "A", 0), ("A", "B", 1)]
    assert gp.refine(edges, data(), names=NAMES) == [*edges[:2], edges[4]]


def test_lags_counted_downwards_are_read_too():
    skeleton = get_adapter("edges").to_skeleton([("A", "B", -2), ("B", "A", 0)], own_lags=False)
    assert list(skeleton) == [(0, 1, 2), (1, 0, 0)]


def test_numbers_are_columns_and_their_data_give_the_names():
    found = gp.analyze([(0, 1, 1), (1, 2, 2), (3, 0, 1)], data())
    assert found.names == tuple(NAMES)
    assert found.native == [(0, 1, 1), (1, 2, 2)]


def test_reordered_columns_are_matched_by_name():
    assert gp.refine([*LIST, *FALSE], data()[list("CADB")]) == LIST


def test_a_variable_without_edges_is_known_from_the_data_or_needs_names():
    assert gp.refine([("A", "B", 1)], data()) == [("A", "B", 1)]
    with pytest.raises(OptionError, match="which is which"):
        gp.refine([("A", "B", 1)], data().to_numpy())
    assert gp.refine([("A", "B", 1)], data(), names=NAMES) == [("A", "B", 1)]
    assert gp.refine({(1, 0): 1}, data().to_numpy(), names=range(4)) == {(1, 0): 1}


def test_a_set_is_read_in_the_same_order_in_every_run():
    skeleton = get_adapter("edges").to_skeleton({("z", "y", 1), ("b", "a", 1), ("y", "b", 2)})
    assert skeleton.names == ("b", "a", "y", "z")


@pytest.mark.parametrize(
    ("edges", "options", "error", "words"),
    [
        ([("A", "B", 3)], {"max_lag": 2}, OptionError, "beyond max_lag=2"),
        ([("A", "B")], {}, OptionError, "pass max_lag"),
        ([("A", "B")], {"max_lag": 1.5}, OptionError, "whole number"),
        ([("A", "B", 1), ("A", "C")], {}, AdapterError, "no lag"),
        ([("A", "B", 1), (0, 1, 1)], {}, AdapterError, "by number"),
        ([("A", "B", 1), ("A", "B", -1)], {}, AdapterError, "one sign"),
        ([("A", "A", 0)], {}, AdapterError, "to itself"),
        ([("A", "E", 1)], {"names": NAMES}, OptionError, r"\['E'\]"),
        ([(0, 4, 1)], {"names": NAMES}, AdapterError, "there are 4"),
        ([(("A", 0), ("B", -1))], {}, AdapterError, "back in time"),
        ([], {}, OptionError, "pass names="),
        (table().assign(lag=0.5), {}, AdapterError, "whole number"),
        ("graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", {}, AdapterError, "unknown node"),
        ("graph [ ] graph [ ]", {}, AdapterError, "2 graphs"),
        ("digraph { A -> B [lag=soon] }", {}, AdapterError, "soon"),
        ({"A": 3}, {}, AdapterError, "no known edge list"),
    ],
)
def test_what_cannot_be_read_says_why(edges, options, error, words):
    with pytest.raises(error, match=words):
        get_adapter("edges").to_skeleton(edges, **options)


def test_measurements_are_not_taken_for_edges():
    measured = data().rename(columns={"A": "cause", "B": "effect", "C": "lag"})
    assert not get_adapter("edges").is_native(measured)
    assert not get_adapter("edges").is_native(data())
    with pytest.raises(UnknownResultError):
        find_adapter(data())


@pytest.mark.parametrize(
    "other",
    [
        [], {}, "A -> B", "graph paper", [("A", -1), ("B", 0)], [[0, 1, 1]], [(0.5, 1.5, 2)],
        {"graph": np.zeros((2, 2, 2))}, {0: {(1, -1): "-->"}}, {0: [], 1: []}, {("A", "B"): 0.5},
        [np.zeros((2, 2))], (np.zeros((2, 2)), np.zeros((2, 2))), nx.DiGraph([("A", "B")]), None, 3,
    ],
)  # fmt: skip
def test_other_objects_are_left_to_others(other):
    assert not get_adapter("edges").is_native(other)
