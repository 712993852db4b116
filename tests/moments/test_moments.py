from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.moments.features import DEFAULT_BASIS, expand
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import Panel, Series, as_panel


def plain_moments(series: list[np.ndarray], moments: Moments) -> tuple[np.ndarray, np.ndarray, int]:
    """The obviously right version: every window as one long row."""
    rows = []
    for values in series:
        features = expand(np.nan_to_num((values - moments.center) / moments.scale), moments.basis)
        present = ~np.isnan(values).any(axis=1)
        for t in range(moments.max_lag, len(values)):
            if present[t - moments.max_lag : t + 1].all():
                rows.append(np.concatenate([features[t - lag] for lag in range(moments.max_lag + 1)]))
    windows = np.array(rows).reshape(len(rows), len(moments.first))
    return windows.T @ windows, windows.sum(axis=0), len(rows)


def noise(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(6, 60),
    columns=st.integers(1, 3),
    max_lag=st.integers(0, 4),
    gaps=st.lists(st.integers(0, 59), max_size=6),
    seed=st.integers(0, 1000),
)
def test_moments_equal_the_plain_sums(
    rows: int, columns: int, max_lag: int, gaps: list[int], seed: int
) -> None:
    values = noise(rows, columns, seed)
    for gap in gaps:
        values[gap % rows, gap % columns] = np.nan
    moments = Moments.of(as_panel(values), max_lag)
    second, first, count = plain_moments([values], moments)
    assert moments.rows == count
    assert moments.rows_given == rows
    np.testing.assert_allclose(moments.second, second, atol=1e-9)
    np.testing.assert_allclose(moments.first, first, atol=1e-9)


def test_the_column_order_is_lag_variable_feature() -> None:
    values = noise(200, 3)
    moments = Moments.of(as_panel(values), 2)
    standard = (values - moments.center) / moments.scale
    d, k = 3, len(DEFAULT_BASIS)
    column = (2 * d + 1) * k  # lag 2, variable 1, linear
    target = (0 * d + 0) * k  # lag 0, variable 0, linear
    expected = (standard[:-2, 1] * standard[2:, 0]).sum()
    assert moments.second[column, target] == pytest.approx(expected)


def test_chunks_continue_across_borders() -> None:
    values = noise(100, 2)
    whole = Moments.of(as_panel(values), 3)
    pieces = (values[start : start + 7] for start in range(0, 100, 7))
    streamed = Moments.of(as_panel(pieces), 3, reference=whole)
    assert streamed.rows == whole.rows == 97
    np.testing.assert_allclose(streamed.second, whole.second, atol=1e-10)


def test_realisations_do_not_continue_into_each_other() -> None:
    first, other = noise(40, 2), noise(30, 2, seed=1)
    both = Moments.of(as_panel([first, other]), 2)
    second, _, count = plain_moments([first, other], both)
    assert both.rows == count == 38 + 28
    np.testing.assert_allclose(both.second, second, atol=1e-10)


def test_moments_add_up_with_a_shared_reference() -> None:
    first, other = noise(40, 2), noise(30, 2, seed=1)
    one = Moments.of(as_panel(first), 2)
    two = Moments.of(as_panel(other), 2, reference=one)
    total = one + two
    second, _, count = plain_moments([first, other], one)
    assert total.rows == count
    np.testing.assert_allclose(total.second, second, atol=1e-10)
    with pytest.raises(DataError, match="reference="):
        one + Moments.of(as_panel(other), 2)


def test_a_stream_is_standardised_by_its_first_chunk() -> None:
    values = noise(90, 2)
    streamed = Moments.of(as_panel(iter([values[:30], values[30:]])), 1)
    np.testing.assert_allclose(streamed.center, values[:30].mean(axis=0), atol=1e-12)
    assert streamed.rows == 89


def test_huge_offsets_cost_no_accuracy() -> None:
    values = noise(500, 2)
    plain = Moments.of(as_panel(values), 2)
    shifted = Moments.of(as_panel(values + 1e8), 2)
    np.testing.assert_allclose(shifted.second / shifted.rows, plain.second / plain.rows, atol=1e-6)


def test_save_and_load(tmp_path: Path) -> None:
    moments = Moments.of(as_panel(noise(50, 2)), 2)
    moments.save(tmp_path / "m.npz")
    loaded = Moments.load(tmp_path / "m.npz")
    assert np.array_equal(loaded.second, moments.second)
    assert (loaded.rows, loaded.max_lag, loaded.basis) == (moments.rows, 2, moments.basis)
    assert (loaded + moments).rows == 2 * moments.rows


def test_targets_and_inputs_are_masked_in_their_roles() -> None:
    values = noise(10, 1)
    as_target = np.ones(10, bool)
    as_target[4] = False
    as_input = np.ones(10, bool)
    as_input[6] = False
    assert complete_windows(Series(values, as_target=as_target), 1).sum() == 8
    inputs = complete_windows(Series(values, as_input=as_input), 1)
    assert inputs[6]
    assert not inputs[7]
    moments = Moments.of(Panel((Series(values, as_target, as_input),), n_variables=1), 1)
    assert moments.rows == 7


def test_smaller_bases_and_lags_are_read_off() -> None:
    values = noise(80, 2)
    full = Moments.of(as_panel(values), 2)
    linear = Moments.of(as_panel(values), 2, ("linear",))
    np.testing.assert_allclose(full.linear().second, linear.second, atol=1e-10)
    shorter = full.with_max_lag(1)
    assert shorter.second.shape == (2 * 2 * 3, 2 * 2 * 3)
    np.testing.assert_allclose(shorter.second, full.second[:12, :12])


def test_infinite_values_are_refused_by_name() -> None:
    values = noise(30, 2)
    values[3, 1] = np.inf
    with pytest.raises(DataError, match=r"\[1\] hold infinite"):
        Moments.of(as_panel(values), 1)


@pytest.mark.parametrize("basis", [(), ("square",), ("linear", "cube"), ("linear", "linear")])
def test_bad_bases_are_refused(basis: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match="basis="):
        Moments.of(as_panel(noise(30, 1)), 1, basis)


def test_covariances_picked_from_the_whole_are_those_made_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).normal(size=(200, 3)).cumsum(axis=0)
    rows, columns = np.array([[0, 5, 20], [9, 1, 35]]), np.array([[2, 30], [8, 14]])
    picked = Moments.of(as_panel(values), max_lag=3).covariance(rows, columns)
    monkeypatch.setattr("grace_plugin.moments.sums._MOST_WHOLE", 0)
    made = Moments.of(as_panel(values), max_lag=3)
    assert made.whole_covariance is None
    assert picked == pytest.approx(made.covariance(rows, columns), rel=1e-10, abs=1e-12)
