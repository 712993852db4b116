"""The regression of one effect on the features and curves of its kept causes, summed up chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.features import expand
from grace_plugin.regression.f_test import f_test

KNOTS = np.array([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])  # of the curves, in standard deviations
SLOW_WAVES = 6  # half periods of the slowest to the fastest drift that is looked for in a record
_DRIFT_LEVEL = 1e-4
_SINGULAR = 1e-9
_LEAST_DOF = 0.05  # of a row's residual; a row that the fit follows all the way tells no noise


@dataclass(frozen=True, eq=False)
class Fit:
    """Least squares on some columns."""

    coefficients: FloatArray
    inverse: FloatArray  # of the columns' Gram matrix
    rss: float  # residual sum of squares
    rank: int  # how many columns really count


class KeptModel:
    """Sums of products, and the tests that need nothing else.

    A column per feature and bend of every parent, then slow waves, a constant, and the effect itself. Waves
    are part of the model where the mean of the effect drifts. Once the model is weighed, `spread` holds what
    the residuals tell of the coefficients' covariance, whatever the noise depends on, and tests use it.
    """

    def __init__(self, effect: int, parents: IntArray, basis: tuple[str, ...], curves: bool) -> None:
        self.effect, self.parents, self.basis = effect, parents, basis
        self.knots = KNOTS if curves else KNOTS[:0]
        self.width = len(basis) + len(self.knots)
        size = len(parents) * self.width + SLOW_WAVES + 2
        self.sums = np.zeros((size, size))
        self.spread: FloatArray | None = None
        self.drifting = False

    @property
    def curved(self) -> bool:
        return len(self.knots) > 0

    def table(self, standardised: FloatArray, times: IntArray, waves: FloatArray) -> FloatArray:
        """All columns at the rows `times`; `waves` end with the constant."""
        past = standardised[times[:, None] - self.parents[:, 1], self.parents[:, 0]]
        curves = np.maximum(past[:, :, None] - self.knots, 0.0)
        features = expand(past, self.basis).reshape(*past.shape, -1)
        both = np.concatenate([features, curves], axis=2).reshape(len(times), -1)
        return np.column_stack([both, waves, standardised[times, self.effect]])

    def add(self, table: FloatArray) -> None:
        self.sums += table.T @ table

    def drifts(self, rows: int) -> bool:
        """Whether slow waves explain what the kept causes cannot."""
        edges = np.arange(len(self.parents) * self.width)
        still, moving = self.fit(np.append(edges, len(self.sums) - 2)), self.fit()
        sides = [still.rss], [moving.rss], [moving.rank - still.rank], [rows - moving.rank]
        return bool(f_test(*map(np.array, sides))[0] <= _DRIFT_LEVEL)

    def fit(self, columns: IntArray | None = None) -> Fit:
        """On some columns, or on all but the effect itself."""
        chosen = np.arange(len(self.sums) - 1) if columns is None else columns
        gram, cross = self.sums[np.ix_(chosen, chosen)], self.sums[chosen, -1]
        inverse, rank = _inverse(gram)
        coefficients = inverse @ cross
        total = self.sums[-1, -1]
        return Fit(coefficients, inverse, max(float(total - cross @ coefficients), 1e-14 * total), rank)

    def add_spread(self, table: FloatArray, fit: Fit) -> None:
        """HC3: a residual is measured by the degrees of freedom that the fit leaves to its row."""
        columns = table[:, :-1]
        dof = 1.0 - ((columns @ fit.inverse) * columns).sum(axis=1)
        residual = (table[:, -1] - columns @ fit.coefficients) / np.maximum(dof, _LEAST_DOF)
        pushes = columns * residual[:, None]
        grown = pushes.T @ pushes
        self.spread = grown if self.spread is None else self.spread + grown

    def test(self, edge: int, stays: BoolArray, rows: int) -> tuple[float, float]:
        """The certificate's test: twice the smaller p-value of the linear feature and of all of them."""
        others = [self._given(one) for one in np.flatnonzero(stays) if one != edge]
        always = np.arange(len(self.sums) - 2 - (SLOW_WAVES if self.drifting else 0), len(self.sums) - 1)
        base = np.concatenate([always, *others]).astype(np.int64)
        own = edge * self.width + np.arange(len(self.basis))
        without = self.fit(base)
        p_values = []
        for features in (own[:1], own):
            columns = np.concatenate([base, features])
            having = self.fit(columns)
            p_values.append(self._p_value(columns, len(features), without, having, rows))
        p_value = p_values[0] if len(own) == 1 else min(1.0, 2.0 * min(p_values))
        return p_value, 0.5 * float(np.log(without.rss / having.rss))

    def _given(self, edge: int) -> IntArray:
        """The columns of an edge that is not in question: its curve, or its features where there is none."""
        first, features = edge * self.width, len(self.basis)
        if not self.curved:
            return first + np.arange(features)
        return np.concatenate([[first], first + features + np.arange(len(self.knots))])

    def _p_value(self, columns: IntArray, count: int, without: Fit, having: Fit, rows: int) -> float:
        """Of the last `count` columns."""
        remain = rows - having.rank
        if self.spread is None:
            sides = [without.rss], [having.rss], [having.rank - without.rank], [remain]
            return float(f_test(*map(np.array, sides))[0])
        # The Wald test, with the covariance that the residuals show.
        last, coefficients = having.inverse[-count:], having.coefficients[-count:]
        covariance = last @ self.spread[np.ix_(columns, columns)] @ last.T
        statistic = float(coefficients @ _inverse(covariance)[0] @ coefficients) / count
        return float(fdtrc(count, max(remain, 1), max(statistic, 0.0)))


def _inverse(matrix: FloatArray) -> tuple[FloatArray, int]:
    """Of a symmetric matrix whose columns may repeat one another or differ much in scale, and its rank."""
    scale = 1.0 / np.sqrt(np.maximum(matrix.diagonal(), 1e-300))
    value, vector = np.linalg.eigh(matrix * scale[:, None] * scale)
    alive = value > _SINGULAR * value[-1]
    scaled = scale[:, None] * vector[:, alive]
    return (scaled / value[alive]) @ scaled.T, int(alive.sum())
