"""The additive model of one effect, refitted from moments alone: gains and response curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.features import expand_smoothly
from grace_plugin.moments.sums import Moments

Edge = tuple[int, int, int]

_LEAST = 1e-14
_SINGULAR = 1e-10  # share of the largest singular value below which a direction counts as dead
_NORMAL_95 = 1.96  # standard errors either side
_POINTS = 101
_WIDTH = 3.0  # standard deviations either side of the mean that a curve shows


@dataclass(frozen=True, eq=False)
class ResponseCurve:
    """How an effect answers to one cause, all else equal; both axes in the units of the data.

    Args:
        cause: values of the cause.
        effect: what they add to the effect, relative to its mean.
        usual: the mean of the cause less and plus two standard deviations.
        low: the lower end of the 95 % interval of `effect` at each value, taken alone, of the least squares
            fit beside the other edges; it does not know that the edge was chosen.
        high: the upper end.
        values: some values of the cause in the data, or none.
    """

    cause: FloatArray
    effect: FloatArray
    usual: tuple[float, float]
    low: FloatArray
    high: FloatArray
    values: FloatArray


class AdditiveFit:
    """Least squares of one effect on the features of its parents."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    def gain(self, others: Sequence[Edge], edge: Edge) -> float:
        """What `edge` adds to the model of `others`, in nats per sample."""
        without = self._unexplained([one for one in others if one != edge], edge[1])
        having = self._unexplained([*(one for one in others if one != edge), edge], edge[1])
        return 0.5 * float(np.log(max(without, _LEAST) / max(having, _LEAST)))

    def curve(self, parents: Sequence[Edge], edge: Edge, values: FloatArray | None = None) -> ResponseCurve:
        """The share of `edge` in the model of `parents` and itself; `values` of the cause go along."""
        moments, width = self.moments, len(self.moments.basis)
        edges = [*(one for one in parents if one != edge), edge]
        weights, cross, inverse = self._solved(edges, edge[1])
        standardised = np.linspace(-_WIDTH, _WIDTH, _POINTS, dtype=np.float64)[:, None]
        centred = expand_smoothly(standardised, moments.basis) - moments.mean[self._columns([edge])]
        answer = centred @ weights[-width:]
        freedom = max(moments.rows - len(weights) - 1, 1)
        noise = max(self._total(edge[1]) - float(cross @ weights), 0.0) / freedom
        spread = np.einsum("pi,ij,pj->p", centred, inverse[-width:, -width:], centred)
        half = _NORMAL_95 * np.sqrt(np.maximum(noise * spread, 0.0))
        center, scale = float(moments.center[edge[0]]), float(moments.scale[edge[0]])
        unit = float(moments.scale[edge[1]])
        return ResponseCurve(
            center + scale * standardised[:, 0],
            unit * answer,
            (center - 2 * scale, center + 2 * scale),
            unit * (answer - half),
            unit * (answer + half),
            np.empty(0) if values is None else values[np.isfinite(values)],
        )

    def _unexplained(self, edges: Sequence[Edge], effect: int) -> float:
        total = self._total(effect)
        if not edges:
            return total
        weights, cross, _ = self._solved(edges, effect)
        return total - float(cross @ weights)

    def _total(self, effect: int) -> float:
        target = np.array([effect * len(self.moments.basis)])
        return float(self.moments.covariance(target, target)[0, 0])

    def _solved(self, edges: Sequence[Edge], effect: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of all features, their covariances with the effect, the inverse of those between them."""
        columns = self._columns(edges)
        target = np.array([effect * len(self.moments.basis)])
        cross = self.moments.covariance(columns, target)[:, 0]
        gram = self.moments.covariance(columns, columns)
        inverse: FloatArray = np.linalg.pinv(gram, rcond=_SINGULAR, hermitian=True).astype(np.float64)
        return inverse @ cross, cross, inverse

    def _columns(self, edges: Sequence[Edge]) -> IntArray:
        width, d = len(self.moments.basis), self.moments.n_variables
        first = np.array([(lag * d + cause) * width for cause, _, lag in edges], dtype=np.int64)
        return (first[:, None] + np.arange(width)).ravel()
