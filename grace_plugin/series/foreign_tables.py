"""Tables of other libraries as pandas tables: polars, pyarrow and more through narwhals, and xarray."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin.exceptions import DataError
from grace_plugin.series.forms import HostData

if TYPE_CHECKING:
    import pandas as pd

_TIME_NAMES = ("time", "times", "date", "datetime", "timestamp", "t", "year", "month", "day", "hour")
_VARIABLE_NAMES = ("variable", "variables", "var", "feature", "features", "channel", "channels", "sensor")


def is_xarray(data: object) -> bool:
    """Whether `data` is an xarray Dataset or DataArray; xarray itself is not imported for it."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(data, (xarray.Dataset, xarray.DataArray))


def from_narwhals(data: HostData) -> HostData:
    """A table that narwhals knows as a pandas table; anything else as it is."""
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return data
    import pandas as pd

    return pd.DataFrame({name: _column(frame.get_column(name)) for name in frame.columns})


def _column(column: Any) -> Any:
    """Numbers and times as numpy has them; words with their levels, and their order if they have one."""
    import narwhals as nw
    import pandas as pd

    kind = column.dtype
    if kind.is_numeric() or kind.is_temporal():
        return column.to_numpy()
    values = column.to_list()
    if kind == nw.Boolean:
        return pd.array(values, dtype="boolean")
    if isinstance(kind, nw.Enum):
        return pd.Categorical(values, categories=list(kind.categories), ordered=True)
    return pd.Categorical(values) if kind == nw.Categorical else pd.Series(values, dtype="object")


def from_xarray(data: HostData, unit: str | list[str] | None, time: str | None) -> pd.DataFrame:
    """Variables as columns and (unit, time) as the index, wherever the dimensions stand.

    The time is the dimension called so, or the only one with datetimes. Of an array the variables are the
    dimension called "variable" (or the like), or the only other one; what is left are units.
    """
    times = time if time is not None else _time_dimension(data)
    units = [] if unit is None else [unit] if isinstance(unit, str) else list(unit)
    for name in (times, *units):
        if name not in data.dims:
            msg = f"There is no dimension {name!r}; the data have {tuple(map(str, data.dims))}."
            raise DataError(msg)
    if not hasattr(data, "data_vars"):
        data = _dataset(data, times, units)
    data = data.reset_coords(drop=True)
    others = [name for name in data.dims if name != times]
    table: pd.DataFrame = data.to_dataframe(dim_order=[*others, times])
    return table


def _time_dimension(data: Any) -> Any:
    named = [name for name in data.dims if str(name).lower() in _TIME_NAMES]
    dated = [name for name in data.dims if name in data.coords and data.coords[name].dtype.kind == "M"]
    for found in (dated, named):
        if len(found) == 1:
            return found[0]
    if len(data.dims) == 1:
        return next(iter(data.dims))
    msg = f"Which of the dimensions {tuple(map(str, data.dims))} is the time? Give time='...'."
    raise DataError(msg)


def _dataset(array: Any, times: Any, units: list[str]) -> Any:
    others = [name for name in array.dims if name != times and name not in units]
    named = [name for name in others if str(name).lower() in _VARIABLE_NAMES]
    if not others:
        return array.to_dataset(name=str(array.name or "x0"))
    if len(named) != 1 and len(others) > 1:
        msg = (
            f"Which of the dimensions {tuple(map(str, others))} holds the variables? Call it 'variable', or "
            "give the other as unit='...'."
        )
        raise DataError(msg)
    dimension = named[0] if named else others[0]
    if dimension not in array.coords:
        array = array.assign_coords({dimension: [f"x{place}" for place in range(array.sizes[dimension])]})
    labels = [str(label) for label in np.asarray(array.coords[dimension])]
    return array.assign_coords({dimension: labels}).to_dataset(dim=dimension)
