"""Lag-expanded tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.hosts.lagging import lag_expand

VALUES = np.arange(12.0).reshape(6, 2)


def test_each_column_is_its_variable_that_many_rows_earlier():
    table = lag_expand(VALUES, 2)
    assert list(table.columns) == ["x0_lag0", "x1_lag0", "x0_lag1", "x1_lag1", "x0_lag2", "x1_lag2"]
    assert table["x1_lag0"].tolist() == [5, 7, 9, 11]
    assert table["x1_lag1"].tolist() == [3, 5, 7, 9]
    assert table["x1_lag2"].tolist() == [1, 3, 5, 7]


def test_pandas_names_and_index_are_kept():
    data = pd.DataFrame(VALUES, columns=["rain", "flow"], index=pd.date_range("2020-01-01", periods=6))
    table = lag_expand(data, 1)
    assert list(table.columns) == ["rain_lag0", "flow_lag0", "rain_lag1", "flow_lag1"]
    assert table.index[0] == pd.Timestamp("2020-01-02")
    assert table.loc["2020-01-02", "flow_lag1"] == data.loc["2020-01-01", "flow"]
    assert data.columns.tolist() == ["rain", "flow"]


def test_lag_zero_only_is_the_data_renamed():
    assert np.array_equal(lag_expand(VALUES, 0).to_numpy(), VALUES)


def test_realisations_are_not_mixed():
    table = lag_expand([VALUES, VALUES + 100], 1)
    assert len(table) == 10
    assert (table["x0_lag0"] - table["x0_lag1"] == 2).all()


def test_missing_values_stay_missing():
    data = VALUES.copy()
    data[3, 0] = np.nan
    table = lag_expand(data, 1)
    assert table["x0_lag0"].isna().tolist() == [False, False, True, False, False]
    assert table["x0_lag1"].isna().tolist() == [False, False, False, True, False]


@pytest.mark.parametrize("max_lag", [-1, 1.5, True, "2"])
def test_a_wrong_lag_is_refused(max_lag):
    with pytest.raises(OptionError, match="whole number"):
        lag_expand(VALUES, max_lag)


def test_a_series_without_a_full_past_is_refused():
    with pytest.raises(DataError, match="6 rows"):
        lag_expand(VALUES, 6)
