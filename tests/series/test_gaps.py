from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.series.gaps import fill_gaps
from grace_plugin.series.rows import Panel, Series
from grace_plugin.series.sparse_var import Rows, expected_values


def panel_of(*arrays: np.ndarray) -> Panel:
    return Panel(tuple(Series(one) for one in arrays), n_variables=arrays[0].shape[1])


def persistent(rows: int, width: int, own: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, width))
    for t in range(1, rows):
        x[t] += own * x[t - 1]
    return x


def with_holes(x: np.ndarray, share: float, seed: int) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(x.shape) < share, np.nan, x)


def test_complete_data_and_data_with_few_gaps_are_returned_as_they_are() -> None:
    x = persistent(600, 3, 0.5, 0)
    assert fill_gaps(whole := panel_of(x), 3) is whole
    x[300, 1] = np.nan
    assert fill_gaps(whole := panel_of(x), 3) is whole
    counts = Panel((Series(np.arange(40).reshape(20, 2)),), n_variables=2)
    assert fill_gaps(counts, 3) is counts


@given(st.floats(0.05, 0.5), st.integers(0, 50), st.floats(-3.0, 3.0), st.floats(-6.0, 6.0))
@settings(max_examples=15, deadline=None)
def test_seen_values_stay_and_units_do_not_matter(share: float, seed: int, size: float, shift: float) -> None:
    x = with_holes(persistent(200, 3, 0.6, seed), share, seed + 1)
    found = fill_gaps(panel_of(x), 2).series[0].values
    seen = ~np.isnan(x)
    np.testing.assert_array_equal(found[seen], x[seen])
    assert np.isfinite(found).all()
    scale = 10.0**size
    other = fill_gaps(panel_of(x * scale + shift), 2).series[0].values
    np.testing.assert_allclose((other - shift) / scale, found, atol=1e-4)


def test_a_single_gap_of_a_known_process_gets_its_known_mean() -> None:
    """Of x(t) = .8 x(t - 1) + e(t), one unseen value has the mean .8 (before + after) / (1 + .64)."""
    x = persistent(6000, 1, 0.8, 3) * 0.6
    gaps = np.arange(10, 5990, 10)
    holes = x.copy()
    holes[gaps] = np.nan
    found = expected_values(Rows(holes, np.zeros(len(x), dtype=np.int64)), 1)
    expected = 0.8 * (x[gaps - 1] + x[gaps + 1]) / 1.64
    assert np.abs(found[gaps] - expected).max() < 0.05


def test_what_another_variable_knows_is_used() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 2))
    x[1:, 1] = 0.95 * x[:-1, 0] + 0.1 * x[1:, 1]
    holes = x.copy()
    holes[5::4, 1] = np.nan
    found = fill_gaps(panel_of(holes), 2).series[0].values
    assert np.abs(found[5::4, 1] - 0.95 * x[4:-1:4, 0]).max() < 0.1


def test_no_value_comes_from_another_series() -> None:
    quiet, loud = persistent(400, 2, 0.5, 1), persistent(400, 2, 0.5, 2) + 1000.0
    both = [with_holes(quiet, 0.2, 3), with_holes(quiet, 0.2, 4)]
    both[1][0] = np.nan
    found = fill_gaps(panel_of(*both), 2)
    assert np.abs(found.series[1].values[0]).max() < 2.0  # not pulled to the end of the first
    assert len(found.series) == 2
    assert loud.shape == quiet.shape


def test_rows_without_any_past_are_not_explained_and_masks_stay() -> None:
    x = with_holes(persistent(300, 2, 0.5, 5), 0.1, 6)
    x[100:120] = np.nan
    one = fill_gaps(panel_of(x), 3).series[0]
    assert one.as_target is not None
    assert np.flatnonzero(~one.as_target).tolist() == list(range(103, 120))
    masked = np.ones(300, dtype=np.bool_)
    masked[200:250] = False
    panel = replace(panel_of(x), series=(Series(x, masked, masked),))
    kept = fill_gaps(panel, 3).series[0]
    assert kept.as_target is not None
    assert not kept.as_target[200:250].any()
    np.testing.assert_array_equal(kept.as_input, masked)


def test_the_note_says_how_much_is_missing_and_what_decisions_rest_on() -> None:
    x = persistent(100, 2, 0.5, 5)
    x[10:50, 1] = np.nan
    (note,) = fill_gaps(panel_of(x), 1).notes
    assert "20.0% of the values are missing (most of x1, 40%)" in note
    assert "a decision rests on 58 to 99 rows" in note


def test_variables_of_which_nearly_nothing_was_seen_are_named() -> None:
    x = persistent(300, 3, 0.5, 5)
    x[5:, 1] = np.nan
    with pytest.raises(DataError, match="x1 has 5 of 300"):
        fill_gaps(panel_of(x), 2)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_independent_series_stay_independent(share: float) -> None:
    """The share of small p-values between independent series is that of complete data."""
    small, count = 0, 0
    for seed in range(20):
        x = with_holes(persistent(300, 6, 0.5, seed), share, seed + 100)
        z = fill_gaps(panel_of(x), 2).series[0].values
        now, past = z[2:], z[1:-1]
        own = np.stack([z[1:-1], z[:-2], np.ones_like(now)])
        for effect in range(6):
            base = np.linalg.qr(own[:, :, effect].T)[0]
            left = now[:, effect] - base @ (base.T @ now[:, effect])
            cause = np.delete(past, effect, axis=1)
            cause = cause - base @ (base.T @ cause)
            corr = (cause.T @ left) / np.sqrt((cause**2).sum(axis=0) * (left @ left))
            small += int((corr**2 * (len(left) - 4) > 3.84).sum())
            count += len(corr)
    assert 0.03 < small / count < 0.075  # 600 tests: two and a half standard errors


def test_a_constant_beside_gaps_is_refused_by_name() -> None:
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[:, 1] = 5.0
    x[50:80:3, 0] = np.nan
    with pytest.raises(DataError, match=r"\['x1'\] are constant"):
        gp.discover(x, 2)
