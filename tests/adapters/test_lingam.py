"""lingam's estimators and bootstrap results, and causal-learn's copy of VARLiNGAM."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from grace_plugin import refine
from grace_plugin._common.arrays import FloatArray
from grace_plugin.exceptions import AdapterError, DataError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, require_host

lingam = require_host("lingam")
make_dot = require_host("lingam.utils").make_dot
CausalLearnVARLiNGAM = require_host("causallearn.search.FCMBased.lingam").VARLiNGAM

adapter: Any = get_adapter("lingam")


@cache
def series() -> FloatArray:
    """Lag 1 of each variable, x0 -> x1 at lag 2, x1 -> x2 at lag 0."""
    x = np.random.default_rng(0).laplace(size=(400, 3))
    for t in range(2, len(x)):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.6 * x[t - 2, 0]
        x[t, 2] += 0.7 * x[t, 1]
    return x


def without(native: Any, *cells: tuple[int, int, int]) -> Any:
    graph = adapter.to_skeleton(native).mask.copy()
    for cell in cells:
        assert graph[cell]
        graph[cell] = False
    return adapter.from_graph(native, graph)


class LaggedContract(AdapterContract):
    adapter_name = "lingam"
    names = ("x0", "x1", "x2")
    edges = (("x0", "x1", 2), ("x0", "x0", 1), ("x1", "x2", 0))
    no_edges = (("x1", "x0", 2), ("x0", "x1", 1), ("x2", "x1", 0), ("x1", "x2", 2))


class TestVarLingam(LaggedContract):
    def make_native(self) -> Any:
        return lingam.VARLiNGAM(lags=2, criterion=None, random_state=0).fit(series())


class TestCausalLearnVarLingam(LaggedContract):
    def make_native(self) -> Any:
        native = CausalLearnVARLiNGAM(lags=2, criterion=None, prune=True, random_state=0)
        native.fit(series())
        return native


class TestVarmaLingam(LaggedContract):
    """Unpruned by the host, which leaves no zero at lags > 0."""

    told_by_scores = True

    def make_native(self) -> Any:
        return varma().fit(series())


def varma() -> Any:
    """With given coefficients, so that the slow estimate is not run; the host cannot prune these."""
    ar, ma = TestVarLingam().native._ar_coefs, 0.1 * np.eye(3)[np.newaxis]
    return lingam.VARMALiNGAM(order=(2, 1), criterion=None, prune=False, ar_coefs=ar, ma_coefs=ma)


class TestBootstrap(LaggedContract):
    told_by_scores = True

    @pytest.fixture(autouse=True)
    def _seed(self) -> None:
        np.random.seed(0)  # noqa: NPY002 - the host draws from numpy's global state

    def make_native(self) -> Any:
        return lingam.VARLiNGAM(lags=2, random_state=0).bootstrap(series(), 5)


class TestContemporaneous(AdapterContract):
    adapter_name = "lingam"
    names = ("x0", "x1", "x2")
    edges = (("x0", "x1", 0), ("x1", "x2", 0))
    no_edges = (("x1", "x0", 0), ("x2", "x1", 0), ("x2", "x0", 0))
    supports_lags = False

    def make_native(self) -> Any:
        x = np.random.default_rng(1).uniform(size=(400, 3))
        x[:, 1] += x[:, 0]
        x[:, 2] += x[:, 1]
        return lingam.DirectLiNGAM().fit(x)


class TestHiddenCommonCause(AdapterContract):
    """RCD writes NaN at both places of a pair that a hidden variable drives."""

    adapter_name = "lingam"
    names = ("x0", "x1", "x2")
    edges = (("x0", "x1", 0), ("x1", "x0", 0), ("x0", "x2", 0))
    no_edges = (("x2", "x0", 0), ("x1", "x2", 0))
    supports_lags = False

    def make_native(self) -> Any:
        hidden = np.random.default_rng(0).laplace(size=(300, 1))
        x = np.random.default_rng(1).laplace(size=(300, 3))
        x[:, :2] += 2 * hidden
        x[:, 2] += x[:, 0]
        return lingam.RCD().fit(x)


def test_a_weight_is_at_lag_effect_cause_in_the_host():
    native = TestVarLingam().native
    skeleton = adapter.to_skeleton(native)
    assert skeleton.mask.shape == (3, 3, 3)
    assert skeleton.scores[0, 1, 2] == abs(native.adjacency_matrices_[2, 1, 0]) > 0.4
    pruned = without(native, (0, 1, 2)).adjacency_matrices_
    assert pruned[2, 1, 0] == 0
    changed = np.argwhere(pruned != native.adjacency_matrices_)
    assert changed.tolist() == [[2, 1, 0]]


def test_the_number_of_lags_is_the_one_the_host_chose():
    native = lingam.VARLiNGAM(lags=5, criterion="bic").fit(series())
    assert native._lags < 5
    assert adapter.to_skeleton(native).max_lag == native._lags


def test_order_and_residuals_stay_and_total_effects_follow():
    native = TestVarLingam().native
    pruned = without(native, (1, 2, 0))
    assert pruned.causal_order_ == native.causal_order_
    assert np.array_equal(pruned.residuals_, native.residuals_)
    assert native.estimate_total_effect2(3, 1, 2) != 0
    assert pruned.estimate_total_effect2(3, 1, 2) == 0
    assert pruned.get_error_independence_p_values().shape == (3, 3)


def test_the_pruned_graph_is_drawn_without_the_pruned_edge():
    native = TestVarLingam().native
    pruned = without(native, (0, 1, 2))
    labels = [f"x{variable}(t-{lag})" for lag in range(3) for variable in range(3)]
    before, after = (
        make_dot(np.hstack(one.adjacency_matrices_), labels=labels, lower_limit=0.0, ignore_shape=True)
        for one in (native, pruned)
    )
    lost = [line for line in before.body if line not in after.body]
    assert len(lost) == 1
    assert '"x0(t-2)" -> "x1(t-0)"' in lost[0]


def test_the_moving_average_is_not_touched():
    native = TestVarmaLingam().native
    skeleton = adapter.to_skeleton(native)
    psi, omega = adapter.from_graph(native, np.zeros_like(skeleton.mask)).adjacency_matrices_
    assert not psi.any()
    assert native.adjacency_matrices_[1].any()
    assert np.array_equal(omega, native.adjacency_matrices_[1])


def test_a_bootstrap_result_is_pruned_in_every_sample():
    native = TestBootstrap().native
    skeleton = adapter.to_skeleton(native)
    shares = np.array(native.get_probabilities()).transpose(2, 1, 0)
    assert np.allclose(skeleton.scores, shares)
    pruned = without(native, (0, 1, 2))
    after = pruned.get_probabilities()
    assert after[2][1, 0] == 0
    before = native.get_probabilities()
    before[2][1, 0] = 0
    assert np.array_equal(after, before)


def test_total_effects_of_a_bootstrap_result_follow():
    native = TestBootstrap().native
    skeleton = adapter.to_skeleton(native)
    emptied = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    assert native.total_effects_.any()
    assert not emptied.total_effects_.any()
    pruned = without(native, (1, 1, 1))
    assert (pruned.total_effects_[:, 1, 4] == 0).all()
    assert np.allclose(pruned.total_effects_[:, 1, 6], native.total_effects_[:, 1, 6])  # x0 -> x1 at lag 2


def test_total_effects_that_are_no_path_sums_stay():
    native = copy.deepcopy(TestBootstrap().native)
    native._total_effects = native._total_effects + 1
    assert np.array_equal(without(native, (1, 1, 1)).total_effects_, native.total_effects_)


def test_the_moving_average_of_a_bootstrap_result_is_not_touched():
    np.random.seed(0)  # noqa: NPY002
    native = varma().bootstrap(series(), 2)
    skeleton = adapter.to_skeleton(native)
    assert skeleton.max_lag == 2
    emptied = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    for old, new in zip(native.adjacency_matrices_, emptied.adjacency_matrices_, strict=True):
        assert old.shape == (3, 12)
        assert not new[:, :9].any()
        assert np.array_equal(new[:, 9:], old[:, 9:])
        assert old[:, 9:].any()


def test_a_plain_bootstrap_result_is_contemporaneous():
    np.random.seed(0)  # noqa: NPY002
    x = np.random.default_rng(1).uniform(size=(200, 2))
    x[:, 1] += x[:, 0]
    native = lingam.DirectLiNGAM().bootstrap(x, 3)
    skeleton = adapter.to_skeleton(native)
    assert skeleton.max_lag == 0
    assert skeleton.mask[0, 1, 0]
    assert not adapter.from_graph(native, np.zeros_like(skeleton.mask)).get_probabilities().any()


def test_a_nan_pair_stays_while_either_direction_does():
    native = TestHiddenCommonCause().native
    kept = without(native, (1, 0, 0)).adjacency_matrix_
    assert np.isnan(kept[0, 1])
    assert np.isnan(kept[1, 0])
    gone = without(native, (1, 0, 0), (0, 1, 0)).adjacency_matrix_
    assert gone[0, 1] == gone[1, 0] == 0


def test_an_unfitted_estimator_is_told_so():
    for model in (lingam.VARLiNGAM(), lingam.DirectLiNGAM()):
        assert adapter.is_native(model)
        with pytest.raises(AdapterError, match="fit"):
            adapter.to_skeleton(model)


def test_several_groups_or_time_points_are_not_claimed():
    x = series()[:100]
    groups = lingam.MultiGroupDirectLiNGAM().fit([x, x[::-1]])
    longitudinal = lingam.LongitudinalLiNGAM(n_lags=1).fit([x, x + 1])
    for model in (groups, longitudinal):
        assert not adapter.is_native(model)


@pytest.mark.parametrize("other", [None, np.zeros((3, 3, 3)), {}, "VARLiNGAM"])
def test_other_objects_are_not_recognised(other):
    assert not adapter.is_native(other)


def test_refine_prunes_the_false_edges():
    native = lingam.VARLiNGAM(lags=2, criterion=None, prune=False).fit(series())
    true = {(0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 2), (1, 2, 0)}
    before = set(adapter.to_skeleton(native))
    assert before > true
    refined = refine(native, series())
    assert set(adapter.to_skeleton(refined)) == true
    by_name = refine(native, pd.DataFrame(series(), columns=["a", "b", "c"]))
    assert np.array_equal(by_name.adjacency_matrices_, refined.adjacency_matrices_)


def test_the_refined_model_has_a_p_value_for_each_candidate_like_its_matrices():
    native = lingam.VARLiNGAM(lags=2, criterion=None, prune=False).fit(series())
    refined = refine(native, series())
    p_value = refined.grace_p_values_  # [lag, effect, cause]
    assert p_value.shape == refined.adjacency_matrices_.shape
    assert np.array_equal(np.isnan(p_value), native.adjacency_matrices_ == 0)
    assert p_value[2, 1, 0] < 1e-6
    assert p_value[0, 2, 1] < 1e-6
    assert p_value[1, 0, 2] > 1e-3
    assert not hasattr(native, "grace_p_values_")


def test_data_are_needed_and_must_fit():
    native = TestVarLingam().native
    with pytest.raises(DataError, match="does not hold its own data"):
        refine(native)
    with pytest.raises(DataError, match="3 variables"):
        refine(native, series()[:, :2])
