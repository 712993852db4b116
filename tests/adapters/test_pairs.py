"""Pair matrices: gcastle's real ones, causal-learn's real granger_lasso, and plain arrays."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from castle.algorithms import DirectLiNGAM
from castle.common import Tensor
from causallearn.search.Granger.Granger import Granger

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, DataError, OptionError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
NAMES = list("ABCD")
TRUTH = {("A", "B", 1), ("B", "C", 2), ("D", "A", 2)}


def data(rows=600, seed=0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t] += 0.7 * x[t - 1]
        x[t, 1] += 0.6 * x[t - 1, 0]
        x[t, 2] += 0.6 * x[t - 2, 1]
        x[t, 0] += 0.6 * x[t - 2, 3]
    return pd.DataFrame(x, columns=NAMES)


def pairs(*entries: str, value: float = 1.0) -> np.ndarray:
    matrix = np.zeros((4, 4))
    for cause, effect in entries:
        matrix[NAMES.index(cause), NAMES.index(effect)] = value
    return matrix


class PairContract(AdapterContract):
    """All lags of a pair fall together."""

    adapter_name = "pairs"

    def dropped_with(self, skeleton, edge):
        cells = super().dropped_with(skeleton, edge)
        return cells | cells.any(axis=2, keepdims=True) & skeleton.mask


class TestPlainArray(PairContract):
    names = tuple(NAMES)
    edges = (("A", "B", 1), ("A", "B", 2), ("B", "C", 2), ("A", "A", 1))
    no_edges = (("B", "A", 1), ("A", "B", 0), ("C", "B", 2))
    options: ClassVar = {"max_lag": 2, "names": NAMES, "own_lags": False}
    supports_lag_zero = False

    def make_native(self):
        return pairs("AB", "BC", "DA", "AA", value=0.5)


class TestLagZeroToo(PairContract):
    names = tuple(NAMES)
    edges = (("A", "B", 1), ("A", "B", 0), ("B", "C", 2))
    no_edges = (("B", "A", 1), ("C", "B", 0), ("C", "B", 2), ("A", "C", 0))
    options: ClassVar = {"max_lag": 2, "names": NAMES, "own_lags": False, "include_lag0": True}

    def make_native(self):
        return pairs("AB", "BC", "DA", "AA") > 0

    def test_the_example_tells_cause_from_effect_and_lag_from_lag(self):  # every lag of a pair is in
        assert {(effect, cause, lag) for cause, effect, lag in self.edges} & set(self.no_edges)


class TestEffectFirst(TestPlainArray):
    options: ClassVar = {**TestPlainArray.options, "layout": "effect,cause"}

    def make_native(self):
        return pairs("AB", "BC", "DA", "AA", value=0.5).T.astype(np.float32)


class TestGcastleTensor(TestPlainArray):
    options: ClassVar = {"max_lag": 2, "own_lags": False}

    def make_native(self):
        return Tensor(pairs("AB", "BC", "DA", "AA").astype(int), index=NAMES, columns=NAMES)

    def snapshot(self, native):
        return Tensor(np.array(native), index=native.index, columns=native.columns)

    def difference(self, one, other):
        same = list(one.columns) == list(other.columns) and list(one.index) == list(other.index)
        return super().difference(one, other) if same else "the labels differ"


class TestLagExpandedGcastle(AdapterContract):
    """gcastle's own DirectLiNGAM on lagged columns; a few edges point back in time, as they come."""

    adapter_name = "pairs"
    names = tuple(NAMES)
    edges = (("A", "B", 1), ("B", "C", 2), ("D", "A", 2))
    no_edges = (("B", "A", 1), ("B", "C", 1), ("A", "D", 2))
    supports_lag_zero = False
    told_by_scores = True

    def make_native(self):
        rng = np.random.default_rng(3)
        x = rng.uniform(-1, 1, size=(800, 4))
        for t in range(2, 800):
            x[t, 1] += 0.9 * x[t - 1, 0]
            x[t, 2] += 0.9 * x[t - 2, 1]
            x[t, 0] += 0.9 * x[t - 2, 3]
        columns = [f"{name}_lag{lag}" for lag in range(3) for name in NAMES]
        learner = DirectLiNGAM(thresh=0.3)
        learner.learn(np.hstack([x[2 - lag : 800 - lag] for lag in range(3)]), columns=columns)
        return Tensor(learner.weight_causal_matrix, index=columns, columns=columns)

    def snapshot(self, native):
        return Tensor(np.array(native), index=native.index, columns=native.columns)


class TestGrangerLasso(AdapterContract):
    adapter_name = "pairs"
    names = tuple(NAMES)
    edges = (("A", "B", 1), ("B", "C", 2), ("D", "A", 2), ("A", "A", 1))
    no_edges = (("B", "A", 1), ("B", "C", 1), ("C", "B", 2), ("A", "D", 2))
    options: ClassVar = {"layout": "effect,lag*cause", "names": NAMES}
    supports_lag_zero = False
    told_by_scores = True

    def make_native(self):
        return Granger(maxlag=2, cv=3).granger_lasso(data(300).to_numpy())


def test_a_false_pair_goes_and_the_lag_is_told():
    given = pairs("AB", "BC", "DA", "CA", "AC", "BD", value=0.8)
    found = gp.analyze(given, data(), max_lag=3)
    np.testing.assert_array_equal(found.native, pairs("AB", "BC", "DA", value=0.8))
    kept = found.edges[found.edges.kept]
    told = {(row.cause, row.effect, row.lag) for row in kept.itertuples() if row.cause != row.effect}
    assert told == TRUTH
    assert given[2, 0] == 0.8


def test_own_lags_are_in_the_model_but_not_in_the_result():
    matrix = pairs("AB", "BA")
    skeleton = get_adapter("pairs").to_skeleton(matrix, max_lag=2)
    assert skeleton.mask[3, 3, 1:].all()
    result = get_adapter("pairs").from_graph(matrix, skeleton.mask, max_lag=2)
    assert not result.diagonal().any()


@pytest.mark.filterwarnings("ignore:.*unit root:UserWarning")
def test_without_own_lags_autocorrelation_looks_like_influence():
    slow = np.random.default_rng(5).normal(size=(400, 4))
    for t in range(1, 400):
        slow[t] += 0.97 * slow[t - 1]
    everything = np.ones((4, 4)) - np.eye(4)
    plain = {"alpha": "level", "prepare": "none"}  # the rules for persistent series would hide it
    honest = gp.refine(everything, slow, max_lag=2, **plain)
    naive = gp.refine(everything, slow, max_lag=2, own_lags=False, **plain)
    assert honest.sum() < naive.sum()


def test_a_diagonal_entry_stays_only_if_an_own_lag_does():
    noise = np.random.default_rng(1).normal(size=(400, 4))
    assert not gp.refine(np.eye(4), noise, max_lag=2).any()
    np.testing.assert_array_equal(gp.refine(np.eye(4), data(), max_lag=2), np.eye(4))


def test_scores_up_to_the_threshold_are_no_edges():
    matrix = pairs("AB", "BC", value=0.9) + pairs("CA", value=0.2)
    skeleton = get_adapter("pairs").to_skeleton(matrix, max_lag=1, threshold=0.5, own_lags=False)
    assert list(skeleton) == [(0, 1, 1), (1, 2, 1)]
    assert skeleton.scores[0, 1, 1] == 0.9
    result = get_adapter("pairs").from_graph(matrix, skeleton.mask, max_lag=1, threshold=0.5)
    np.testing.assert_array_equal(result, pairs("AB", "BC", value=0.9))


def test_gcastle_labels_and_class_survive_and_are_matched_by_name():
    native = Tensor(pairs("AB", "BC", "DA", "BD").astype(int), index=NAMES, columns=NAMES)
    refined = gp.refine(native, data()[list("CADB")], max_lag=2)
    assert type(refined) is Tensor
    assert list(refined.columns) == list(refined.index) == NAMES
    np.testing.assert_array_equal(np.asarray(refined), pairs("AB", "BC", "DA"))
    with pytest.raises(DataError, match="name different variables"):
        gp.refine(native, data().rename(columns={"A": "a"}), max_lag=2)


def test_undirected_pairs_are_two_candidates_and_only_the_true_one_stays():
    both = pairs("AB", "BA", "BC", "CB", "DA", "AD")
    np.testing.assert_array_equal(gp.refine(both, data(), max_lag=2), pairs("AB", "BC", "DA"))


def test_lag_zero_alone_makes_an_unoriented_pair():
    skeleton = get_adapter("pairs").to_skeleton(pairs("AB", "BA"), max_lag=0)
    assert skeleton.max_lag == 0
    assert skeleton.unoriented[0, 1]
    diagonal = pairs("AB") + np.eye(4)
    result = get_adapter("pairs").from_graph(diagonal, np.zeros((4, 4, 1), dtype=bool), max_lag=0)
    np.testing.assert_array_equal(result, np.eye(4))  # nothing was asked about the diagonal


def test_edges_back_in_time_count_as_their_forward_adjacency():
    columns = ["A_lag0", "B_lag0", "A_lag1", "B_lag1"]
    matrix = np.zeros((4, 4))
    matrix[1, 2] = 1  # B now -> A before: found backwards
    skeleton = get_adapter("pairs").to_skeleton(matrix, names=columns)
    assert skeleton.names == ("A", "B")
    assert list(skeleton) == [(0, 1, 1)]
    result = get_adapter("pairs").from_graph(matrix, np.zeros((2, 2, 2), dtype=bool), names=columns)
    assert not result.any()


def test_granger_lasso_keeps_its_shape():
    native = Granger(maxlag=2, cv=3).granger_lasso(data().to_numpy())
    refined = gp.refine(native, data(), layout="effect,lag*cause")
    assert refined.shape == (4, 8)
    found = {(c, e, lag) for e, c, lag in _nonzero(refined) if c != e}
    assert found == TRUTH
    assert np.count_nonzero(native) > np.count_nonzero(refined)


def _nonzero(matrix):
    return [(NAMES[e], NAMES[k % 4], k // 4 + 1) for e, k in np.argwhere(matrix)]


def test_a_square_matrix_is_of_pairs_unless_the_layout_says_otherwise():
    matrix = pairs("AB")
    assert list(get_adapter("pairs").to_skeleton(matrix, max_lag=1, own_lags=False)) == [(0, 1, 1)]
    assert list(get_adapter("pairs").to_skeleton(matrix, layout="effect,lag*cause")) == [(1, 0, 1)]


def test_nan_on_the_diagonal_is_passed_through_and_refused_elsewhere():
    matrix = pairs("AB", "BC", "DA")
    np.fill_diagonal(matrix, np.nan)
    result = gp.refine(matrix, data(), max_lag=2)
    np.testing.assert_array_equal(result, matrix)
    matrix[0, 3] = np.nan
    with pytest.raises(AdapterError, match="NaN"):
        gp.refine(matrix, data(), max_lag=2)


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (np.ones((4, 4)), {}, "pass max_lag"),
        (np.ones((4, 4)), {"max_lag": -1}, "whole number"),
        (np.ones((4, 4)), {"max_lag": 1.5}, "whole number"),
        (np.ones((4, 4)), {"max_lag": 1, "threshold": -0.1}, "negative"),
        (np.ones((4, 4)), {"max_lag": 1, "layout": "rows"}, "not known"),
        (np.ones((4, 8)), {"max_lag": 2}, "granger_lasso"),
        (np.ones((4, 7)), {"layout": "effect,lag*cause"}, "multiple"),
        (np.ones((4, 8)), {"layout": "effect,lag*cause", "max_lag": 1}, "beyond max_lag=1"),
        (np.ones((4, 4)), {"max_lag": 1, "names": ["A"]}, "one per row"),
        (np.ones((2, 2)), {"max_lag": 1, "names": ["A_lag0", "A_lag2"]}, "beyond max_lag=1"),
    ],
)
def test_what_cannot_be_read_says_why(matrix, options, words):
    with pytest.raises(OptionError, match=words):
        get_adapter("pairs").to_skeleton(matrix, **options)


def test_another_number_of_variables_than_the_data_is_an_error():
    with pytest.raises(DataError, match="4 variables"):
        gp.refine(pairs("AB"), data().iloc[:, :3], max_lag=1)


@pytest.mark.parametrize("other", [np.ones(3), np.ones((2, 2, 2)), np.array([["-->"]]), [[0, 1], [1, 0]]])
def test_other_objects_are_left_to_others(other):
    assert not get_adapter("pairs").is_native(other)
