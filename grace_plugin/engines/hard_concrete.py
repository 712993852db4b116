"""The Hard Concrete gate: sampling, deterministic value, probability of being open, exact moments.

torch and nothing of this project: it can be lifted out.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

TEMPERATURE = 2.0 / 3.0
STRETCH_LOW = -0.1
STRETCH_HIGH = 1.1
_SHIFT = -TEMPERATURE * math.log(-STRETCH_LOW / STRETCH_HIGH)


def sample(log_alpha: Tensor, uniform: Tensor) -> Tensor:
    """Gate values in [0, 1] for uniform noise in (0, 1); differentiable in `log_alpha`."""
    concrete = torch.sigmoid((torch.logit(uniform) + log_alpha) / TEMPERATURE)
    return _stretched(concrete)


def deterministic(log_alpha: Tensor) -> Tensor:
    """The gate value used to decide: exact zeros and ones, 0.5 at `log_alpha` = 0."""
    return _stretched(torch.sigmoid(log_alpha))


def open_probability(log_alpha: Tensor) -> Tensor:
    """P(gate != 0), the L0 penalty of one gate in closed form."""
    return torch.sigmoid(log_alpha + _SHIFT)


def _stretched(concrete: Tensor) -> Tensor:
    return (concrete * (STRETCH_HIGH - STRETCH_LOW) + STRETCH_LOW).clamp(0.0, 1.0)


class GateMoments:
    """E[z] and Var[z] with their derivatives in `log_alpha`, by quadrature.

    E[z] is the integral over v in [0, 1] of P(z > v) = sigmoid(log_alpha - t(v)), and E[z^2] that of
    2 v P(z > v): both smooth, so a few Gauss-Legendre nodes give machine precision.
    """

    def __init__(self, device: torch.device, nodes: int = 24) -> None:
        points, weights = np.polynomial.legendre.leggauss(nodes)
        value = 0.5 * (points + 1.0)
        stretched = (value - STRETCH_LOW) / (STRETCH_HIGH - STRETCH_LOW)
        threshold = TEMPERATURE * (np.log(stretched) - np.log1p(-stretched))
        self._threshold = torch.tensor(threshold, dtype=torch.float64, device=device)
        self._weight = torch.tensor(0.5 * weights, dtype=torch.float64, device=device)
        self._twice_value = torch.tensor(2.0 * value, dtype=torch.float64, device=device)

    def __call__(self, log_alpha: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """mean, variance, d mean, d variance."""
        exceed = torch.sigmoid(log_alpha[..., None] - self._threshold)
        slope = exceed * (1.0 - exceed)
        mean = exceed @ self._weight
        second = exceed @ (self._weight * self._twice_value)
        d_mean = slope @ self._weight
        d_second = slope @ (self._weight * self._twice_value)
        return mean, second - mean.square(), d_mean, d_second - 2.0 * mean * d_mean
