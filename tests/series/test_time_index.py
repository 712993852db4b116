"""Every way in which an index can tell a time, with the answer that is known to be right."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.exceptions import DataError, DataWarning
from grace_plugin.series.panel import as_panel
from grace_plugin.series.time_index import read_times

REGULAR = {
    "seconds": pd.date_range("2024-01-01", periods=60, freq="s"),
    "hours": pd.date_range("2024-01-01", periods=60, freq="h"),
    "hours, Berlin, spring": pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Berlin"),
    "hours, Berlin, autumn": pd.date_range("2024-10-26", periods=60, freq="h", tz="Europe/Berlin"),
    "six hours by the wall, Berlin": pd.date_range("2024-03-20", periods=60, freq="6h").tz_localize(
        "Europe/Berlin"
    ),
    "days, Berlin": pd.date_range("2024-03-01", periods=60, freq="D", tz="Europe/Berlin"),
    "days": pd.date_range("2024-01-01", periods=60, freq="D"),
    "weeks": pd.date_range("2024-01-01", periods=60, freq="7D"),
    "business days": pd.bdate_range("2024-01-01", periods=60),
    "month begins": pd.date_range("2000-01-01", periods=60, freq="MS"),
    "month ends": pd.date_range("2000-01-01", periods=60, freq="ME"),
    "business month ends": pd.date_range("2000-01-01", periods=60, freq="BME"),
    "quarters": pd.date_range("2000-01-01", periods=60, freq="QS"),
    "years": pd.date_range("1950-01-01", periods=60, freq="YS"),
    "periods, months": pd.period_range("2000-01", periods=60, freq="M"),
    "periods, quarters": pd.period_range("2000Q1", periods=60, freq="Q"),
    "periods, days": pd.period_range("2024-01-01", periods=60, freq="D"),
    "time since": pd.timedelta_range("0s", periods=60, freq="10ms"),
    "whole numbers": pd.Index(np.arange(60) * 5 + 3),
    "fractions": pd.Index(np.arange(60) * 0.1 + 7.0),
    "text": pd.Index(pd.date_range("2024-01-01", periods=60, freq="D").strftime("%Y-%m-%d")),
    "date objects": pd.Index(list(pd.date_range("2024-01-01", periods=60, freq="D").date)),
}


def plain(index: pd.Index) -> pd.Index:
    """The same without the frequency that pandas would remember."""
    return index[np.arange(len(index))] if not isinstance(index, pd.PeriodIndex) else index


@pytest.mark.parametrize("kind", REGULAR)
def test_a_regular_index_changes_nothing(kind: str) -> None:
    index = plain(REGULAR[kind])
    found = read_times(index)
    assert found is not None
    assert found.places is None
    assert not found.irregular
    assert len(found.index) == 60


@pytest.mark.parametrize("kind", REGULAR)
@given(st.sets(st.integers(1, 58), max_size=8))
@settings(max_examples=6, deadline=None)
def test_dropped_rows_become_missing_rows_in_their_places(kind: str, dropped: set[int]) -> None:
    kept = np.array([row for row in range(60) if row not in dropped])
    values = np.arange(120.0).reshape(60, 2)
    frame = pd.DataFrame(values, index=plain(REGULAR[kind])).iloc[kept]
    panel = as_panel(frame)
    laid = panel.series[0].values
    assert laid.shape == (60, 2)
    np.testing.assert_array_equal(laid[kept], values[kept])
    assert np.isnan(laid[sorted(dropped)]).all()
    assert len(panel.notes) == bool(dropped)
    if dropped:
        assert f"leaves out {len(dropped)} of 60 times" in panel.notes[0]


@pytest.mark.parametrize("kind", REGULAR)
def test_every_other_order_is_refused_with_what_helps(kind: str) -> None:
    index = plain(REGULAR[kind])
    frame = pd.DataFrame(np.zeros((60, 2)), index=index)
    with pytest.raises(DataError, match=r"runs backwards.*data\.sort_index\(\)"):
        as_panel(frame.iloc[::-1])
    shuffled = np.random.default_rng(0).permutation(60)
    with pytest.raises(DataError, match=r"not in order.*data\.sort_index\(\)"):
        as_panel(frame.iloc[shuffled])
    with pytest.raises(DataError, match=r"repeats times.*3 of 63 rows"):
        as_panel(frame.iloc[np.sort(np.r_[np.arange(60), 5, 6, 7])])
    as_panel(frame.iloc[shuffled].sort_index())


@given(st.integers(2, 40), st.integers(-5, 5))
@settings(deadline=None)
def test_a_range_that_counts_down_is_refused(rows: int, start: int) -> None:
    with pytest.raises(DataError, match="runs backwards"):
        as_panel(pd.DataFrame(np.zeros((rows, 2)), index=pd.RangeIndex(start, start - rows, -1)))


def test_a_lacking_time_is_refused_with_its_row() -> None:
    index = pd.DatetimeIndex(["2024-01-01", None, "2024-01-03"])
    with pytest.raises(DataError, match="no time in row 1"):
        read_times(index)


def test_an_irregular_index_is_taken_row_by_row_and_told() -> None:
    seconds = np.cumsum(np.random.default_rng(0).exponential(60.0, 80))
    index = pd.Timestamp("2024-01-01") + pd.to_timedelta(seconds, unit="s")
    values = np.arange(160.0).reshape(80, 2)
    with pytest.warns(DataWarning, match=r"irregular: steps run from .* to .*resample"):
        panel = as_panel(pd.DataFrame(values, index=index))
    np.testing.assert_array_equal(panel.series[0].values, values)


def test_a_trembling_clock_is_regular() -> None:
    seconds = np.arange(80.0) + np.random.default_rng(0).uniform(-0.03, 0.03, 80)
    kept = np.delete(np.arange(80), [10, 11, 40])
    index = pd.Timestamp("2024-01-01") + pd.to_timedelta(seconds[kept], unit="s")
    found = read_times(index)
    assert found is not None
    assert found.places is not None
    assert found.places.tolist() == kept.tolist()


def test_labels_tell_no_time_and_numpy_has_none() -> None:
    assert read_times(pd.Index(["b", "a", "c"])) is None
    values = np.zeros((30, 2))
    assert as_panel(values).series[0].values is values
    assert as_panel(values).series[0].index is None


def test_a_hole_that_no_lag_spans_is_shortened() -> None:
    index = pd.date_range("2024-01-01", periods=300, freq="D").append(
        pd.date_range("2044-01-01", periods=300, freq="D")
    )
    panel = as_panel(pd.DataFrame(np.zeros((600, 1)), index=index))
    assert len(panel.series[0].values) == 1600
    assert re.search(r"leaves out \d{4} of", panel.notes[0])


@given(st.sets(st.integers(1, 58), max_size=20), st.lists(st.integers(1, 59), max_size=3))
@settings(max_examples=25, deadline=None)
def test_chunks_of_a_table_leave_the_same_holes_as_the_table(dropped: set[int], cuts: list[int]) -> None:
    kept = np.array([row for row in range(60) if row not in dropped])
    frame = pd.DataFrame(np.arange(60.0)[kept, None], index=plain(REGULAR["hours"])[kept])
    edges = sorted({0, *(int(np.searchsorted(kept, cut)) for cut in cuts), len(frame)})
    chunks = [frame.iloc[a:b] for a, b in itertools.pairwise(edges)]
    whole = as_panel(frame).series[0].values
    # A chunk of few rows does not show the usual step.
    if all(len(chunk) > 20 or len(chunks) == 1 for chunk in chunks):
        np.testing.assert_array_equal(as_panel(iter(chunks)).loaded().series[0].values, whole)


def test_chunks_that_go_back_are_refused_and_counted_rows_are_not() -> None:
    frame = pd.DataFrame(np.zeros((60, 1)), index=REGULAR["hours"])
    with pytest.raises(DataError, match="row chunk 1 is not in order"):
        as_panel(iter([frame.iloc[30:], frame.iloc[:30]])).loaded()
    counted = [pd.DataFrame(np.zeros((5, 1))), pd.DataFrame(np.zeros((5, 1)))]
    assert len(as_panel(iter(counted)).loaded().series[0].values) == 10


def world(rows: int) -> pd.DataFrame:
    """b follows a at lag 1, c follows b at lag 2."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.9 * x[t - 1, 0]
        x[t, 2] += 0.9 * x[t - 2, 1]
    return pd.DataFrame(x, columns=["a", "b", "c"], index=pd.date_range("2020-01-01", periods=rows, freq="h"))


def test_dropped_rows_leave_the_lags_right() -> None:
    frame = world(700)
    kept = np.sort(np.random.default_rng(1).choice(700, 650, replace=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = gp.discover(frame.iloc[kept], max_lag=3, control_lag=0)
    assert set(found.native) == {(0, 1, 1), (1, 2, 2)}


def test_windows_of_a_duration_cross_the_clock_change() -> None:
    frame = world(400)
    frame.index = pd.date_range("2024-10-20", periods=400, freq="h", tz="Europe/Berlin")
    found = gp.bootstrap("basis", frame, max_lag=2, window="10D", runs=4)
    assert found.graph[0, 1, 1]


def test_a_label_of_every_place_comes_with_the_lagged_table() -> None:
    frame = world(50).drop(index=world(50).index[[20]])
    table = gp.lag_expand(frame, 1)
    assert table.index.equals(world(50).index[1:])
    assert table.loc[world(50).index[21], "a_lag1"] != table.loc[world(50).index[21], "a_lag1"]
