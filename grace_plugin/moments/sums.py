"""One pass over the data: the sums from which everything else is computed.

Column (lag, variable, feature) of the moment matrix is phi_feature(x_variable(t - lag)); a moment
between two lags depends only on their difference, but for the few rows at the ends of a run of
windows. So each chunk needs max_lag + 1 matrix products of width d * k instead of one of width
(max_lag + 1) * d * k, and `LagProducts` puts the ends right exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin._common.files import npz_path, written
from grace_plugin._common.npz import read_npz
from grace_plugin.exceptions import DataError
from grace_plugin.moments.accumulator import add_up
from grace_plugin.moments.features import DEFAULT_BASIS, check_basis
from grace_plugin.moments.lag_products import LagProducts
from grace_plugin.moments.row_products import RowProducts
from grace_plugin.series.forms import HostData
from grace_plugin.series.rows import Panel
from grace_plugin.series.standardise import standardisation
from grace_plugin.series.tables import is_dask

_MOST_WHOLE = 512  # columns; what is asked for most often is then picked from one matrix of 2 MB at most


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

    products: LagProducts | RowProducts
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

    @cached_property
    def whole_covariance(self) -> FloatArray | None:
        """[P, P]: between all columns, where that is little to keep; None where it is not."""
        if len(self.first) > _MOST_WHOLE:
            return None
        mean = self.mean
        return np.asarray(self.second / max(self.rows, 1) - mean[:, None] * mean)

    def covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """[..., R, C]: between the columns `rows` [..., R] and `columns` [..., C] of the windows."""
        if self.whole_covariance is not None:
            return self.whole_covariance[rows[..., :, None], columns[..., None, :]]
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
            products=self.products.summed + other.products.summed,
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
        products = self.products.summed
        with written(npz_path(path)) as file:
            np.savez(
                file,
                blocks=products.blocks,
                borders=products.borders,
                signs=products.signs,
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
        products = self.products.summed
        return products.blocks[:0] if products.corrections is None else products.corrections

    @classmethod
    def of(
        cls,
        panel: Panel | HostData,
        max_lag: int,
        basis: tuple[str, ...] = DEFAULT_BASIS,
        reference: Moments | None = None,
        progress: bool | None = False,
    ) -> Moments:
        """Read `panel` once and sum up; a Dask array or table is summed up chunk by chunk where it is.

        `reference` lends its standardisation, so that moments computed in several places add up.
        A stream is standardised by its first chunk, which is all that one pass can know. `progress` shows a
        bar, None where a terminal waits for seconds; Dask has one of its own.
        """
        check_basis(basis)
        given = None if reference is None else (reference.center, reference.scale)
        lazy = panel if is_dask(panel) else panel.lazy
        if lazy is not None:
            from grace_plugin.moments.dask_moments import dask_sums

            found, (center, scale) = dask_sums(lazy, max_lag, basis, given)
        else:
            panel, center, scale = standardisation(panel) if given is None else (panel, *given)
            found = add_up(panel, center, scale, max_lag, basis, progress)
        return cls(found.products, found.first, found.rows, found.rows_given, center, scale, max_lag, basis)

    @classmethod
    def of_rows(cls, panel: Panel, max_lag: int, basis: tuple[str, ...]) -> tuple[Moments, IntArray]:
        """Moments that are made from the rows when they are asked for; [rows], the series of each.

        For more variables than sums of all of their pairs can be held of.
        """
        check_basis(basis)
        panel, center, scale = standardisation(panel)
        products, series = RowProducts.of(panel, max_lag, basis, center, scale)
        given = sum(len(one.values) for one in panel.series)
        rows = len(products.times)
        first = products.sums() if rows else np.zeros((max_lag + 1) * products.width)
        return cls(products, first, rows, given, center, scale, max_lag, basis), series

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
    width, products = d * len(moments.basis), moments.products.summed
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
