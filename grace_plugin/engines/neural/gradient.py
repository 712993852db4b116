"""The loss of the gated network and its gradient, written out.

The network is one gated sum and one or a few hidden layers per effect, so that its gradient is a dozen
products, which tests/engines/test_neural_gradient.py compares with automatic differentiation. As in `model`,
J = encoder x first layer [E, K (F + 1), M], R = gated inputs and ones [E, K (F + 1), B], A = J'R + bias,
h = silu(A), (mean, spread) = output h + bias:

    dA = silu'(A) * output' d(mean, spread),   dJ = R dA',   dR = J dA,   dz = sum of dR * inputs

A further layer (W, b) has A = W'h + b of the h below it, dW = h dA' and dh = W dA.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import silu, softplus

from grace_plugin.engines.hard_concrete import STRETCH_HIGH, STRETCH_LOW, TEMPERATURE
from grace_plugin.engines.neural.gates import stretched
from grace_plugin.engines.neural.model import HALF_LOG_TWO_PI, LEAST_SIGMA, Architecture, Weights

_EPSILON = 1e-6  # the uniform noise of a gate stays this far from 0 and 1


@dataclass(frozen=True, eq=False)
class Draw:
    """Sampled gates [E, K, B], or [E, K, 1] where a step has one draw, and what their slope needs."""

    gates: Tensor
    concrete: Tensor  # before it is stretched
    free: Tensor  # which follow log alpha: neither shut nor fully open

    @classmethod
    def of(
        cls, log_alpha: Tensor, trained: Tensor, fixed: Tensor, rows: int, generator: torch.Generator
    ) -> Draw:
        """One draw a row, or one for all of them if `rows` is 1; all else is [E, K, 1], `fixed` 0 or 1."""
        size = (*log_alpha.shape[:2], rows)
        noise = torch.rand(size, generator=generator, dtype=log_alpha.dtype, device=log_alpha.device)
        noise.mul_(1.0 - 2.0 * _EPSILON).add_(_EPSILON).logit_()
        concrete = noise.add_(log_alpha).mul_(1.0 / TEMPERATURE).sigmoid_()
        gates = torch.where(trained, stretched(concrete), fixed)
        return cls(gates, concrete, (gates > 0.0) & (gates < 1.0))  # a fixed one is 0 or 1

    def slope(self, of_gates: Tensor) -> Tensor:
        """From the slope in the gates to that in log alpha [E, K]."""
        slope = (1.0 - self.concrete).mul_(self.concrete).mul_(of_gates).mul_(self.free)
        return slope.sum(dim=2).mul_((STRETCH_HIGH - STRETCH_LOW) / TEMPERATURE)


def loss_and_slopes(
    weights: Weights,
    columns: Tensor,
    inputs: Tensor,
    target: Tensor,
    gates: Tensor,
    shape: Architecture,
    slopes: Weights,
    scale: float,
    gates_move: bool,
) -> tuple[Tensor, Tensor | None]:
    """The sum of the negative log-likelihoods of [E, B] and its slope in the gates, if they move.

    Args:
        weights: of the network.
        columns: [E K], which of the V lagged inputs each candidate is.
        inputs: [E, K, F, B], the features of the candidates.
        target: [E, B].
        gates: [E, K, B], or [E, K, 1] where all rows share one draw.
        shape: the sizes that `weights` were made for.
        slopes: filled with those of `scale` times the loss; those of the encoder are added to it.
        scale: of the slopes.
        gates_move: whether the slope in the gates is wanted.
    """
    problems, candidates, _, rows = inputs.shape
    terms, size = weights.encoder.shape[1:]
    encoder = weights.encoder.index_select(0, columns).view(problems, candidates * terms, size)
    joined = torch.bmm(encoder, weights.hidden)
    gated = _gated(inputs, gates).reshape(problems, candidates * terms, rows)
    before = torch.baddbmm(weights.hidden_bias[:, :, None], joined.transpose(1, 2), gated)
    hidden = silu(before)
    layers = [(before, hidden)]
    for layer in range(weights.further.shape[1]):
        above = weights.next_layer(layer, hidden)
        hidden = silu(above)
        layers.append((above, hidden))
    raw = torch.baddbmm(weights.output_bias[:, :, None], weights.output, hidden)
    loss, slope = _likelihood(raw, weights.output_bias, target, shape.constant_noise, scale)

    slopes.output_bias.copy_(slope.sum(dim=2))
    if shape.constant_noise:
        slope[:, 1] = 0.0  # the scale of the noise depends on its bias alone
    torch.bmm(slope, hidden.transpose(1, 2), out=slopes.output)
    slope = torch.bmm(weights.output.transpose(1, 2), slope)
    for layer in reversed(range(weights.further.shape[1])):
        slope = torch.ops.aten.silu_backward(slope, layers[layer + 1][0])
        slopes.further_bias[:, layer] = slope.sum(dim=2)
        slopes.further[:, layer] = torch.bmm(layers[layer][1], slope.transpose(1, 2))
        slope = torch.bmm(weights.further[:, layer], slope)
    slope = torch.ops.aten.silu_backward(slope, before)
    torch.sum(slope, dim=2, out=slopes.hidden_bias)
    of_joined = torch.bmm(gated, slope.transpose(1, 2))
    torch.bmm(encoder.transpose(1, 2), of_joined, out=slopes.hidden)
    of_encoder = torch.bmm(of_joined, weights.hidden.transpose(1, 2))
    slopes.encoder.index_add_(0, columns, of_encoder.view(-1, terms, size))
    if not gates_move:
        return loss, None
    of_gated = torch.bmm(joined, slope).view(problems, candidates, terms, rows)
    of_gates = of_gated[:, :, :-1].mul_(inputs).sum(dim=2).add_(of_gated[:, :, -1])
    return loss, of_gates if gates.shape[2] > 1 else of_gates.sum(dim=2, keepdim=True)


def _gated(inputs: Tensor, gates: Tensor) -> Tensor:
    """[E, K, F + 1, B]: the inputs, and a one for the encoder's bias, times their gates."""
    problems, candidates, features, rows = inputs.shape
    made = inputs.new_empty(problems, candidates, features + 1, rows)
    torch.mul(inputs, gates[:, :, None], out=made[:, :, :-1])
    made[:, :, -1] = gates
    return made


def _likelihood(
    raw: Tensor, bias: Tensor, target: Tensor, constant_noise: bool, scale: float
) -> tuple[Tensor, Tensor]:
    """Summed over [E, B], and `scale` times its slope in `raw` [E, 2, B]."""
    mean, spread = raw.unbind(dim=1)
    if constant_noise:
        spread = bias[:, 1:].expand_as(spread)
    sigma = softplus(spread).add_(LEAST_SIGMA)
    error = (target - mean).div_(sigma)
    loss = error.square().sum().mul_(0.5) + sigma.log().sum() + HALF_LOG_TWO_PI * target.numel()
    slope = torch.empty_like(raw)
    torch.div(error, sigma, out=slope[:, 0]).mul_(-scale)
    shrinks = (1.0 - error.square_()).div_(sigma).mul_(scale)
    torch.mul(shrinks, torch.sigmoid(spread), out=slope[:, 1])
    return loss, slope
