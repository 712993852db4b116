"""A second look at the rows: an edge must hold beside freely bent curves of the other kept edges.

The few features of the moments leave a little of a strongly bent effect unexplained. With many rows
a false edge close to a true one can live on that remainder. Only the kept edges are looked at, so
that curves can be fine; it takes one more pass over the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grace_plugin.basis import expand
from grace_plugin.engines.certificate import f_test
from grace_plugin.engines.problems import IntArray
from grace_plugin.moments import Moments, window_blocks
from grace_plugin.panel import Panel
from grace_plugin.skeleton import BoolArray, FloatArray

_KNOTS = np.array([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])  # of the curves, in standard deviations
_ROWS_PER_FEATURE = 10  # an effect with too many kept edges for its rows is left as it is
_CHUNK_ROWS = 4096
_SINGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the second look says of the kept edges of one effect."""

    effect: int
    parents: IntArray  # [K, 2]: (cause, lag)
    stays: BoolArray  # [K]
    p_value: FloatArray  # [K]
    gain: FloatArray  # [K]


def second_look(
    graph: BoolArray, keep: BoolArray, panel: Panel, moments: Moments, alpha: float
) -> Iterator[Verdict]:
    """Test again the kept edges of every effect that has several; `keep` edges always stay."""
    most = moments.rows // _ROWS_PER_FEATURE // (len(_KNOTS) + 1)
    degree = graph.sum(axis=(0, 2))
    models = [
        _Model(int(effect), np.argwhere(graph[:, effect]), moments)
        for effect in np.flatnonzero((degree > 1) & (degree <= most))
    ]
    for block in window_blocks(panel, moments.max_lag, _CHUNK_ROWS):
        times = np.flatnonzero(block.windows)
        standardised = (block.values - moments.center) / moments.scale
        for model in models:
            model.add(standardised, times)
    for model in models:
        yield model.verdict(keep[model.parents[:, 0], model.effect, model.parents[:, 1]], alpha)


class _Model:
    """The regression of one effect on curves of its kept causes, as sums of products."""

    def __init__(self, effect: int, parents: IntArray, moments: Moments) -> None:
        self.effect, self.parents, self.basis = effect, parents, moments.basis
        self.bend = len(_KNOTS)
        self.width = len(moments.basis) + self.bend
        size = len(parents) * self.width + 2  # and a constant, and the effect itself
        self.sums = np.zeros((size, size))

    def add(self, standardised: FloatArray, times: IntArray) -> None:
        past = standardised[times[:, None] - self.parents[:, 1], self.parents[:, 0]]
        curves = np.maximum(past[:, :, None] - _KNOTS, 0.0)
        features = expand(past, self.basis).reshape(*past.shape, -1)
        both = np.concatenate([features, curves], axis=2).reshape(len(times), -1)
        table = np.column_stack([both, np.ones(len(times)), standardised[times, self.effect]])
        self.sums += table.T @ table

    def verdict(self, keep: BoolArray, alpha: float) -> Verdict:
        """Close the weakest edge above `alpha`, one at a time, until none is left."""
        stays = np.ones(len(self.parents), dtype=np.bool_)
        p_value, gain = np.full(len(stays), np.nan), np.full(len(stays), np.nan)
        while True:
            for edge in np.flatnonzero(stays):
                p_value[edge], gain[edge] = self._test(edge, stays)
            doubtful = np.where(stays & ~keep, p_value, -1.0)
            weakest = int(doubtful.argmax())
            if doubtful[weakest] <= alpha:
                return Verdict(self.effect, self.parents, stays, p_value, gain)
            stays[weakest] = False

    def _test(self, edge: int, stays: BoolArray) -> tuple[float, float]:
        """The certificate's test: twice the smaller p-value of the linear feature and of all of them."""
        others = [self._curve(one) for one in np.flatnonzero(stays) if one != edge]
        base = np.concatenate([[len(self.sums) - 2], *others]).astype(np.int64)
        own = edge * self.width + np.arange(len(self.basis))
        rows = self.sums[-2, -2]
        without, rank = self._left(base)
        p_values = []
        for features in (own[:1], own):
            left, more = self._left(np.concatenate([base, features]))
            freedom, remain = np.array([more - rank]), np.array([int(rows) - more])
            p_values.append(float(f_test(np.array([without]), np.array([left]), freedom, remain)[0]))
        p_value = p_values[0] if len(own) == 1 else min(1.0, 2.0 * min(p_values))
        return p_value, 0.5 * float(np.log(without / left))

    def _curve(self, edge: int) -> IntArray:
        first = edge * self.width
        bends = first + len(self.basis) + np.arange(self.bend)
        return np.concatenate([[first], bends])

    def _left(self, columns: IntArray) -> tuple[float, int]:
        """Unexplained sum of squares of the effect, and how many columns really count."""
        gram, cross = self.sums[np.ix_(columns, columns)], self.sums[columns, -1]
        scale = 1.0 / np.sqrt(np.maximum(gram.diagonal(), 1e-300))
        value, vector = np.linalg.eigh(gram * scale[:, None] * scale)
        alive = value > _SINGULAR * value[-1]
        share = (vector[:, alive].T @ (scale * cross)) ** 2 / value[alive]
        total = self.sums[-1, -1]
        return max(float(total - share.sum()), 1e-14 * total), int(alive.sum())
