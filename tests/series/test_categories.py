from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from grace_plugin.exceptions import DataError
from grace_plugin.series.categories import as_contrasts
from grace_plugin.series.panel import as_panel
from grace_plugin.series.rows import Levels

SKY = ["dry", "wet", "ice", "dry", "wet", None, "dry", "dry"]
ORDER = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
TABLE = pd.DataFrame(
    {
        "sky": SKY,
        "size": pd.Series(["mid", "low", "high", "low", "mid", "mid", "high", "low"]).astype(ORDER),
        "on": [True, False, True, True, False, True, False, True],
        "count": [3, 1, 4, 1, 5, 9, 2, 6],
    }
)


def test_words_become_codes_with_their_levels() -> None:
    panel = as_panel(TABLE)
    assert panel.levels == (Levels(("dry", "ice", "wet")), Levels(("low", "mid", "high"), True), None, None)
    values = panel.series[0].values
    np.testing.assert_array_equal(values[:, 0], [0, 2, 1, 0, 2, np.nan, 0, 0])
    np.testing.assert_array_equal(values[:, 1], [1, 0, 2, 0, 1, 1, 2, 0])
    np.testing.assert_array_equal(values[:, 2], TABLE.on.astype(float))
    np.testing.assert_array_equal(values[:, 3], TABLE["count"].astype(float))


def test_tables_without_words_have_no_levels() -> None:
    assert as_panel(TABLE[["on", "count"]]).levels is None
    assert as_panel(np.zeros((5, 2))).levels is None


def test_levels_are_shared_by_all_units_and_follow_their_columns() -> None:
    other = pd.DataFrame({**TABLE, "sky": ["fog"] * 8})
    both = as_panel({"a": TABLE, "b": other})
    assert both.levels is not None
    assert both.levels[0] == Levels(("dry", "fog", "ice", "wet"))
    assert both.series[1].values[0, 0] == 1
    long = pd.concat([TABLE.assign(who="a"), other.assign(who="b")], ignore_index=True)
    assert as_panel(long, unit="who").levels == both.levels
    turned = both.ordered(("count", "sky", "on", "size"))
    assert turned.levels is not None
    assert turned.levels[1] == both.levels[0]


def test_words_of_other_libraries() -> None:
    table = pl.DataFrame(
        {
            "a": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
            "b": pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
        }
    )
    panel = as_panel(table)
    assert panel.levels == (Levels(("u", "v")), Levels(("lo", "hi"), True))
    np.testing.assert_array_equal(panel.series[0].values, [[0, 0], [1, 1], [0, 0]])


def test_contrasts_are_uncorrelated_and_say_all_that_the_words_say() -> None:
    rng = np.random.default_rng(0)
    words = rng.choice(["a", "b", "c", "d"], size=500, p=[0.5, 0.3, 0.15, 0.05])
    groups = as_contrasts(as_panel(pd.DataFrame({"x": rng.normal(size=500), "word": words})))
    assert groups.members == ((0,), (1, 2, 3))
    assert groups.panel.names == ("x", "word[0]", "word[1]", "word[2]")
    columns = groups.panel.series[0].values[:, 1:]
    np.testing.assert_allclose(np.cov(columns.T, bias=True), np.eye(3), atol=1e-9)
    seen = {word: np.unique(columns[words == word], axis=0) for word in "abcd"}
    assert all(len(rows) == 1 for rows in seen.values())
    assert np.linalg.matrix_rank(np.vstack(list(seen.values())) - seen["a"]) == 3


def test_missing_words_are_missing_contrasts_and_ranks_stay_one_column() -> None:
    groups = as_contrasts(as_panel(pd.concat([TABLE] * 5, ignore_index=True)))
    assert groups.members == ((0, 1), (2,), (3,), (4,))
    assert np.isnan(groups.panel.series[0].values[5, :2]).all()
    assert int(np.isnan(groups.panel.series[0].values).sum()) == 10


def test_rare_levels_count_as_the_most_common() -> None:
    words = ["a"] * 50 + ["b"] * 30 + ["c"] * 3
    groups = as_contrasts(as_panel(pd.DataFrame({"word": words, "x": np.arange(83.0)})))
    assert groups.members == ((0,), (1,))
    column = groups.panel.series[0].values[:, 0]
    assert (column[80:] == column[0]).all()
    assert abs(column.mean()) < 1e-9


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pd.DataFrame({"id": [f"p{i}" for i in range(30)]}), "30 different words"),
        (pd.DataFrame({"z": [1 + 2j, 3j]}), r"Columns \['z'\]"),
        (pd.DataFrame({"mixed": ["a", 1.0, None]}), r"Columns \['mixed'\]"),
    ],
)
def test_what_is_no_category_is_refused(table: pd.DataFrame, words: str) -> None:
    with pytest.raises(DataError, match=words):
        as_panel(table)


def test_chunks_of_words_are_refused() -> None:
    chunk = pd.DataFrame({"sky": pd.Categorical(["dry", "wet"])})
    with pytest.raises(DataError, match="Row chunks hold words"):
        as_panel(iter([chunk, chunk])).loaded()
