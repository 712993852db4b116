"""The paper's gated network for many effects at once: encoder, gated sum, decoder, loss.

One problem is one effect with its candidate parents. All problems share the encoder and are computed
in one batch. torch and the gates, nothing else of this project.

Shapes: E problems, K candidates each (padded), F features per lagged value, V lagged inputs, H encoder
size, M decoder size, N further hidden layers, B rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import silu, softplus

from grace_plugin.engines.neural.gates import open_probability

LEAST_SIGMA = 1e-3  # of a standardised effect; keeps the likelihood finite where a fit is perfect
_OUTPUT_SHARE = 0.1  # of the spread that Glorot's rule gives: predictions start near zero
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Architecture:
    """Sizes of the network, what the noise scale may depend on, and whether all effects share a decoder.

    `decoder_layers` are the hidden ones, `normal_start` has the weights of the authors' package.
    """

    encoder_size: int = 64
    decoder_size: int = 64
    constant_noise: bool = False
    shared_decoder: bool = False
    decoder_layers: int = 1
    normal_start: bool = False


@dataclass(frozen=True, eq=False)
class Weights:
    """Every trained tensor but the gates; a plain value, so that it can be copied and averaged."""

    encoder: Tensor  # [V, F + 1, H], the bias last
    hidden: Tensor  # [E, H, M]
    hidden_bias: Tensor  # [E, M]
    further: Tensor  # [E, N, M, M], from, to
    further_bias: Tensor  # [E, N, M]
    output: Tensor  # [E, 2, M]
    output_bias: Tensor  # [E, 2]

    @property
    def tensors(self) -> list[Tensor]:
        return list(vars(self).values())

    def next_layer(self, layer: int, hidden: Tensor) -> Tensor:
        """[E, M, B] -> [E, M, B]: one of the further layers, before its activation."""
        bias = self.further_bias[:, layer, :, None]
        return torch.baddbmm(bias, self.further[:, layer].transpose(1, 2), hidden)

    def of(self, problems: Tensor | slice) -> Weights:
        """Those that the given problems need; a slice gives views."""
        return Weights(self.encoder, *(tensor[problems] for tensor in self.tensors[1:]))

    def put(self, problems: Tensor, some: Weights) -> None:
        """Write the decoders of some problems; the inverse of `of`."""
        for tensor, part in zip(self.tensors[1:], some.tensors[1:], strict=True):
            tensor.index_copy_(0, problems, part)


def initial_weights(
    problems: int, inputs: int, features: int, shape: Architecture, generator: torch.Generator
) -> Weights:
    """Uniform in +-1/sqrt(fan-in), as torch's own linear layers, or normal as in the authors' package."""
    made = (_normal if shape.normal_start else _uniform)(problems, inputs, features, shape, generator)
    if shape.shared_decoder:
        for tensor in made.tensors[1:]:
            tensor[:] = tensor[:1].clone()
    return made


def _uniform(
    problems: int, inputs: int, features: int, shape: Architecture, generator: torch.Generator
) -> Weights:
    size, hidden, further = shape.encoder_size, shape.decoder_size, shape.decoder_layers - 1

    def uniform(*dims: int, fan_in: int) -> Tensor:
        made = torch.rand(*dims, generator=generator, device=generator.device, dtype=torch.float32)
        return (2.0 * made - 1.0) / math.sqrt(fan_in)

    return Weights(
        uniform(inputs, features + 1, size, fan_in=features),
        uniform(problems, size, hidden, fan_in=size),
        uniform(problems, hidden, fan_in=size),
        uniform(problems, further, hidden, hidden, fan_in=hidden),
        uniform(problems, further, hidden, fan_in=hidden),
        uniform(problems, 2, hidden, fan_in=hidden),
        uniform(problems, 2, fan_in=hidden),
    )


def _normal(
    problems: int, inputs: int, features: int, shape: Architecture, generator: torch.Generator
) -> Weights:
    """The spreads that the weights of the authors' package have before training: small outputs, no biases."""
    size, hidden, further = shape.encoder_size, shape.decoder_size, shape.decoder_layers - 1

    def normal(*dims: int, spread: float) -> Tensor:
        made = torch.randn(*dims, generator=generator, device=generator.device, dtype=torch.float32)
        return made * spread

    def zeros(*dims: int) -> Tensor:
        return torch.zeros(*dims, device=generator.device, dtype=torch.float32)

    encoder = normal(inputs, features + 1, size, spread=math.sqrt(2.0 / features))
    encoder[:, -1] = 0.0
    return Weights(
        encoder,
        normal(problems, size, hidden, spread=math.sqrt(2.0 / (size + hidden))),
        zeros(problems, hidden),
        normal(problems, further, hidden, hidden, spread=math.sqrt(1.0 / hidden)),
        zeros(problems, further, hidden),
        normal(problems, 2, hidden, spread=_OUTPUT_SHARE * math.sqrt(2.0 / (hidden + 2))),
        zeros(problems, 2),
    )


def predict(
    weights: Weights, columns: Tensor, inputs: Tensor, gates: Tensor, shape: Architecture
) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation [E, B] of every effect.

    Args:
        weights: of the network.
        columns: [E, K], which of the V lagged inputs each candidate is.
        inputs: [E, K, F, B], the features of the candidates.
        gates: [E, K] for one draw per step, or [E, K, B] for one draw per row; 0 for padding.
        shape: the sizes that `weights` were made for.
    """
    # Encoder and first decoder layer are linear with only a gated sum between them, so their product is
    # taken first: K x M numbers per effect instead of B x H. The result is the paper's, term by term.
    encoder = weights.encoder[columns]  # [E, K, F + 1, H]
    problems, candidates, terms, size = encoder.shape
    joined = encoder.reshape(problems, -1, size) @ weights.hidden
    joined = joined.reshape(problems, candidates, terms, -1)
    if gates.dim() == 2:
        joined = joined * gates[:, :, None, None]
        bias = joined[:, :, -1].sum(dim=1)[:, :, None]
        rows = inputs
    else:
        bias = joined[:, :, -1].transpose(1, 2) @ gates
        rows = inputs * gates[:, :, None]
    slopes = joined[:, :, :-1].reshape(problems, candidates * (terms - 1), -1).transpose(1, 2)
    rows = rows.reshape(problems, candidates * (terms - 1), -1)
    hidden = silu(torch.baddbmm(bias + weights.hidden_bias[:, :, None], slopes, rows))
    for layer in range(weights.further.shape[1]):
        hidden = silu(weights.next_layer(layer, hidden))
    raw = torch.baddbmm(weights.output_bias[:, :, None], weights.output, hidden)
    mean, spread = raw.unbind(dim=1)
    if shape.constant_noise:
        spread = weights.output_bias[:, 1:].expand_as(spread)
    return mean, softplus(spread) + LEAST_SIGMA


def negative_log_likelihood(target: Tensor, mean: Tensor, sigma: Tensor) -> Tensor:
    """Gaussian, elementwise, in nats."""
    return 0.5 * ((target - mean) / sigma).square() + sigma.log() + HALF_LOG_TWO_PI


@dataclass(frozen=True, eq=False)
class Sparsity:
    """The price of open gates, in nats per sample of one effect.

    `penalty` is one for all problems, or [E, 1]. `crowding` is the price of each expected open lag of a
    pair beyond `free_lags`; `pairs` [E, K] numbers the (problem, cause) pair of each candidate and
    `free_lags` [number of pairs] belongs to it.

    The price of a crowded pair is the paper's, sum over pairs of relu(sum of P(z != 0) - free), but only the
    lags beyond the strongest free ones feel it: a pull on all lags of a pair alike closes every one of them.
    """

    penalty: float | Tensor
    crowding: float = 0.0
    pairs: Tensor | None = None
    free_lags: Tensor | None = None

    def cost_and_slope(
        self, log_alpha: Tensor, trained: Tensor, concentrate: bool = True
    ) -> tuple[Tensor, Tensor]:
        """Summed over all gates that are up for decision, and its slope in `log_alpha` [E, K].

        The price of crowded pairs is part of it if they concentrate.
        """
        probability = torch.where(trained, open_probability(log_alpha), 0.0)
        slope = probability * (1.0 - probability)
        total = (self.penalty * probability).sum()
        if not (concentrate and self.crowding and self.pairs is not None and self.free_lags is not None):
            return total, slope * self.penalty
        beyond = torch.relu(self._per_pair(probability) - self.free_lags)
        spared = self._ranks(probability) < self.free_lags.floor()[self.pairs]
        crowded = (beyond > 0.0)[self.pairs] & ~spared
        return total + self.crowding * beyond.sum(), slope * (self.penalty + self.crowding * crowded)

    def crowded(self, opened: Tensor) -> Tensor:
        """[E]: which problems have a pair with more open lags than are free; `opened` is [E, K]."""
        if not self.crowding or self.pairs is None or self.free_lags is None:
            return torch.zeros(len(opened), dtype=torch.bool, device=opened.device)
        return (self._per_pair(opened.float()) > self.free_lags)[self.pairs].any(dim=1)

    def _per_pair(self, values: Tensor) -> Tensor:
        """Sums over the lags of every pair."""
        assert self.pairs is not None
        assert self.free_lags is not None
        return torch.zeros_like(self.free_lags).index_add(0, self.pairs.flatten(), values.flatten())

    @torch.no_grad()
    def _ranks(self, probability: Tensor) -> Tensor:
        """[E, K]: how many lags of the same pair are more likely open."""
        assert self.pairs is not None
        pairs = self.pairs.flatten()
        order = probability.flatten().argsort(descending=True, stable=True)
        order = order[pairs[order].argsort(stable=True)]
        sorted_pairs = pairs[order]
        first = torch.searchsorted(sorted_pairs, sorted_pairs)
        ranks = torch.empty_like(pairs)
        ranks[order] = torch.arange(len(pairs), device=pairs.device) - first
        return ranks.reshape(probability.shape)

    def of(self, problems: Tensor, candidates: int) -> Sparsity:
        """The same for some problems and their first `candidates`."""
        penalty = self.penalty[problems] if isinstance(self.penalty, Tensor) else self.penalty
        pairs = None if self.pairs is None else self.pairs[problems, :candidates]
        return replace(self, penalty=penalty, pairs=pairs)
