"""Training of the gated network: mini-batches, Adam, early stopping."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grace_plugin.engines.neural.data import Gathered, Windows
from grace_plugin.engines.neural.gates import deterministic, sample
from grace_plugin.engines.neural.model import (
    Architecture,
    Sparsity,
    Weights,
    initial_weights,
    negative_log_likelihood,
    predict,
)

_TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])
# The fused form came to the CPU with torch 2.4; it does the same in a fraction of the time.
_ADAM: dict[str, Any] = {"fused": True} if _TORCH >= (2, 4) else {"foreach": True}
_EPSILON = 1e-6  # the uniform noise of a gate stays this far from 0 and 1


@dataclass(frozen=True)
class Schedule:
    """How long and how fast; the defaults are the paper's but for the gates' own rate."""

    epochs: int = 150
    patience: int = 20
    batch_size: int = 32
    learning_rate: float = 1e-3
    gate_learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    gate_decay: float = 0.0
    initial_gate: float = -0.5
    warm_up: int = 0
    concentrate_from: int = 0  # the first epoch in which crowded pairs cost more
    cosine: bool = False
    noise_per_row: bool = False
    even_batches: bool = False  # no small batch of what is left over
    settled: float = 0.0  # an effect whose gates are all closer than this to 0 or 1 leaves training


@dataclass(frozen=True, eq=False)
class Trained:
    """The weights and gates after training, and how long it took."""

    weights: Weights
    log_alpha: Tensor  # [E, K]
    epochs: int
    losses: list[float]


def batch_size(rows: int) -> int:
    """The paper's rule: max(32, min(N / 8, 256)).

    >>> batch_size(100), batch_size(995), batch_size(10_000)
    (32, 124, 256)
    """
    return max(32, min(rows // 8, 256))


class Patience:
    """Says when the loss has not improved for `limit` epochs."""

    def __init__(self, limit: int) -> None:
        self.limit, self.best, self.waited = limit, math.inf, 0

    def exhausted(self, loss: float) -> bool:
        """Take note of one more epoch's loss."""
        self.waited = 0 if loss < self.best else self.waited + 1
        self.best = min(self.best, loss)
        return self.waited >= self.limit


def train(
    gathered: Gathered,
    windows: Windows,
    times: Tensor,
    sparsity: Sparsity,
    shape: Architecture,
    schedule: Schedule,
    generator: torch.Generator,
    tick: Callable[[int], None] = lambda open_gates: None,
) -> Trained:
    """Weights and gates at the end of training on the windows that end at `times`.

    Gates of `gathered.fixed` candidates are open throughout. `tick` is called once per epoch with the
    number of open gates.
    """
    trainer = _Trainer(gathered, windows, sparsity, shape, schedule, generator)
    patience = Patience(schedule.patience)
    losses: list[float] = []
    for epoch in range(schedule.epochs):
        losses.append(trainer.epoch(times, epoch))
        tick(trainer.open_gates())
        if epoch < max(schedule.warm_up, schedule.concentrate_from):
            continue
        if trainer.settle():
            patience = Patience(schedule.patience)  # losses of fewer effects are others
        if not trainer.unsettled or patience.exhausted(losses[-1]):
            break
    return Trained(trainer.weights, trainer.log_alpha.detach(), len(losses), losses)


class _Trainer:
    def __init__(
        self,
        gathered: Gathered,
        windows: Windows,
        sparsity: Sparsity,
        shape: Architecture,
        schedule: Schedule,
        generator: torch.Generator,
    ) -> None:
        self.windows, self.shape, self.schedule, self.generator = windows, shape, schedule, generator
        self.gathered, self.sparsity = self._all, self._all_sparsity = gathered, sparsity
        self.rows = torch.arange(len(gathered.effects), device=gathered.effects.device)
        self.weights = initial_weights(len(self.rows), gathered.n_inputs, windows.features, shape, generator)
        self.trained = gathered.live & ~gathered.fixed
        self.log_alpha = torch.full(self.trained.shape, schedule.initial_gate, dtype=torch.float32)
        self.log_alpha = self.log_alpha.to(self.rows.device).requires_grad_()
        self.optimiser = torch.optim.Adam(
            [
                {"params": self.weights.tensors, "weight_decay": schedule.weight_decay},
                {
                    "params": [self.log_alpha],
                    "lr": schedule.gate_learning_rate,
                    "weight_decay": schedule.gate_decay,
                },
            ],
            lr=schedule.learning_rate,
            **_ADAM,
        )
        self._concentrate = False
        self._rates = [group["lr"] for group in self.optimiser.param_groups]

    @property
    def unsettled(self) -> int:
        """How many problems are still trained."""
        return len(self.rows)

    @property
    def _width(self) -> int:
        """The most candidates of a problem that is still trained."""
        return self.gathered.live.shape[1]

    def epoch(self, times: Tensor, number: int) -> float:
        """One pass over all rows in random order; the mean loss."""
        self._concentrate = number >= self.schedule.concentrate_from
        if self.schedule.cosine:
            share = 0.5 * (1.0 + math.cos(math.pi * number / self.schedule.epochs))
            for group, rate in zip(self.optimiser.param_groups, self._rates, strict=True):
                group["lr"] = rate * share
        order = torch.randperm(len(times), generator=self.generator, device=times.device)
        total = torch.zeros((), dtype=torch.float32, device=times.device)
        for rows in self._batches(order):
            total += self._step(times[rows]) * len(rows)
        return float(total) / len(times)

    def settle(self) -> bool:
        """Let the problems go whose gates are all decided; True if there were any."""
        least = self.schedule.settled
        with torch.no_grad():
            gates = deterministic(self.log_alpha)[self.rows]
            decided = (gates < least) | (gates > 1.0 - least) | ~self.trained[self.rows]
            crowded = self.sparsity.crowded(((gates > 0.5) & self.trained[self.rows])[:, : self._width])
        staying = ~decided.all(dim=1) | crowded
        if not least or staying.all():
            return False
        self.rows = self.rows[staying]
        if self.unsettled:
            self.gathered = self._all.some(self.rows)
            self.sparsity = self._all_sparsity.of(self.rows, self._width)
        return True

    def open_gates(self) -> int:
        """How many gates are open now, those that are not up for decision included."""
        with torch.no_grad():
            opened = (deterministic(self.log_alpha) > 0.5) & self.trained
        return int((opened | self._all.fixed).sum())

    def _batches(self, order: Tensor) -> Sequence[Tensor]:
        size = self.schedule.batch_size
        if self.schedule.even_batches:
            return torch.tensor_split(order, max(1, round(len(order) / size)))
        return [order[start : start + size] for start in range(0, len(order), size)]

    def _step(self, times: Tensor) -> Tensor:
        self.optimiser.zero_grad(set_to_none=True)
        loss = self._loss(times)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return loss.detach()

    def _loss(self, times: Tensor) -> Tensor:
        gathered, weights, log_alpha = self.gathered, self.weights, self.log_alpha
        if self.unsettled < len(log_alpha):
            weights = weights.of(self.rows)
            log_alpha = log_alpha.index_select(0, self.rows)[:, : self._width]
        inputs = self.windows.inputs(gathered.offsets, times)
        target = self.windows.targets(gathered.effects, times)
        gates = self._gates(log_alpha, len(times))
        mean, sigma = predict(weights, gathered.columns, inputs, gates, self.shape)
        fit = negative_log_likelihood(target, mean, sigma).mean(dim=1).sum()
        # Divided by the number of effects as in the paper, which Adam hardly notices.
        price = self.sparsity.cost(log_alpha, gathered.live & ~gathered.fixed, self._concentrate)
        return (fit + price) / len(gathered.effects)

    def _gates(self, log_alpha: Tensor, rows: int) -> Tensor:
        """[E, K], or [E, K, B] where every row draws its own."""
        per_row = self.schedule.noise_per_row
        size = (*log_alpha.shape, rows) if per_row else tuple(log_alpha.shape)
        noise = torch.rand(size, generator=self.generator, dtype=log_alpha.dtype, device=log_alpha.device)
        noise = noise.mul_(1.0 - 2.0 * _EPSILON).add_(_EPSILON)
        trained, always = self.gathered.live & ~self.gathered.fixed, self.gathered.fixed.float()
        if not per_row:
            return torch.where(trained, sample(log_alpha, noise), always)
        drawn = sample(log_alpha[..., None], noise)
        return torch.where(trained[..., None], drawn, always[..., None])
