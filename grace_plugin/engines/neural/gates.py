"""The Hard Concrete gate of `engines.hard_concrete` on tensors, differentiable in `log_alpha`."""

from __future__ import annotations

import torch
from torch import Tensor

from grace_plugin.engines.hard_concrete import OPEN_SHIFT, STRETCH_HIGH, STRETCH_LOW, TEMPERATURE


def sample(log_alpha: Tensor, uniform: Tensor) -> Tensor:
    """Gate values in [0, 1] for uniform noise in (0, 1)."""
    return stretched(torch.sigmoid((torch.logit(uniform) + log_alpha) / TEMPERATURE))


def deterministic(log_alpha: Tensor) -> Tensor:
    """The gate value used to decide: exact zeros and ones, 0.5 at `log_alpha` = 0."""
    return stretched(torch.sigmoid(log_alpha))


def open_probability(log_alpha: Tensor) -> Tensor:
    """P(gate != 0), the L0 penalty of one gate in closed form."""
    return torch.sigmoid(log_alpha + OPEN_SHIFT)


def stretched(concrete: Tensor) -> Tensor:
    """Beyond 0 and 1, and cut off there."""
    return (concrete * (STRETCH_HIGH - STRETCH_LOW) + STRETCH_LOW).clamp(0.0, 1.0)
