r"""A sign that something slow is not in the data: own past that reaches back over many lags with one sign.

A variable that remembers through its last value has nothing to gain from its earlier ones. Measured with
noise that has a memory of its own, or moved by a slow cause that nobody measured, it is a sum of two
processes, and every earlier value tells a little more of which of them moved, always with the same sign.

In the linear model of all lagged values let a_2, b and c be an effect's coefficient at its own lag 2, the sum
of those at lags 3 and 4, and the sum of all three; z of each is pooled over the effects, whose residuals may
correlate. c must be beyond chance, b and a_2 point the same way: neither a second own lag alone is a sign
nor a rhythm (a negative a_2), and effects with trends, steps or cycles of their own are not asked. What
remembers for three steps as strongly as for two, and then no more, is a process of its own: lags 4 and 5 must
go on as lags 2 and 3 decay. (Ten variables that remember three steps and act over three, 1000 rows: F1
of pairs .93 to .98; a fifth of the values held .46 to .94.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.sums import Moments

_LAGS = 4
_BEYOND_CHANCE = 2.6  # z of all: one in 200 by chance, and so much less with what else is asked
_SAME_WAY = 1.6  # z of lags 3 and 4: one in 20
_GOES_ON = 0.4  # of what the decay from lag 2 to 3 foretells of lags 4 and 5
_RIDGE = 1e-8


def reaches_back(moments: Moments, effects: IntArray) -> bool:
    """Whether own past of `effects` beyond the last value acts with one sign, taken together."""
    if moments.max_lag < _LAGS or len(effects) < 2:
        return False
    model = _FullModel.of(moments, effects)
    every, second, late = (model.pooled(lags) for lags in ((2, 3, 4), (2,), (3, 4)))
    if every <= _BEYOND_CHANCE or late <= _SAME_WAY or second <= 0.0:
        return False
    third, early, last = (model.pooled(lags) for lags in ((3,), (2, 3), (4, 5)[: moments.max_lag - 3]))
    decay = min(max(third / second, 0.0), 1.0)
    return last > _GOES_ON * decay**2 * early - _SAME_WAY


@dataclass(frozen=True, eq=False)
class _FullModel:
    """The linear model of all lagged values: coefficients, their covariance, that of what is left."""

    own: IntArray  # [E], the place of every effect's last value
    apart: int  # places from one lag to the next
    weights: FloatArray  # [d * lags, E]
    inverse: FloatArray  # [d * lags, d * lags]
    error: FloatArray  # [E, E]

    @classmethod
    def of(cls, moments: Moments, effects: IntArray) -> _FullModel:
        d, width, count = moments.n_variables, len(moments.basis), moments.n_variables * moments.max_lag
        past, now = (d + np.arange(count)) * width, effects * width
        gram, cross = moments.covariance(past, past), moments.covariance(past, now)
        scale = np.sqrt(np.maximum(gram.diagonal(), 1e-300))
        size = np.outer(scale, scale)
        inverse = np.asarray(np.linalg.inv(gram / size + _RIDGE * np.eye(count)) / size, dtype=np.float64)
        weights = inverse @ cross
        left = moments.covariance(now, now) - cross.T @ weights
        return cls(effects, d, weights, inverse, left / max(moments.rows - count - 1, 1))

    def pooled(self, lags: tuple[int, ...]) -> float:
        """Of the sum of own coefficients at these lags, over all effects together: its z."""
        place = np.arange(len(self.own))
        asked: FloatArray = np.zeros(self.weights.shape)
        for lag in lags:
            asked[(lag - 1) * self.apart + self.own, place] = 1.0
        error = (asked.T @ self.inverse @ asked) * self.error
        size = np.sqrt(np.maximum(error.diagonal(), 1e-300))
        together = max(float((error / np.outer(size, size)).sum()), 1e-300)
        return float(((asked * self.weights).sum(axis=0) / size).sum() / np.sqrt(together))
