"""Backward elimination to the end: the level at which every edge leaves.

All candidates of an effect start in its model. With W the inverse of their Gram matrix and beta = W b,
closing group g costs beta_g' W_gg^-1 beta_g of unexplained variance, and closing all but its linear feature
beta_r' W_rr^-1 beta_r, r the others of the group. The weakest leaves, W -= W_:g W_gg^-1 W_g:, and so on until
nothing is left. The evidence of an edge is the running minimum of the p-values at which edges leave, its own
the last of them, so that the graphs of all levels are nested. All effects of a batch move at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.regression.log_tail import log_p_of_drop, twice_the_smaller
from grace_plugin.regression.regressions import own_blocks
from grace_plugin.regression.tolerances import LEAST_VARIANCE

_JITTER = 1e-8  # share of a feature's variance added to it, so that collinear ones have an inverse
_LEAST_PIVOT = 1e-9  # of a diagonal entry; rounding can make a block of collinear features indefinite


@dataclass(frozen=True, eq=False)
class Eliminated:
    """What backward elimination says of every candidate [B, K]."""

    log_p: FloatArray  # the running minimum; 0 for padding
    gain: FloatArray  # nats per sample that it cost when it left
    own_log_p: FloatArray  # of its own test when it left


@dataclass(frozen=True, eq=False)
class Regressions:
    """Effects with K candidates each (padded), k whitened features a candidate, the effect's variance 1.

    Args:
        gram: [B, K * k, K * k].
        cross: [B, K * k].
        total: [B], the variance of the effect that is up for explanation.
        freedom: [B, K], features that a candidate really has; 0 is padding.
        used: [B], degrees of freedom that the mean and the controls take.
        rows: how many.
    """

    gram: FloatArray
    cross: FloatArray
    total: FloatArray
    freedom: IntArray
    used: FloatArray
    rows: int


def eliminate(given: Regressions, required: BoolArray) -> Eliminated:
    """Close the weakest candidate of every effect, one at a time, until only `required` ones are left."""
    model = _Shrinking(given)
    shape = given.freedom.shape
    log_p, own, gain = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    running = np.zeros(shape[0])
    rows = np.arange(shape[0])
    for _ in range(shape[1]):
        tests, gains = model.tests(rows)
        leaving = np.where(model.active[rows] & ~required[rows], tests, -np.inf)
        tied = leaving == leaving.max(axis=1, keepdims=True)
        weakest = np.where(tied, -gains, -np.inf).argmax(axis=1)  # whatever the order of the variables
        place = np.arange(len(rows))
        going = np.isfinite(leaving[place, weakest])
        rows, weakest, place = rows[going], weakest[going], place[going]
        if not rows.size:
            break
        own[rows, weakest], gain[rows, weakest] = leaving[place, weakest], gains[place, weakest]
        running[rows] = np.minimum(running[rows], leaving[place, weakest])
        log_p[rows, weakest] = running[rows]
        model.close(rows, weakest)
    tests, gains = model.tests(np.arange(shape[0]))
    left = model.active
    log_p[left], own[left], gain[left] = tests[left], tests[left], gains[left]
    return Eliminated(log_p, gain, own)


class _Shrinking:
    """The current model of every effect: inverse Gram matrix, coefficients, unexplained variance."""

    def __init__(self, given: Regressions) -> None:
        self.given = given
        self.width = given.gram.shape[1] // max(given.freedom.shape[1], 1)
        self.active: BoolArray = given.freedom > 0
        jittered = given.gram.copy()
        diagonal = np.arange(jittered.shape[1])
        jittered[:, diagonal, diagonal] += _JITTER
        self.inverse: FloatArray = np.asarray(np.linalg.inv(jittered), dtype=np.float64)
        self.beta: FloatArray = (self.inverse @ given.cross[:, :, None])[:, :, 0]
        explained = (given.cross * self.beta).sum(axis=1)
        self.left: FloatArray = np.maximum(given.total - explained, LEAST_VARIANCE)

    def tests(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """[B, K]: ln p and gain of every candidate in the models of `rows`; 0 of those that left."""
        width, active = self.width, self.active[rows]
        # What is left only: tails are dear, and in the mean half of all left already.
        row, place = np.nonzero(active)
        blocks = own_blocks(self.inverse, width)[rows[row], place]
        beta = self.beta.reshape(len(self.beta), -1, width)[rows[row], place]
        bent, cost = _quadratics(blocks, beta)
        left = self.left[rows][:, None]
        freedom = self.given.freedom[rows]
        others = (freedom * active).sum(axis=1, keepdims=True) - freedom
        spare = (self.given.rows - self.given.used[rows][:, None] - others)[active]
        log_p, gain = np.zeros(active.shape), np.zeros(active.shape)
        freedom, left = freedom[active], np.broadcast_to(left, active.shape)[active]
        without, linear = left + np.maximum(cost, 0.0), left + np.maximum(bent, 0.0)
        one = log_p_of_drop(without, linear, 1, spare - 1)
        every = log_p_of_drop(without, left, freedom, spare - freedom)
        log_p[active], gain[active] = twice_the_smaller(one, every, freedom), 0.5 * np.log(without / left)
        return log_p, gain

    def close(self, rows: IntArray, weakest: IntArray) -> None:
        """Take one candidate out of the model of each row."""
        width = self.width
        columns = weakest[:, None] * width + np.arange(width)
        place = np.arange(len(rows))[:, None]
        inverse, beta = self.inverse[rows], self.beta[rows]
        panel = np.take_along_axis(inverse, columns[:, None, :], axis=2)  # [R, S, k]
        block = panel[place, columns]
        scaled = panel @ np.linalg.inv(block)
        own = beta[place, columns]
        self.left[rows] += np.maximum((np.linalg.solve(block, own[..., None])[..., 0] * own).sum(axis=1), 0.0)
        inverse -= scaled @ panel.transpose(0, 2, 1)
        beta -= (scaled @ own[..., None])[..., 0]
        inverse[place, columns] = 0.0
        inverse.transpose(0, 2, 1)[place, columns] = 0.0
        inverse[place, columns, columns] = 1.0
        beta[place, columns] = 0.0
        self.inverse[rows], self.beta[rows] = inverse, beta
        self.active[rows, weakest] = False


def _quadratics(blocks: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """V' B^-1 v of many small positive definite matrices without their first row and column, and with them.

    By Cholesky factors in which the first row comes last, entry by entry.
    """
    order = [*range(1, blocks.shape[-1]), 0]
    factor: list[list[FloatArray]] = []
    solved: list[FloatArray] = []
    total: FloatArray = np.zeros(len(vectors))
    before = total
    for i, row in enumerate(order):
        mine: list[FloatArray] = []
        pivot, rest = blocks[:, row, row], vectors[:, row]
        least = np.sqrt(_LEAST_PIVOT * np.maximum(pivot, 1.0))
        for j in range(i):
            share = blocks[:, row, order[j]]
            for m in range(j):
                share = share - mine[m] * factor[j][m]
            mine.append(share / factor[j][j])
            pivot, rest = pivot - mine[j] * mine[j], rest - mine[j] * solved[j]
        mine.append(np.maximum(np.sqrt(np.maximum(pivot, 0.0)), least))
        factor.append(mine)
        solved.append(rest / mine[i])
        before, total = total, total + solved[i] * solved[i]
    return before, total
