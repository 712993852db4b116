"""Gates propose: the Hard Concrete gates of all candidates, integrated out exactly.

For one effect with whitened Gram matrix G and cross moments b, the expected residual variance over
the gates' own randomness, at its best weights, is 1 - b' (G + D)^-1 b, where D repeats each
candidate's own block of G times Var[z] / E[z]^2: an uncertain gate is a ridge on its candidate.
So 1/2 log E[RSS] + penalty * P(z != 0) is a smooth function of log_alpha with a short gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from grace_plugin._common.arrays import BoolArray, FloatArray
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


@np.errstate(under="ignore")
def train_gates(
    batch: Batch,
    penalty: FloatArray,
    fixed: BoolArray,
    training: GateTraining,
    concentration: LagConcentration,
    tick: Callable[[], None] = lambda: None,
) -> FloatArray:
    """`log_alpha` [B, K] at a minimum of the expected objective; `fixed` gates stay open."""
    moments = GateMoments()
    same_pair = _same_pair(batch) if concentration.weight else None
    blocks = batch.blocks
    trained = batch.live & ~fixed
    log_alpha = np.where(fixed, FIXED_OPEN, training.initial)
    optimiser = _Adam(log_alpha, training.learning_rate)
    for _ in range(training.steps):
        gradient = _fit_gradient(batch, blocks, log_alpha, moments)
        gradient += _penalty_gradient(log_alpha, penalty, concentration, same_pair)
        log_alpha = optimiser.step(log_alpha, np.where(trained, gradient, 0.0))
        tick()
    return log_alpha


def _fit_gradient(
    batch: Batch, blocks: FloatArray, log_alpha: FloatArray, moments: GateMoments
) -> FloatArray:
    mean, variance, d_mean, d_variance = moments(log_alpha)
    ridge = variance / np.square(mean)
    d_ridge = (d_variance - 2.0 * ridge * mean * d_mean) / np.square(mean)
    penalised = batch.gram.copy()
    view = _own_view(penalised, batch.width)
    view += (ridge[..., None, None] * blocks).transpose(0, 2, 3, 1)
    penalised[:, np.arange(penalised.shape[1]), np.arange(penalised.shape[1])] += _JITTER
    weights = np.stack(
        [
            dposv(gram.T, cross, overwrite_a=True)[1]
            for gram, cross in zip(penalised, batch.cross, strict=True)
        ]
    )
    residual = np.maximum(1.0 - (batch.cross * weights).sum(axis=1), _LEAST_VARIANCE)
    grouped = weights.reshape(*log_alpha.shape, batch.width)
    explained = ((blocks @ grouped[..., None])[..., 0] * grouped).sum(axis=-1)
    return np.asarray(0.5 * explained * d_ridge / residual[:, None])


def _own_view(matrix: FloatArray, width: int) -> FloatArray:
    """The diagonal blocks of [B, K * k, K * k] as a writable view [B, k, k, K]."""
    size = matrix.shape[-1] // width
    shaped = matrix.reshape(matrix.shape[0], size, width, size, width)
    view = shaped.diagonal(axis1=1, axis2=3)
    view.flags.writeable = True
    return view


def _penalty_gradient(
    log_alpha: FloatArray, penalty: FloatArray, concentration: LagConcentration, same_pair: FloatArray | None
) -> FloatArray:
    probability = open_probability(log_alpha)
    slope = probability * (1.0 - probability)
    price = penalty[:, None]
    if same_pair is not None:
        crowded = (same_pair @ probability[..., None])[..., 0] > concentration.free
        price = price * (1.0 + concentration.weight * crowded)
    return np.asarray(price * slope)


def _same_pair(batch: Batch) -> FloatArray:
    same = (batch.causes[:, :, None] == batch.causes[:, None, :]) & batch.live[:, None, :]
    return np.asarray(same, dtype=np.float64)


class _Adam:
    """Adam on one array."""

    def __init__(self, like: FloatArray, rate: float) -> None:
        self.rate = rate
        self.mean = np.zeros_like(like)
        self.square = np.zeros_like(like)
        self.count = 0

    def step(self, value: FloatArray, gradient: FloatArray) -> FloatArray:
        self.count += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.999 * self.square + 0.001 * np.square(gradient)
        mean = self.mean / (1.0 - 0.9**self.count)
        square = self.square / (1.0 - 0.999**self.count)
        return np.asarray(value - self.rate * mean / (np.sqrt(square) + 1e-8))
