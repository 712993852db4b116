"""One set of numbers in every form that people have it in, and several units in one table."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.series.panel import as_panel
from grace_plugin.series.units import centred

ROWS = 40
VALUES = np.random.default_rng(0).normal(size=(ROWS, 3))
DAYS = pd.date_range("2024-01-01", periods=ROWS, freq="D")
FRAME = pd.DataFrame(VALUES, columns=["a", "b", "c"], index=DAYS)
ARRAY = xr.DataArray(VALUES.T, dims=("variable", "time"), coords={"variable": ["a", "b", "c"], "time": DAYS})


def mapped(folder: Path) -> np.ndarray:
    np.save(folder / "rows.npy", VALUES)
    return np.load(folder / "rows.npy", mmap_mode="r")


FORMS: dict[str, Any] = {
    "pandas": FRAME,
    "pandas, a column of times": FRAME.reset_index(names="when"),
    "polars": pl.DataFrame({"when": DAYS.to_numpy(), **{name: FRAME[name].to_numpy() for name in "abc"}}),
    "polars, lazy": pl.DataFrame({name: FRAME[name].to_numpy() for name in "abc"}).lazy(),
    "pyarrow": pa.table({name: FRAME[name].to_numpy() for name in "abc"}),
    "xarray array, time last": ARRAY,
    "xarray data set": ARRAY.to_dataset(dim="variable"),
    "xarray data set, time not called so": ARRAY.to_dataset(dim="variable").rename(time="when"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows_and_names(form: str) -> None:
    panel = as_panel(FORMS[form])
    (one,) = panel.series
    np.testing.assert_array_equal(one.values, VALUES)
    assert panel.names == ("a", "b", "c")


def test_a_file_on_disk_is_not_read_before_it_is_used(tmp_path: Path) -> None:
    rows = mapped(tmp_path)
    assert np.shares_memory(as_panel(rows).series[0].values, rows)


def test_missing_values_of_other_libraries_are_missing() -> None:
    table = pl.DataFrame({"x": [1, None, 3], "b": [True, None, False]})
    (one,) = as_panel(table).series
    np.testing.assert_array_equal(one.values, [[1, 1], [np.nan, np.nan], [3, 0]])


def long_table(order: np.ndarray) -> pd.DataFrame:
    """Two units of 40 and 25 days, in any order of rows that keeps each unit's own."""
    parts = [FRAME.assign(who="north"), FRAME.iloc[:25].add(100.0).assign(who="south")]
    table = pd.concat(parts).rename_axis("when").reset_index()
    rank = np.empty(len(table))
    for who in ("north", "south"):
        rows = np.flatnonzero(table.who == who)
        rank[rows] = np.sort(order[rows])
    return table.iloc[np.argsort(rank)].reset_index(drop=True)


@given(st.permutations(range(65)))
@settings(max_examples=10, deadline=None)
def test_units_are_told_apart_however_their_rows_are_mixed(order: list[int]) -> None:
    table = long_table(np.array(order))
    for panel in (
        as_panel(table, unit="who", time="when"),
        as_panel(table.set_index(["who", "when"])),
        as_panel(table.set_index(["when", "who"])),
        as_panel(table.set_index("when"), unit="who"),
        as_panel(table, unit="who"),
    ):
        units = {one.unit: one.values for one in panel.series}
        np.testing.assert_array_equal(units["north"], VALUES)
        np.testing.assert_array_equal(units["south"], VALUES[:25] + 100.0)
        assert panel.names == ("a", "b", "c")


def test_an_entity_dimension_is_units_and_a_dict_has_names() -> None:
    both = xr.concat([ARRAY, ARRAY + 100.0], dim=pd.Index(["north", "south"], name="station"))
    for data, options in (
        (both, {}),
        (both.transpose("time", "station", "variable"), {"unit": "station"}),
        (both.to_dataset(dim="variable"), {}),
        ({"north": FRAME, "south": FRAME + 100.0}, {}),
        ({"north": pl.from_pandas(FRAME), "south": pl.from_pandas(FRAME + 100.0)}, {}),
    ):
        panel = as_panel(data, **options)
        assert [one.unit for one in panel.series] == ["north", "south"]
        np.testing.assert_array_equal(panel.series[0].values, VALUES)
        np.testing.assert_array_equal(panel.series[1].values, VALUES + 100.0)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (FRAME, {"unit": "who"}, r"no column or level \['who'\]"),
        (VALUES, {"time": "when"}, "ndarray has none"),
        (long_table(np.arange(65)).assign(who=None), {"unit": "who"}, "lacking in row 0"),
        (ARRAY.rename(time="x", variable="y").drop_vars(["x", "y"]), {}, "is the time"),
        (ARRAY.expand_dims(place=2).rename(variable="kind"), {}, "holds the variables"),
        (ARRAY, {"time": "when"}, "no dimension 'when'"),
    ],
)
def test_what_is_not_clear_is_asked(data: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        as_panel(data, **options)


def test_times_of_each_unit_are_read() -> None:
    table = long_table(np.arange(65)).drop(index=[3, 50])
    panel = as_panel(table, unit="who", time="when")
    assert [len(one.values) for one in panel.series] == [40, 25]
    assert np.isnan(panel.series[0].values[3]).all()
    assert panel.notes == ("2 of 2 series leave out 2 times: they count as missing values.",)
    with pytest.raises(DataError, match="index of 'south' runs backwards"):
        as_panel(table.iloc[::-1], unit="who", time="when")


def test_turned_data_are_told() -> None:
    assert "called by dates" in as_panel(pd.DataFrame(np.zeros((3, 40)), columns=DAYS.astype(str))).turned
    assert not as_panel(VALUES).turned
    wide = np.random.default_rng(0).normal(size=(30, 100))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gp.discover(wide, max_lag=1)
    assert any(re.search(r"30 rows and 100 columns.*give data\.T", str(one.message)) for one in told)


def test_every_series_is_taken_about_its_own_mean_but_for_what_never_moves() -> None:
    one, other = VALUES.copy(), VALUES[:25].copy()
    other[:, 0] += 100.0
    one[:, 2], other[:, 2] = 7.0, 9.0  # the height of a station
    found = centred(as_panel([one, other]))
    assert found.centred
    means = [series.values.mean(axis=0) for series in found.series]
    np.testing.assert_allclose(means[0][:2], means[1][:2])
    np.testing.assert_allclose(means[0][2], 7.0)
    np.testing.assert_allclose(np.diff(found.series[1].values, axis=0), np.diff(other, axis=0), atol=1e-12)
    assert centred(found) is found


def two_units(same_level: bool) -> list[np.ndarray]:
    """a -> b at lag 1 within each unit."""
    rng = np.random.default_rng(1)
    found = []
    for level in (0.0, 0.0 if same_level else 2.0):
        x = rng.normal(size=(300, 3))
        x[1:, 1] += 0.6 * x[:-1, 0]
        found.append(x + level)
    return found


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e}


def test_levels_make_no_edges_and_are_told_of_where_left_in() -> None:
    units = two_units(same_level=False)
    assert cross(gp.discover(units, max_lag=1)) == {(0, 1, 1)}
    with pytest.warns(gp.DataWarning, match="slow"):  # levels are told of
        left_in = gp.discover(units, max_lag=1, pool="levels")
    assert cross(left_in) >= {(0, 1, 1)}


def test_no_row_crosses_two_units() -> None:
    """One long series cut in two has the same sums but for the rows that would cross the cut."""
    x = np.concatenate(two_units(same_level=True))
    whole, cut = gp.discover(x, max_lag=2), gp.discover([x[:300], x[300:]], max_lag=2, pool="levels")
    assert cut.outcome.rows_used == whole.outcome.rows_used - 5
    assert cross(cut) == cross(whole) == {(0, 1, 1)}
    assert gp.discover([x], max_lag=2).edges.equals(whole.edges)


def test_by_unit_tells_where_an_edge_shows() -> None:
    units = dict(zip("pqrs", [*two_units(True), *two_units(True)], strict=True))
    units["s"] = np.random.default_rng(5).normal(size=(300, 3))
    table = gp.discover(units, max_lag=2).by_unit()
    edge = table[(table.cause == "x0") & (table.effect == "x1") & (table.lag == 1)].set_index("unit")
    assert edge.shows.to_dict() == {"p": True, "q": True, "r": True, "s": False}
    assert (edge.shows_in == 3).all()
    assert (edge.units == 4).all()
    assert (edge.weight[["p", "q", "r"]] > 0.35).all()
    assert abs(edge.weight["s"]) < 0.2


def test_by_unit_needs_units() -> None:
    found = gp.discover(two_units(True)[0], max_lag=1)
    with pytest.raises(DataError, match="several units"):
        found.by_unit()
    again = gp.read_json(gp.discover(two_units(True), max_lag=1).to_json())
    assert len(again.by_unit(data=two_units(True))) == 2 * int(again.graph.sum())


def test_units_go_through_every_verb() -> None:
    parts = [
        pd.DataFrame(x, columns=list("abc")).assign(who=who)
        for who, x in zip("pq", two_units(True), strict=True)
    ]
    table = pd.concat(parts, ignore_index=True)
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[:, :, 1] = True
    skeleton = gp.Skeleton(mask, ["a", "b", "c"])
    assert gp.analyze(skeleton, table, unit="who").graph[0, 1, 1]
    assert gp.discover(table, max_lag=1, unit="who").graph[0, 1, 1]
    assert gp.bootstrap("basis", table, max_lag=1, runs=4, unit="who").graph[0, 1, 1]
    assert gp.bootstrap(skeleton, table, runs=4, unit="who").graph[0, 1, 1]


def test_short_series_about_their_own_means_are_warned_of() -> None:
    rng = np.random.default_rng(4)
    short = [rng.normal(size=(30, 3)) for _ in range(8)]
    with pytest.warns(gp.DataWarning, match="8 series of 30 rows in the mean are each taken about"):
        gp.discover(short, max_lag=1, progress=False)
    gp.discover(short, max_lag=1, pool="levels", progress=False)  # warnings are errors here
