"""Gates propose: the Hard Concrete gates of all candidates, integrated out exactly.

For one effect with whitened Gram matrix G and cross moments b, the expected residual variance over
the gates' own randomness, at its best weights, is 1 - b' (G + D)^-1 b, where D repeats each
candidate's own block of G times Var[z] / E[z]^2: an uncertain gate is a ridge on its candidate.
So 1/2 log E[RSS] + penalty * P(z != 0) is a smooth function of log_alpha with a short gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from grace_plugin.engines.hard_concrete import GateMoments, open_probability
from grace_plugin.regression.regressions import Batch

FIXED_OPEN = 12.0  # log_alpha of a gate that is not up for decision: open with probability 1 - 1e-6
_LEAST_VARIANCE = 1e-12
_JITTER = 1e-10


@dataclass(frozen=True)
class GateTraining:
    """How the gates are trained; the objective has no noise, so there is nothing else to choose."""

    steps: int = 200
    learning_rate: float = 0.05
    initial: float = -0.5


@dataclass(frozen=True)
class LagConcentration:
    """The paper's optional penalty on more than `free` open lags per pair; weight 0 turns it off."""

    weight: float = 0.0
    free: float = 1.0


def train_gates(
    batch: Batch,
    penalty: Tensor,
    fixed: Tensor,
    training: GateTraining,
    concentration: LagConcentration,
    tick: Callable[[], None] = lambda: None,
) -> Tensor:
    """`log_alpha` [B, K] at a minimum of the expected objective; `fixed` gates stay open."""
    device = batch.gram.device
    moments = GateMoments(device)
    same_pair = _same_pair(batch) if concentration.weight else None
    blocks = batch.blocks
    live = torch.from_numpy(batch.live).to(device)
    trained = live & ~fixed
    log_alpha = torch.full(live.shape, training.initial, dtype=torch.float64, device=device)
    log_alpha[fixed] = FIXED_OPEN
    optimiser = _Adam(log_alpha, training.learning_rate)
    for _ in range(training.steps):
        gradient = _fit_gradient(batch, blocks, log_alpha, moments)
        gradient += _penalty_gradient(log_alpha, penalty, concentration, same_pair)
        log_alpha = optimiser.step(log_alpha, torch.where(trained, gradient, 0.0))
        tick()
    return log_alpha


def _fit_gradient(batch: Batch, blocks: Tensor, log_alpha: Tensor, moments: GateMoments) -> Tensor:
    mean, variance, d_mean, d_variance = moments(log_alpha)
    ridge = variance / mean.square()
    d_ridge = (d_variance - 2.0 * ridge * mean * d_mean) / mean.square()
    penalised = batch.gram.clone()
    own_view(penalised, batch.width).add_((ridge[..., None, None] * blocks).permute(0, 2, 3, 1))
    penalised.diagonal(dim1=1, dim2=2).add_(_JITTER)
    factor = torch.linalg.cholesky(penalised)
    weights = torch.cholesky_solve(batch.cross[..., None], factor)[..., 0]
    residual = (1.0 - (batch.cross * weights).sum(dim=1)).clamp_min(_LEAST_VARIANCE)
    grouped = weights.reshape(*log_alpha.shape, batch.width)
    explained = torch.einsum("bki,bkij,bkj->bk", grouped, blocks, grouped)
    return 0.5 * explained * d_ridge / residual[:, None]


def own_view(matrix: Tensor, width: int) -> Tensor:
    """The diagonal blocks of [B, K * k, K * k] as a writable view [B, k, k, K]."""
    size = matrix.shape[-1] // width
    return matrix.view(matrix.shape[0], size, width, size, width).diagonal(dim1=1, dim2=3)


def _penalty_gradient(
    log_alpha: Tensor, penalty: Tensor, concentration: LagConcentration, same_pair: Tensor | None
) -> Tensor:
    probability = open_probability(log_alpha)
    slope = probability * (1.0 - probability)
    price = penalty[:, None].expand_as(slope)
    if same_pair is not None:
        crowded = (same_pair @ probability[..., None])[..., 0] > concentration.free
        price = price * (1.0 + concentration.weight * crowded)
    return price * slope


def _same_pair(batch: Batch) -> Tensor:
    causes = torch.from_numpy(batch.causes)
    live = torch.from_numpy(batch.live)
    same = (causes[:, :, None] == causes[:, None, :]) & live[:, None, :]
    return same.to(dtype=torch.float64, device=batch.gram.device)


class _Adam:
    """Adam on one tensor (torch's own would need autograd's graph and its bookkeeping)."""

    def __init__(self, like: Tensor, rate: float) -> None:
        self.rate = rate
        self.mean = torch.zeros_like(like)
        self.square = torch.zeros_like(like)
        self.count = 0

    def step(self, value: Tensor, gradient: Tensor) -> Tensor:
        self.count += 1
        self.mean.mul_(0.9).add_(gradient, alpha=0.1)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        mean = self.mean / (1.0 - 0.9**self.count)
        square = self.square / (1.0 - 0.999**self.count)
        return value - self.rate * mean / (square.sqrt() + 1e-8)
