"""Adding up products of lagged features, block of rows by block of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.progress import progress_bar
from grace_plugin.moments.features import expand
from grace_plugin.moments.grouped_rows import WIDEST, GroupedRows
from grace_plugin.moments.lag_products import LagProducts
from grace_plugin.moments.lagged_blocks import Block, window_blocks
from grace_plugin.moments.memory import refuse_too_large, too_large
from grace_plugin.series.rows import Panel

_CHUNK_VALUES = 4_000_000  # features held at once, in numbers (32 MB)


@dataclass(frozen=True, eq=False)
class Sums:
    """What a pass over some rows adds up; see `Moments` for the fields."""

    products: LagProducts
    first: FloatArray
    rows: int
    rows_given: int

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.products + other.products,
            self.first + other.first,
            self.rows + other.rows,
            self.rows_given + other.rows_given,
        )


def add_up(
    panel: Panel,
    center: FloatArray,
    scale: FloatArray,
    max_lag: int,
    basis: tuple[str, ...],
    progress: bool | None = False,
) -> Sums:
    """Read `panel` once and sum up the features of its standardised values."""
    refuse_too_large(len(center), len(basis), max_lag)
    try:
        accumulator = _Accumulator(len(center), max_lag, basis)
        chunks = sum(-(-len(one.values) // accumulator.chunk_rows) for one in panel.series)
        with progress_bar(None if panel.stream is not None else chunks, "rows", progress) as tick:
            for block in window_blocks(panel, max_lag, accumulator.chunk_rows):
                accumulator.add(block, center, scale)
                tick()
        return accumulator.result()
    except MemoryError as error:
        raise too_large(len(center), len(basis), max_lag) from error


class _Accumulator:
    """Sums up blocks of rows."""

    def __init__(self, n_variables: int, max_lag: int, basis: tuple[str, ...]) -> None:
        self.max_lag = max_lag
        self.basis = basis
        self.width = n_variables * len(basis)
        # A product must outweigh the writing of its width x width numbers.
        self.chunk_rows = max(4 * (max_lag + 1), _CHUNK_VALUES // self.width, self.width // 4)
        self.products = LagProducts.empty(max_lag, self.width)
        self.first = np.zeros((max_lag + 1, self.width))
        self.rows = 0
        self.rows_given = 0
        self._grouped: GroupedRows | None = None

    def add(self, block: Block, center: FloatArray, scale: FloatArray) -> None:
        self.rows_given += block.fresh_rows
        starts, ends = _runs(block.windows)
        if not starts.size:
            return
        self.rows += int((ends - starts).sum())
        if self.max_lag and self.width <= WIDEST and len(starts) == 1:
            self._add_run(block.values[starts[0] - self.max_lag : ends[0]], center, scale)
            return
        values = np.where(np.isnan(block.values), 0.0, (block.values - center) / scale)
        features = expand(values, self.basis)
        times = slice(starts[0], ends[0]) if len(starts) == 1 else np.flatnonzero(block.windows)
        for shift in range(self.max_lag + 1):
            self.products.blocks[shift] += _shifted_product(features, times, shift)
        edges = np.stack([starts, ends], axis=1).ravel()
        borders = features[edges[:, None] - np.arange(1, self.max_lag + 1)]
        self._bound(features[times].sum(axis=0), borders)

    def _add_run(self, values: FloatArray, center: FloatArray, scale: FloatArray) -> None:
        """Rows without a gap, the first of them past alone, of few features."""
        if self._grouped is None:
            self._grouped = GroupedRows(center, scale, self.max_lag, self.basis)
        blocks, total = self._grouped.products(values)
        self.products.blocks[:] += blocks
        ends = [
            expand((part - center) / scale, self.basis)[::-1]
            for part in (values[: self.max_lag], values[-self.max_lag :])
        ]
        self._bound(total, np.stack(ends))

    def _bound(self, total: FloatArray, borders: FloatArray) -> None:
        """Add the sum of the features now, and what their pasts have before and lack behind each run."""
        signs = np.tile([1.0, -1.0], len(borders) // 2)
        shifted = np.cumsum(np.tensordot(signs, borders, axes=1), axis=0)
        self.first[0] += total
        self.first[1:] += total + shifted
        self.products = self.products.with_borders(borders, signs)

    def result(self) -> Sums:
        return Sums(self.products, self.first.ravel(), self.rows, self.rows_given)


def _shifted_product(features: FloatArray, times: slice | IntArray, shift: int) -> FloatArray:
    return np.asarray(features[times].T @ features[_earlier(times, shift)])


def _earlier(times: slice | IntArray, shift: int) -> slice | IntArray:
    """The usual slice saves a copy of the rows."""
    if isinstance(times, slice):
        return slice(times.start - shift, times.stop - shift)
    return times - shift


def _runs(windows: BoolArray) -> tuple[IntArray, IntArray]:
    """First and one-past-last index of every run of True."""
    padded = np.diff(np.concatenate([[0], windows.astype(np.int8), [0]]))
    return np.flatnonzero(padded == 1), np.flatnonzero(padded == -1)
