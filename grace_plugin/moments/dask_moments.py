"""Sums of Dask arrays and tables: chunks are summed up where they are, and only sums travel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.moments.accumulator import Sums, add_up
from grace_plugin.series.dask_rows import chunk_rows, dask_array, row_bounds
from grace_plugin.series.forms import HostData
from grace_plugin.series.panel import Panel, as_panel
from grace_plugin.series.standardise import standardisation

Standard = tuple[FloatArray, FloatArray]  # center and scale of every variable


def dask_sums(
    data: HostData, max_lag: int, basis: tuple[str, ...], given: Standard | None
) -> tuple[Sums, Standard]:
    """As `add_up`; every chunk of rows is one task, and neighbours are added in pairs."""
    dask: Any = import_module("dask")
    array = dask_array(data)
    bounds = row_bounds(array)
    standard = _standard(array, bounds) if given is None else given
    parts = [
        dask.delayed(_summed)(
            chunk_rows(array, start, stop, max_lag), min(start, max_lag), max_lag, basis, standard
        )
        for start, stop in bounds
    ]
    while len(parts) > 1:
        parts = [dask.delayed(_added)(*parts[place : place + 2]) for place in range(0, len(parts), 2)]
    (found,) = dask.compute(parts[0])
    assert isinstance(found, Sums)
    return found, standard


def _standard(array: Any, bounds: list[tuple[int, int]]) -> Standard:
    """As for a stream: by the first chunk, or by as many as it takes until every variable has moved."""

    def chunks() -> Iterator[Any]:
        for start, stop in bounds:
            yield from as_panel(chunk_rows(array, start, stop, 0).compute()).chunks(stop - start)

    stream = (chunk.values for chunk, _ in chunks())
    _, center, scale = standardisation(Panel((), stream=stream, n_variables=array.shape[1]))
    return center, scale


def _summed(rows: Any, past: int, max_lag: int, basis: tuple[str, ...], standard: Standard) -> Sums:
    """The sums of one chunk; its first `past` rows were given with the chunk before."""
    found = add_up(as_panel(np.asarray(rows)), *standard, max_lag, basis)
    return replace(found, rows_given=found.rows_given - past)


def _added(first: Sums, second: Sums | None = None) -> Sums:
    return first if second is None else first + second
