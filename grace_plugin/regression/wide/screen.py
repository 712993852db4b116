"""All candidates of many effects at a glance: matrix products of residuals with whitened features.

Every variable's features are made orthonormal over the rows, in single precision, so that what a candidate
explains of a residual r with unit variance, beside nothing, is the sum of squares of its k products with it:

    share(candidate) = sum_i (r' w_i / n)^2.

Beside a model the same number is a lower bound of what it explains (the model takes away of the candidate
what it has of it). So shares say which candidates are worth an exact look in double precision, and what the
evidence of all others is.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.special import fdtri

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray, Single
from grace_plugin.moments.features import each_feature
from grace_plugin.moments.row_products import RowProducts
from grace_plugin.regression.log_tail import log_p_of_drop, twice_the_smaller
from grace_plugin.regression.regressions import whitening

LISTED = 0.01  # cells below it are listed one by one, the others only counted
_EDGES = np.linspace(np.log(0.5), np.log(LISTED), 271)
LEVELS: FloatArray = np.concatenate(
    [[0.0], 0.5 * (_EDGES[1:] + _EDGES[:-1])]
)  # ln p at which cells are counted
_MOST = 1.0 - 1e-6  # of a variance can be explained
_AT_ONCE = 4_000_000


class Screen:
    """The whitened features of all variables.

    Args:
        products: the rows.
    """

    def __init__(self, products: RowProducts) -> None:
        self.products = products
        d, width = len(products.values), len(products.basis)
        self.white: Single = np.zeros((width, d, products.values.shape[1]), dtype=np.float32)
        self.freedom: IntArray = np.zeros(d, dtype=np.int64)
        size = max(1, _AT_ONCE // max(1, products.values.shape[1] * width))
        for start in range(0, d, size):
            part = slice(start, start + size)
            self.white[:, part], self.freedom[part] = _whitened(products, part)

    @property
    def count(self) -> int:
        """Candidates of an effect."""
        return self.products.max_lag * len(self.products.values)

    @property
    def rows(self) -> int:
        return len(self.products.times)

    def shares(self, residuals: FloatArray) -> tuple[Single, Single]:
        """[B, K] twice: what the linear and all features explain of residuals [B, n] of unit variance."""
        width, d, _ = self.white.shape
        single = (residuals / self.rows).astype(np.float32)
        linear, full = (np.empty((len(single), self.products.max_lag, d), dtype=np.float32) for _ in range(2))
        for lag in range(1, self.products.max_lag + 1):
            for feature in range(width):
                found = single @ self.white[feature][:, self.products.when(lag)].T
                np.square(found, out=found)
                if feature == 0:
                    linear[:, lag - 1] = full[:, lag - 1] = found
                else:
                    full[:, lag - 1] += found
        return linear.reshape(len(single), -1), full.reshape(len(single), -1)

    @cached_property
    def _freedom(self) -> IntArray:
        """[K]: features that each candidate has."""
        return np.tile(self.freedom, self.products.max_lag)

    def passing(self, linear: Single, full: Single, level: float, used: float) -> BoolArray:
        """[B, K]: whether shares are significant at a level."""
        linear_bound, bounds = self._bounds(level, used)
        least = bounds[self._freedom].astype(np.float32)
        line = np.where(self._freedom > 1, linear_bound, 1.0).astype(np.float32)
        return np.asarray((full > least) | (linear > line))

    def log_p(self, linear: Single, full: Single, candidate: IntArray, used: FloatArray) -> FloatArray:
        """Ln p of shares of candidates."""
        freedom, left = self._freedom[candidate], self.rows - used
        without = np.ones(len(candidate))
        by_line, by_all = (np.minimum(share.astype(np.float64), _MOST) for share in (linear, full))
        one = log_p_of_drop(without, 1.0 - by_line, 1, left - 1)
        every = log_p_of_drop(without, 1.0 - by_all, freedom, left - freedom)
        return twice_the_smaller(one, every, freedom)

    def _bounds(self, level: float, used: float) -> tuple[float, FloatArray]:
        """The shares at which a candidate's combined p-value is `level`: linear, and [freedom + 1] of all."""
        full = np.ones(len(self.products.basis) + 1)
        for freedom in range(1, len(full)):
            # One feature makes one test; of several, twice the smaller p-value counts.
            chance = np.array(level if freedom == 1 else 0.5 * level)
            full[freedom] = _share_at(chance, freedom, self.rows - used)
        return float(_share_at(np.array(0.5 * level), 1, self.rows - used)), full

    def counted(self, linear: Single, full: Single, used: float) -> IntArray:
        """[levels + 1]: how many cells are at each of `LEVELS`; the last counts those that are listed."""
        found = np.zeros(len(LEVELS) + 1, dtype=np.int64)
        for freedom in np.unique(self.freedom[self.freedom > 0]).tolist():
            mine = self._freedom[: full.shape[1]] == freedom
            every = mine.all()
            tests = [(full, freedom)] if freedom == 1 else [(full, freedom), (linear, 1)]
            place: IntArray | int = 0
            for share, tested in tests:
                chance = np.exp(_EDGES) * (1.0 if freedom == 1 else 0.5)
                bounds = _share_at(chance, tested, self.rows - used).astype(np.float32)
                place = np.maximum(place, np.searchsorted(bounds, share if every else share[:, mine]))
            found += np.bincount(np.ravel(place), minlength=len(found))
        return found


def level_of(log_p: FloatArray) -> IntArray:
    """Places among `LEVELS`; cells that are listed have the one behind the last."""
    return np.asarray(np.searchsorted(-_EDGES, -log_p))


def _share_at(level: FloatArray, freedom: int, left: float) -> FloatArray:
    """The share of a variance that so many features explain with this p-value."""
    rest = left - freedom
    if rest <= 0:
        return np.ones_like(level)
    ratio = fdtri(freedom, rest, 1.0 - level) * freedom / rest
    return np.asarray(ratio / (1.0 + ratio))


def _whitened(products: RowProducts, part: slice) -> tuple[Single, IntArray]:
    """[k, v, N]: orthonormal features of some variables over the rows that count; [v], how many are alive."""
    values = np.nan_to_num(products.values[part])
    features = np.stack(each_feature(values, products.basis), axis=1)  # [v, k, N]
    when = products.when(0)
    features -= features[:, :, when].mean(axis=2, keepdims=True)
    there = features[:, :, when]
    maps = whitening(there @ there.transpose(0, 2, 1) / there.shape[2])
    freedom = maps.any(axis=2).sum(axis=1)
    return (maps @ features).astype(np.float32).transpose(1, 0, 2), freedom
