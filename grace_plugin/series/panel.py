"""Data of any accepted form as one `Panel`: forms are recognised here, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import shown
from grace_plugin._common.telling import tell
from grace_plugin.exceptions import DataError, DataWarning
from grace_plugin.series.categories import encoded
from grace_plugin.series.dask_rows import dask_panel
from grace_plugin.series.foreign_tables import from_xarray, is_xarray
from grace_plugin.series.forms import Data
from grace_plugin.series.rows import Panel, Series, refuse_long_lag
from grace_plugin.series.tables import Table, axes_of, is_dask, is_pandas, materialised, read_table
from grace_plugin.series.time_index import TimeIndex, joined_times, read_times
from grace_plugin.series.units import split_units

__all__ = ["Panel", "Series", "as_panel", "refuse_long_lag"]

_TURNED = 2  # columns per row of an array without names that make one ask which axis is the time
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([ T].*)?)?$")
_ACCEPTED = (
    "a numpy array [time, variable], a table (pandas, polars, pyarrow), an xarray object, a tigramite "
    "DataFrame, a list or dict of arrays or tables (several realisations), or an iterable of row chunks"
)


def as_panel(data: Data, *, unit: str | list[str] | None = None, time: str | None = None) -> Panel:
    """Recognise `data` among the host-free forms; host containers go through their adapter first.

    Args:
        data: anything of the accepted forms.
        unit: column, index level or dimension that says of what a row is; each is a series of its own.
        time: column, index level or dimension that holds the times.

    >>> panel = as_panel(np.zeros((100, 3)))
    >>> panel.n_variables, len(panel.series)
    (3, 1)
    """
    if isinstance(data, Panel):
        return data
    if isinstance(data, Mapping) and not is_xarray(data):
        return _panel_of_many(data, unit, time)
    if isinstance(data, (list, tuple)):
        return _panel_of_many(dict(enumerate(data)), unit, time)
    if is_dask(data):
        _refuse_options(data, unit, time)
        return dask_panel(data)
    if is_xarray(data):
        return _panel_of_tables(_tables_of(from_xarray(data, unit, time)))
    data = materialised(data)
    if is_pandas(data):
        return _panel_of_tables(_tables_of(data, unit, time))
    _refuse_options(data, unit, time)
    if isinstance(data, np.ndarray) or hasattr(type(data), "__array__"):
        return _panel_of_tables([read_table(data)])
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _panel_of_stream(data)
    msg = f"Data of type {type(data).__name__} cannot be read; give {_ACCEPTED}."
    raise DataError(msg)


def _tables_of(frame: Any, unit: str | list[str] | None = None, time: str | None = None) -> list[Table]:
    frame = frame.to_frame() if frame.ndim == 1 else frame
    parts = list(split_units(frame, unit, time))
    rows = encoded([part for _, part in parts])
    return [replace(read_table(one), unit=label) for one, (label, _) in zip(rows, parts, strict=True)]


def _refuse_options(data: Any, unit: object, time: object) -> None:
    if unit is not None or time is not None:
        msg = (
            "unit= and time= name columns of a table or dimensions of an xarray object; a "
            f"{type(data).__name__} has none. Give a table, or several realisations as a dict."
        )
        raise DataError(msg)


def _panel_of_many(items: Mapping[Any, Any], unit: str | list[str] | None, time: str | None) -> Panel:
    if not items:
        msg = f"The collection of data sets is empty; give {_ACCEPTED}."
        raise DataError(msg)
    items = _sharing_words({key: materialised(item) for key, item in items.items()})
    if any(axes_of(item) < 2 for item in items.values()):
        msg = (
            "A list or dict means several realisations, each an array [time, variable]; it holds "
            "scalars or one-dimensional items. Stack them into one array [time, variable] first."
        )
        raise DataError(msg)
    tables = [table for key, item in items.items() for table in _tables_of_one(key, item, unit, time)]
    names = tables[0].names
    width = tables[0].values.shape[1]
    if any(one.values.shape[1] != width or one.names != names for one in tables):
        msg = "The realisations differ in their variables; all must have the same columns in the same order."
        raise DataError(msg)
    return _panel_of_tables(tables)


def _sharing_words(items: dict[Any, Any]) -> dict[Any, Any]:
    """Tables whose columns of words have the same levels; anything else as it is."""
    frames = {key: item for key, item in items.items() if is_pandas(item) and item.ndim == 2}
    if len(frames) < 2:
        return items
    return {**items, **dict(zip(frames, encoded(list(frames.values())), strict=True))}


def _tables_of_one(key: Any, item: Any, unit: str | list[str] | None, time: str | None) -> list[Table]:
    """The series of one item of a collection, named by its key."""
    if not is_pandas(item):
        return [replace(read_table(item), unit=key)]
    parts = _tables_of(item, unit, time)
    return [replace(one, unit=key if one.unit is None else (key, one.unit)) for one in parts]


def _panel_of_tables(tables: list[Table]) -> Panel:
    """One series a table, its rows where their times place them."""
    series, found = [], []
    for table in tables:
        subject = "The index" if len(tables) == 1 else f"The index of {shown(table.unit)}"
        times = None if table.index is None else read_times(table.index, subject)
        values = table.values if times is None else times.laid(table.values)
        series.append(Series(values, index=table.index if times is None else times.index, unit=table.unit))
        found += [] if times is None else [times]
    width = tables[0].values.shape[1]
    return Panel(
        tuple(series),
        tables[0].names,
        n_variables=width,
        notes=_notes(found),
        turned=_turned(tables),
        levels=tables[0].levels,
    )


def _turned(tables: list[Table]) -> str:
    """A sentence for where time seems to run along the columns."""
    rows, columns = len(tables[0].values), tables[0].values.shape[1]
    names = tables[0].names or ()
    dated = len(names) > 1 and _as_dates(names)
    if len(tables) > 1 or not (dated or (not names and rows * _TURNED < columns)):
        return ""
    why = "the columns are called by dates" if dated else f"{rows} rows and {columns} columns"
    return f"Rows are times and columns are variables: {why}. If it is the other way round, give data.T."


def _as_dates(names: tuple[str, ...]) -> bool:
    return all(_DATE.match(name) for name in names)


def _notes(found: list[TimeIndex]) -> tuple[str, ...]:
    """What the times of all series ask to be told, in one sentence of each kind."""
    irregular = [one for one in found if one.irregular]
    if irregular:
        more = f" So are {len(irregular) - 1} other series." if len(irregular) > 1 else ""
        tell(irregular[0].note + more, DataWarning)
    holed = [one for one in found if one.holes]
    if len(holed) < 2:
        return tuple(one.note for one in holed)
    total = sum(one.holes for one in holed)
    return (f"{len(holed)} of {len(found)} series leave out {total} times: they count as missing values.",)


def _told(times: TimeIndex | None) -> TimeIndex | None:
    if times is not None and times.irregular:
        tell(times.note, DataWarning)
    return times


def _panel_of_stream(chunks: Iterable[Any]) -> Panel:
    iterator = iter(chunks)
    first = next(iterator, None)
    if first is None:
        msg = f"The {type(chunks).__name__} is empty: it holds no row chunks. Give {_ACCEPTED}."
        raise DataError(msg)
    if axes_of(first) != 2:
        msg = (
            f"A {type(chunks).__name__} is read as row chunks, each an array [time, variable]; its first "
            f"item is {shown(first)}. Give {_ACCEPTED}."
        )
        raise DataError(msg)
    begun = read_table(first)
    return Panel(
        (), begun.names, _chunks_in_time(chain([begun], _tables(iterator, begun))), begun.values.shape[1]
    )


def _tables(chunks: Iterator[Any], first: Table) -> Iterator[Table]:
    for chunk in chunks:
        if np.shape(chunk)[:1] == (0,):
            continue  # a source may well have nothing to say at times
        table = read_table(chunk)
        if table.values.shape[1] != first.values.shape[1] or table.names != first.names:
            msg = "The row chunks differ in their columns; all must have the same variables."
            raise DataError(msg)
        yield table


def _refuse_words(table: Table) -> None:
    if table.levels is not None:
        msg = "Row chunks hold words, of which one chunk does not show all; give one table, or numbers."
        raise DataError(msg)


def _chunks_in_time(tables: Iterator[Table]) -> Iterator[FloatArray]:
    """The chunks' numbers, with missing rows in the holes that their times have within and between them."""
    last = None
    for number, table in enumerate(tables):
        _refuse_words(table)
        times = None
        if table.index is not None:
            times = _told(joined_times(last, table.index, f"The index of row chunk {number}"))
            last = None if times is None else table.index[-1:]
        yield table.values if times is None else times.laid(table.values)
