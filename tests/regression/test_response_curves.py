"""Response curves: no corner at 0, and intervals that hold the truth as often as they say."""

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.moments.features import DEFAULT_BASIS, expand, expand_smoothly
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.additive_fit import AdditiveFit
from grace_plugin.series.panel import as_panel


def fitted(seed: int, rows: int = 300) -> AdditiveFit:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2))
    x[1:, 1] += 0.5 * x[:-1, 0]
    return AdditiveFit(Moments.of(as_panel(x), 1))


def test_the_interval_holds_the_truth_19_times_of_20() -> None:
    inside = []
    for seed in range(150):
        curve = fitted(seed).curve([], (0, 1, 1))
        for place in (20, 50, 75):
            true = 0.5 * (curve.cause[place] - np.mean(curve.usual))  # relative to the mean
            inside.append(curve.low[place] <= true <= curve.high[place])
    assert np.mean(inside) == pytest.approx(0.95, abs=0.035)


def test_the_interval_is_about_the_curve_and_narrows_with_rows() -> None:
    few, many = (fitted(1, rows).curve([], (0, 1, 1)) for rows in (200, 20_000))
    for curve in (few, many):
        assert (curve.low <= curve.effect).all()
        assert (curve.effect <= curve.high).all()
    assert np.median(many.high - many.low) < 0.2 * np.median(few.high - few.low)


def test_a_curve_has_no_corner_where_the_absolute_value_has_one() -> None:
    x = np.linspace(-3.0, 3.0, 101)[:, None]
    plain, round_ = (make(x, DEFAULT_BASIS)[:, 2] for make in (expand, expand_smoothly))
    assert np.abs(np.diff(round_, 2)).max() < 0.2 * np.abs(np.diff(plain, 2)).max()
    far = np.abs(x[:, 0]) > 1.0
    np.testing.assert_allclose(round_[far], plain[far], atol=0.06)


def test_an_explanation_knows_where_the_values_of_the_cause_lie() -> None:
    data = gp.load_example("toy_climate").data
    found = gp.discover(data, max_lag=3)
    curve = found.explain("sea", "wind", 1).curve
    assert curve is not None
    assert set(np.round(curve.values, 9)) <= set(np.round(data["sea"].to_numpy(), 9))
    assert gp.read_json(found.to_json()).explain("sea", "wind", 1, data).curve is not None
