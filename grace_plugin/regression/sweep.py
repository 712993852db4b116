"""A test certifies: every kept edge is significant given all the other kept edges.

The Gram matrix of an effect is kept in swept form. With S the symmetric matrix of all features and the
effect, pivoting the features P of a candidate in replaces

    S_PP by -S_PP^-1,   S_PR by S_PP^-1 S_PR,   S_RR by S_RR - S_RP S_PP^-1 S_PR,

and pivoting out undoes it. The last corner is then the residual variance of the model, and for each candidate
its own block B and its cross moments c with the effect give what it explains beside the model: c' B^-1 c. All
effects of a batch move at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dgemm

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.regression.f_test import f_test
from grace_plugin.regression.regressions import Batch
from grace_plugin.regression.tolerances import COLLINEAR, LEAST_VARIANCE


@dataclass(frozen=True, eq=False)
class Tests:
    """For each candidate [B, K]: the test of the model with it against the model without it."""

    p_value: FloatArray
    gain: FloatArray  # nats per sample
    possible: BoolArray  # neither padding nor collinear with the model


class SweptModel:
    """The current model of every effect in a batch."""

    def __init__(self, batch: Batch) -> None:
        count, size, width = len(batch.effects), batch.gram.shape[1], batch.width
        self.batch = batch
        self.active: BoolArray = np.zeros((count, size // width), dtype=np.bool_)
        self._state = np.empty((count, size + 1, size + 1))
        self._state[:, :size, :size] = batch.gram
        self._state[:, :size, size] = batch.cross
        self._state[:, size, :size] = batch.cross
        self._state[:, size, size] = 1.0

    @property
    def residual(self) -> FloatArray:
        """[B]: the share of each effect's variance that its model leaves."""
        return np.maximum(self._state[:, -1, -1], LEAST_VARIANCE)

    def flip(self, rows: IntArray, candidates: IntArray) -> None:
        """Move one candidate in each of the given rows (effects) into or out of its model."""
        leaving = self.active[rows, candidates]
        columns = candidates[:, None] * self.batch.width + np.arange(self.batch.width)
        row = rows[:, None]
        panel = self._state[row, columns]  # [R, k, size + 1]
        inverse = np.linalg.inv(np.take_along_axis(panel, columns[:, None, :], axis=2))
        scaled = inverse @ panel
        for place, one, other in zip(
            rows, panel, scaled, strict=True
        ):  # in place, without a copy of the state
            dgemm(-1.0, one.T, other.T, beta=1.0, c=self._state[place].T, trans_b=True, overwrite_c=True)
        edge = np.where(leaving, -1.0, 1.0)[:, None, None] * scaled
        self._state[row, columns] = edge
        self._state[row, :, columns] = edge
        self._state[row[:, :, None], columns[:, :, None], columns[:, None, :]] = -inverse
        self.active[rows, candidates] = ~leaving

    def possible(self, rows: IntArray, candidates: IntArray) -> BoolArray:
        """Whether each of these candidates, one a row, could enter its model: see `Tests`."""
        columns = candidates[:, None] * self.batch.width + np.arange(self.batch.width)
        blocks = self._state[rows[:, None, None], columns[:, :, None], columns[:, None, :]].transpose(1, 2, 0)
        cross = self._state[rows[:, None], columns, -1].T
        separable = _explained(blocks, cross).separable | self.active[rows, candidates]
        return self.batch.live[rows, candidates] & separable

    @np.errstate(under="ignore")
    def tests(self, rows: IntArray | None = None) -> Tests:
        """The tests of every candidate of the given effects (all of them by default)."""
        rows = np.arange(len(self.active)) if rows is None else rows
        active = self.active[rows]
        blocks, cross = self._blocks(rows)
        found = _explained(np.where(active, -blocks, blocks), cross)
        residual = self.residual[rows, None]
        without = np.where(active, residual + found.all, residual)
        full = np.maximum(np.where(active, residual, residual - found.all), LEAST_VARIANCE)
        linear = np.where(active, residual + found.all_but_first, residual - found.first)
        possible = self.batch.live[rows] & (found.separable | active)
        p_value = self._p_values(rows, without, np.maximum(linear, LEAST_VARIANCE), full)
        gain = 0.5 * np.maximum(np.log(without / full), 0.0)
        return Tests(np.where(possible, p_value, 1.0), np.where(possible, gain, 0.0), possible)

    def _blocks(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """[k, k, R, K] and [k, R, K]: every candidate's own block, and its moments with the effect."""
        width, size = self.batch.width, self._state.shape[1] - 1
        place, features = np.arange(0, size, width), np.arange(width)
        of_row, of_place = rows[:, None], place[None, :]
        first, second = features[:, None, None, None], features[None, :, None, None]
        blocks = self._state[of_row, of_place + first, of_place + second]
        return blocks, self._state[of_row, of_place + features[:, None, None], size]

    def _p_values(
        self, rows: IntArray, without: FloatArray, linear: FloatArray, full: FloatArray
    ) -> FloatArray:
        """Twice the smaller of the linear and the full test: nearly linear effects keep their power."""
        dof = self.batch.dof[rows]
        active = self.active[rows]
        used = (dof * active).sum(axis=1, keepdims=True) - dof * active + 1
        p_linear = f_test(without, linear, np.ones_like(dof), self.batch.rows - used - 1)
        if self.batch.width == 1:
            return p_linear
        p_full = f_test(without, full, dof, self.batch.rows - used - dof)
        return np.where(dof > 1, np.minimum(1.0, 2.0 * np.minimum(p_full, p_linear)), p_linear)


@dataclass(frozen=True, eq=False)
class _Explained:
    """c' B^-1 c of every candidate, and of parts of its features."""

    all: FloatArray
    first: FloatArray
    all_but_first: FloatArray
    separable: BoolArray  # B is far enough from singular


def _explained(blocks: FloatArray, cross: FloatArray) -> _Explained:
    """Of `blocks` [k, k, ...] and `cross` [k, ...].

    A Cholesky factorisation of all blocks at once, feature after feature with the first one last: the
    squares of L^-1 c then add up to the parts. Blocks that are singular count as the identity.
    """
    width = len(blocks)
    order = [*range(1, width), 0]
    rows: list[list[FloatArray]] = []
    solved: list[FloatArray] = []
    separable = np.ones(cross.shape[1:], dtype=np.bool_)
    for i in order:
        row: list[FloatArray] = []
        for j, earlier in zip(order, rows, strict=False):
            row.append((blocks[i, j] - sum(map(np.multiply, row, earlier))) / earlier[-1])
        pivot = blocks[i, i] - sum(np.square(part) for part in row)
        separable &= pivot > COLLINEAR
        row.append(np.sqrt(np.maximum(pivot, COLLINEAR)))
        solved.append((cross[i] - sum(map(np.multiply, row, solved))) / row[-1])
        rows.append(row)
    tail = np.sum(np.square(solved[:-1]), axis=0) if width > 1 else np.zeros_like(cross[0])
    parts = tail + np.square(solved[-1]), np.square(cross[0]) / np.maximum(blocks[0, 0], COLLINEAR), tail
    plain = np.square(cross).sum(axis=0), np.square(cross[0]), np.square(cross[1:]).sum(axis=0)
    whole, first, rest = (np.where(separable, one, other) for one, other in zip(parts, plain, strict=True))
    return _Explained(whole, first, rest, separable)


@np.errstate(under="ignore")
def certify(
    model: SweptModel,
    proposed: BoolArray,
    order: FloatArray,
    keep: BoolArray,
    alpha: float,
    reopen: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> Tests:
    """Move `model` to a certified set, starting from the `proposed` edges, and return its tests.

    The weakest edge above `alpha` is closed, one at a time per effect, until none is left; with
    `reopen`, the strongest closed edge below `alpha` then comes back, and so on until nothing moves.
    """
    _enter(model, proposed | keep, np.where(keep, np.inf, order))
    rows = np.arange(len(model.active))
    # An edge may come back only a few times: with equal levels for leaving and entering, two
    # collinear candidates could otherwise take turns for ever.
    returns_left = np.full(model.active.shape, 2)
    while rows.size:
        tests = model.tests(rows)
        active = model.active[rows]
        p_leaving = np.where(active & ~keep[rows], tests.p_value, -1.0)
        weakest = p_leaving.argmax(axis=1)
        leave = p_leaving.max(axis=1) > alpha
        may_return = ~active & tests.possible & (returns_left[rows] > 0) & reopen
        ranked = np.where(may_return & (tests.p_value <= alpha), tests.gain, -1.0)
        strongest = ranked.argmax(axis=1)
        enter = ~leave & (ranked.max(axis=1) >= 0.0)
        moving = leave | enter
        flipped = np.where(leave, weakest, strongest)[moving]
        rows, entered = rows[moving], enter[moving]
        if rows.size:
            model.flip(rows, flipped)
            returns_left[rows[entered], flipped[entered]] -= 1
        tick()
    return model.tests()


def _enter(model: SweptModel, wanted: BoolArray, order: FloatArray) -> None:
    """Take the wanted candidates in, strongest first, as far as rows and collinearity allow."""
    batch = model.batch
    room = np.full(len(wanted), batch.rows // 2)
    ranking = np.argsort(-np.where(wanted, order, -np.inf), axis=1, kind="stable")
    for rank in range(int(wanted.sum(axis=1).max(initial=0))):
        candidate = ranking[:, rank]
        rows = np.arange(len(wanted))
        chosen = wanted[rows, candidate] & (batch.dof[rows, candidate] <= room)
        rows = rows[chosen]
        if not rows.size:
            continue
        candidate = candidate[chosen]
        fits = model.possible(rows, candidate)
        rows, candidate = rows[fits], candidate[fits]
        if rows.size:
            model.flip(rows, candidate)
            room[rows] -= batch.dof[rows, candidate]
