"""Columns of lagged values: the same times in every column, no reaching from one series into another."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS, each_feature, expand
from grace_plugin.moments.sums import Moments
from grace_plugin.regression import lagged_rows
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.series.panel import as_panel


def _rows(data: object, max_lag: int) -> LaggedRows:
    panel = as_panel(data)
    return LaggedRows.of(panel, max_lag, np.zeros(panel.n_variables), np.ones(panel.n_variables))


def test_every_column_belongs_to_the_same_times() -> None:
    values = np.arange(20.0).reshape(10, 2)
    rows = _rows(values, 3)
    assert rows.count == 7
    assert rows.target(1).tolist() == values[3:, 1].tolist()
    assert rows.past(0, 2).tolist() == values[1:-2, 0].tolist()


def test_no_past_is_taken_from_another_series() -> None:
    first, second = np.zeros((5, 1)), np.ones((6, 1))
    rows = _rows([first, second], 2)
    assert rows.count == 3 + 4
    assert rows.past(0, 2).tolist() == [0.0] * 3 + [1.0] * 4
    assert rows.series.tolist() == [0] * 3 + [1] * 4


def test_gaps_are_left_out() -> None:
    values = np.arange(12.0)[:, None]
    values[5] = np.nan
    rows = _rows(values, 2)
    assert rows.target(0).tolist() == [2.0, 3.0, 4.0, 8.0, 9.0, 10.0, 11.0]


def test_sums_over_the_rows_are_the_moments() -> None:
    panel = as_panel(np.random.default_rng(0).normal(size=(60, 3)))
    moments = Moments.of(panel, 2)
    rows = LaggedRows.of(panel, 2, moments.center, moments.scale)
    features = rows.features([(2, 1), (0, 2)], DEFAULT_BASIS)
    columns = np.array([(1 * 3 + 2) * 3, (2 * 3 + 0) * 3])[:, None] + np.arange(3)
    assert rows.count == moments.rows
    np.testing.assert_allclose(features.sum(axis=0), moments.first[columns.ravel()])
    np.testing.assert_allclose(features[:, :3], expand(rows.past(2, 1)[:, None], DEFAULT_BASIS))
    assert rows.features([], DEFAULT_BASIS).shape == (rows.count, 0)
    assert [lag for lag, _ in rows.all_past()] == [1, 2]


@pytest.mark.parametrize("held", [0, 10**6])
def test_features_of_one_value_are_those_of_its_past(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lagged_rows, "_MOST_HELD", held)
    values = np.random.default_rng(3).normal(size=(40, 2))
    for data in (values, [values[:15], values[15:]]):
        rows = _rows(data, 2)
        for _ in range(2):  # made, and kept
            found = rows.features_of(1, 2, RICH_BASIS)
            np.testing.assert_array_equal(found, np.stack(each_feature(rows.past(1, 2), RICH_BASIS)))
