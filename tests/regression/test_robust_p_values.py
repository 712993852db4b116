"""p-values that believe the rows: right sizes where the plain test is wrong, the plain test elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import linregress

from grace_plugin.moments.features import DEFAULT_BASIS, expand
from grace_plugin.regression.robust import robust_p_value

ROWS = 300
NOTHING = np.empty((ROWS, 0))


def features(column: np.ndarray) -> np.ndarray:
    return expand(((column - column.mean()) / column.std())[:, None], DEFAULT_BASIS)


def test_plain_noise_has_the_plain_p_value() -> None:
    x, noise = np.random.default_rng(0).normal(size=(2, ROWS))
    expected = linregress(x, 0.1 * x + noise).pvalue
    assert robust_p_value(0.1 * x + noise, NOTHING, x[:, None]) == pytest.approx(expected, rel=1e-9)


def test_what_is_given_is_taken_out() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, ROWS))
    assert robust_p_value(x + noise, x[:, None], x[:, None]) == 1.0
    assert robust_p_value(x + noise, NOTHING, x[:, None]) < 1e-20


def test_more_columns_than_rows_or_none_left_tell_nothing() -> None:
    rng = np.random.default_rng(2)
    y, x = rng.normal(size=ROWS), rng.normal(size=(ROWS, 1))
    assert robust_p_value(y, rng.normal(size=(ROWS, ROWS)), x) == 1.0
    assert robust_p_value(y, NOTHING, np.ones((ROWS, 2))) == 1.0


def draws(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    if kind == "t2":
        return rng.standard_t(2, ROWS), rng.standard_t(2, ROWS)
    if kind == "events":
        return tuple(np.where(rng.random((2, ROWS)) < 0.03, rng.uniform(1, 3, (2, ROWS)), 0.0))
    size = np.exp(lfilter([1.0], [1.0, -0.95], 0.25 * rng.normal(size=ROWS)))
    return size * rng.normal(size=ROWS), size * rng.normal(size=ROWS)


@pytest.mark.parametrize("kind", ["t2", "events", "shared volatility"])
def test_null_p_values_are_small_as_rarely_as_they_say(kind: str) -> None:
    """600 null tests: 6 below .01 and .6 below .001 are expected; the plain test has 4 times as many."""
    rng = np.random.default_rng(1000)
    pairs = [draws(kind, rng) for _ in range(600)]
    found = np.array([robust_p_value(y, NOTHING, features(x)) for y, x in pairs])
    assert (found < 0.01).sum() <= 12
    assert (found < 0.001).sum() <= 3


@pytest.mark.parametrize("kind", ["t2", "events", "shared volatility"])
def test_true_effects_stay(kind: str) -> None:
    rng = np.random.default_rng(1001)
    found = []
    for _ in range(20):
        noise, x = draws(kind, rng)
        found.append(robust_p_value(0.8 * x + 0.5 * noise, NOTHING, features(x)))
    assert np.mean(np.array(found) < 1e-3) >= 0.8


def test_walks_are_judged_beside_one_more_lag() -> None:
    rng = np.random.default_rng(1002)
    plain, beside = [], []
    for _ in range(200):
        y, x = np.cumsum(rng.normal(size=(ROWS + 2, 2)), axis=0).T
        given = y[1:-1, None]
        plain.append(robust_p_value(y[2:], given, x[1:-1, None]))
        beside.append(robust_p_value(y[2:], given, x[1:-1, None], x[:-2, None]))
    assert np.mean(np.array(plain) < 0.05) > 0.1
    assert np.mean(np.array(beside) < 0.05) < 0.08


def test_the_larger_p_value_counts() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        y, x = draws("t2", rng)
        assert robust_p_value(y, NOTHING, x[:, None]) >= linregress(x, y).pvalue * (1 - 1e-9)


def test_quiet_rows_tell_what_wild_ones_hide() -> None:
    """Cause and noise are ten times as large in every second spell; without weights half are found."""
    rng = np.random.default_rng(1003)
    size = np.where(np.arange(ROWS) // 50 % 2, 10.0, 1.0)
    found = []
    for _ in range(20):
        x, noise = size * rng.normal(size=(2, ROWS))
        found.append(robust_p_value(0.3 * x + noise, NOTHING, x[:, None]))
    assert np.mean(np.array(found) < 1e-3) >= 0.8
