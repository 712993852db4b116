"""One pass over the data: the sums from which everything else is computed.

Column (lag, variable, feature) of the moment matrix is phi_feature(x_variable(t - lag)); a moment
between two lags depends only on their difference, but for the few rows at the ends of a run of
windows. So each chunk needs max_lag + 1 matrix products of width d * k instead of one of width
(max_lag + 1) * d * k, and `LagProducts` puts the ends right exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.files import npz_path, written
from grace_plugin._common.npz import read_npz
from grace_plugin.exceptions import DataError
from grace_plugin.moments.features import DEFAULT_BASIS, check_basis, expand
from grace_plugin.moments.lag_products import LagProducts
from grace_plugin.moments.memory import refuse_too_large, too_large
from grace_plugin.series.rows import Panel, Series
from grace_plugin.series.standardise import refuse_infinite, standardisation
from grace_plugin.series.tables import is_dask

_CHUNK_VALUES = 4_000_000  # features held at once, in numbers (32 MB)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of lagged features over all complete windows; adding two of them adds their data.

    Args:
        products: sums of products over all pairs of P = (max_lag + 1) * d * k columns, column
            (lag * d + variable) * k + feature.
        first: [P] sums.
        rows: windows that were complete and allowed.
        rows_given: rows of data that were read.
        center: [d], subtracted from the variables before features are taken.
        scale: [d], by which they are divided then.
        max_lag: the largest lag.
        basis: the names of the features.

    >>> from grace_plugin.series.panel import as_panel
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> first = Moments.of(as_panel(x[:200]), max_lag=2)
    >>> both = first + Moments.of(as_panel(x[200:]), max_lag=2, reference=first)
    >>> both.rows
    296
    """

    products: LagProducts
    first: FloatArray
    rows: int
    rows_given: int
    center: FloatArray
    scale: FloatArray
    max_lag: int
    basis: tuple[str, ...]

    @property
    def n_variables(self) -> int:
        return len(self.center)

    @property
    def second(self) -> FloatArray:
        """[P, P]: the sums of products as one matrix, made anew at every call."""
        return self.products.dense()

    @property
    def mean(self) -> FloatArray:
        """[P]: the mean of every column."""
        return self.first / max(self.rows, 1)

    def covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """[..., R, C]: between the columns `rows` [..., R] and `columns` [..., C] of the windows."""
        found = self.products.outer(rows, columns)
        found /= max(self.rows, 1)
        mean = self.mean
        found -= mean[rows][..., :, None] * mean[columns][..., None, :]
        return found

    def __add__(self, other: Moments) -> Moments:
        if not self._matches(other):
            msg = (
                "Moments can be added only if they share max_lag, basis, center and scale; compute the "
                "second with `reference=` the first."
            )
            raise DataError(msg)
        return replace(
            self,
            products=self.products + other.products,
            first=self.first + other.first,
            rows=self.rows + other.rows,
            rows_given=self.rows_given + other.rows_given,
        )

    def _matches(self, other: Moments) -> bool:
        return (
            self.max_lag == other.max_lag
            and self.basis == other.basis
            and np.array_equal(self.center, other.center)
            and np.array_equal(self.scale, other.scale)
        )

    def save(self, path: str | Path) -> None:
        """Write to an npz file (plain arrays, no pickle)."""
        with written(npz_path(path)) as file:
            np.savez(
                file,
                blocks=self.products.blocks,
                borders=self.products.borders,
                signs=self.products.signs,
                corrections=self._stored_corrections(),
                first=self.first,
                counts=np.array([self.rows, self.rows_given, self.max_lag]),
                center=self.center,
                scale=self.scale,
                basis=np.array(self.basis),
            )

    @classmethod
    def load(cls, path: str | Path) -> Moments:
        """Read what `save` wrote; a file that holds anything else is refused."""
        stored = read_npz(path)
        try:
            rows, rows_given, max_lag = (int(count) for count in stored["counts"])
            found = cls(
                products=_stored_products(stored),
                first=stored["first"],
                rows=rows,
                rows_given=rows_given,
                center=stored["center"],
                scale=stored["scale"],
                max_lag=max_lag,
                basis=tuple(str(name) for name in stored["basis"]),
            )
            _refuse_damage(found)
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            msg = f"{path} does not hold moments ({error}); give a file that Moments.save wrote."
            raise DataError(msg) from error
        return found

    def _stored_corrections(self) -> FloatArray:
        found = self.products.corrections
        return self.products.blocks[:0] if found is None else found

    @classmethod
    def of(
        cls,
        panel: Panel | Any,
        max_lag: int,
        basis: tuple[str, ...] = DEFAULT_BASIS,
        reference: Moments | None = None,
    ) -> Moments:
        """Read `panel` once and sum up; a Dask array or table is summed up chunk by chunk where it is.

        `reference` lends its standardisation, so that moments computed in several places add up.
        A stream is standardised by its first chunk, which is all that one pass can know.
        """
        check_basis(basis)
        lazy = panel if is_dask(panel) else panel.lazy
        if lazy is not None:
            from grace_plugin.moments.dask_moments import dask_moments

            return dask_moments(lazy, max_lag, basis, reference)
        if reference is None:
            panel, center, scale = standardisation(panel)
        else:
            center, scale = reference.center, reference.scale
        refuse_too_large(len(center), len(basis), max_lag)
        try:
            accumulator = _Accumulator(len(center), max_lag, basis)
            for block in window_blocks(panel, max_lag, accumulator.chunk_rows):
                accumulator.add(block, center, scale)
            return accumulator.result(center, scale)
        except MemoryError as error:
            raise too_large(len(center), len(basis), max_lag) from error

    def linear(self) -> Moments:
        """The moments of the linear features alone."""
        return self.with_basis(("linear",))

    def with_basis(self, basis: tuple[str, ...]) -> Moments:
        """The moments of a part of the features, without reading the data again."""
        check_basis(basis)
        features = [self.basis.index(name) for name in basis]
        width = len(self.basis)
        within = (np.arange(self.n_variables)[:, None] * width + np.array(features)).ravel()
        lags = np.arange(self.max_lag + 1)[:, None] * (self.n_variables * width)
        first = self.first[(lags + within).ravel()]
        return replace(self, products=self.products.of_features(within), first=first, basis=basis)

    def with_variables(self, chosen: IntArray) -> Moments:
        """The moments of some of the variables, in the order given."""
        width = len(self.basis)
        within = (np.asarray(chosen)[:, None] * width + np.arange(width)).ravel()
        lags = np.arange(self.max_lag + 1)[:, None] * (self.n_variables * width)
        return replace(
            self,
            products=self.products.of_features(within),
            first=self.first[(lags + within).ravel()],
            center=self.center[chosen],
            scale=self.scale[chosen],
        )

    def with_max_lag(self, max_lag: int) -> Moments:
        """The moments of the lags up to a smaller `max_lag`, over the same windows."""
        width = (max_lag + 1) * self.n_variables * len(self.basis)
        return replace(self, products=self.products.up_to(max_lag), first=self.first[:width], max_lag=max_lag)


def _refuse_damage(moments: Moments) -> None:
    """Arrays that do not belong together, or that sums of real data cannot be."""
    check_basis(moments.basis)
    d, lags = moments.n_variables, moments.max_lag + 1
    width, products = d * len(moments.basis), moments.products
    rest = products.blocks[:0] if products.corrections is None else products.corrections
    shapes = {
        "blocks": (products.blocks, (lags, width, width)),
        "borders": (products.borders, (len(products.signs), lags - 1, width)),
        "signs": (products.signs, (len(products.signs),)),
        "corrections": (rest, (len(rest), width, width)),
        "first": (moments.first, (lags * width,)),
        "center": (moments.center, (d,)),
        "scale": (moments.scale, (d,)),
    }
    for name, (array, shape) in shapes.items():
        if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
            msg = f"{name} has shape {array.shape} and dtype {array.dtype}; expected finite numbers {shape}"
            raise ValueError(msg)
    if len(rest) not in (0, moments.max_lag * lags // 2) or (moments.scale <= 0.0).any():
        msg = "the corrections or the scale are not those of any data"
        raise ValueError(msg)
    if d < 1 or not 0 <= moments.rows <= moments.rows_given:
        msg = f"{moments.rows} windows of {moments.rows_given} rows and {d} variables"
        raise ValueError(msg)


def _stored_products(stored: Any) -> LagProducts:
    corrections = stored["corrections"]
    return LagProducts(
        stored["blocks"], stored["borders"], stored["signs"], corrections if len(corrections) else None
    )


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

    def add(self, block: _Block, center: FloatArray, scale: FloatArray) -> None:
        self.rows_given += block.fresh_rows
        starts, ends = _runs(block.windows)
        if not starts.size:
            return
        values = np.where(np.isnan(block.values), 0.0, (block.values - center) / scale)
        features = expand(values, self.basis)
        times = slice(starts[0], ends[0]) if len(starts) == 1 else np.flatnonzero(block.windows)
        self.rows += int((ends - starts).sum())
        for shift in range(self.max_lag + 1):
            self.products.blocks[shift] += _shifted_product(features, times, shift)
            self.first[shift] += features[_earlier(times, shift)].sum(axis=0)
        edges = np.stack([starts, ends], axis=1).ravel()
        borders = features[edges[:, None] - np.arange(1, self.max_lag + 1)]
        self.products = self.products.with_borders(borders, np.tile([1.0, -1.0], len(starts)))

    def result(self, center: FloatArray, scale: FloatArray) -> Moments:
        return Moments(
            self.products,
            self.first.ravel(),
            self.rows,
            self.rows_given,
            center,
            scale,
            self.max_lag,
            self.basis,
        )


def _shifted_product(features: FloatArray, times: Any, shift: int) -> FloatArray:
    return np.asarray(features[times].T @ features[_earlier(times, shift)])


def _earlier(times: Any, shift: int) -> Any:
    """The usual slice saves a copy of the rows."""
    if isinstance(times, slice):
        return slice(times.start - shift, times.stop - shift)
    return times - shift


@dataclass(frozen=True, eq=False)
class _Block:
    values: FloatArray  # [rows, d], the first max_lag rows repeated from the block before
    windows: BoolArray  # [rows]: whether the window that ends here is complete and allowed
    fresh_rows: int


def window_blocks(panel: Panel, max_lag: int, rows: int) -> Iterator[_Block]:
    """Chunks of the panel, each carrying the past that its first windows need."""
    past: Series | None = None
    for chunk, starts_series in panel.chunks(rows):
        refuse_infinite(chunk.values, panel)
        joined = chunk if starts_series or past is None else _joined(past, chunk)
        windows = complete_windows(joined, max_lag)
        fresh = len(chunk.values)
        windows[: len(joined.values) - fresh] = False  # counted with the chunk before
        yield _Block(joined.values, windows, fresh)
        past = _tail(joined, max_lag)


def complete_windows(series: Series, max_lag: int) -> BoolArray:
    """[T]: whether rows t - max_lag .. t are all present and allowed in their roles."""
    present = ~np.isnan(series.values).any(axis=1)
    targets = present if series.as_target is None else present & series.as_target
    inputs = present if series.as_input is None else present & series.as_input
    windows = targets.copy()
    windows[:max_lag] = False
    for lag in range(1, max_lag + 1):
        windows[lag:] &= inputs[:-lag] if lag < len(inputs) else False
    return np.asarray(windows)


def _joined(past: Series, chunk: Series) -> Series:
    def both(name: str) -> Any:
        before, after = getattr(past, name), getattr(chunk, name)
        return None if after is None else np.concatenate([before, after])

    return Series(np.concatenate([past.values, chunk.values]), both("as_target"), both("as_input"))


def _tail(series: Series, rows: int) -> Series:
    def last(array: Any) -> Any:
        return None if array is None else array[max(0, len(array) - rows) :]

    return Series(last(series.values), last(series.as_target), last(series.as_input))


def _runs(windows: BoolArray) -> tuple[Any, Any]:
    """First and one-past-last index of every run of True."""
    padded = np.diff(np.concatenate([[0], windows.astype(np.int8), [0]]))
    return np.flatnonzero(padded == 1), np.flatnonzero(padded == -1)
