"""Tables and arrays as matrices [time, variable] of real numbers, with names and an index if any."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.checks import refuse_names
from grace_plugin.exceptions import DataError
from grace_plugin.series.categories import as_codes, levels_of
from grace_plugin.series.foreign_tables import from_narwhals
from grace_plugin.series.forms import HostData
from grace_plugin.series.rows import Levels

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers of one table, its columns' names, its pandas index if any, what it is of, and its words."""

    values: npt.NDArray[Any]
    names: tuple[str, ...] | None = None
    index: pd.Index[Any] | None = None
    unit: Hashable = None
    levels: tuple[Levels | None, ...] | None = None


def read_table(data: HostData) -> Table:
    """A pandas table, a numpy array, or anything that numpy takes for one."""
    if is_pandas(data):
        frame = data.to_frame() if data.ndim == 1 else data
        names = tuple(str(column) for column in frame.columns)
        refuse_names("Column names", names, DataError)
        levels = levels_of(frame)
        values = _pandas_values(frame if levels is None else as_codes(frame))
        return Table(_checked(values), names, frame.index, levels=levels)
    return Table(_checked(_as_array(data)))


def materialised(data: HostData) -> HostData:
    """Tables of other libraries (polars, pyarrow) as pandas tables or arrays."""
    if isinstance(data, np.ndarray) or is_pandas(data) or isinstance(data, (str, bytes)):
        return data
    data = from_narwhals(data)
    for way in () if is_pandas(data) else ("to_pandas", "compute"):
        method = getattr(type(data), way, None)
        if callable(method):
            try:
                return method(data)
            except Exception as error:  # a stranger's method may fail in any way
                msg = f"The {way}() of this {type(data).__name__} failed: {error}. Pass its numbers instead."
                raise DataError(msg) from error
    return data


def is_dask(data: object) -> bool:
    """Whether `data` is a Dask array or table; Dask itself is not imported for it."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr")


def is_pandas(data: object) -> bool:
    """Whether `data` is a pandas table or column; pandas itself is not imported for it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def _checked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.names is not None:
        msg = f"A structured array with fields {array.dtype.names} was given; pass pandas.DataFrame(data)."
        raise DataError(msg)
    if array.ndim != 2 or 0 in array.shape:
        msg = f"Data of shape {array.shape} were given; expected two axes [time, variable], neither empty."
        raise DataError(msg)
    if array.dtype.kind not in "biuf":
        msg = (
            f"Data of dtype {array.dtype} were given; expected real numbers. Convert the columns to float "
            "first, with missing values as NaN."
        )
        raise DataError(msg)
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
    return array


def _as_array(data: Any) -> npt.NDArray[Any]:
    """Anything that numpy takes for an array, masks and all; a refusal becomes a sentence."""
    if isinstance(data, np.ma.MaskedArray):
        return data
    try:
        return np.asarray(data)
    except Exception as error:  # torch, jax and others refuse in ways of their own
        msg = f"A {type(data).__name__} cannot be read as an array of numbers: {str(error).splitlines()[0]}"
        raise DataError(msg) from error


def axes_of(item: HostData) -> int:
    """How many axes `item` has; 0 for what is no array."""
    try:
        return int(np.ndim(item))
    except (TypeError, ValueError):  # a ragged list
        return 0


def refuse_other_columns(frame: pd.DataFrame) -> None:
    """Refuse a table of which some columns hold no real numbers."""
    wrong = [str(name) for name, dtype in frame.dtypes.items() if getattr(dtype, "kind", "O") not in "biuf"]
    if wrong:
        msg = f"Columns {wrong} do not hold real numbers; convert or drop them."
        raise DataError(msg)


def _pandas_values(frame: Any) -> npt.NDArray[Any]:
    refuse_other_columns(frame)
    values: npt.NDArray[Any] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return values
