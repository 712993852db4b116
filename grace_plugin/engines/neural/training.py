"""Training of the gated network: mini-batches, Adam, early stopping."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grace_plugin.engines.neural.data import Gathered, Windows
from grace_plugin.engines.neural.gates import deterministic
from grace_plugin.engines.neural.gradient import Draw, loss_and_slopes
from grace_plugin.engines.neural.model import Architecture, Sparsity, Weights, initial_weights
from grace_plugin.engines.neural.schedule import Patience, Schedule, parts, steps_of_epoch

_TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])
# The fused form came to the CPU with torch 2.4; it does the same in a fraction of the time.
_ADAM: dict[str, Any] = {"fused": True} if _TORCH >= (2, 4) else {"foreach": True}


@dataclass(frozen=True, eq=False)
class Trained:
    """The weights and gates after training, and how long it took."""

    weights: Weights
    log_alpha: Tensor  # [E, K]
    epochs: int
    losses: list[float]


def train(
    gathered: Gathered,
    windows: Windows,
    times: Tensor,
    sparsity: Sparsity,
    shape: Architecture,
    schedule: Schedule,
    generator: torch.Generator,
    tick: Callable[[int], None] = lambda open_gates: None,
    start: Tensor | None = None,
) -> Trained:
    """Weights and gates at the end of training on the windows that end at `times`.

    Gates of `gathered.fixed` candidates are open throughout. `tick` is called once per epoch with the
    number of open gates. `start` [E, K] is where gates start; by default all where the schedule says.
    """
    # Problems with as many candidates stand side by side, so that parts of them need little padding.
    order = gathered.live.sum(dim=1).argsort(descending=True, stable=True)
    back = order.argsort()
    sorted_sparsity = sparsity.of(order, gathered.live.shape[1])
    trainer = _Trainer(gathered.some(order), windows, sorted_sparsity, shape, schedule, generator)
    if start is not None:
        trainer.log_alpha.copy_(start[order])
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
    return Trained(trainer.weights.of(back), trainer.log_alpha[back], len(losses), losses)


@dataclass(frozen=True, eq=False)
class _Part:
    """Problems that are computed together, padded to as many candidates as the first of them has."""

    problems: Tensor | slice  # of all; a slice lets weights and slopes be views
    rows: slice  # of those that are still trained
    shape: torch.Size  # [E, K]
    columns: Tensor  # [E K]: see `Gathered.columns`
    inputs: Tensor  # [E K]: of the batch's inputs
    trained: Tensor  # [E, K, 1]
    fixed: Tensor  # [E, K, 1]
    weights: Weights
    slopes: Weights


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
        self._gates_move = bool(self.trained.any())
        self.log_alpha = torch.full(self.trained.shape, schedule.initial_gate, dtype=torch.float32)
        self.log_alpha = self.log_alpha.to(self.rows.device)
        self.slopes = Weights(*(torch.zeros_like(tensor) for tensor in self.weights.tensors))
        self.gate_slopes = torch.zeros_like(self.log_alpha)
        self.optimiser = self._optimiser()
        self._rates = [group["lr"] for group in self.optimiser.param_groups]
        self._concentrate = False
        self._gather()

    def _optimiser(self) -> torch.optim.Adam:
        schedule = self.schedule
        for tensor, slope in zip(self.weights.tensors, self.slopes.tensors, strict=True):
            tensor.grad = slope
        self.log_alpha.grad = self.gate_slopes
        gates = {"lr": schedule.gate_learning_rate, "weight_decay": schedule.gate_decay}
        return torch.optim.Adam(
            [
                {"params": self.weights.tensors, "weight_decay": schedule.weight_decay},
                {"params": [self.log_alpha], **gates},
            ],
            lr=schedule.learning_rate,
            **_ADAM,
        )

    def _gather(self) -> None:
        """Lay out the problems that are still trained."""
        counts = self.gathered.live.sum(dim=1).tolist()
        everything = self.unsettled == len(self._all.effects)
        self._places = slice(None) if everything else self.rows
        self._moving = self.gathered.live & ~self.gathered.fixed
        used, columns = torch.unique(self.gathered.columns, return_inverse=True)
        self._inputs = self.windows.offsets_of(used)
        self._parts = [self._part(rows, counts[rows.start], columns) for rows in parts(counts)]

    def _part(self, rows: slice, most: int, inputs: Tensor) -> _Part:
        problems = rows if isinstance(self._places, slice) else self.rows[rows]
        live, fixed = (part[rows, :most] for part in (self.gathered.live, self.gathered.fixed))
        return _Part(
            problems,
            rows,
            live.shape,
            self.gathered.columns[rows, :most].flatten(),
            inputs[rows, :most].flatten(),
            (live & ~fixed)[..., None],
            fixed[..., None].float(),
            self.weights.of(problems),
            self.slopes.of(problems),
        )

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
        if not least:
            return False
        gates = deterministic(self.log_alpha)[self.rows]
        decided = (gates < least) | (gates > 1.0 - least) | ~self.trained[self.rows]
        crowded = self.sparsity.crowded(((gates > 0.5) & self.trained[self.rows])[:, : self._width])
        staying = ~decided.all(dim=1) | crowded
        if staying.all():
            return False
        self.rows = self.rows[staying]
        for slope in (*self.slopes.tensors, self.gate_slopes):
            slope.zero_()
        if self.unsettled:
            self.gathered = self._all.some(self.rows)
            self.sparsity = self._all_sparsity.of(self.rows, self._width)
            self._gather()
        return True

    def open_gates(self) -> int:
        """How many gates are open now, those that are not up for decision included."""
        opened = (deterministic(self.log_alpha) > 0.5) & self.trained
        return int((opened | self._all.fixed).sum())

    def _batches(self, order: Tensor) -> Sequence[Tensor]:
        steps = steps_of_epoch(len(order), self.schedule.batch_size, self.schedule.rounded_steps)
        return torch.tensor_split(order, steps)

    def _step(self, times: Tensor) -> Tensor:
        loss = self._loss(times)
        self.optimiser.step()
        return loss

    def _loss(self, times: Tensor) -> Tensor:
        """The loss of one batch; its slopes are left where the optimiser looks for them."""
        # Divided by the number of effects as in the paper, which Adam hardly notices.
        share = 1.0 / self.unsettled
        self.slopes.encoder.zero_()
        inputs, targets = self.windows.batch(self._inputs, self.gathered.effects, times)
        scale = share / len(times)
        fits = [self._fit(part, inputs, targets, scale) for part in self._parts]
        if self.shape.shared_decoder:  # equal copies of it that take equal steps
            for slopes in self.slopes.tensors[1:]:
                slopes[:] = slopes.sum(dim=0, keepdim=True)
        loss = torch.stack(fits).sum() / len(times)
        if self._gates_move:
            places = (self._places, slice(self._width))
            log_alpha = self.log_alpha[places]
            price, slope = self.sparsity.cost_and_slope(log_alpha, self._moving, self._concentrate)
            self.gate_slopes[places] += slope * share
            loss = loss + price
        return loss * share

    def _fit(self, part: _Part, inputs: Tensor, targets: Tensor, scale: float) -> Tensor:
        """The summed negative log-likelihood of one part of the problems."""
        weights = part.weights if isinstance(part.problems, slice) else self.weights.of(part.problems)
        log_alpha = self.log_alpha[part.problems, : part.shape[1], None]
        draws = inputs.shape[2] if self.schedule.noise_per_row else 1
        draw = Draw.of(log_alpha, part.trained, part.fixed, draws, self.generator)
        loss, slope = loss_and_slopes(
            weights,
            part.columns,
            inputs.index_select(0, part.inputs).view(*part.shape, *inputs.shape[1:]),
            targets[part.rows],
            draw.gates,
            self.shape,
            part.slopes,
            scale,
            self._gates_move,
        )
        if not isinstance(part.problems, slice):
            self.slopes.put(part.problems, part.slopes)
        if slope is not None:
            self.gate_slopes[part.problems, : part.shape[1]] = draw.slope(slope)
        return loss
