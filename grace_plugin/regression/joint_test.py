"""One test for several columns on both sides: do causes X tell anything of effects Y beside Z?

With the residual sums of squares and products E1 beside Z and X, and E0 beside Z alone, Wilks' statistic is
Lambda = det E1 / det E0. For p causes, q effects and v error degrees of freedom, Rao's approximation

    F = (1 - L) / L * (w t - (p q - 2) / 2) / (p q),   L = Lambda^(1/t),   w = v + p - (p + q + 1) / 2,
    t = sqrt((p^2 q^2 - 4) / (p^2 + q^2 - 5))   (1 where that is no number)

is exact for one effect or one cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.log_tail import log_f_tail

_TINY = 1e-10  # share of a variance below which a direction is none


@dataclass(frozen=True)
class JointTest:
    """Gain in nats per sample and ln of the p-value; 0 where the rows cannot tell."""

    gain: float
    log_p: float


def joint_test(moments: Moments, effects: IntArray, causes: IntArray, beside: IntArray) -> JointTest:
    """All arguments but `moments` are columns of the moment matrix."""
    full, rank = _left(moments, effects, np.concatenate([beside, causes]))
    reduced, rank_beside = _left(moments, effects, beside)
    p, q, v = rank - rank_beside, len(effects), moments.rows - rank - 1
    sign_full, log_full = np.linalg.slogdet(full)
    sign_reduced, log_reduced = np.linalg.slogdet(reduced)
    if p < 1 or v <= q or sign_full <= 0 or sign_reduced <= 0:
        return JointTest(0.0, 0.0)
    log_lambda = min(float(log_full - log_reduced), 0.0)
    return JointTest(-0.5 * log_lambda, _log_p(log_lambda, p, q, v))


def _log_p(log_lambda: float, p: int, q: int, v: int) -> float:
    t = np.sqrt((p * p * q * q - 4.0) / (p * p + q * q - 5.0)) if p * p + q * q > 5 else 1.0
    w = v + p - (p + q + 1) / 2.0
    dof = w * t - (p * q - 2.0) / 2.0
    ratio = np.expm1(-log_lambda / t) * dof / (p * q)
    return float(log_f_tail(p * q, dof, np.asarray(ratio)))


def _left(moments: Moments, effects: IntArray, columns: IntArray) -> tuple[FloatArray, int]:
    """[q, q]: what is left of the effects' covariance, and how many directions the columns have."""
    total = moments.covariance(effects, effects)
    if not len(columns):
        return total, 0
    gram = moments.covariance(columns, columns)
    cross = moments.covariance(columns, effects)
    size = gram.diagonal()
    scale = np.where(size > _TINY, 1.0 / np.sqrt(np.maximum(size, _TINY)), 0.0)  # else rounding
    values, vectors = np.linalg.eigh(gram * scale[:, None] * scale)
    alive = values > _TINY * max(float(values.max()), 1.0)
    parts = (vectors[:, alive] / np.sqrt(values[alive])).T @ (cross * scale[:, None])
    return np.asarray(total - parts.T @ parts), int(alive.sum())
