"""Data of any accepted form as one `Panel`: forms are recognised here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import shown
from grace_plugin._common.telling import tell
from grace_plugin.exceptions import DataError, DataWarning
from grace_plugin.series.dask_rows import dask_panel
from grace_plugin.series.rows import Panel, Series, refuse_long_lag
from grace_plugin.series.tables import Table, axes_of, is_dask, is_pandas, materialised, read_table
from grace_plugin.series.time_index import TimeIndex, joined_times, read_times

__all__ = ["Panel", "Series", "as_panel", "refuse_long_lag"]

_ACCEPTED = (
    "a numpy array [time, variable], a pandas DataFrame, a tigramite DataFrame, a list or dict of "
    "arrays (several realisations), or an iterable of row chunks"
)


def as_panel(data: Any) -> Panel:
    """Recognise `data` among the host-free forms; host containers go through their adapter first.

    >>> panel = as_panel(np.zeros((100, 3)))
    >>> panel.n_variables, len(panel.series)
    (3, 1)
    """
    if isinstance(data, Panel):
        return data
    if isinstance(data, Mapping):
        return _panel_of_many(list(data.values()))
    if isinstance(data, (list, tuple)):
        return _panel_of_many(list(data))
    if is_dask(data):
        return dask_panel(data)
    data = materialised(data)
    if isinstance(data, np.ndarray) or is_pandas(data) or hasattr(type(data), "__array__"):
        return _panel_of_tables([read_table(data)])
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _panel_of_stream(data)
    msg = f"Data of type {type(data).__name__} cannot be read; give {_ACCEPTED}."
    raise DataError(msg)


def _panel_of_many(items: list[Any]) -> Panel:
    if not items:
        msg = f"The collection of data sets is empty; give {_ACCEPTED}."
        raise DataError(msg)
    if any(axes_of(item) < 2 for item in items):
        msg = (
            "A list or dict means several realisations, each an array [time, variable]; it holds "
            "scalars or one-dimensional items. Stack them into one array [time, variable] first."
        )
        raise DataError(msg)
    tables = [read_table(item) for item in items]
    names = tables[0].names
    width = tables[0].values.shape[1]
    if any(one.values.shape[1] != width or one.names != names for one in tables):
        msg = "The realisations differ in their variables; all must have the same columns in the same order."
        raise DataError(msg)
    return _panel_of_tables(tables)


def _panel_of_tables(tables: list[Table]) -> Panel:
    """One series a table, its rows where their times place them."""
    several = len(tables) > 1
    series, notes = [], []
    for number, table in enumerate(tables):
        times = _times_of(table, f"The index of series {number}" if several else "The index")
        if times is None:
            series.append(Series(table.values, index=table.index))
            continue
        series.append(Series(times.laid(table.values), index=times.index))
        notes += [times.note] if times.note else []
    width = tables[0].values.shape[1]
    return Panel(tuple(series), tables[0].names, n_variables=width, notes=tuple(notes))


def _times_of(table: Table, subject: str) -> TimeIndex | None:
    if table.index is None:
        return None
    return _told(read_times(table.index, subject))


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


def _chunks_in_time(tables: Iterator[Table]) -> Iterator[FloatArray]:
    """The chunks' numbers, with missing rows in the holes that their times have within and between them."""
    last = None
    for number, table in enumerate(tables):
        times = None
        if table.index is not None:
            times = _told(joined_times(last, table.index, f"The index of row chunk {number}"))
            last = None if times is None else table.index[-1:]
        yield table.values if times is None else times.laid(table.values)
