"""Values that were not seen, from a sparse linear model of those that were.

The model is a vector autoregression x(t) = sum_l A_l x(t - l) + e(t) with independent noise, own lags of
every variable, and of the other cells those that stand out of all that were looked at. Given it, what was not
seen is Gaussian: with the filter B (B x = e), W the inverse noise variances and m the unseen entries, its
mean solves, by conjugate gradients,

    B_m' W B_m x_m = - B_m' W B_o x_o

and B_m' W^(1/2) u in place of the right-hand side, u standard normal, gives a deviation from that mean. The
model is learned by expectation and maximisation: means and a few deviations give the expected sums of
products, ridge regressions on them the next A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import chdtri

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray

_ROUNDS = 6  # of learning; more change no third digit at 40 % missing
_DEVIATIONS = 4  # a round
_RIDGE = 1e-3  # of a variance
_FALSE_CELLS = 0.05  # cells of the whole model that may stand out by chance
_LEAST_NOISE = 0.02  # of a variance
_MOST_REGRESSORS = 300  # lagged values of the model; more lags are left out
_STEPS = 300  # of conjugate gradients
_EXACT = 1e-5  # of the right-hand side that may be left
_FAR = 4.0  # deviations beyond which a value speaks no louder in learning


@dataclass(frozen=True, eq=False)
class Rows:
    """Standardised values [T, d] of all series one behind the other, NaN where unseen."""

    values: FloatArray
    series: IntArray  # [T]: the number of the series that a row belongs to

    @property
    def unseen(self) -> BoolArray:
        return np.isnan(self.values)


def order_of(max_lag: int, n_variables: int) -> int:
    """How many lags the model has."""
    return max(1, min(max_lag, _MOST_REGRESSORS // n_variables))


def expected_values(rows: Rows, max_lag: int, seed: int = 0) -> FloatArray:
    """[T, d]: the seen values as they are, and the mean of every unseen one given all that was seen."""
    model = _Model(rows, order_of(max_lag, rows.values.shape[1]), np.random.default_rng(seed))
    for _ in range(_ROUNDS):
        mean, deviations = model.expectation(_DEVIATIONS)
        model.maximise(mean, deviations)
    return np.where(rows.unseen, model.expectation(0)[0], rows.values)


class _Model:
    def __init__(self, rows: Rows, order: int, rng: np.random.Generator) -> None:
        self.rows, self.order, self.rng = rows, order, rng
        self.clipped = np.clip(rows.values, -_FAR, _FAR)
        self.unseen = rows.unseen
        self.seen_share = 1.0 - self.unseen.mean(axis=0)
        d = rows.values.shape[1]
        self.weights = np.zeros((order, d, d))  # [lag - 1, effect, cause]
        self.noise = np.ones(d)
        self._begin()
        cells = d * d * order
        self.standout = float(chdtri(1, _FALSE_CELLS / cells))
        self.shifts = [_shift(rows.series, lag) for lag in range(1, order + 1)]
        places = np.flatnonzero(rows.series[order:] == rows.series[:-order]) + order
        self.times = places[
            (~self.unseen[places]).any(axis=1)
        ]  # nothing is learned from rows without a value

    def _begin(self) -> None:
        """Own lags from the products of values that were both seen."""
        known = np.where(self.unseen, 0.0, self.clipped)
        for variable in range(known.shape[1]):
            own = _autocovariance(known[:, variable], ~self.unseen[:, variable], self.order)
            if own[0] <= 0.0:  # a constant has no past to learn from; who reads the rows refuses it by name
                continue
            lags = np.arange(self.order)
            gram = own[np.abs(lags[:, None] - lags)] + 10.0 * _RIDGE * own[0] * np.eye(self.order)
            found = np.linalg.solve(gram, own[1:])
            if np.abs(found).sum() < 1.0:
                self.weights[:, variable, variable] = found
                self.noise[variable] = max(own[0] - found @ own[1:], _LEAST_NOISE)

    def expectation(self, deviations: int) -> tuple[FloatArray, list[FloatArray]]:
        """The mean of all values, and so many deviations of the unseen ones from it."""
        filtered = self._filter()
        hidden = np.flatnonzero(self.unseen.ravel())
        part = filtered[:, hidden].tocsr()
        precision = np.tile(1.0 / self.noise, len(self.unseen))
        known = np.where(self.unseen, 0.0, self.clipped).ravel()
        noise = self.rng.normal(size=(len(known), deviations))
        right = np.column_stack([-(precision * (filtered @ known)), np.sqrt(precision)[:, None] * noise])
        found = _solved(part, precision, part.T @ right)
        mean = known.copy()
        mean[hidden] = found[:, 0]
        shape = self.unseen.shape
        moved = []
        for column in range(1, deviations + 1):
            one = np.zeros(len(known))
            one[hidden] = found[:, column]
            moved.append(one.reshape(shape))
        return mean.reshape(shape), moved

    def _filter(self) -> Any:
        """[T d, T d]: from values to noise."""
        found = sparse.identity(self.unseen.size, format="csr")
        for shift, weights in zip(self.shifts, self.weights, strict=True):
            found = found - sparse.kron(shift, sparse.csr_matrix(weights), format="csr")
        return found

    def maximise(self, mean: FloatArray, deviations: list[FloatArray]) -> None:
        """The next weights, from expected sums of products."""
        sums = self._products(mean)
        for one in deviations:
            sums += self._products(one) / len(deviations)
        d = mean.shape[1]
        sums /= len(self.times)
        gram, cross = sums[d:, d:], sums[d:, :d]
        inverse = np.linalg.inv(gram + _RIDGE * np.eye(len(gram)))
        weights = inverse @ cross
        left = np.maximum(sums.diagonal()[:d] - (weights * cross).sum(axis=0), _LEAST_NOISE)
        rows = len(self.times) * np.outer(np.tile(self.seen_share, self.order), self.seen_share)
        chosen = rows * np.square(weights) > self.standout * np.outer(inverse.diagonal(), left)
        chosen |= np.tile(np.eye(d, dtype=np.bool_), (self.order, 1))
        for effect in range(d):
            places = np.flatnonzero(chosen[:, effect])
            part = gram[np.ix_(places, places)] + _RIDGE * np.eye(len(places))
            found = np.linalg.solve(part, cross[places, effect])
            weights[:, effect] = 0.0
            weights[places, effect] = found
            rest = sums[effect, effect] - found @ cross[places, effect]
            self.noise[effect] = max(float(rest), _LEAST_NOISE)
        self.weights = weights.reshape(self.order, d, d).transpose(0, 2, 1)

    def _products(self, values: FloatArray) -> FloatArray:
        """[(order + 1) d, (order + 1) d]: sums over lagged rows."""
        stacked = np.hstack([values[self.times - lag] for lag in range(self.order + 1)])
        return np.asarray(stacked.T @ stacked)


def _shift(series: IntArray, lag: int) -> Any:
    """[T, T]: from a row to the one `lag` before it in the same series."""
    rows = np.flatnonzero(series[lag:] == series[:-lag]) + lag
    return sparse.csr_matrix((np.ones(len(rows)), (rows, rows - lag)), shape=(len(series), len(series)))


def _autocovariance(values: FloatArray, seen: BoolArray, order: int) -> FloatArray:
    count = [max(1, int((seen[lag:] & seen[: len(seen) - lag]).sum())) for lag in range(order + 1)]
    total = [float(values[lag:] @ values[: len(values) - lag]) for lag in range(order + 1)]
    return np.asarray(np.array(total) / np.array(count))


def _solved(part: Any, precision: FloatArray, right: FloatArray) -> FloatArray:
    """Conjugate gradients for all columns at once, scaled by the diagonal."""
    diagonal = part.multiply(part).T @ precision

    def product(x: FloatArray) -> FloatArray:
        return np.asarray(part.T @ (precision[:, None] * (part @ x)))

    found = np.zeros_like(right)
    left = right.copy()
    scaled = left / diagonal[:, None]
    direction = scaled.copy()
    size = (left * scaled).sum(axis=0)
    enough = np.maximum(_EXACT**2 * size, np.finfo(np.float64).tiny)
    for _ in range(_STEPS):
        if (size <= enough).all():
            break
        along = product(direction)
        step = size / np.maximum((direction * along).sum(axis=0), np.finfo(np.float64).tiny)
        found += step * direction
        left -= step * along
        scaled = left / diagonal[:, None]
        before, size = size, (left * scaled).sum(axis=0)
        direction = scaled + (size / np.maximum(before, np.finfo(np.float64).tiny)) * direction
    return found
