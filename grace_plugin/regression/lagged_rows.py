"""Columns of lagged values over the rows that have a complete past, of one series or of several.

Row i of every column belongs to the same time: `past(cause, lag)[i]` is the value of `cause` that many steps
before the time whose value of `effect` is `target(effect)[i]`. Series lie one behind the other in `values`,
and `times` holds positions there whose whole past lies in the same series.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.features import each_feature, expand
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.series.panel import Panel, Series

_MOST_HELD = 4_000_000  # numbers of features that are kept for the next effect (32 MB)


class LaggedRows:
    """Standardised values, by cause and lag.

    Args:
        values: [N, d], all series one behind the other.
        times: [n], positions in `values` that have a complete past of `max_lag` rows.
        max_lag: the largest lag that may be asked for.
        series: [n], the number of the series that each time belongs to; by default all are of one.
        seen: [N, d], which values were not filled in; None where all were there.

    >>> rows = LaggedRows(np.arange(8.0).reshape(4, 2), np.array([1, 2, 3]), max_lag=1)
    >>> rows.target(1), rows.past(0, 1)
    (array([3., 5., 7.]), array([0., 2., 4.]))
    """

    def __init__(
        self,
        values: FloatArray,
        times: IntArray,
        max_lag: int,
        series: IntArray | None = None,
        seen: BoolArray | None = None,
    ) -> None:
        self.values, self.times, self.max_lag = values, times, max_lag
        whole = len(times) > 0 and int(times[-1]) - int(times[0]) + 1 == len(times)
        self._first = int(times[0]) if whole else None  # of one stretch without gaps: slices are enough
        self.series: IntArray = np.zeros(len(times), dtype=np.int64) if series is None else series
        self._seen = seen
        self._features: dict[tuple[int, tuple[str, ...]], FloatArray] = {}

    @classmethod
    def of(cls, panel: Panel, max_lag: int, center: FloatArray, scale: FloatArray) -> LaggedRows:
        """The rows of a panel that moments of the same `max_lag` count, standardised as they are."""
        values: list[FloatArray] = []
        times: list[IntArray] = []
        start = 0
        for one in panel.series:
            raw = np.asarray(one.values, dtype=np.float64)
            usable = complete_windows(Series(raw, one.as_target, one.as_input), max_lag)
            values.append((raw - center) / scale)
            times.append(start + np.flatnonzero(usable))
            start += len(raw)
        series = np.repeat(np.arange(len(times)), [len(part) for part in times])
        return cls(np.concatenate(values), np.concatenate(times), max_lag, series, values_seen(panel))

    @property
    def count(self) -> int:
        """How many rows every column has."""
        return len(self.times)

    @property
    def n_variables(self) -> int:
        return int(self.values.shape[1])

    def up_to(self, max_lag: int) -> LaggedRows:
        """The same times with fewer lags."""
        return LaggedRows(self.values, self.times, max_lag, self.series, self._seen)

    def thinned(self, most: int) -> LaggedRows:
        """At most so many of the times, evenly spread."""
        step = -(-self.count // most) if self.count > most else 1
        if step == 1:
            return self
        return LaggedRows(self.values, self.times[::step], self.max_lag, self.series[::step], self._seen)

    def target(self, effect: int) -> FloatArray:
        """[n]: the effect at the times themselves."""
        return self.past(effect, 0)

    def seen(self, effect: int) -> BoolArray | None:
        """[n]: whether the effect was there itself, not filled in; None where all were."""
        return None if self._seen is None else np.asarray(self._seen[self.times, effect])

    def past(self, cause: int, lag: int) -> FloatArray:
        """[n]: the cause, `lag` steps before."""
        column: FloatArray = self._columns[cause, self._places(lag)]
        return column.copy() if column.base is not None else column

    @cached_property
    def _columns(self) -> FloatArray:
        """[d, N]: the values of one variable lie side by side."""
        return np.ascontiguousarray(self.values.T)

    def _places(self, lag: int) -> slice | IntArray:
        """Where the values of so many steps before stand."""
        if self._first is None:
            return np.asarray(self.times - lag)
        return slice(self._first - lag, self._first - lag + len(self.times))

    def features_of(self, cause: int, lag: int, basis: tuple[str, ...]) -> FloatArray:
        """[k, n]: the features of one lagged value, one below the other; not to be written to."""
        if self.values.size * len(basis) > _MOST_HELD:
            return np.stack(each_feature(self.past(cause, lag), basis))
        key = cause, basis
        if key not in self._features:
            self._features[key] = np.stack(each_feature(self._columns[cause], basis))
        return self._features[key][:, self._places(lag)]

    def features(self, cells: Iterable[tuple[int, int]], basis: tuple[str, ...]) -> FloatArray:
        """[n, k per cell]: the features of lagged values, given as (cause, lag), side by side."""
        columns = [self.past(int(cause), int(lag)) for cause, lag in cells]
        if not columns:
            return np.empty((self.count, 0))
        return expand(np.column_stack(columns), basis)

    def all_past(self, first_lag: int = 1) -> Iterator[tuple[int, FloatArray]]:
        """Lag after lag, [n, d]: all variables that many steps before."""
        for lag in range(first_lag, self.max_lag + 1):
            yield lag, self.values[self._places(lag)].copy()


def values_seen(panel: Panel) -> BoolArray | None:
    """[N, d]: which values were not filled in; None where all were there."""
    if all(one.seen is None for one in panel.series):
        return None
    whole = [np.ones(one.values.shape, np.bool_) if one.seen is None else one.seen for one in panel.series]
    return np.concatenate(whole)
