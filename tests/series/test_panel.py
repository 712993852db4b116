from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from grace_plugin.exceptions import DataError
from grace_plugin.series.panel import as_panel


def test_names_come_from_pandas_and_columns_are_ordered_by_name() -> None:
    frame = pd.DataFrame({"b": [1.0, 2.0], "a": [3.0, 4.0]})
    panel = as_panel(frame).ordered(("a", "b"))
    assert panel.names == ("a", "b")
    assert panel.series[0].values[:, 0].tolist() == [3.0, 4.0]


def test_other_names_are_an_error_that_lists_both_sides() -> None:
    with pytest.raises(DataError, match=r"not in the data \['c'\].*not in the graph \['b'\]"):
        as_panel(pd.DataFrame({"b": [1.0], "a": [3.0]})).ordered(("a", "c"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (np.zeros(5), "shape"),
        (np.zeros((0, 3)), "shape"),
        (np.zeros((3, 0)), "shape"),
        (np.zeros((2, 3, 4)), "shape"),
        (np.zeros((3, 2), complex), "dtype complex"),
        (np.array([["a", "b"]]), "dtype"),
        (np.zeros((3, 2), "datetime64[s]"), "dtype datetime64"),
        (np.array([[1, None]], dtype=object), "dtype object"),
        (pd.DataFrame({"a": [object()], "b": [1]}), r"Columns \['a'\]"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "repeated"),
        ([], "empty"),
        ({}, "empty"),
        ([1.0, 2.0], "several realisations"),
        ([np.zeros((5, 2)), np.zeros((5, 3))], "differ"),
        (iter([]), "empty"),
        ("data.csv", "str cannot be read"),
        (7, "int cannot be read"),
    ],
)
def test_what_is_not_data_gets_a_sentence(data: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        as_panel(data)


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f8", "int8", "uint16", "bool"])
def test_all_real_dtypes_are_read(dtype: str) -> None:
    values = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    chunk, first = next(iter(as_panel(values).chunks(10)))
    assert first
    assert chunk.values.dtype == np.float64
    assert chunk.values.tolist() == [[0, 1], [1, 0], [1, 1]]


def test_nullable_pandas_and_masked_arrays_have_missing_values() -> None:
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")})
    assert np.isnan(as_panel(frame).series[0].values[1, 0])
    masked = np.ma.masked_equal(np.array([[1, 2], [9, 4]]), 9)
    assert np.isnan(as_panel(masked).series[0].values[1, 0])


def test_a_stream_whose_chunks_differ_is_refused_when_it_is_read() -> None:
    panel = as_panel(iter([np.zeros((3, 2)), np.zeros((3, 4))]))
    with pytest.raises(DataError, match="row chunks differ"):
        list(panel.chunks(100))


def test_inputs_are_not_changed() -> None:
    values = np.arange(10.0).reshape(5, 2)
    values.setflags(write=False)
    panel = as_panel(values)
    list(panel.chunks(2))
    assert panel.series[0].values is values
