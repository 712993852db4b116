"""Vector autoregressions of the real statsmodels."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tsa.api import SVAR, VAR, VARMAX, VECM

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, DataError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, named_edges

TRUTH = {("A", "B", 1), ("B", "C", 2), ("D", "A", 2), *((name, name, 1) for name in "ABCD")}


def data(rows=500, seed=0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.6 * x[t - 2, 1]
        x[t, 0] += 0.5 * x[t - 2, 3]
    return pd.DataFrame(x, columns=list("ABCD"))


def true_graph() -> np.ndarray:
    graph = np.zeros((4, 4, 3), dtype=bool)
    for cause, effect, lag in TRUTH:
        graph["ABCD".index(cause), "ABCD".index(effect), lag] = True
    return graph


def pruned(result):
    return get_adapter("statsmodels").from_graph(result, true_graph())


class TestWrappedResult(AdapterContract):
    adapter_name = "statsmodels"
    names = ("A", "B", "C", "D")
    edges = (("A", "B", 1), ("B", "C", 2), ("D", "A", 2), ("A", "A", 1))
    no_edges = (("B", "A", 1), ("A", "B", 2), ("C", "B", 2), ("A", "D", 2))
    told_by_scores = True  # an ordinary fit has no zero coefficients
    supports_lag_zero = False
    carries_data = True

    def make_native(self):
        return VAR(data()).fit(2)

    def marks(self, native):
        return {}  # the refit changes every coefficient, as it should


class TestBareResult(TestWrappedResult):
    def make_native(self):
        return VAR(data()).fit(2)._results


class TestNumpyData(TestWrappedResult):
    names = ("y1", "y2", "y3", "y4")
    edges = (("y1", "y2", 1), ("y2", "y3", 2), ("y4", "y1", 2), ("y1", "y1", 1))
    no_edges = (("y2", "y1", 1), ("y1", "y2", 2), ("y3", "y2", 2), ("y1", "y4", 2))

    def make_native(self):
        return VAR(data().to_numpy()).fit(2)


def test_the_refined_result_follows_the_true_graph():
    fitted = VAR(data()).fit(2)
    refined = gp.refine(fitted)
    assert named_edges(get_adapter("statsmodels").to_skeleton(refined)) == TRUTH
    assert (fitted.coefs != 0).all()
    np.testing.assert_array_equal(refined.params.loc["L1.B", "A"], 0)
    np.testing.assert_array_equal(refined.coefs[0][0, 1], 0)


@pytest.mark.parametrize("trend", ["n", "c", "ct", "ctt"])
def test_each_equation_is_the_least_squares_fit_on_its_own_regressors(trend):
    frame = data()
    result = pruned(VAR(frame).fit(2, trend=trend))
    lags = np.column_stack([frame.shift(1), frame.shift(2)])[2:]
    deterministic = result.endog_lagged[:, : result.k_trend]
    for effect, name in enumerate("ABCD"):
        own = true_graph()[:, effect, 1:].T.ravel()
        by_hand = OLS(frame[name].to_numpy()[2:], np.column_stack([deterministic, lags[:, own]])).fit()
        rows = np.r_[np.ones(result.k_trend, bool), own]
        np.testing.assert_allclose(result.params[name][rows], by_hand.params, atol=1e-9)
        np.testing.assert_allclose(result.stderr[name][rows], by_hand.bse, atol=1e-9)
        np.testing.assert_allclose(result.sigma_u.loc[name, name], by_hand.scale)
        np.testing.assert_allclose(result.resid[name], by_hand.resid, atol=1e-9)
        assert (result.stderr[name][~rows] == 0).all()
        assert result.pvalues[name][~rows].isna().all()


def test_forecast_and_impulse_responses_follow_the_pruned_coefficients():
    frame = data()
    result = pruned(VAR(frame).fit(2))
    past = frame.to_numpy()[-2:]
    by_hand = result.intercept + result.coefs[0] @ past[1] + result.coefs[1] @ past[0]
    np.testing.assert_allclose(result.forecast(past, 1)[0], by_hand)
    responses = result.irf(4).irfs
    np.testing.assert_allclose(responses[1], result.coefs[0])
    assert (responses[:, 3, :3] == 0).all()  # nothing causes D
    errors = result.irf(4).stderr()
    assert np.isfinite(errors).all()
    assert (errors[:, 3, :3] == 0).all()
    assert errors[1, 1, 0] == pytest.approx(result.stderr.loc["L1.A", "B"])


def test_covariance_of_coefficients_is_that_of_simulated_fits():
    """The formula against repeated draws: equations share their noise here, and own regressors differ."""
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(np.array([[1.0, 0.8], [0.8, 1.0]]))
    graph = np.zeros((2, 2, 2), dtype=bool)
    graph[[0, 0, 1], [0, 1, 1], 1] = True
    estimates, stated = [], []
    for _ in range(400):
        x = rng.normal(size=(120, 2)) @ root.T
        for t in range(1, 120):
            x[t] += [0.5 * x[t - 1, 0], 0.4 * x[t - 1, 0] + 0.3 * x[t - 1, 1]]
        result = get_adapter("statsmodels").from_graph(VAR(x).fit(1, trend="n"), graph)
        estimates.append(result.params.ravel())
        stated.append(result.cov_params())
    drawn, formula = np.cov(np.array(estimates).T), np.mean(stated, axis=0)
    assert (formula[2] == 0).all()  # regressor 1 in equation 0 is not estimated
    np.testing.assert_allclose(drawn, formula, atol=0.15 * formula.max())


def test_with_nothing_pruned_the_formulas_are_statsmodels_own():
    from grace_plugin.adapters._statsmodels_restricted import fit_restricted, information_criteria

    fitted = VAR(data()).fit(2)
    inner = fitted._results
    fit = fit_restricted(inner.endog_lagged, inner.endog[2:], np.ones(inner.params.shape, dtype=bool))
    np.testing.assert_allclose(fit.params, inner.params, atol=1e-10)
    np.testing.assert_allclose(fit.sigma_u, inner.sigma_u)
    np.testing.assert_allclose(fit.sigma_u_mle, inner.sigma_u_mle)
    np.testing.assert_allclose(fit.cov_params, inner.cov_params(), atol=1e-12)
    assert information_criteria(fit) == pytest.approx(inner.info_criteria)


def test_information_criteria_count_what_was_estimated():
    fitted = VAR(data()).fit(2)
    result = pruned(fitted)
    assert result.bic < fitted.bic
    assert result.bic == pytest.approx(
        np.linalg.slogdet(result.sigma_u_mle)[1] + np.log(result.nobs) / result.nobs * (4 + len(TRUTH))
    )
    assert result.llf < fitted.llf


def test_exogenous_terms_stay():
    frame = data()
    exogenous = pd.DataFrame({"season": np.sin(np.arange(len(frame)) / 9)})
    result = pruned(VAR(frame, exog=exogenous).fit(2))
    assert (result.params.iloc[:2] != 0).to_numpy().all()
    assert named_edges(get_adapter("statsmodels").to_skeleton(result)) == TRUTH
    assert result.forecast(frame.to_numpy()[-2:], 1, exog_future=np.ones((1, 1))).shape == (1, 4)


def test_an_equation_may_lose_all_its_regressors():
    fitted = VAR(data()).fit(2, trend="n")
    result = get_adapter("statsmodels").from_graph(fitted, np.zeros((4, 4, 3), dtype=bool))
    np.testing.assert_array_equal(result.resid, data().iloc[2:])


def test_the_refined_result_still_prints_and_pickles():
    fitted = VAR(data()).fit(2)
    result = pruned(fitted)
    assert type(result.cov_params()) is type(fitted.cov_params())
    assert result.cov_params().shape == fitted.cov_params().shape
    assert "L2.D" in str(result.summary())
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.cov_params(), result.cov_params())
    assert again.fevd(3).decomp.shape == (4, 3, 4)


def test_cached_values_of_the_old_fit_do_not_leak():
    fitted = VAR(data()).fit(2)
    old = fitted.pvalues.copy(), fitted.resid.copy(), fitted.bic, fitted.llf  # fills the cache
    result = pruned(fitted)
    assert np.isnan(result.pvalues.loc["L1.B", "A"])
    pd.testing.assert_frame_equal(fitted.pvalues, old[0])
    assert result.bic != old[2]
    assert not np.allclose(result.resid, old[1])


def test_other_data_may_be_given_and_must_fit():
    fitted = VAR(data()).fit(2)
    assert named_edges(get_adapter("statsmodels").to_skeleton(gp.refine(fitted, data(seed=5)))) >= TRUTH
    with pytest.raises(DataError, match="4 variables"):
        gp.refine(fitted, data()[["A", "B"]])
    with pytest.raises(DataError, match="name different variables"):
        gp.refine(fitted, data().rename(columns={"D": "d"}))
    reordered = gp.refine(fitted, data()[list("DCBA")])
    assert named_edges(get_adapter("statsmodels").to_skeleton(reordered)) == TRUTH


def test_a_datetime_index_is_no_hindrance():
    frame = data()
    frame.index = pd.date_range("2020-01-01", periods=len(frame), freq="D")
    assert named_edges(get_adapter("statsmodels").to_skeleton(gp.refine(VAR(frame).fit(2)))) == TRUTH


def test_vecm_is_refused_with_the_reason():
    walks = data().cumsum()
    with pytest.raises(AdapterError, match=r"VECMResults cannot be refined.*cointegration"):
        gp.refine(VECM(walks, k_ar_diff=1, coint_rank=1).fit(), walks)


def test_structural_results_are_refused_with_the_reason():
    free = np.array([["E", 0], [0, "E"]], dtype=object)
    fitted = SVAR(data()[["A", "B"]].to_numpy(), svar_type="A", A=free).fit(maxlags=1)
    with pytest.raises(AdapterError, match="SVARResults cannot be refined"):
        gp.refine(fitted, data()[["A", "B"]])


@pytest.mark.filterwarnings("ignore:Maximum Likelihood optimization failed to converge")
def test_state_space_results_are_refused_with_the_reason():
    fitted = VARMAX(data(80)[["A", "B"]], order=(1, 0)).fit(maxiter=2, disp=False)
    with pytest.raises(AdapterError, match="VARMAXResults cannot be refined"):
        gp.refine(fitted, data()[["A", "B"]])
