"""Center and scale of every variable, for values of any size that a float can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError
from grace_plugin.series.panel import Panel, Series
from grace_plugin.series.stretches import stretches

_LARGEST = 1e300  # beyond it differences of two values are infinite
_CHUNK_ROWS = 65_536
_LONG_ROWS = 2_000_000
_STRETCHES, _STRETCH_ROWS = 256, 1024
_ROUNDING = 1e-14  # deviations below this share of the values are rounding


def standardisation(panel: Panel) -> tuple[Panel, FloatArray, FloatArray]:
    """Mean and standard deviation of every variable.

    A stream gives those of its first chunk, or of as many as it takes until every variable has moved.
    Very long data give those of stretches spread over them, which saves a second reading: features are
    whitened by their own moments later, so that nothing hangs on the last digits.
    """
    if panel.stream is None:
        sums = _summed(_sample(panel))
        return panel, *(sums if sums.moved.all() else _summed(panel)).mean_and_deviation()
    read: list[FloatArray] = []
    for chunk in panel.stream:
        read.append(chunk)
        sums = _summed(Panel(tuple(Series(one) for one in read), panel.names))
        if sums.moved.all() or sum(map(len, read)) > _CHUNK_ROWS:
            break
    return replace(panel, stream=chain(read, panel.stream)), *sums.mean_and_deviation()


def _sample(panel: Panel) -> Panel:
    """Stretches of rows spread evenly over each long series; short ones as they are."""
    return replace(panel, series=tuple(part for one in panel.series for part in _thinned(one)))


def _thinned(one: Series) -> list[Series]:
    return [one] if len(one.values) <= _LONG_ROWS else stretches(one, _STRETCHES, _STRETCH_ROWS)


def refuse_infinite(values: FloatArray, panel: Panel) -> None:
    """Name the columns with infinite values, or with values too large to compute with."""
    columns = np.flatnonzero((np.abs(values) > _LARGEST).any(axis=0))
    if columns.size:
        shown = [panel.names[c] for c in columns] if panel.names else columns.tolist()
        finite = np.isfinite(values[:, columns]).sum() + np.isnan(values[:, columns]).sum()
        if finite < values[:, columns].size:
            msg = f"Columns {shown} hold infinite values; mark them as missing (NaN) or repair them."
        else:
            msg = f"Columns {shown} hold values beyond {_LARGEST:g}; give them in a larger unit."
        raise DataError(msg)


@dataclass
class _Sums:
    """Of differences to a first value, in units of a power of two so that no square overflows."""

    shift: FloatArray
    exponent: Any
    count: Any = 0
    total: Any = 0.0
    square: Any = 0.0

    def add(self, values: FloatArray) -> None:
        away = np.where(np.isnan(values), 0.0, values - self.shift)
        largest = np.frexp(np.abs(away).max(axis=0, initial=0.0))[1]
        grown = np.maximum(largest - self.exponent, 0)
        self.exponent = self.exponent + grown
        self.count = self.count + (~np.isnan(values)).sum(axis=0)
        scaled = np.ldexp(away, -self.exponent)
        self.total = np.ldexp(self.total, -grown) + scaled.sum(axis=0)
        self.square = np.ldexp(self.square, -2 * grown) + np.square(scaled).sum(axis=0)

    @property
    def moved(self) -> BoolArray:
        """[d]: whether a variable has shown more than one value."""
        return np.asarray(np.asarray(self.square) > 0.0)

    def mean_and_deviation(self) -> tuple[FloatArray, FloatArray]:
        count = np.maximum(self.count, 1)
        mean = self.total / count
        variance = np.maximum(self.square / count - np.square(mean), 0.0)
        scale = np.ldexp(np.sqrt(variance), self.exponent)
        center = self.shift + np.ldexp(mean, self.exponent)
        # A constant column standardises to zeros, or nearly so; the engine refuses it by name.
        size = np.abs(self.shift)
        return center, np.where(scale > _ROUNDING * size, scale, np.where(size > 0.0, size, 1.0))


def _summed(panel: Panel) -> _Sums:
    sums: _Sums | None = None
    for chunk, _ in panel.chunks(_CHUNK_ROWS):
        refuse_infinite(chunk.values, panel)
        if sums is None:
            sums = _Sums(_first_present(chunk.values), np.full(chunk.values.shape[1], -1100))
        sums.add(chunk.values)
    assert sums is not None
    return sums


def _first_present(values: FloatArray) -> FloatArray:
    first = np.argmax(~np.isnan(values), axis=0)
    picked = values[first, np.arange(values.shape[1])]
    return np.where(np.isfinite(picked), picked, 0.0)
