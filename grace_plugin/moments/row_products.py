"""Sums of products of lagged features, made from the rows when they are asked for.

Of many variables hardly any pair of columns is ever looked at: all (max_lag + 1) (d k)^2 sums of 3000
variables are 4 GB, their 2000 rows 48 MB. So the rows are kept, and `RowProducts` answers what `LagProducts`
does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.features import each_feature, expand
from grace_plugin.moments.lag_products import LagProducts
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.series.rows import Panel, Series
from grace_plugin.series.standardise import refuse_infinite

_AT_ONCE = 4_000_000  # features held together, in numbers (32 MB)


@dataclass(frozen=True, eq=False)
class RowProducts:
    """As `LagProducts`, over all pairs of columns lag * width + feature.

    Args:
        values: [d, N], standardised, one variable after the other; all series one behind the other.
        times: [n], positions whose past of `max_lag` rows is complete.
        max_lag: the largest lag.
        basis: the features of a value.
        features: [width], those that count, as variable * len(basis) + feature.
    """

    values: FloatArray
    times: IntArray
    max_lag: int
    basis: tuple[str, ...]
    features: IntArray

    @classmethod
    def of(
        cls, panel: Panel, max_lag: int, basis: tuple[str, ...], center: FloatArray, scale: FloatArray
    ) -> tuple[RowProducts, IntArray]:
        """The rows of a panel in memory; [n], the number of the series that each row belongs to."""
        lengths = [len(one.values) for one in panel.series]
        values = np.empty((len(center), sum(lengths)))
        times, start = [], 0
        for one in panel.series:
            raw = np.asarray(one.values, dtype=np.float64)
            refuse_infinite(raw, panel)
            np.divide((raw - center).T, scale[:, None], out=values[:, start : start + len(raw)])
            usable = complete_windows(Series(raw, one.as_target, one.as_input), max_lag)
            times.append(start + np.flatnonzero(usable))
            start += len(raw)
        series = np.repeat(np.arange(len(times)), [len(part) for part in times])
        every = np.arange(len(center) * len(basis))
        return cls(values, np.concatenate(times), max_lag, basis, every), series

    @property
    def width(self) -> int:
        return len(self.features)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.values.nbytes

    def columns(self, columns: IntArray) -> FloatArray:
        """[C, n]: the features themselves."""
        lag, feature = np.divmod(columns, self.width)
        variable, kind = np.divmod(self.features[feature], len(self.basis))
        found = np.empty((len(columns), len(self.times)))
        for place, (steps, cause) in enumerate(zip(lag.tolist(), variable.tolist(), strict=True)):
            found[place] = self.past(steps, cause)
        for number, name in enumerate(self.basis):
            mine = kind == number
            if name != "linear" and mine.any():
                found[mine] = each_feature(found[mine], (name,))[0]
        return found

    def past(self, lag: int, variable: int) -> FloatArray:
        """[n]: a variable, that many steps before."""
        return np.asarray(self.values[variable, self.when(lag)])

    def when(self, lag: int) -> slice | IntArray:
        """The times that many steps before; a slice where no row is left out saves a copy."""
        first, last = int(self.times[0]) - lag, int(self.times[-1]) - lag
        whole = last - first + 1 == len(self.times)
        return slice(first, last + 1) if whole else self.times - lag

    def lagged(self, lag: int, variables: slice) -> FloatArray:
        """[v * k, n]: all features of some variables at one lag, whichever count."""
        past = self.values[variables, self.when(lag)]
        table = expand(np.ascontiguousarray(past.T), self.basis)
        return np.ascontiguousarray(table.T)

    def sums(self) -> FloatArray:
        """[(max_lag + 1) * width]: the sum of every column."""
        lags = range(self.max_lag + 1)
        found = []
        for part in self._parts():  # features are the same at every lag, over other rows
            table = np.stack(each_feature(self.values[part], self.basis), axis=1)
            found.append([table[:, :, self.when(lag)].sum(axis=2).ravel() for lag in lags])
        return np.asarray(np.concatenate(found, axis=1)[:, self.features].ravel())

    def _parts(self) -> list[slice]:
        """Variables whose features are held together."""
        size = max(1, _AT_ONCE // max(1, len(self.times) * len(self.basis)))
        return [slice(start, start + size) for start in range(0, len(self.values), size)]

    def rows(self, columns: IntArray, first_lag: int = 0) -> FloatArray:
        """[..., columns from `first_lag` on]: rows of the full matrix."""
        mine = self.columns(np.ravel(columns))
        count = self.max_lag + 1 - first_lag
        found = np.empty((len(mine), count, self.width))
        for lag in range(first_lag, self.max_lag + 1):
            parts = [mine @ self.lagged(lag, part).T for part in self._parts()]
            found[:, lag - first_lag] = np.concatenate(parts, axis=1)[:, self.features]
        return found.reshape(*np.shape(columns), count * self.width)

    def outer(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """[..., R, C]: entries at all pairs of `rows` [..., R] and `columns` [..., C]."""
        lead = rows.shape[:-1]
        rows, columns = rows.reshape(-1, rows.shape[-1]), columns.reshape(-1, columns.shape[-1])
        found = np.empty((len(rows), rows.shape[1], columns.shape[1]))
        step = max(1, _AT_ONCE // max(1, len(self.times) * (rows.shape[1] + columns.shape[1])))
        for start in range(0, len(rows), step):
            mine, theirs = rows[start : start + step], columns[start : start + step]
            one = self.columns(mine.ravel()).reshape(*mine.shape, -1)
            same = np.array_equal(mine, theirs)
            other = one if same else self.columns(theirs.ravel()).reshape(*theirs.shape, -1)
            np.matmul(one, other.transpose(0, 2, 1), out=found[start : start + step])
        return found.reshape(*lead, rows.shape[1], columns.shape[1])

    def with_past(self, shift: int, now: IntArray, past: IntArray) -> FloatArray:
        """[now, past]: sums of features now with others `shift` steps before."""
        return np.asarray(self.columns(now) @ self.columns(past + shift * self.width).T)

    def of_features(self, features: IntArray) -> RowProducts:
        """The part of the given features."""
        return replace(self, features=self.features[features])

    def up_to(self, max_lag: int) -> RowProducts:
        """The part of the lags up to `max_lag`."""
        return replace(self, max_lag=max_lag)

    def dense(self) -> FloatArray:
        """The full matrix."""
        return self.summed.dense()

    @cached_property
    def summed(self) -> LagProducts:
        """All sums; of many variables they take far more room than the rows."""
        every = np.arange(self.width)
        blocks = np.stack([self.with_past(shift, every, every) for shift in range(self.max_lag + 1)])
        breaks = np.flatnonzero(np.diff(self.times) != 1)
        starts = self.times[np.concatenate([[0], breaks + 1])]
        ends = self.times[np.concatenate([breaks, [len(self.times) - 1]])] + 1
        edges = np.stack([starts, ends], axis=1).ravel()
        before = edges[:, None] - np.arange(1, self.max_lag + 1)
        table = expand(self.values[:, before.ravel()].T, self.basis)[:, self.features]
        borders = table.reshape(*before.shape, self.width)
        signs = np.tile([1.0, -1.0], len(starts))
        found = LagProducts(blocks, borders[:0], signs[:0])
        return found.with_borders(borders, signs)

    @property
    def blocks(self) -> FloatArray:
        """As those of `LagProducts`."""
        return self.summed.blocks
