"""Products of few features at all lags, a stretch of rows that stays in the processor's cache at a time.

A product of two tables of 15 columns is too narrow to be fast, and features that are written to memory and
read again once for every lag cost more than their products. So L rows, L the largest lag, count as one row
of a table G [n / L, L w], which is the same memory. With P the table that begins a group earlier, block
(i, j) of G'G holds the products of f(t + i) and f(t + j), a lag of i - j, and block (i, j) of G'P a lag of
L + i - j: their sums along the diagonals are the products of every lag from 0 to L. At 5 variables and
L = 5 a row costs two fifths of what one product a lag costs.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.moments.features import expand

WIDEST = 60  # features up to which this is faster than one product a lag
_NUMBERS = 80_000  # features of a stretch (640 kB)


class GroupedRows:
    """Adds up the products of features at all lags of one run of rows after the other."""

    def __init__(self, center: FloatArray, scale: FloatArray, max_lag: int, basis: tuple[str, ...]) -> None:
        self.center, self.scale, self.max_lag, self.basis = center, scale, max_lag, basis
        self.width = len(center) * len(basis)
        self.groups = max(1, _NUMBERS // (self.width * max_lag))
        self._features = np.empty(((self.groups + 1) * max_lag, self.width))
        self._product = np.empty((max_lag * self.width, max_lag * self.width))

    def products(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """[L + 1, w, w] and [w]: products at every lag and sums, of all rows but the first L.

        `values` are rows without gaps, of which the first L are the past of the others.
        """
        lag, width = self.max_lag, self.width
        within, across = np.zeros_like(self._product), np.zeros_like(self._product)
        total, rest = np.zeros(lag * width), len(values) % lag
        stop = len(values) - rest
        for start in range(0, stop - lag, self.groups * lag):
            part = values[start : min(stop, start + (self.groups + 1) * lag)]
            groups = self._expanded(part).reshape(-1, lag * width)
            within += np.matmul(groups[1:].T, groups[1:], out=self._product)
            across += np.matmul(groups[1:].T, groups[:-1], out=self._product)
            total += np.ones(len(groups) - 1) @ groups[1:]
        found, first = self._by_lag(within, across), total.reshape(lag, width).sum(axis=0)
        last = self._expanded(values[stop - lag :]) if rest else self._features[:lag]
        for row in range(lag, lag + rest):
            found += last[row, :, None] * last[row - lag : row + 1][::-1, None, :]
            first += last[row]
        return found, first

    def _expanded(self, values: FloatArray) -> FloatArray:
        standard = values - self.center
        standard /= self.scale
        return expand(standard, self.basis, self._features)

    def _by_lag(self, within: FloatArray, across: FloatArray) -> FloatArray:
        lag, width = self.max_lag, self.width
        now, before = (one.reshape(lag, width, lag, width) for one in (within, across))
        found = np.zeros((lag + 1, width, width))
        for place in range(lag):
            for other in range(lag):
                if other <= place:
                    found[place - other] += now[place, :, other]
                if other >= place:
                    found[lag + place - other] += before[place, :, other]
        return found
