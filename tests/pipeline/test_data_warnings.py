"""Near-singular data, unit roots and extreme scales: right answers, or a warning that names the variables."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline import data_warnings
from grace_plugin.pipeline.data_warnings import DataWarning, dickey_fuller
from grace_plugin.series.data_quality import data_quality
from grace_plugin.series.panel import as_panel
from tests.support.cycle_cases import cyclic, edges_between

NAMES = ["rain", "river", "sea"]


def series(rows: int = 300, seed: int = 0) -> np.ndarray:
    """rain -> river at lag 1, river -> sea at lag 2."""
    x = np.random.default_rng(seed).normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.9 * x[t - 1, 0]
        x[t, 2] += 0.9 * x[t - 2, 1]
    return x


def analyzed(x: np.ndarray) -> gp.Refinement:
    mask = np.ones((3, 3, 3), dtype=bool)
    mask[:, :, 0] = False
    return gp.analyze(gp.Skeleton(mask, NAMES), x)


def edges(result: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(result.graph)}


TRUTH = {(0, 1, 1), (1, 2, 2)}


@pytest.mark.parametrize(
    "scales", [(1e-12, 1.0, 1e12), (1e12, 1e-12, 1.0), (1e150, 1e-150, 1.0), (1e-308, 1.0, 1e290)]
)
def test_scales_that_differ_by_any_factor(scales: tuple[float, ...]) -> None:
    result = analyzed(series() * scales)
    assert edges(result) == TRUTH
    plain = analyzed(series())
    np.testing.assert_allclose(result.outcome.gain, plain.outcome.gain, atol=1e-6)


def told(x: np.ndarray, words: str) -> gp.Refinement:
    with pytest.warns(DataWarning, match=words) as caught:
        result = analyzed(x)
    assert all(issubclass(one.category, DataWarning) for one in caught)
    return result


def test_copies_are_named() -> None:
    x = series()
    x[:, 2] = -3.0 * x[:, 1]
    result = told(x, r"sea equals river \(or a multiple of it\): no method can tell")
    assert {(0, 1, 1), (0, 2, 1)} <= edges(result)


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6])
def test_an_exact_and_an_almost_exact_copy_at_lag_1(noise: float) -> None:
    x = series()
    x[1:, 1] = x[:-1, 0] + noise * np.random.default_rng(1).normal(size=299)
    with pytest.warns(DataWarning) as caught:
        result = analyzed(x)
    sentences = [str(one.message) for one in caught]
    assert any("river equals rain (or a multiple of it), 1 step later" in sentence for sentence in sentences)
    assert any("['river'] follow exactly from their kept causes" in sentence for sentence in sentences)
    assert result.graph[0, 1, 1]


def test_a_copy_with_visible_noise_is_right_without_a_warning() -> None:
    x = series()
    x[1:, 1] = x[:-1, 0] + 0.01 * np.random.default_rng(3).normal(size=299)
    x[:, 2] = np.random.default_rng(2).normal(size=300)
    assert edges(analyzed(x)) == {(0, 1, 1)}


def test_a_sum_is_named_with_its_parts() -> None:
    x = series()
    x[:, 2] = x[:, 0] + x[:, 1]
    told(x, r"\['rain', 'river', 'sea'\] satisfy an exact linear relation")


def test_nearly_singular_without_being_singular_is_right_and_silent() -> None:
    x = series(2000)
    x[:, 0] = 0.001 * x[:, 0] + x[:, 1]  # correlation 1 - 1e-6 with the river
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = analyzed(x)
    assert not np.isnan(result.outcome.p_value[result.skeleton.mask]).any()
    assert result.graph[1, 2, 2] or result.graph[0, 2, 2]


def test_unit_roots_and_trends_are_named() -> None:
    x = series()
    x[:, 0] = np.cumsum(x[:, 0])
    told(x, r"'rain'.* may have a unit root or a trend.*prepare='auto'.*Keep the levels.*controls=")
    told(series() + np.arange(300)[:, None], r"\['rain', 'river', 'sea'\] may have a unit root or a trend")


def test_the_unit_root_test_is_that_of_the_report() -> None:
    x = series(400)
    x[:, 2] = np.cumsum(x[:, 2])
    ours = dickey_fuller(Moments.of(as_panel(x), 2))
    np.testing.assert_allclose(ours, data_quality(as_panel(x)).dickey_fuller, rtol=0.02)


def test_a_single_huge_value_is_named() -> None:
    x = series()
    x[100, 0] = 1e30
    result = told(x, r"\['rain'\] are ruled by one or two values")
    assert edges(result) <= TRUTH


def test_good_data_are_not_warned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert edges(analyzed(series())) == TRUTH
        heavy = np.random.default_rng(0).standard_t(3, size=(500, 3))
        assert not edges(analyzed(heavy))
        rare = (np.random.default_rng(0).random((500, 3)) < 0.02).astype(float)
        analyzed(rare)


def test_a_constant_in_the_usable_rows_is_refused_by_name() -> None:
    x = series()
    x[:, 1] = 1.0
    x[0, 1] = 5.0  # in every row that can be explained it is still constant
    with pytest.raises(DataError, match=r"\['river'\] are constant in the rows that can be used"):
        analyzed(x)


def test_a_window_that_is_constant_beside_a_shared_reference_is_refused() -> None:
    x = series()
    x[150:, 1] = 7.0
    reference = Moments.of(as_panel(x), 0)
    from grace_plugin.regression.regressions import Regressions

    part = Moments.of(as_panel(x[160:]), 2, reference=reference)
    with pytest.raises(DataError, match=r"\['river'\] are constant"):
        Regressions(part, tuple(NAMES))


def test_bootstrap_warns_too() -> None:
    x = series(200)
    x[:, 2] = x[:, 1]
    with pytest.warns(DataWarning, match="x2 equals x1"):
        gp.bootstrap("basis", x, max_lag=1, window=100, runs=2)


def test_a_nearly_constant_column_is_named() -> None:
    x = np.random.default_rng(0).normal(size=(1000, 3))
    x[:, 1] = 0.0
    x[::125, 1] = np.random.default_rng(1).normal(size=8)
    with pytest.warns(DataWarning, match=r"\['x1'\] hardly ever change"):
        gp.discover(x, max_lag=1)


def test_a_clock_among_the_columns_is_named() -> None:
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)), columns=["a", "b"])
    table.insert(0, "YEAR", np.arange(1700, 2000))
    table["hours"] = 0.1 * np.arange(300)
    with pytest.warns(DataWarning) as told:
        gp.discover(table, max_lag=2)
    assert any("['YEAR', 'hours'] grow by the same amount in every row" in str(one.message) for one in told)


@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
def test_a_cycle_given_as_controls_makes_no_edges_and_is_not_named() -> None:
    phase = 2.0 * np.pi * np.arange(1000) / 24.0
    controls = pd.DataFrame({"sine": np.sin(phase), "cosine": np.cos(phase)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert edges_between(cyclic(), prepare="none", controls=controls) == 0
    with pytest.warns(DataWarning, match="a sine and a cosine column of that period as controls="):
        assert edges_between(cyclic(), prepare="none") > 0


@pytest.mark.parametrize("shift", [0, 2])
def test_copies_among_many_variables_are_those_that_sums_show(
    shift: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_warnings, "_NUMBERS_AT_ONCE", 12 * 5)  # a few variables at once
    values = np.random.default_rng(0).normal(size=(1000, 12)).cumsum(axis=0)
    values[shift:, 3] = -2.0 * values[: len(values) - shift, 7]
    values[:, 5] = values[:, 1] + 0.02 * values[:, 4]  # nearly a copy
    sums = Moments.of(as_panel(values), 2)
    held, _ = Moments.of_rows(as_panel(values), 2, sums.basis)
    assert data_warnings._suspects(held, shift) is not None
    found = data_warnings._copied_pairs(held, shift)
    assert found == data_warnings._copied_pairs(sums, shift)
    assert found == [(3, 7) if shift == 0 else (7, 3)]
