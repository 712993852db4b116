from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from grace_plugin.moments.sums import Moments
from grace_plugin.regression.joint_test import joint_test
from grace_plugin.series.panel import as_panel
from grace_plugin.testing import require_host


def moments_of(x: np.ndarray) -> Moments:
    return Moments.of(as_panel(x), 1, ("linear",))


def test_one_effect_gives_the_f_test_of_a_regression() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4))
    x[1:, 3] += 0.2 * x[:-1, 0] + 0.3 * x[:-1, 2]
    found = joint_test(moments_of(x), np.array([3]), np.array([4, 5]), np.array([6]))
    past, now = x[:-1], x[1:, 3]
    left = [
        np.linalg.lstsq(np.column_stack([np.ones(199), past[:, used]]), now, rcond=None)[1].item()
        for used in ([2], [0, 1, 2])
    ]
    f = (left[0] - left[1]) / 2 / (left[1] / (199 - 4))
    assert np.exp(found.log_p) == pytest.approx(stats.f.sf(f, 2, 195), rel=1e-6)
    assert found.gain == pytest.approx(0.5 * np.log(left[0] / left[1]), rel=1e-6)


@pytest.mark.host
def test_several_effects_give_the_known_test_of_statsmodels() -> None:
    multivariate = require_host("statsmodels.multivariate.multivariate_ols")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 5))
    x[1:, 3:] += 0.15 * x[:-1, :2]
    found = joint_test(moments_of(x), np.array([3, 4]), np.array([5, 6]), np.array([7]))
    design = np.column_stack([np.ones(149), x[:-1, :3]])
    fitted = multivariate._MultivariateOLS(x[1:, 3:], design).fit(method="svd")
    tested = fitted.mv_test([("both", np.eye(4)[1:3])], skip_intercept_test=True).results["both"]["stat"]
    assert np.exp(found.log_p) == pytest.approx(float(tested.loc["Wilks' lambda", "Pr > F"]), rel=1e-6)


def test_p_values_have_their_size() -> None:
    rng = np.random.default_rng(2)
    small = []
    for _ in range(400):
        x = rng.normal(size=(80, 6))
        x[:, 3:] = x[:, 3:] > 0.5
        found = joint_test(moments_of(x), np.array([3, 4, 5]), np.array([6, 7, 8]), np.array([9, 10]))
        small.append(found.log_p < np.log(0.05))
    assert 0.025 < np.mean(small) < 0.08


def test_causes_that_say_nothing_new_have_no_answer() -> None:
    x = np.random.default_rng(3).normal(size=(100, 3))
    x[:, 1] = x[:, 0]
    assert joint_test(moments_of(x), np.array([2]), np.array([4]), np.array([3])).log_p == 0.0
