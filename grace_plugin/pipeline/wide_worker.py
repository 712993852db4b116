"""What workers do for a graph of many variables: judge blocks of effects, then gates and sizes of edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.decide.effects import bent_share, sizes_of
from grace_plugin.engines.additive.gate_training import GateTraining, LagConcentration, train_gates
from grace_plugin.engines.hard_concrete import deterministic
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.product_paths import Path
from grace_plugin.regression.products import Product
from grace_plugin.regression.regressions import Regressions
from grace_plugin.regression.wide.judge import WideEvidence, WideJudge

Result = TypeVar("Result", covariant=True)


class Task(Protocol[Result]):
    """One piece of work."""

    def done_by(self, worker: WideWorker) -> Result:
        """Its result."""


@dataclass(frozen=True, eq=False)
class WideWorker:
    """The rows, and how effects are judged by them; sent to every worker once."""

    judge: WideJudge
    moments: Moments
    names: tuple[str, ...]

    def __getstate__(self) -> dict[str, object]:
        """What travels; the rest is made anew where it is needed."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def regressions(self) -> Regressions:
        """What gates are trained on."""
        return Regressions(self.moments, self.names)

    def begin(self) -> None:
        """Nothing is to be loaded."""

    def run(self, task: Task[Result]) -> Result:
        """The result of one task."""
        return task.done_by(self)


@dataclass(frozen=True, eq=False)
class JudgeTask:
    """Judge a block of effects."""

    effects: IntArray

    def done_by(self, worker: WideWorker) -> WideEvidence:
        """Their evidence."""
        return worker.judge.judged(self.effects)


@dataclass(frozen=True, eq=False)
class PathTask:
    """Look for the products of some effects once more, at another level."""

    strong: Mapping[int, IntArray]
    share: float

    def done_by(self, worker: WideWorker) -> dict[int, Path]:
        """Their paths."""
        return worker.judge.paths(self.strong, self.share)


@dataclass(frozen=True, eq=False)
class ProductTask:
    """Judge effects once more, beside their products."""

    products: Mapping[int, Sequence[Product]]

    def done_by(self, worker: WideWorker) -> WideEvidence:
        """Their evidence."""
        return worker.judge.beside_products(self.products)


@dataclass(frozen=True, eq=False)
class GateTask:
    """Train the gates of some effects, and measure what they keep.

    Args:
        places: [M], of the cells among all; they come back with the results.
        cells: [M, 3].
        gated: [M], which of them have a gate.
        kept: [M], which of them stay.
        fixed: [M], which stay whatever the data say.
        price: of an open gate.
        steps: of training, at most.
    """

    places: IntArray
    cells: IntArray
    gated: BoolArray
    kept: BoolArray
    fixed: BoolArray
    price: float
    steps: int

    def done_by(self, worker: WideWorker) -> tuple[IntArray, FloatArray]:
        """[M]: the places; [5, M]: gate, size, low, high and bent, NaN of edges that are not kept."""
        found = np.full((5, len(self.cells)), np.nan)
        found[0] = 0.0
        for effect in np.unique(self.cells[:, 1]).tolist():
            mine = np.flatnonzero(self.cells[:, 1] == effect)
            found[0, mine[self.gated[mine]]] = self._gates(worker, effect, mine[self.gated[mine]])
            kept = mine[self.kept[mine]]
            if len(kept):
                causes, lags = self.cells[kept, 0], self.cells[kept, 2]
                found[1:4, kept] = sizes_of(effect, causes, lags, worker.moments, worker.judge.rows)
                found[4, kept] = bent_share(effect, causes, lags, worker.moments)
        return self.places, found

    def _gates(self, worker: WideWorker, effect: int, mine: IntArray) -> FloatArray:
        if not len(mine):
            return np.zeros(0)
        batch = worker.regressions.gather(np.array([effect]), [self.cells[mine][:, [0, 2]]])
        fixed, price = self.fixed[mine][None], np.array([self.price])
        log_alpha = train_gates(batch, price, fixed, GateTraining(steps=self.steps), LagConcentration())
        return np.asarray(deterministic(log_alpha)[0])
