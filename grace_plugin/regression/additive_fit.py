"""The additive model of one effect, refitted from moments alone: gains and response curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.features import expand
from grace_plugin.moments.sums import Moments

Edge = tuple[int, int, int]

_LEAST = 1e-14
_SINGULAR = 1e-10  # share of the largest singular value below which a direction counts as dead
_POINTS = 101
_WIDTH = 3.0  # standard deviations either side of the mean that a curve shows


@dataclass(frozen=True, eq=False)
class ResponseCurve:
    """How an effect answers to one cause, all else equal; both axes in the units of the data.

    Args:
        cause: values of the cause.
        effect: what they add to the effect, relative to its mean.
        usual: the mean of the cause less and plus two standard deviations.
    """

    cause: FloatArray
    effect: FloatArray
    usual: tuple[float, float]


class AdditiveFit:
    """Least squares of one effect on the features of its parents."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    def gain(self, others: Sequence[Edge], edge: Edge) -> float:
        """What `edge` adds to the model of `others`, in nats per sample."""
        without = self._unexplained([one for one in others if one != edge], edge[1])
        having = self._unexplained([*(one for one in others if one != edge), edge], edge[1])
        return 0.5 * float(np.log(max(without, _LEAST) / max(having, _LEAST)))

    def curve(self, parents: Sequence[Edge], edge: Edge) -> ResponseCurve:
        """The share of `edge` in the model of `parents` and itself."""
        moments, width = self.moments, len(self.moments.basis)
        edges = [*(one for one in parents if one != edge), edge]
        weights, _ = self._solved(edges, edge[1])
        standardised = np.linspace(-_WIDTH, _WIDTH, _POINTS, dtype=np.float64)[:, None]
        centred = expand(standardised, moments.basis) - moments.mean[self._columns([edge])]
        center, scale = float(moments.center[edge[0]]), float(moments.scale[edge[0]])
        return ResponseCurve(
            center + scale * standardised[:, 0],
            float(moments.scale[edge[1]]) * (centred @ weights[-width:]),
            (center - 2 * scale, center + 2 * scale),
        )

    def _unexplained(self, edges: Sequence[Edge], effect: int) -> float:
        target = effect * len(self.moments.basis)
        total = self.moments.covariance(np.array([target]), np.array([target]))[0, 0]
        if not edges:
            return float(total)
        weights, cross = self._solved(edges, effect)
        return float(total - cross @ weights)

    def _solved(self, edges: Sequence[Edge], effect: int) -> tuple[FloatArray, FloatArray]:
        columns = self._columns(edges)
        target = np.array([effect * len(self.moments.basis)])
        cross = self.moments.covariance(columns, target)[:, 0]
        gram = self.moments.covariance(columns, columns)
        return np.linalg.pinv(gram, rcond=_SINGULAR, hermitian=True) @ cross, cross

    def _columns(self, edges: Sequence[Edge]) -> IntArray:
        width, d = len(self.moments.basis), self.moments.n_variables
        first = np.array([(lag * d + cause) * width for cause, _, lag in edges], dtype=np.int64)
        return (first[:, None] + np.arange(width)).ravel()
