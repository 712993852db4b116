"""GraphML text: lags in attributes or nodes, names, directions, and what is left of the text."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, UnknownResultError


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[2:, 2] += 0.8 * x[:-2, 1]
    return pd.DataFrame(x, columns=list("abc"))


def text(key: str = "lag") -> str:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from("cab")
    graph.add_edges_from(
        [("a", "b", {key: 1}), ("a", "b", {key: 2}), ("b", "c", {key: 2}), ("c", "a", {key: 1})]
    )
    return "\n".join(nx.generate_graphml(graph))


def edges(text: str) -> set[tuple[str, str, int]]:
    read = nx.parse_graphml(text, force_multigraph=True)
    return {(c, e, next(iter(marks.values()), 2)) for c, e, marks in read.edges(data=True)}


@pytest.mark.parametrize("key", ["lag", "time_lag", "Tau"])
def test_the_lag_is_read_from_the_attribute(key: str, table: pd.DataFrame) -> None:
    assert edges(gp.refine(text(key), table)) == {("a", "b", 1), ("b", "c", 2)}


def test_all_that_is_not_pruned_stays_as_it_is(table: pd.DataFrame) -> None:
    before = text().replace("<graph ", "<!-- a > b && <edge> -->\n  <graph ")
    left = gp.refine(before, table)
    lines = iter(before.splitlines())
    assert all(line in lines for line in left.splitlines())  # the same lines in the same order, some left out
    assert "<!-- a > b && <edge> -->" in left


def test_nodes_may_tell_the_lag(table: pd.DataFrame) -> None:
    graph = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -2), ("c", 0)), (("c", -1), ("a", 0))])
    left = nx.parse_graphml(gp.refine("\n".join(nx.generate_graphml(graph)), table))
    assert set(left.edges) == {("('a', -1)", "('b', 0)"), ("('b', -2)", "('c', 0)")}


def test_names_of_nodes_count_before_their_ids(table: pd.DataFrame) -> None:
    """As igraph writes it, in another order than the columns."""
    named = "".join(f'<node id="n{i}"><data key="v">{name}</data></node>' for i, name in enumerate("cba"))
    graph = (
        '<graphml><key id="v" for="node" attr.name="name"/><key id="e" for="edge" attr.name="lag"/>'
        f'<graph edgedefault="directed">{named}<edge source="n2" target="n1"><data key="e">1</data></edge>'
        '<edge source="n1" target="n0"><data key="e">1</data></edge></graph></graphml>'
    )
    left = gp.refine(graph, table)
    assert '<edge source="n2" target="n1">' in left
    assert '<edge source="n1" target="n0">' not in left


def test_of_several_lags_of_one_edge_the_true_one_stays(table: pd.DataFrame) -> None:
    single = text().replace('<data key="d0">1</data>', '<data key="d0"><!-- both -->(1, 3)</data>', 1)
    assert '<data key="d0">1</data>' in gp.refine(single, table)


def test_a_default_is_the_lag_of_edges_without_one(table: pd.DataFrame) -> None:
    given = text().replace('attr.type="long" />', 'attr.type="long"><default>2</default></key>')
    left = gp.refine(given.replace('<data key="d0">2</data>', ""), table)
    assert edges(left) == {("a", "b", 1), ("b", "c", 2)}


def test_edges_without_direction() -> None:
    graph = nx.Graph([("a", "b")])
    skeleton = gp.get_adapter("edges").to_skeleton("\n".join(nx.generate_graphml(graph)), max_lag=0)
    assert skeleton.mask[0, 1, 0]
    assert skeleton.mask[1, 0, 0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one[:300], "damaged"),
        (lambda one: one.replace('<data key="d0">2</data>', "", 1), "1 of 4 edges have no lag"),
        (lambda one: one.replace('target="b"', 'target="z"', 1), "unknown node"),
        (lambda one: one.replace('<node id="c" />', '<node id="a" />'), "given the id 'a'"),
        (lambda one: one.replace("<graph ", "<hyperedge/><graph "), "hyperedges"),
        (lambda one: one.replace("</graphml>", "<graph/></graphml>"), "2 graphs"),
    ],
)
def test_what_cannot_be_understood_is_refused(change, words: str, table: pd.DataFrame) -> None:
    with pytest.raises(AdapterError, match=words):
        gp.refine(change(text()), table)


def test_entities_are_not_expanded(table: pd.DataFrame) -> None:
    bomb = '<!DOCTYPE g [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><graphml>&b;</graphml>'
    with pytest.raises(UnknownResultError):
        gp.refine(bomb, table)
    with pytest.raises(AdapterError, match=r"damaged|DOCTYPE"):
        gp.refine("<graphml>" + bomb, table)
