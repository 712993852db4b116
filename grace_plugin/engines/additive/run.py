"""One refinement: gates propose, tests decide, and what is kept is looked at once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin._common.progress import progress_bar
from grace_plugin.engines.additive.gate_training import GateTraining, LagConcentration, train_gates
from grace_plugin.engines.additive.lag_thinning import crowded_effects, thin_out
from grace_plugin.engines.additive.options import AdditiveOptions
from grace_plugin.engines.additive.second_look import second_look
from grace_plugin.engines.hard_concrete import deterministic
from grace_plugin.engines.level import auto_alpha, paper_penalty
from grace_plugin.graph.knowledge import kept_edges
from grace_plugin.graph.outcome import Details, Outcome
from grace_plugin.graph.outcome_builder import (
    Cells,
    OutcomeBuilder,
    both_directions,
    larger_of_both,
    p_value_of_both,
    pair_parents,
)
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.regressions import Batch, Regressions
from grace_plugin.regression.sweep import SweptModel, certify
from grace_plugin.series.panel import Panel


class Run:
    """One refinement: `found` collects its results."""

    def __init__(
        self,
        skeleton: Skeleton,
        moments: Moments,
        config: RefineConfig,
        own: AdditiveOptions,
        panel: Panel | None,
    ) -> None:
        self.skeleton, self.moments, self.config, self.own, self.panel = skeleton, moments, config, own, panel
        self.found = OutcomeBuilder(skeleton, kept_edges(config, skeleton))
        by_rule = isinstance(config.alpha, str)
        self.alpha = auto_alpha(skeleton, moments.rows) if by_rule else float(config.alpha)
        self.regressions = Regressions(moments, skeleton.names)
        self.penalties: list[FloatArray] = []

    def outcome(self) -> Outcome:
        candidates = self._candidates
        groups = self.regressions.groups(candidates)
        with progress_bar(sum(map(len, groups)), "gates", self.config.progress) as tick:
            for effects in groups:
                parents = [np.argwhere(candidates[:, effect]) for effect in effects]
                self._decide(self.regressions.gather(effects, parents), tick)
        self._look_again()
        self._thin_out_lags()
        self._decide_pairs()
        self._close_beside_pairs()
        return self.found.outcome(
            float(np.mean(np.concatenate(self.penalties))) if self.penalties else 0.0,
            self.alpha,
            self.moments,
            Details(self.moments.basis, self.own.decide, self.moments),
        )

    @property
    def _candidates(self) -> BoolArray:
        """[cause, effect, lag]: those of known direction."""
        return self.skeleton.directed

    def _decide(self, batch: Batch, tick: Callable[[], None]) -> None:
        live = batch.live
        keep = self._of(self.found.keep, batch) & live
        gates = self._gates(batch, keep, tick)
        proposed = (gates > self.config.gate_threshold) & live
        model = SweptModel(batch)
        certified = keep | proposed if self.own.decide == "gates" else keep
        tests = certify(model, proposed, gates, certified, self.alpha, self._may_reopen)
        self.found.write(
            self._cells(batch, live),
            gates[live],
            model.active[live],
            tests.gain[live],
            tests.p_value[live],
            (model.active | proposed)[live],
        )

    @property
    def _may_reopen(self) -> bool:
        """Whether an edge that is significant beside all kept ones comes back though its gate closed.

        Gates stick: half open, one sees little of what it would gain. A price of the user's own binds.
        """
        own_price = self.config.penalty != "auto"
        return self.own.decide == "certificate" or (self.own.decide == "both" and not own_price)

    def _gates(self, batch: Batch, keep: BoolArray, tick: Callable[[], None]) -> FloatArray:
        if self.own.decide == "certificate":
            return np.where(batch.live, 1.0, 0.0)
        penalty = self._penalty(batch)
        self.penalties.append(penalty)
        log_alpha = train_gates(
            batch,
            penalty,
            keep,
            GateTraining(steps=self.own.steps),
            self._concentration,
            tick,
        )
        return np.where(batch.live, deterministic(log_alpha), 0.0)

    @property
    def _concentration(self) -> LagConcentration:
        return LagConcentration(self.config.lag_concentration, self.config.free_lags)

    def _penalty(self, batch: Batch) -> FloatArray:
        """[B], nats per sample."""
        count = len(batch.effects)
        if self.config.penalty == "paper":
            return np.full(count, paper_penalty(self.skeleton, batch.rows))
        if self.config.penalty != "auto":
            return np.full(count, float(self.config.penalty))
        # An edge just significant at alpha gains this much; the certificate sees to the rest.
        return np.full(count, 0.5 * chdtri(1, self.alpha) / batch.rows)

    def _look_again(self) -> None:
        """Close what lives on the remainder that coarse features leave of a bent effect, or on wild rows.

        A stream cannot be read again.
        """
        wanted = self.own.second_look and self.own.decide != "gates"
        if not wanted or self.panel is None or self.panel.stream is not None:
            return
        for again in second_look(self._kept, self.found.keep, self.panel, self.moments, self.alpha):
            cells = again.parents[:, 0], again.effect, again.parents[:, 1]
            self.found.revise(cells, again.stays, again.gain, again.p_value)

    def _thin_out_lags(self) -> None:
        """Where lags are to be few, close those of crowded pairs that are not worth it."""
        crowded = crowded_effects(self._kept, self.config.free_lags)
        if not self._concentration.weight or self.own.decide == "gates" or not crowded.any():
            return
        for effects in self.regressions.groups(self._kept & crowded[:, None]):
            batch = self.regressions.gather(effects, [np.argwhere(self._kept[:, one]) for one in effects])
            keep = self._of(self.found.keep, batch) & batch.live
            stays, tests = thin_out(batch, keep, self._penalty(batch), self._concentration)
            closed = batch.live & ~stays & ~keep
            self.found.revise(self._cells(batch, closed), False, tests.gain[closed], tests.p_value[closed])

    @property
    def _kept(self) -> BoolArray:
        """[cause, effect, lag]: the edges of known direction that are left so far."""
        return self.found.graph & self.skeleton.directed

    def _decide_pairs(self) -> None:
        """Unoriented pairs: each judged once, given the lagged and other parents that both ends keep."""
        pairs = np.argwhere(np.triu(self.skeleton.unoriented))
        if not len(pairs):
            return
        gates, gain, p_value = self._judge_pairs(both_directions(pairs))
        gate, p_pair = larger_of_both(gates), p_value_of_both(p_value)
        proposed = gate > self.config.gate_threshold
        passed = (p_pair <= self.alpha) | (self.own.decide == "gates")
        self.found.write_pairs(pairs, gate, proposed & passed, larger_of_both(gain), p_pair, proposed)

    def _judge_pairs(self, pairs: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gate, gain and p-value of the edge pair[0] -> pair[1] at lag 0, for each row of `pairs`."""
        directed = self._kept
        judged = np.zeros((3, len(pairs)))
        for rows in np.array_split(np.arange(len(pairs)), -(-len(pairs) // 256)):
            parents = [pair_parents(directed, cause, effect) for cause, effect in pairs[rows]]
            batch = self.regressions.gather(pairs[rows, 1], parents)
            others = batch.live.copy()
            others[:, 0] = False  # the pair itself comes first
            gates = self._gates(batch, others, lambda: None)
            tests = certify(SweptModel(batch), others, gates, others, self.alpha, reopen=False)
            judged[:, rows] = gates[:, 0], tests.gain[:, 0], tests.p_value[:, 0]
        return judged[0], judged[1], judged[2]

    def _close_beside_pairs(self) -> None:
        """Close what an unoriented neighbour explains.

        If the neighbour is a parent, the edges that reach the effect through it are explained by it; if
        it is a child, the effect's own parents still tell something beside it. So an edge that is not
        significant given the neighbour is false either way.
        """
        neighbours = self.found.graph[:, :, 0] & self.skeleton.unoriented
        directed = self._kept
        effects = np.flatnonzero(neighbours.any(axis=0) & directed.any(axis=(0, 2)))
        if not effects.size or self.own.decide == "gates":
            return
        beside = directed.copy()
        beside[:, :, 0] |= neighbours
        batch = self.regressions.gather(effects, [np.argwhere(beside[:, effect]) for effect in effects])
        given = self._of(neighbours[:, :, None] & (np.arange(beside.shape[2]) == 0), batch)
        keep = (given | self._of(self.found.keep, batch)) & batch.live
        model = SweptModel(batch)
        tests = certify(model, batch.live, self._of(self.found.gates, batch), keep, self.alpha, reopen=False)
        closed = batch.live & ~model.active
        self.found.revise(self._cells(batch, closed), False, tests.gain[closed], tests.p_value[closed])

    def _cells(self, batch: Batch, chosen: BoolArray) -> Cells:
        effects = np.broadcast_to(batch.effects[:, None], batch.causes.shape)
        return batch.causes[chosen], effects[chosen], batch.lags[chosen]

    def _of(self, tensor: npt.NDArray[Any], batch: Batch) -> npt.NDArray[Any]:
        return np.asarray(tensor[batch.causes, batch.effects[:, None], batch.lags])
