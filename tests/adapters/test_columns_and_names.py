"""Which column a label means: by number or by name, refused where it could be either or neither."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import named_edges


def series(rows=400):
    """x2 -> x0 at lag 1, x0 -> x1 at lag 2; the order of appearance is not that of the columns."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 4))
    x[1:, 0] += 0.8 * x[:-1, 2]
    for t in range(2, rows):
        x[t, 1] += 0.8 * x[t - 2, 0]
    return x


TRUE = [("x2", "x0", 1), ("x0", "x1", 2)]


def test_what_discover_found_is_left_by_refine():
    x = series()
    found = gp.discover(x, 3)
    kept = found.edges[found.edges.kept]
    again = gp.refine(kept, x)
    assert list(zip(again.cause, again.effect, again.lag, strict=True)) == list(
        zip(kept.cause, kept.effect, kept.lag, strict=True)
    )
    assert set(zip(again.cause, again.effect, again.lag, strict=True)) >= set(TRUE)


@pytest.mark.parametrize("label", [str, lambda name: name[1:], lambda name: int(name[1:])])
@pytest.mark.parametrize("kind", ["edges", "networkx", "gml", "parents"])
def test_counted_names_are_columns_of_an_array(label, kind):
    edges = [(label(cause), label(effect), lag) for cause, effect, lag in TRUE]
    if kind == "edges":
        native = edges
    elif kind == "parents":
        native = {effect: [(cause, -lag)] for cause, effect, lag in edges}
    else:
        native = nx.DiGraph([((cause, -lag), (effect, 0)) for cause, effect, lag in edges])
        if kind == "gml":
            native = "\n".join(nx.generate_gml(native, stringizer=str))
    found = gp.analyze(native, series())
    assert {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(found.graph)} == {(2, 0, 1), (0, 1, 2)}
    assert found.graph.shape == (4, 4, 3)


def test_any_other_name_needs_names_or_a_table():
    native = nx.DiGraph([(("rain", -1), ("flow", 0))])
    with pytest.raises(OptionError, match=r"which is which\? Pass names="):
        gp.refine(native, series())
    x = pd.DataFrame(series(), columns=["flow", "level", "rain", "wind"])
    assert gp.refine(native, x).number_of_edges() == 1
    assert gp.refine(native, series(), names=list(x.columns)).number_of_edges() == 1
    assert gp.refine(native, series(), names=["rain", "level", "flow", "wind"]).number_of_edges() == 0


def test_names_counted_from_one_do_not_fit():
    with pytest.raises(OptionError, match="which is which"):
        gp.refine([("x1", "x2", 1), ("x3", "x4", 1)], series())


def test_numbers_of_numpy_are_numbers():
    native = nx.DiGraph([((np.int64(2), -1), (np.int64(0), 0))])
    skeleton = get_adapter("networkx").to_skeleton(native)
    assert not skeleton.named
    assert list(skeleton) == [(2, 0, 1)]


def test_numbers_that_could_be_positions_or_names_are_refused():
    x = pd.DataFrame(series()[:, [2, 0, 1]], columns=[2, 0, 1])
    for native in ([(2, 0, 1)], nx.DiGraph([((2, -1), (0, 0))])):
        with pytest.raises(OptionError, match="may be column"):
            gp.refine(native, x)
    years = pd.DataFrame(series()[:, :3], columns=[1990, 1991, 1992])
    assert gp.refine([(1992, 1990, 1), (1991, 1990, 1)], years) == [(1992, 1990, 1)]


def test_numbers_beyond_the_columns_are_refused():
    with pytest.raises(AdapterError, match="there are 4, numbered from 0"):
        gp.refine([(3, 4, 1)], series())


def test_a_column_called_like_a_lag_is_that_column():
    x = pd.DataFrame(series(), columns=["b", "c", "a_lag1", "d"])
    kept = gp.refine([("a_lag1", "b"), ("b", "c")], x, max_lag=2)
    assert kept == [("a_lag1", "b"), ("b", "c")]
    native = nx.DiGraph([("a_lag1", "b"), ("b", "c")])
    skeleton = get_adapter("networkx").to_skeleton(native, names=list(x.columns))
    assert named_edges(skeleton) == {("a_lag1", "b", 0), ("b", "c", 0)}


def test_a_label_that_may_be_a_column_or_a_past_is_refused():
    x = pd.DataFrame(series(), columns=["b", "c", "a_lag1", "a"])
    for native in ([("a_lag1", "b"), ("b", "c")], nx.DiGraph([("a_lag1", "b")])):
        with pytest.raises(AdapterError, match="may be the column of that name or 'a' 1 steps earlier"):
            gp.refine(native, x, **({"max_lag": 2} if isinstance(native, list) else {}))
    assert gp.refine([("a_lag1", "b", 1), ("b", "c", 2)], x) == [("a_lag1", "b", 1), ("b", "c", 2)]


def test_a_bootstrap_reads_names_as_refine_does():
    found = gp.bootstrap([("x2", "x0", 1), ("x0", "x1", 2), ("x3", "x1", 1)], series(), runs=3, seed=0)
    assert {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(found.graph)} == {(2, 0, 1), (0, 1, 2)}
