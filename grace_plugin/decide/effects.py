"""How large kept effects are, with their signs and intervals.

The effect of an edge is the coefficient of its cause's lagged value in the linear regression of the effect on
the lagged values of all its kept causes, after `prepare`, in standard deviations of both; `raw` is the same
in the units of the data. Its 95 % interval uses the HC3 covariance, which believes the residuals whatever the
noise depends on. It does not know that the edge was chosen on the same rows: weak edges that were kept look
larger than they are.

`bent` is the share of what an edge explains, beside the features of all kept causes, that is beyond its
linear part: 0 is a straight line, 1 a parabola.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.tolerances import DEAD_FEATURE

_COVERED = 0.95
_RIDGE = 1e-9
_LEAST_FREEDOM = 0.05  # of a row's residual; a row that the fit follows all the way tells no noise


@dataclass(frozen=True, eq=False)
class Effects:
    """[cause, effect, lag]; NaN where no edge is kept."""

    size: FloatArray
    low: FloatArray
    high: FloatArray
    bent: FloatArray

    def raw(self, scale: FloatArray) -> FloatArray:
        """In the units of the data, whose variables have these standard deviations."""
        return np.asarray(self.size * scale[None, :, None] / scale[:, None, None])


def effect_sizes(graph: BoolArray, moments: Moments, rows: LaggedRows | None) -> Effects:
    """The effects of all kept edges; without rows their intervals take all rows for equally noisy."""
    found = Effects(*(np.full(graph.shape, np.nan) for _ in range(4)))
    for effect in np.flatnonzero(graph.any(axis=(0, 2))).tolist():
        causes, lags = np.nonzero(graph[:, effect])
        cells = causes, effect, lags
        found.size[cells], found.low[cells], found.high[cells] = sizes_of(effect, causes, lags, moments, rows)
        found.bent[cells] = bent_share(effect, causes, lags, moments)
    return found


def sizes_of(
    effect: int, causes: IntArray, lags: IntArray, moments: Moments, rows: LaggedRows | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of all kept causes of one effect: size, and the ends of its interval."""
    weights, error, dof = (
        _from_moments(effect, causes, lags, moments)
        if rows is None
        else _from_rows(effect, causes, lags, rows)
    )
    reach = float(stdtrit(max(dof, 1), 0.5 + 0.5 * _COVERED)) * error
    return weights, weights - reach, weights + reach


def _from_rows(
    effect: int, causes: IntArray, lags: IntArray, rows: LaggedRows
) -> tuple[FloatArray, FloatArray, int]:
    table = np.stack([rows.past(int(c), int(lag)) for c, lag in zip(causes, lags, strict=True)])
    target = rows.target(effect)
    table -= table.mean(axis=1)[:, None]
    y = target - target.mean()
    table /= np.maximum(np.sqrt(np.einsum("qn,qn->q", table, table) / len(y)), 1e-300)[:, None]
    y /= max(float(np.sqrt(y @ y / len(y))), 1e-300)
    gram = table @ table.T
    gram.flat[:: len(gram) + 1] += _RIDGE * len(y)
    inverse = np.linalg.inv(gram)
    weights = inverse @ (table @ y)
    leverage = np.einsum("qn,qn->n", inverse @ table, table) + 1.0 / len(y)
    residual = (y - weights @ table) / np.maximum(1.0 - leverage, _LEAST_FREEDOM)
    pushes = inverse @ (table * residual)
    return weights, np.sqrt(np.einsum("qn,qn->q", pushes, pushes)), len(y) - len(weights) - 1


def _from_moments(
    effect: int, causes: IntArray, lags: IntArray, moments: Moments
) -> tuple[FloatArray, FloatArray, int]:
    width = len(moments.basis)
    columns = (lags * moments.n_variables + causes) * width
    own = np.array([effect * width])
    gram, cross = moments.covariance(columns, columns), moments.covariance(columns, own)[:, 0]
    scale = np.sqrt(np.maximum(gram.diagonal(), 1e-300))
    spread = float(np.sqrt(np.maximum(moments.covariance(own, own)[0, 0], 1e-300)))
    gram, cross = gram / scale[:, None] / scale, cross / scale / spread
    inverse = np.linalg.inv(gram + _RIDGE * np.eye(len(gram)))
    weights = inverse @ cross
    dof = moments.rows - len(weights) - 1
    left = max(1.0 - float(cross @ weights), 0.0) / max(dof, 1)
    return weights, np.sqrt(np.maximum(left * inverse.diagonal(), 0.0)), dof


def bent_share(effect: int, causes: IntArray, lags: IntArray, moments: Moments) -> FloatArray:
    """Of what leaving an edge out would cost, the share that leaving out its bends costs."""
    width = len(moments.basis)
    columns = ((lags * moments.n_variables + causes) * width)[:, None] + np.arange(width)
    every = np.append(columns.ravel(), effect * width)
    both = moments.covariance(every, every)
    gram, cross = both[:-1, :-1], both[:-1, -1]
    spread = gram.diagonal()  # of two values alone a square or a size is constant but for rounding
    scale = np.sqrt(np.where(spread > DEAD_FEATURE, spread, np.inf))
    inverse = np.linalg.inv(gram / scale[:, None] / scale + _RIDGE * np.eye(len(gram)))
    beta = inverse @ (cross / scale)
    if width < 2:
        return np.zeros(len(causes))
    each, count = np.arange(len(causes)), len(causes)
    blocks, weights = inverse.reshape(count, width, count, width)[each, :, each], beta.reshape(count, width)
    whole, bends = (
        (weights[:, first:] * np.linalg.solve(blocks[:, first:, first:], weights[:, first:, None])[:, :, 0])
        for first in (0, 1)
    )
    return np.asarray(np.clip(bends.sum(axis=1) / np.maximum(whole.sum(axis=1), 1e-300), 0.0, 1.0))
