"""The estimator: what `discover` finds, in scikit-learn's manners."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import grace_plugin as gp


def series() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    x[2:, 2] += 0.8 * x[:-2, 0]
    return pd.DataFrame(x, columns=["sun", "wind", "sea"])


def test_fitting_is_discovering() -> None:
    fitted = gp.GraceDiscovery(max_lag=3, alpha=0.01).fit(series())
    found = gp.discover(series(), 3, alpha=0.01)
    np.testing.assert_array_equal(fitted.graph_, found.graph)
    pd.testing.assert_frame_equal(fitted.edges_, found.edges)
    assert fitted.graph_[0, 2, 2]
    assert (fitted.n_features_in_, list(fitted.feature_names_in_)) == (3, ["sun", "wind", "sea"])


def test_parameters_are_kept_cloned_and_set() -> None:
    made = gp.GraceDiscovery(max_lag=2, keep=(("sun", "sea", 2),))
    again = clone(made).set_params(max_lag=3)
    assert (again.max_lag, again.keep, made.max_lag) == (3, (("sun", "sea", 2),), 2)
    assert "alpha" in again.get_params()


def test_a_fitted_one_survives_pickling() -> None:
    fitted = gp.GraceDiscovery(max_lag=2).fit(series())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).graph_, fitted.graph_)


def test_asking_before_fitting_is_told() -> None:
    with pytest.raises(NotFittedError):
        _ = gp.GraceDiscovery().graph_


def test_rows_in_lists_are_rows() -> None:
    x = np.random.default_rng(0).normal(size=(200, 2))
    x[1:, 1] += x[:-1, 0]
    assert (
        gp.GraceDiscovery(max_lag=1).fit(x.tolist()).graph_ == gp.GraceDiscovery(max_lag=1).fit(x).graph_
    ).all()
