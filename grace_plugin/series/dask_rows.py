"""Dask arrays and tables as streams: one chunk of rows at a time, computed when it is read."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.checks import refuse_names
from grace_plugin.exceptions import DataError
from grace_plugin.series.forms import HostData
from grace_plugin.series.rows import Panel
from grace_plugin.series.tables import refuse_other_columns


def dask_panel(data: HostData) -> Panel:
    """The collection as a stream that computes one chunk of rows at a time, and only when it is read."""
    names = None
    if hasattr(data, "to_dask_array"):
        table = data.to_frame() if data.ndim == 1 else data
        names = tuple(str(column) for column in table.columns)
        refuse_names("Column names", names, DataError)
        refuse_other_columns(table)
        # Columns with pandas' own kinds of missing values become plain numbers.
        data = table.astype(np.float64)
    array = dask_array(data)
    if array.dtype.kind not in "biuf":
        msg = f"A Dask array of dtype {array.dtype} was given; expected real numbers. Convert it first."
        raise DataError(msg)
    chunks = (chunk_rows(array, start, stop, 0).compute() for start, stop in row_bounds(array))
    stream = (np.asarray(chunk, dtype=np.float64) for chunk in chunks)
    return Panel((), names, stream, array.shape[1], array)


def dask_array(data: HostData) -> HostData:
    """One chunk per range of rows, of known length."""
    array = data.to_dask_array(lengths=True) if hasattr(data, "to_dask_array") else data
    if array.ndim != 2 or 0 in array.shape:
        msg = f"A Dask collection of shape {array.shape} was given; expected [time, variable], neither empty."
        raise DataError(msg)
    if np.isnan(array.shape[0]):
        array = array.compute_chunk_sizes()
    return array.rechunk({1: -1})


def row_bounds(array: HostData) -> list[tuple[int, int]]:
    """First and one-past-last row of every chunk."""
    stops = np.cumsum(array.chunks[0]).tolist()
    return [(start, stop) for start, stop in zip([0, *stops], stops, strict=False) if stop > start]


def chunk_rows(array: HostData, start: int, stop: int, max_lag: int) -> HostData:
    """The rows of one chunk behind those that its first windows need, as one task."""
    return array[max(0, start - max_lag) : stop].rechunk(-1).to_delayed().ravel()[0]
