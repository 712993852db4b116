"""Gates for candidates that are decided already, from the evidence of the whole graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import LEAST_ALPHA, RefineConfig
from grace_plugin.engines.additive.options import AdditiveOptions
from grace_plugin.engines.additive.run import Run
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.regressions import Batch

GATED = float(np.log(1e-3))  # ln p of candidates that have a gate: that of a weaker one could not open


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is decided of every candidate of known direction before gates are trained; [cause, effect, lag].

    Args:
        log_p: ln of the level at which an edge leaves.
        gain: nats per sample.
        kept: whether it stays.
        gated: which candidates get a gate; the others are too weak for one to open.
        level: at which an edge is as likely as not.
        price: of an open gate, nats per sample.
    """

    log_p: FloatArray
    gain: FloatArray
    kept: BoolArray
    gated: BoolArray
    level: float
    price: float


class JudgedRun(Run):
    """Candidates of known direction are decided; their gates say how the paper's objective sees them."""

    def __init__(
        self,
        skeleton: Skeleton,
        moments: Moments,
        config: RefineConfig,
        own: AdditiveOptions,
        verdict: Verdict,
    ) -> None:
        super().__init__(
            skeleton, moments, replace(config, alpha=max(verdict.level, LEAST_ALPHA), fdr=None), own, None
        )
        self.verdict = verdict
        self.gated = (verdict.gated | self.found.keep) & skeleton.directed

    def outcome(self) -> Outcome:
        verdict = self.verdict
        cause, effect, lag = np.nonzero(self.skeleton.directed & ~self.gated)
        directed, none = (cause, effect, lag), np.zeros(len(cause))
        self.found.write(
            directed,
            none,
            verdict.kept[directed],
            verdict.gain[directed],
            np.exp(verdict.log_p[directed]),
            verdict.kept[directed],
        )
        return super().outcome()

    @property
    def _candidates(self) -> BoolArray:
        return self.gated

    def _decide(self, batch: Batch, tick: Callable[[], None]) -> None:
        live, verdict = batch.live, self.verdict
        gates = self._gates(batch, self._of(self.found.keep, batch) & live, tick)
        cells = self._cells(batch, live)
        kept = verdict.kept[cells]
        proposed = gates[live] > self.config.gate_threshold
        self.found.write(
            cells, gates[live], kept, verdict.gain[cells], np.exp(verdict.log_p[cells]), kept | proposed
        )

    def _penalty(self, batch: Batch) -> FloatArray:
        return np.full(len(batch.effects), self.verdict.price)
