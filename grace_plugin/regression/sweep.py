"""An exact test certifies: every kept edge is significant given all the other kept edges.

The Gram matrix of an effect is kept in swept form: pivoting a candidate in or out of the model
updates everything that the tests of all other candidates need. All effects of a batch move at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import fdtrc
from torch import Tensor

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.regression.regressions import Batch, own_blocks

_COLLINEAR = 1e-7  # least residual variance of a (whitened) candidate that can still be told apart
_LEAST_VARIANCE = 1e-14


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
        self._state = torch.empty((count, size + 1, size + 1), dtype=torch.float64, device=batch.gram.device)
        self._state[:, :size, :size] = batch.gram
        self._state[:, :size, size] = batch.cross
        self._state[:, size, :size] = batch.cross
        self._state[:, size, size] = 1.0

    def flip(self, rows: IntArray, candidates: IntArray) -> None:
        """Move one candidate in each of the given rows (effects) into or out of its model."""
        width = self.batch.width
        leaving = self.active[rows, candidates]
        device = self._state.device
        row = torch.from_numpy(rows).to(device)
        columns = torch.from_numpy(candidates[:, None] * width + np.arange(width)).to(device)
        state = self._state[row]
        picked = columns[:, None, :].expand(-1, state.shape[1], -1)
        panel = state.gather(2, picked)  # [R, size + 1, k]
        pivot = panel.gather(1, columns[:, :, None].expand(-1, -1, width))
        inverse = torch.linalg.inv(pivot)
        scaled = panel @ inverse
        state -= scaled @ panel.transpose(1, 2)
        sign = torch.from_numpy(np.where(leaving, -1.0, 1.0)).to(device)[:, None, None]
        edge = sign * scaled
        state.scatter_(2, picked, edge)
        state.scatter_(1, picked.transpose(1, 2), edge.transpose(1, 2).contiguous())
        rows_of_pivot = torch.arange(len(rows), device=device)[:, None, None]
        state[rows_of_pivot, columns[:, :, None], columns[:, None, :]] = -inverse
        self._state[row] = state
        self.active[rows, candidates] = ~leaving

    def tests(self, rows: IntArray | None = None) -> Tests:
        """The tests of every candidate of the given effects (all of them by default)."""
        rows = np.arange(len(self.active)) if rows is None else rows
        batch, width = self.batch, self.batch.width
        state = self._state[torch.from_numpy(rows).to(self._state.device)]
        active = torch.from_numpy(self.active[rows]).to(state.device)
        sign = torch.where(active, -1.0, 1.0)
        blocks = own_blocks(state[:, :-1, :-1], width) * sign[..., None, None].to(torch.float64)
        cross = state[:, :-1, -1].reshape(*active.shape, width)
        left, linear_part, rest, separable = _block_solves(blocks, cross)
        residual = state[:, -1, -1].clamp_min(_LEAST_VARIANCE)[:, None]
        without = torch.where(active, residual + left, residual)
        full = torch.where(active, residual, residual - left).clamp_min(_LEAST_VARIANCE)
        linear = torch.where(active, residual + rest, residual - linear_part).clamp_min(_LEAST_VARIANCE)
        possible = batch.live[rows] & (separable.cpu().numpy() | self.active[rows])
        p_value = self._p_values(rows, without.cpu().numpy(), linear.cpu().numpy(), full.cpu().numpy())
        gain = 0.5 * torch.log(without / full).clamp_min(0.0).cpu().numpy()
        return Tests(np.where(possible, p_value, 1.0), np.where(possible, gain, 0.0), possible)

    def _p_values(
        self, rows: IntArray, without: FloatArray, linear: FloatArray, full: FloatArray
    ) -> FloatArray:
        """Twice the smaller of the linear and the full test: nearly linear effects keep their power."""
        freedom = self.batch.freedom[rows]
        active = self.active[rows]
        used = (freedom * active).sum(axis=1, keepdims=True) - freedom * active + 1
        p_full = f_test(without, full, freedom, self.batch.rows - used - freedom)
        p_linear = f_test(without, linear, np.ones_like(freedom), self.batch.rows - used - 1)
        return np.where(freedom > 1, np.minimum(1.0, 2.0 * np.minimum(p_full, p_linear)), p_linear)


def _block_solves(blocks: Tensor, cross: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """c'B^-1 c; the part of the first feature alone; c'B^-1 c of all but the first; B invertible."""
    width = blocks.shape[-1]
    identity = torch.eye(width, dtype=torch.float64, device=blocks.device)
    factor, info = torch.linalg.cholesky_ex(blocks)
    pivots = factor.diagonal(dim1=-2, dim2=-1).square().amin(dim=-1)
    separable = (info == 0) & (pivots > _COLLINEAR)
    safe = torch.where(separable[..., None, None], blocks, identity)
    solved = torch.linalg.solve(safe, cross[..., None])[..., 0]
    left = (cross * solved).sum(dim=-1)
    linear_part = cross[..., 0].square() / safe[..., 0, 0]
    if width == 1:
        return left, linear_part, torch.zeros_like(left), separable
    tail = cross[..., 1:]
    rest = (tail * torch.linalg.solve(safe[..., 1:, 1:], tail[..., None])[..., 0]).sum(dim=-1)
    return left, linear_part, rest, separable


def f_test(without: FloatArray, having: FloatArray, freedom: IntArray, left: IntArray) -> FloatArray:
    """p-values of `freedom` more features, from the unexplained variances without and with them."""
    usable = (left > 0) & (freedom > 0)
    left = np.where(usable, left, 1)
    freedom = np.where(usable, freedom, 1)
    ratio = np.maximum(without - having, 0.0) / freedom / (having / left)
    return np.where(usable, fdtrc(freedom, left, ratio), 1.0)


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
        chosen = wanted[rows, candidate] & (batch.freedom[rows, candidate] <= room)
        rows = rows[chosen]
        if not rows.size:
            continue
        candidate = candidate[chosen]
        fits = model.tests(rows).possible[np.arange(len(rows)), candidate]
        rows, candidate = rows[fits], candidate[fits]
        if rows.size:
            model.flip(rows, candidate)
            room[rows] -= batch.freedom[rows, candidate]
