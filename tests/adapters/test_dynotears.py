"""DYNOTEARS results.

causalnex 0.12.2 declares Python < 3.11 and does not install here, so the StructureModel below stands in
for its namesake: it too is a networkx DiGraph that takes `origin` and keeps it with each edge. The adapter
was checked once against the real causalnex 0.12.2 on Python 3.10 (`from_pandas_dynamic`,
`from_numpy_dynamic`), with the results that these tests expect.
"""

from __future__ import annotations

import copy
from typing import ClassVar, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, DataError, OptionError
from grace_plugin.hosts.registry import find_adapter, get_adapter
from grace_plugin.testing.contract import AdapterContract

EDGES = (("A", "B", 1), ("B", "C", 2), ("C", "D", 0), ("A", "A", 1))
NO_EDGES = (("B", "A", 1), ("A", "B", 2), ("D", "C", 0), ("C", "B", 2))
WEIGHTS = {("A", "B", 1): 0.6, ("B", "C", 2): -0.5, ("C", "D", 0): 0.4, ("A", "A", 1): 0.3}


class StructureModel(nx.DiGraph):
    """As causalnex' own in what matters here: a DiGraph whose edges remember their origin."""

    def __init__(self, incoming_graph_data=None, origin="unknown", **attr):
        super().__init__(incoming_graph_data, **attr)
        nx.set_edge_attributes(self, origin, "origin")


def model(variables="ABCD", edges=WEIGHTS, max_lag=2) -> StructureModel:
    made = StructureModel(name="from_pandas_dynamic")
    made.add_nodes_from(f"{name}_lag{lag}" for name in variables for lag in range(max_lag + 1))
    for (cause, effect, lag), weight in edges.items():
        made.add_edge(f"{cause}_lag{lag}", f"{effect}_lag0", weight=np.float64(weight), origin="learned")
    return made


def numbered_model() -> StructureModel:
    """Named as `from_numpy_dynamic` names: lag by lag, numbers for variables."""
    made = StructureModel()
    made.add_nodes_from(f"{number}_lag{lag}" for lag in range(3) for number in range(4))
    for (cause, effect, lag), weight in WEIGHTS.items():
        made.add_edge(f"{'ABCD'.index(cause)}_lag{lag}", f"{'ABCD'.index(effect)}_lag0", weight=weight)
    return made


def weight_pair() -> tuple[np.ndarray, np.ndarray]:
    now, past = np.zeros((4, 4)), np.zeros((8, 4))
    now[2, 3] = 0.4
    past[0, 1], past[0, 0] = 0.6, 0.3  # lag 1: rows 0 to 3
    past[4 + 1, 2] = -0.5  # lag 2: rows 4 to 7
    return now, past


class TestStructureModel(AdapterContract):
    adapter_name = "dynotears"
    names = ("A", "B", "C", "D")
    edges = EDGES
    no_edges = NO_EDGES

    def make_native(self):
        return model()


class TestNumberedStructureModel(TestStructureModel):
    options: ClassVar = {"names": ["A", "B", "C", "D"]}

    def make_native(self):
        return numbered_model()


class TestWeightPair(TestNumberedStructureModel):
    def make_native(self):
        return weight_pair()


class TestWeightPairWithLagAxis(TestNumberedStructureModel):
    def make_native(self):
        now, past = weight_pair()
        return now, past.reshape(2, 4, 4)


def data(rows=600) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(rows, 4))
    for t in range(2, rows):
        x[t, 0] += 0.4 * x[t - 1, 0]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.6 * x[t - 2, 1]
        x[t, 3] += 0.6 * x[t, 2]
    return pd.DataFrame(x, columns=list("ABCD"))


FALSE = {("B", "A", 1): 0.05, ("D", "A", 2): -0.04, ("A", "B", 2): 0.03}


def test_false_edges_go_and_attributes_stay():
    given = model(edges={**WEIGHTS, **FALSE})
    refined = gp.refine(given, data())
    assert set(refined.edges) == set(model().edges)
    assert refined.edges["A_lag1", "B_lag0"] == {"weight": 0.6, "origin": "learned"}
    assert list(refined.nodes) == list(given.nodes)
    assert refined.graph == {"name": "from_pandas_dynamic"}
    assert refined.edges["A_lag1", "B_lag0"] is not given.edges["A_lag1", "B_lag0"]


def test_weight_matrices_are_refined_too():
    now, past = weight_pair()
    past[1, 0], past[4, 1] = 0.05, 0.03
    now[0, 3] = 0.02
    refined = gp.refine((now, past), data().to_numpy())
    np.testing.assert_array_equal(refined[0], weight_pair()[0])
    np.testing.assert_array_equal(refined[1], weight_pair()[1])


def test_weights_are_scores_and_a_threshold_makes_them_edges():
    native = model(edges={**WEIGHTS, **FALSE})
    skeleton = get_adapter("dynotears").to_skeleton(native)
    assert skeleton.scores[1, 2, 2] == 0.5
    above = get_adapter("dynotears").to_skeleton(native, threshold=0.1)
    assert len(above) == len(WEIGHTS)
    result = get_adapter("dynotears").from_graph(native, above.mask, threshold=0.1)
    assert set(result.edges) == set(model().edges)
    now, past = weight_pair()
    past[3, 3] = 0.05
    assert not get_adapter("dynotears").to_skeleton((now, past), threshold=0.1).mask[3, 3, 1]
    with pytest.raises(OptionError, match="negative"):
        get_adapter("dynotears").to_skeleton(native, threshold=-1)


def test_reordered_columns_are_matched_by_name():
    native = model(edges={**WEIGHTS, **FALSE})
    assert set(gp.refine(native, data()[list("DBCA")]).edges) == set(model().edges)


def test_other_names_or_another_number_of_variables_are_errors():
    with pytest.raises(DataError, match="name different variables"):
        gp.refine(model(), data().rename(columns={"A": "a"}))
    with pytest.raises(DataError, match="4 variables"):
        gp.refine(model(), data().iloc[:, :3])
    with pytest.raises(OptionError, match="differ from the model's own"):
        gp.refine(model(), data(), names=list("abcd"))


def test_numbers_are_positions_and_never_guessed_to_be_names():
    assert get_adapter("dynotears").to_skeleton(numbered_model()).names == ("0", "1", "2", "3")
    with pytest.raises(DataError, match="name different variables"):
        gp.refine(numbered_model(), data())
    assert gp.refine(numbered_model(), data(), names=list("ABCD")).number_of_edges() == 4
    assert gp.refine(numbered_model(), data().to_numpy()).number_of_edges() == 4


def test_numbered_variables_are_in_numeric_order_however_they_were_added():
    native = StructureModel([("2_lag1", "0_lag0"), ("1_lag0", "2_lag0")])
    skeleton = get_adapter("dynotears").to_skeleton(native)
    assert list(skeleton) == [(1, 2, 0), (2, 0, 1)]


def test_only_the_last_suffix_is_the_lag():
    native = model(["x_lag1", "y"], {("x_lag1", "y", 2): 1.0})
    skeleton = get_adapter("dynotears").to_skeleton(native)
    assert skeleton.names == ("x_lag1", "y")
    assert list(skeleton) == [(0, 1, 2)]


def test_copies_shifted_in_time_are_one_edge():
    native = model()
    native.add_edge("A_lag2", "B_lag1", weight=0.6)
    skeleton = get_adapter("dynotears").to_skeleton(native)
    graph = skeleton.mask.copy()
    graph[0, 1, 1] = False
    assert set(get_adapter("dynotears").from_graph(native, graph).edges) == {
        ("B_lag2", "C_lag0"), ("C_lag0", "D_lag0"), ("A_lag1", "A_lag0"),
    }  # fmt: skip


def test_models_that_cannot_be_read_say_why():
    backward = model()
    backward.add_edge("A_lag0", "B_lag1", weight=1.0)
    with pytest.raises(AdapterError, match="back in time"):
        get_adapter("dynotears").to_skeleton(backward)
    with pytest.raises(AdapterError, match="carry no lags"):
        get_adapter("dynotears").to_skeleton(StructureModel([("A", "B")]))


def test_weights_that_cannot_be_read_say_why():
    now, past = weight_pair()
    with pytest.raises(AdapterError, match="NaN"):
        get_adapter("dynotears").to_skeleton((now, np.where(past, np.nan, 0.0)))
    with pytest.raises(AdapterError, match="diagonal"):
        get_adapter("dynotears").to_skeleton((now + np.eye(4), past))


def test_a_named_tuple_stays_one():
    class Weights(NamedTuple):
        w: np.ndarray
        a: np.ndarray

    native = Weights(*weight_pair())
    skeleton = get_adapter("dynotears").to_skeleton(native)
    result = get_adapter("dynotears").from_graph(native, np.zeros_like(skeleton.mask))
    assert type(result) is Weights
    assert not result.a.any()


@pytest.mark.parametrize(
    "other",
    [
        (np.zeros((3, 3)), np.zeros((4, 3))),
        (np.zeros((2, 3, 3)), np.zeros((1, 3, 3))),
        (np.zeros((3, 3)), "A"),
        [np.zeros((3, 3)), np.zeros((3, 3))],
        nx.DiGraph([("A_lag1", "A_lag0")]),
    ],
)
def test_other_objects_are_left_to_others(other):
    assert not get_adapter("dynotears").is_native(other)


def test_a_model_is_found_by_its_class_and_its_subclasses_too():
    class Learned(StructureModel):
        pass

    assert find_adapter(Learned(model())).name == "dynotears"
    assert find_adapter(copy.copy(model())).name == "dynotears"
