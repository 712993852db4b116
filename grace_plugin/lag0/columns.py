"""The columns that models within one step may use: what acts now, and the lagged causes found before.

Column (lag, variable, feature) is phi_feature(x_variable(t - lag)), as in the moments, with unit variance.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.sums import Moments

_MOST_COLUMNS = 6000  # of one dense correlation matrix (288 MB); beyond them only linear features are used
_DEAD = 1e-12  # variance of a feature that a variable does not have (the square of a 0/1 column)


class Columns:
    """Correlations of all features now and of the features of every lagged candidate.

    Args:
        moments: sums over lagged rows.
        pool: [cause, effect, lag], the lagged edges that any model may choose from; lag 0 is ignored.
    """

    def __init__(self, moments: Moments, pool: BoolArray) -> None:
        lagged: BoolArray = np.array(pool.any(axis=1))
        lagged[:, 0] = False
        if (int(lagged.sum()) + len(lagged)) * len(moments.basis) > _MOST_COLUMNS:
            moments = moments.linear()
        self.moments, self.rows, self.n_variables = moments, moments.rows, moments.n_variables
        self.width = len(moments.basis)
        variable, lag = np.nonzero(lagged)
        self.variable = np.concatenate([np.arange(self.n_variables), variable])
        self.lag = np.concatenate([np.zeros(self.n_variables, dtype=np.int64), lag])
        self._place = {
            (int(v), int(s)): p for p, (v, s) in enumerate(zip(self.variable, self.lag, strict=True))
        }
        self.pools = [self._places(pool[:, effect]) for effect in range(self.n_variables)]

    def _places(self, mine: BoolArray) -> list[int]:
        return [self._place[int(v), int(s)] for v, s in np.argwhere(mine) if s > 0]

    @cached_property
    def ids(self) -> IntArray:
        """[U]: columns of the moments."""
        first = (self.lag * self.n_variables + self.variable) * self.width
        return np.asarray((first[:, None] + np.arange(self.width)).ravel())

    @cached_property
    def correlation(self) -> FloatArray:
        """[U, U]; the rows of dead features are zero."""
        covariance = self.moments.covariance(self.ids, self.ids)
        scale = self._inverse_scale(covariance.diagonal())
        covariance *= scale[:, None] * scale
        return covariance

    @cached_property
    def alive(self) -> BoolArray:
        """[U]: whether a feature varies at all."""
        return np.asarray(self.correlation.diagonal() > 0.0)

    @cached_property
    def pool_columns(self) -> BoolArray:
        """[d, U]: the lagged columns that each variable's own pool has."""
        found = np.zeros((self.n_variables, len(self.variable)), dtype=np.bool_)
        for effect, places in enumerate(self.pools):
            found[effect, places] = True
        return np.repeat(found, self.width, axis=1)

    @cached_property
    def parent_columns(self) -> BoolArray:
        """[d, U]: the columns that each variable brings along as a cause: its own, now, and its pool's."""
        found = self.pool_columns.copy()
        own = np.arange(self.n_variables * self.width)
        found[own // self.width, own] = True
        return found

    def _inverse_scale(self, variance: FloatArray) -> FloatArray:
        alive = variance > _DEAD
        return np.asarray(np.where(alive, 1.0 / np.sqrt(np.where(alive, variance, 1.0)), 0.0))

    def of(self, places: list[int]) -> IntArray:
        """The features of (variable, lag) places, side by side."""
        return np.asarray(
            (np.array(places, dtype=np.int64)[:, None] * self.width + np.arange(self.width)).ravel()
        )

    def now(self, variable: int) -> int:
        """The linear feature of a variable at lag 0."""
        return variable * self.width
