"""Data of every kind: name of a row in docs/hard_use.md -> a function that makes such data."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

ROWS = 160
Maker = Callable[[], Any]


def good(rows: int = ROWS) -> Any:
    """a -> b at lag 1, b -> c at lag 2."""
    x = np.random.default_rng(1).normal(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.9 * x[t - 1, 0]
        x[t, 2] += 0.9 * x[t - 2, 1]
    return x


def table(columns: Any = ("a", "b", "c")) -> pd.DataFrame:
    return pd.DataFrame(good(), columns=pd.Index(list(columns), dtype=object))


def with_value(value: float, row: int, column: int) -> Any:
    x = good()
    x[row, column] = value
    return x


def with_column(values: Any, column: int = 1) -> Any:
    x = good()
    x[:, column] = values
    return x


def _locked() -> Any:
    x = good()
    x.setflags(write=False)
    return x


def _mapped() -> Any:
    path = Path(tempfile.mkdtemp()) / "data.npy"
    np.save(path, good())
    return np.load(path, mmap_mode="r")


def _moved_once(row: int) -> Any:
    values = np.ones(ROWS)
    values[row] = 5.0
    return with_column(values)


class ArrayLike:
    """What numpy takes for an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return good()


def _noise(size: float) -> Any:
    return size * np.random.default_rng(5).normal(size=ROWS)


SHAPES: dict[str, Maker] = {
    "nothing (None)": lambda: None,
    "a file name": lambda: "data.csv",
    "a number": lambda: 7,
    "an object": object,
    "a set of numbers": lambda: {1, 2},
    "an empty list": list,
    "an empty dict": dict,
    "a list of numbers": lambda: [1.0, 2.0],
    "a list of lists": lambda: good().tolist(),
    "a ragged list": lambda: [[1.0, 2.0], [3.0]],
    "a dict of single columns": lambda: {"a": good()[:, 0], "b": good()[:, 1]},
    "realisations of different widths": lambda: [good(), good()[:, :2]],
    "realisations with different names": lambda: [table(), table("acb")],
    "an empty generator": lambda: iter([]),
    "a generator of rows": lambda: iter(good()),
    "chunks of different widths": lambda: iter([good(), good()[:, :2]]),
    "chunks, one of them empty": lambda: iter([good()[:90], good()[:0], good()[90:]]),
    "chunks of one row": lambda: (good()[t : t + 1] for t in range(ROWS)),
    "chunks that begin constant": lambda: iter([np.zeros((5, 3)), good() * 1e-9]),
    "no axis": lambda: np.array(1.0),
    "one axis": lambda: good()[:, 0],
    "three axes": lambda: good()[None],
    "no rows": lambda: good()[:0],
    "no columns": lambda: good()[:, :0],
    "one row": lambda: good()[:1],
    "transposed": lambda: good().T,
    "a graph instead of data": lambda: __import__("networkx").DiGraph([(1, 2)]),
}

DTYPES: dict[str, Maker] = {
    "object array of numbers": lambda: good().astype(object),
    "object array with None": lambda: np.array([[1.0, None, 2.0]] * 50, dtype=object),
    "complex": lambda: good().astype(complex),
    "datetime64": lambda: np.zeros((50, 3), "datetime64[s]"),
    "timedelta64": lambda: np.zeros((50, 3), "timedelta64[s]"),
    "strings": lambda: good().astype(str),
    "bytes strings": lambda: good().astype("S"),
    "structured array": lambda: table().to_records(index=False),
    "bool": lambda: good(400) > 0,
    "int8": lambda: np.round(good() * 20).astype(np.int8),
    "uint64 above 2**53": lambda: np.round(good() * 1e15 + 1e18).astype(np.uint64),
    "float16": lambda: good().astype(np.float16),
    "float16 that overflowed": lambda: np.where(np.abs(good()) > 2, np.inf, good()).astype(np.float16),
    "float32": lambda: good().astype(np.float32),
    "long double": lambda: good().astype(np.longdouble),
    "big-endian floats": lambda: good().astype(">f8"),
    "big-endian integers": lambda: np.round(good() * 1000).astype(">i4"),
    "Fortran order": lambda: np.asfortranarray(good()),
    "read-only": _locked,
    "every other row of an array": lambda: np.repeat(good(), 2, axis=0)[::2],
    "every other column of an array": lambda: np.repeat(good(), 2, axis=1)[:, ::2],
    "negative strides": lambda: good()[::-1].copy()[::-1],
    "memory-mapped": _mapped,
    "masked array, nothing masked": lambda: np.ma.masked_array(good()),
    "masked array, some masked": lambda: np.ma.masked_greater(good(), 3.0),
    "masked array, all masked": lambda: np.ma.masked_all((ROWS, 3)),
    "masked array of strings": lambda: np.ma.masked_array(good().astype(str)),
    "masked array of complex": lambda: np.ma.masked_array(good().astype(complex)),
    "torch tensor": lambda: torch.tensor(good()),
    "torch tensor with gradient": lambda: torch.tensor(good(), requires_grad=True),
    "torch bfloat16": lambda: torch.tensor(good()).to(torch.bfloat16),
    "array-like object": ArrayLike,
    "pyarrow table": lambda: __import__("pyarrow").Table.from_pandas(table()),
    "Dask array": lambda: __import__("dask.array").array.from_array(good(), chunks=(50, 3)),
    "tigramite DataFrame": lambda: __import__("tigramite.data_processing").data_processing.DataFrame(good()),
}

TABLES: dict[str, Maker] = {
    "pandas, datetime index": lambda: table().set_index(pd.date_range("2000", periods=ROWS)),
    "pandas, repeated index": lambda: table().set_index(np.zeros(ROWS, int)),
    "pandas nullable Int64": lambda: (table() * 100).round().astype("Int64"),
    "pandas nullable Float64 with NA": lambda: table().astype("Float64").where(table() < 3),
    "pandas nullable boolean": lambda: (pd.DataFrame(good(400), columns=list("abc")) > 0).astype("boolean"),
    "pandas, pyarrow dtypes": lambda: table().convert_dtypes(dtype_backend="pyarrow"),
    "pandas, mixed bool and int": lambda: table().assign(b=(table().b * 50).astype(int)),
    "pandas, sparse": lambda: table().astype(pd.SparseDtype(float)),
    "pandas object": lambda: table().astype(object),
    "pandas, decimals": lambda: table().map(lambda value: Decimal(str(value))),
    "pandas strings": lambda: table().astype(str),
    "pandas categories": lambda: table().round(0).astype("category"),
    "pandas complex": lambda: table().astype(complex),
    "pandas with a date column": lambda: table().assign(when=pd.date_range("2000", periods=ROWS)),
    "pandas, empty": pd.DataFrame,
    "names repeated": lambda: table("aab"),
    "names that look the same as text": lambda: table([1, "1", 2]),
    "names that are integers": lambda: table([0, 1, 2]),
    "names that are tuples": lambda: pd.DataFrame(
        good(), columns=pd.MultiIndex.from_tuples([("x", "a"), ("x", "b"), ("y", "a")])
    ),
    "names None and NaN": lambda: table([None, float("nan"), "c"]),
    "names empty or blank": lambda: table(["", " ", "\n"]),
    "names in any script": lambda: table(["ä\u0301", "\U0001f600", "\u202e名前"]),
    "names with halves of characters": lambda: table(["\ud800", "b", "c"]),
    "names with a lag": lambda: table(["a_lag0", "a_lag1", "c"]),
}

VALUES: dict[str, Maker] = {
    "NaN everywhere": lambda: np.full((ROWS, 3), np.nan),
    "NaN in a whole column": lambda: with_column(np.nan),
    "NaN in the first value": lambda: with_value(np.nan, 0, 0),
    "NaN in the middle": lambda: with_value(np.nan, ROWS // 2, 1),
    "NaN in the last value": lambda: with_value(np.nan, -1, 2),
    "NaN in every other row": lambda: np.where(np.arange(ROWS)[:, None] % 2 == 0, np.nan, good()),
    "inf in the first value": lambda: with_value(np.inf, 0, 0),
    "inf in the middle": lambda: with_value(np.inf, ROWS // 2, 1),
    "-inf in the last value": lambda: with_value(-np.inf, -1, 2),
    "values beyond 1e300": lambda: with_value(1.7e308, 50, 0),
    "a constant column": lambda: with_column(1 / 3),
    "a huge constant column": lambda: with_column(1e12),
    "all columns constant": lambda: np.ones((ROWS, 3)),
    "constant but for the first row": lambda: _moved_once(0),
    "constant but for a middle row": lambda: _moved_once(ROWS // 2),
    "constant but for rounding": lambda: with_column(1.0 + _noise(1e-16)),
    "one value of 1e30": lambda: with_value(1e30, 50, 0),
    "a column twice": lambda: with_column(good()[:, 1], 2),
    "a column and its negative": lambda: with_column(-good()[:, 1], 2),
    "a column twice but for 1e-9": lambda: with_column(good()[:, 1] + _noise(1e-9), 2),
    "a column that is the sum of others": lambda: with_column(good()[:, :2].sum(axis=1), 2),
    "an exact copy at lag 1": lambda: with_column(np.roll(good()[:, 0], 1)),
    "a copy at lag 1 but for 1e-6": lambda: with_column(np.roll(good()[:, 0], 1) + _noise(1e-6)),
    "scales of 1e-12, 1 and 1e12": lambda: good() * [1e-12, 1.0, 1e12],
    "scales of 1e-150, 1 and 1e150": lambda: good() * [1e-150, 1.0, 1e150],
    "subnormal numbers": lambda: good() * 1e-310,
    "an offset of 1e8": lambda: good() + 1e8,
    "random walks": lambda: np.cumsum(np.random.default_rng(2).normal(size=(ROWS, 3)), axis=0),
    "a strong trend": lambda: good() + np.arange(ROWS)[:, None],
    "a cycle in all columns": lambda: good() + 3.0 * np.sin(np.arange(ROWS) * np.pi / 6)[:, None],
    "one variable": lambda: good()[:, :1],
    "21 rows for 2 lags": lambda: good(21),
    "22 rows for 2 lags": lambda: good(22),
    "23 rows for 2 lags": lambda: good(23),
}

DATA = {**SHAPES, **DTYPES, **TABLES, **VALUES}
