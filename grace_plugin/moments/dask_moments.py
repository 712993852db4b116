"""Moments of Dask arrays and tables: chunks are summed up where they are, and only sums travel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from grace_plugin.exceptions import DataError
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import Panel, as_panel, refuse_other_columns, refuse_repeated
from grace_plugin.series.standardise import standardisation


def dask_panel(data: Any) -> Panel:
    """The collection as a stream that computes one chunk of rows at a time, and only when it is read."""
    names = None
    if hasattr(data, "to_dask_array"):
        table = data.to_frame() if data.ndim == 1 else data
        names = tuple(str(column) for column in table.columns)
        refuse_repeated(names)
        refuse_other_columns(table)
        # Columns with pandas' own kinds of missing values become plain numbers.
        data = table.astype(np.float64)
    array = _as_array(data)
    if array.dtype.kind not in "biuf":
        msg = f"A Dask array of dtype {array.dtype} was given; expected real numbers. Convert it first."
        raise DataError(msg)
    chunks = (_rows(array, start, stop, 0).compute() for start, stop in _bounds(array))
    stream = (np.asarray(chunk, dtype=np.float64) for chunk in chunks)
    return Panel((), names, stream, array.shape[1], array)


def dask_moments(data: Any, max_lag: int, basis: tuple[str, ...], reference: Moments | None) -> Moments:
    """As `Moments.of`; every chunk of rows is one task, and neighbours are added in pairs."""
    dask: Any = import_module("dask")
    array = _as_array(data)
    bounds = _bounds(array)
    reference = _standard(array, bounds) if reference is None else reference
    chosen = replace(reference.with_max_lag(0), products=reference.products.up_to(0))
    parts = [
        dask.delayed(_summed)(_rows(array, start, stop, max_lag), min(start, max_lag), max_lag, basis, chosen)
        for start, stop in bounds
    ]
    while len(parts) > 1:
        parts = [dask.delayed(_added)(*parts[place : place + 2]) for place in range(0, len(parts), 2)]
    (found,) = dask.compute(parts[0])
    assert isinstance(found, Moments)
    return found


def _as_array(data: Any) -> Any:
    """One chunk per range of rows, of known length."""
    array = data.to_dask_array(lengths=True) if hasattr(data, "to_dask_array") else data
    if array.ndim != 2 or 0 in array.shape:
        msg = f"A Dask collection of shape {array.shape} was given; expected [time, variable], neither empty."
        raise DataError(msg)
    if np.isnan(array.shape[0]):
        array = array.compute_chunk_sizes()
    return array.rechunk({1: -1})


def _bounds(array: Any) -> list[tuple[int, int]]:
    stops = np.cumsum(array.chunks[0]).tolist()
    return [(start, stop) for start, stop in zip([0, *stops], stops, strict=False) if stop > start]


def _rows(array: Any, start: int, stop: int, max_lag: int) -> Any:
    """The rows of one chunk behind those that its first windows need, as one task."""
    return array[max(0, start - max_lag) : stop].rechunk(-1).to_delayed().ravel()[0]


def _standard(array: Any, bounds: list[tuple[int, int]]) -> Moments:
    """As for a stream: by the first chunk, or by as many as it takes until every variable has moved."""

    def chunks() -> Iterator[Any]:
        for start, stop in bounds:
            yield from as_panel(_rows(array, start, stop, 0).compute()).chunks(stop - start)

    stream = (chunk.values for chunk, _ in chunks())
    _, center, scale = standardisation(Panel((), stream=stream, n_variables=array.shape[1]))
    empty = Moments.of(as_panel(center[None]), 0, ("linear",))
    return replace(empty, center=center, scale=scale)


def _summed(rows: Any, past: int, max_lag: int, basis: tuple[str, ...], reference: Moments) -> Moments:
    """The moments of one chunk; its first `past` rows were given with the chunk before."""
    found = Moments.of(as_panel(np.asarray(rows)), max_lag, basis, reference)
    return replace(found, rows_given=found.rows_given - past)


def _added(first: Moments, second: Moments | None = None) -> Moments:
    return first if second is None else first + second
