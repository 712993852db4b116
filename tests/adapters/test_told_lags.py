"""Lags that edges tell in an attribute, a column or a text: read where they stand, never guessed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError
from grace_plugin.hosts.registry import find_adapter, get_adapter
from grace_plugin.testing.contract import named_edges

# pydot 4.0.1 calls pyparsing by its older names
pytestmark = pytest.mark.filterwarnings("ignore:.* deprecated - use .*:DeprecationWarning")

NAMES = ["rain", "flow", "level"]
TRUE = {("rain", "flow", 2), ("flow", "level", 1), ("rain", "rain", 1)}
FALSE = {("level", "rain", 1), ("flow", "flow", 2)}


def data(rows=400):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 0] += 0.6 * x[t - 1, 0]
        x[t, 1] += 0.8 * x[t - 2, 0]
        x[t, 2] += 0.8 * x[t - 1, 1]
    return pd.DataFrame(x, columns=NAMES)


def with_attribute(key, value=lambda lag: lag, kind=nx.DiGraph):
    graph = kind()
    for cause, effect, lag in sorted(TRUE | FALSE):
        graph.add_edge(cause, effect, **{key: value(lag)})
    return graph


def told(graph):
    return {(c, e, *attributes.values()) for c, e, attributes in graph.edges(data=True)}


@pytest.mark.parametrize("key", ["lag", "time_lag", "Lag", "tau", "delay"])
@pytest.mark.parametrize(
    "value", [int, float, str, np.int64, lambda lag: -lag, lambda lag: (lag,), lambda lag: [lag]]
)
def test_an_attribute_of_a_networkx_edge_tells_its_lag(key, value):
    skeleton = get_adapter("networkx").to_skeleton(with_attribute(key, value))
    assert named_edges(skeleton) == TRUE | FALSE


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_the_true_edges_are_kept_at_their_lags(kind):
    refined = gp.refine(with_attribute("lag", kind=kind), data())
    assert {edge[:2] for edge in refined.edges(data=True)} == {edge[:2] for edge in TRUE}
    assert {(c, e, lag) for c, e, lag in refined.edges(data="lag")} == TRUE


def test_one_edge_may_tell_several_lags_and_loses_some_of_them():
    graph = nx.DiGraph()
    graph.add_edge("rain", "flow", time_lag=(1, 2))  # as DoWhy's readers build them
    graph.add_edge("flow", "level", time_lag=(1,))
    graph.add_edge("rain", "rain", time_lag=(1,))
    graph.add_edge("level", "rain", time_lag=(1, 2))
    skeleton = get_adapter("networkx").to_skeleton(graph)
    assert ("rain", "flow", 1) in named_edges(skeleton)
    refined = gp.refine(graph, data())
    assert set(refined.edges) == {("rain", "flow"), ("flow", "level"), ("rain", "rain")}
    assert refined.edges["rain", "flow"]["time_lag"] == (2,)
    assert graph.edges["rain", "flow"]["time_lag"] == (1, 2)


def test_a_multigraph_holds_one_edge_a_lag():
    graph = nx.MultiDiGraph()
    for lag in (1, 2):
        graph.add_edge("rain", "flow", lag=lag)
    graph.add_edge("rain", "rain", lag=1)
    refined = gp.refine(graph, data())
    assert sorted(refined.edges(data="lag")) == [("rain", "flow", 2), ("rain", "rain", 1)]


def test_nodes_and_attributes_must_agree():
    graph = nx.DiGraph()
    graph.add_edge(("rain", -2), ("flow", 0), lag=2)
    assert named_edges(get_adapter("networkx").to_skeleton(graph)) == {("rain", "flow", 2)}
    graph.add_edge(("flow", -1), ("level", 0), lag=3)
    with pytest.raises(AdapterError, match="spans 1 steps by its nodes"):
        get_adapter("networkx").to_skeleton(graph)
    mixed = nx.DiGraph([("flow", "level")])
    mixed.add_edge("rain", "flow", lag=2)
    with pytest.raises(AdapterError, match="1 of 2 edges have no lag"):
        get_adapter("networkx").to_skeleton(mixed)


@pytest.mark.parametrize("lag", [0.5, "soon", True, (), "²", "1e3", None])
def test_what_is_no_lag_is_refused(lag):
    graph = nx.DiGraph()
    graph.add_edge("rain", "flow", lag=lag)
    if lag is None:
        assert named_edges(get_adapter("networkx").to_skeleton(graph)) == {("rain", "flow", 0)}
        return
    with pytest.raises(AdapterError, match="lag"):
        get_adapter("networkx").to_skeleton(graph)


def test_two_attributes_that_disagree_are_refused():
    graph = nx.DiGraph()
    graph.add_edge("rain", "flow", lag=1, time_lag=2)
    with pytest.raises(AdapterError, match="different lags"):
        get_adapter("networkx").to_skeleton(graph)


def test_nodes_that_a_file_turned_into_text_carry_their_lags():
    graph = nx.DiGraph([(("rain", -2), ("flow", 0)), (("flow", -1), ("level", 0))])
    text = "\n".join(nx.generate_graphml(graph))
    again = nx.parse_graphml(text)
    assert all(isinstance(node, str) for node in again)
    assert named_edges(get_adapter("networkx").to_skeleton(again)) == {
        ("rain", "flow", 2),
        ("flow", "level", 1),
    }


@pytest.mark.parametrize("key", ["lag", "time_lag"])
@pytest.mark.parametrize("value", [int, lambda lag: (lag,), lambda lag: (lag, 3)])
def test_gml_text_tells_lags_and_loses_pruned_ones(key, value):
    text = "\n".join(nx.generate_gml(with_attribute(key, value)))
    skeleton = get_adapter("edges").to_skeleton(text)
    assert named_edges(skeleton) >= TRUE | FALSE
    refined = nx.parse_gml(gp.refine(text, data()))
    assert {edge[:2] for edge in refined.edges} == {edge[:2] for edge in TRUE}
    if value(1) == 1:
        assert {(c, e, lag) for c, e, lag in refined.edges(data=key)} == TRUE
    else:
        assert refined.edges["rain", "flow"][key] in (2, [2])


def test_dot_text_tells_lags():
    text = 'digraph { rain -> flow [time_lag="(1, 2)"]; flow -> level [lag=1]; rain -> rain [lag=1] }'
    assert named_edges(get_adapter("edges").to_skeleton(text)) == TRUE | {("rain", "flow", 1)}
    refined = gp.refine(text, data())
    assert 'time_lag="2"' in refined
    assert refined.count("->") == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("digraph { a -> b [dir=back, lag=1] }", "dir=back"),
        ("digraph { edge [lag=1]; a -> b }", "each edge its own"),
        ("digraph { {a b} -> c [lag=1] }", "groups"),
        ('digraph { "a_lag1" -> "b_lag0" [lag=2] }', "leave one of the two"),
    ],
)
def test_dot_text_that_could_be_misread_is_refused(text, words):
    with pytest.raises(AdapterError, match=words):
        get_adapter("edges").to_skeleton(text)


@pytest.mark.parametrize("names", [NAMES, ['say "hi"', "back\\slash", "R&D"]])
def test_what_to_dot_writes_is_read_back(names):
    skeleton = gp.Skeleton(np.ones((3, 3, 3)) * [[[0, 1, 1]]], names)
    found = gp.analyze(skeleton, data().to_numpy())
    read = get_adapter("edges").to_skeleton(found.to_dot())
    assert named_edges(read) >= named_edges(found.native)
    table = data().set_axis(names, axis=1)
    assert gp.refine(found.to_dot(), table) == found.to_dot()


TABLES = {
    "tigramite's write_csv": ("Variable i", "Variable j", "Time lag of i"),
    "DoWhy": ("node1", "node2", "time_lag"),
    "Source, Sink, Lag": ("Source", "Sink", "Lag"),
    "from, to, lag": ("from", "to", "lag"),
}


@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_tables_of_edges_as_others_write_them(columns):
    table = pd.DataFrame(sorted(TRUE | FALSE), columns=columns)
    refined = gp.refine(table, data())
    assert set(refined.itertuples(index=False, name=None)) == TRUE
    assert refined.attrs["grace_columns"] == dict(zip(("cause", "effect", "lag"), columns, strict=True))


def test_link_types_of_tigramite_give_the_direction_at_lag_zero():
    rows = [("a", "b", 0, "-->"), ("c", "b", 0, "<--"), ("a", "c", 0, "o-o"), ("c", "a", 2, "<->")]
    table = pd.DataFrame(rows, columns=["Variable i", "Variable j", "Time lag of i", "Link type i --- j"])
    skeleton = get_adapter("edges").to_skeleton(table, names=list("abc"), own_lags=False)
    assert sorted(map(tuple, np.argwhere(skeleton.mask).tolist())) == [
        (0, 1, 0),
        (0, 2, 0),
        (1, 2, 0),
        (2, 0, 0),
        (2, 0, 2),
    ]
    with pytest.raises(AdapterError, match="==>"):
        get_adapter("edges").to_skeleton(table.assign(**{"Link type i --- j": "==>"}))


def test_two_columns_that_may_be_the_lag_are_refused():
    table = pd.DataFrame({"cause": ["a"], "effect": ["b"], "tau": [1], "delay": [2]})
    with pytest.raises(AdapterError, match="may all be the lag"):
        find_adapter(table).to_skeleton(table)
