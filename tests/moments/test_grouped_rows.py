"""Few features are added up in groups of rows: the sums are those of one product a lag."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments import accumulator, grouped_rows
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.grouped_rows import GroupedRows
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel


@pytest.mark.parametrize("max_lag", [1, 2, 5])
@pytest.mark.parametrize("rows", [7, 61, 400])
def test_the_sums_are_those_of_one_product_a_lag(
    monkeypatch: pytest.MonkeyPatch, rows: int, max_lag: int
) -> None:
    monkeypatch.setattr(grouped_rows, "_NUMBERS", 500)  # several stretches
    values = np.random.default_rng(rows).normal(size=(rows, 3)).cumsum(axis=0)
    grouped = Moments.of(as_panel(values), max_lag)
    monkeypatch.setattr(accumulator, "WIDEST", 0)
    plain = Moments.of(as_panel(values), max_lag)
    assert grouped.rows == plain.rows == rows - max_lag
    np.testing.assert_allclose(grouped.second, plain.second, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(grouped.first, plain.first, rtol=1e-10, atol=1e-9)


def test_gaps_and_several_series_count_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    gapped = rng.normal(size=(300, 2))
    gapped[[0, 120, 121, 299], [0, 1, 0, 1]] = np.nan
    data = [gapped, rng.normal(size=(50, 2)), rng.normal(size=(3, 2))]
    grouped = Moments.of(as_panel(data), 3)
    monkeypatch.setattr(accumulator, "WIDEST", 0)
    plain = Moments.of(as_panel(data), 3)
    assert grouped.rows == plain.rows
    np.testing.assert_allclose(grouped.second, plain.second, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(grouped.first, plain.first, rtol=1e-10, atol=1e-9)


def test_a_run_of_one_row_is_its_own_product() -> None:
    values = np.arange(8.0).reshape(4, 2)
    blocks, total = GroupedRows(np.zeros(2), np.ones(2), 3, ("linear",)).products(values)
    np.testing.assert_array_equal(total, values[3])
    for lag in range(4):
        np.testing.assert_array_equal(blocks[lag], np.outer(values[3], values[3 - lag]))
    assert GroupedRows(np.zeros(2), np.ones(2), 3, DEFAULT_BASIS).width == 6
