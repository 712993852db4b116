"""The Hard Concrete gate: sampling, deterministic value, probability of being open, exact moments.

A gate is z = min(1, max(0, s (HIGH - LOW) + LOW)) with s = sigmoid((logit(u) + log_alpha) / TEMPERATURE) and
u uniform in (0, 1), so that P(z > v) = sigmoid(log_alpha - TEMPERATURE logit((v - LOW) / (HIGH - LOW))) for
0 <= v < 1. numpy and nothing of this project: it can be lifted out. The constants are those of Louizos,
Welling and Kingma (2018), "Learning sparse neural networks through L0 regularization".
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

FloatArray = npt.NDArray[np.float64]

TEMPERATURE = 2.0 / 3.0
STRETCH_LOW = -0.1
STRETCH_HIGH = 1.1
OPEN_SHIFT = -TEMPERATURE * math.log(-STRETCH_LOW / STRETCH_HIGH)  # at P(z > 0), see above


def sample(log_alpha: FloatArray, uniform: FloatArray) -> FloatArray:
    """Gate values in [0, 1] for uniform noise in (0, 1)."""
    return _stretched(expit((logit(uniform) + log_alpha) / TEMPERATURE))


def deterministic(log_alpha: FloatArray) -> FloatArray:
    """The gate value used to decide: exact zeros and ones, 0.5 at `log_alpha` = 0."""
    return _stretched(expit(log_alpha))


def open_probability(log_alpha: FloatArray) -> FloatArray:
    """P(gate != 0), the L0 penalty of one gate in closed form."""
    return np.asarray(expit(log_alpha + OPEN_SHIFT))


def _stretched(concrete: FloatArray) -> FloatArray:
    return np.clip(concrete * (STRETCH_HIGH - STRETCH_LOW) + STRETCH_LOW, 0.0, 1.0)


class GateMoments:
    """E[z] and Var[z] with their derivatives in `log_alpha`, by quadrature.

    E[z] is the integral over v in [0, 1] of P(z > v) = sigmoid(log_alpha - t(v)), and E[z^2] that of
    2 v P(z > v): both smooth, so a few Gauss-Legendre nodes give machine precision.
    """

    def __init__(self, nodes: int = 24) -> None:
        points, weights = np.polynomial.legendre.leggauss(nodes)
        value = 0.5 * (points + 1.0)
        stretched = (value - STRETCH_LOW) / (STRETCH_HIGH - STRETCH_LOW)
        self._threshold = TEMPERATURE * (np.log(stretched) - np.log1p(-stretched))
        self._weights = 0.5 * weights[:, None] * np.column_stack([np.ones(nodes), 2.0 * value])

    def __call__(self, log_alpha: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """mean, variance, d mean, d variance."""
        exceed = expit(log_alpha[..., None] - self._threshold)
        both = exceed @ self._weights
        exceed -= exceed * exceed
        slope = exceed @ self._weights
        mean, d_mean = both[..., 0], slope[..., 0]
        return mean, both[..., 1] - mean * mean, d_mean, slope[..., 1] - 2.0 * mean * d_mean
