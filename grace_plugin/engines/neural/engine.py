"""The paper's engine: one gated network for all effects, for mechanisms that do not add up."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import torch
from scipy.special import chdtri
from torch import Tensor

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin._common.progress import Tick, progress_bar
from grace_plugin.engines.level import auto_alpha, paper_penalty
from grace_plugin.engines.neural.certificate import (
    Answer,
    HeldOut,
    Question,
    additive_answers,
    gains_of_others,
)
from grace_plugin.engines.neural.data import Gathered, Problem, Windows, usable_device
from grace_plugin.engines.neural.gates import deterministic
from grace_plugin.engines.neural.model import Architecture, Sparsity
from grace_plugin.engines.neural.options import NeuralOptions
from grace_plugin.engines.neural.schedule import Schedule, batch_size
from grace_plugin.engines.neural.training import train
from grace_plugin.graph.knowledge import kept_edges
from grace_plugin.graph.outcome import Details, Outcome
from grace_plugin.graph.outcome_builder import (
    OutcomeBuilder,
    both_directions,
    larger_of_both,
    p_value_of_both,
    pair_parents,
)
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import SearchSpace
from grace_plugin.regression.judge import judge
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.regressions import Regressions, affordable
from grace_plugin.regression.triples import acting_in_threes
from grace_plugin.series.panel import Panel

# Where gates of values that act together start: a network that sees each of them part of the time does not
# learn what they do together before their gates have closed (exclusive or of two among 30: recall .00).
_TOGETHER = 2.0


class NeuralEngine:
    """(skeleton, data, options) -> gates, decisions and tests."""

    options = tuple(field.name for field in fields(NeuralOptions))

    def refine(self, skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
        """Train the gates on the data and decide about every candidate."""
        own = NeuralOptions.of(config.engine_options, skeleton)
        panel = panel.loaded()  # training reads the rows many times
        moments = Moments.of(panel, skeleton.max_lag, DEFAULT_BASIS)
        return _Run(skeleton, panel, moments, config, own).outcome()


class _Run:
    """One refinement: `found` collects its results."""

    def __init__(
        self, skeleton: Skeleton, panel: Panel, moments: Moments, config: RefineConfig, own: NeuralOptions
    ) -> None:
        self.skeleton, self.moments, self.config, self.own = skeleton, moments, config, own
        self.found = OutcomeBuilder(skeleton, kept_edges(config, skeleton))
        by_rule = isinstance(config.alpha, str)
        self.alpha = auto_alpha(skeleton, moments.rows) if by_rule else float(config.alpha)
        self.regressions = Regressions(affordable(moments), skeleton.names)
        self.windows = Windows(panel, moments, own.features, usable_device(own.device))
        self.penalty = self._penalty()
        self.shape = Architecture(
            own.hidden,
            own.decoder_hidden,
            own.noise == "constant",
            own.decoder == "shared",
            own.decoder_layers,
            own.initial_weights == "normal",
        )
        self.schedule = self._schedule()
        self.epochs: list[int] = []
        self.together = self._acting_together(panel)

    def outcome(self) -> Outcome:
        with progress_bar(self.own.epochs, "gates", self.config.progress) as tick:
            self._decide_directed(tick)
            self._decide_pairs(tick)
        return self.found.outcome(self.penalty, self.alpha, self.moments, self._details())

    def _acting_together(self, panel: Panel) -> dict[int, dict[tuple[int, int], float]]:
        """Effect -> (cause, lag) of the values that act on it in pairs or threes -> p-value, all counted."""
        if self.own.preset == "paper" or not self.config.interactions or self.skeleton.max_lag < 1:
            return {}
        sums = affordable(self.moments)
        rows = LaggedRows.of(panel, sums.max_lag, sums.center, sums.scale)
        judged = judge(sums, rows, SearchSpace(self.skeleton.directed))
        p_value = np.exp(judged.evidence.dense())
        pairs = {
            effect: {
                (cause, lag): float(p_value[cause, effect, lag])
                for one in some
                for cause, lag in (one.first, one.second)
            }
            for effect, some in judged.products.items()
        }
        d, alone = self.skeleton.n_variables, set(range(self.skeleton.n_variables)) - set(pairs)
        threes = {
            effect: acting_in_threes(rows, effect, self._lagged(effect), sums.basis, d) for effect in alone
        }
        return {**pairs, **threes}

    def _lagged(self, effect: int) -> IntArray:
        """[K, 2]: (cause, lag) of its candidates from lag 1 on."""
        cells = np.argwhere(self.skeleton.directed[:, effect])
        return np.asarray(cells[cells[:, 1] > 0])

    def _details(self) -> Details:
        return Details(
            basis=self.moments.basis,
            moments=self.moments,
            certify=self.own.certify,
            epochs=tuple(self.epochs),
            options=self.own,
        )

    def _penalty(self) -> float:
        """Nats per sample of one effect."""
        if isinstance(self.config.penalty, (int, float)):
            return float(self.config.penalty)
        if self.config.penalty == "paper" or self.own.preset == "paper":
            return paper_penalty(self.skeleton, self.windows.rows)
        return float(0.5 * chdtri(self.own.degrees, self.alpha) / self.windows.rows)

    def _schedule(self) -> Schedule:
        own = self.own
        return Schedule(
            epochs=own.epochs,
            patience=own.patience,
            warm_up=own.warm_up,
            # Gates find out first which lag is the strongest.
            concentrate_from=own.epochs // 6 if self.config.lag_concentration else 0,
            batch_size=batch_size(self.windows.rows) if own.batch_size == "auto" else int(own.batch_size),
            learning_rate=own.learning_rate,
            gate_learning_rate=own.gate_learning_rate,
            initial_gate=own.initial_gate,
            weight_decay=own.weight_decay,
            gate_decay=own.weight_decay if own.preset == "paper" else 0.0,
            cosine=own.rates == "cosine",
            noise_per_row=own.gate_noise == "row",
            rounded_steps=own.preset != "paper",
            settled=own.settled,
        )

    def _decide_directed(self, tick: Tick) -> None:
        directed = self.skeleton.directed
        effects = np.flatnonzero(directed.any(axis=(0, 2)))
        if not len(effects):
            return
        parents = [np.argwhere(directed[:, effect]) for effect in effects]
        keep = [self.found.keep[rows[:, 0], e, rows[:, 1]] for e, rows in zip(effects, parents, strict=True)]
        gates = self._train(_problems(effects, parents, keep), tick)
        questions = [
            Question(int(effect), pairs, gate, gate > self.config.gate_threshold, kept)
            for effect, pairs, gate, kept in zip(effects, parents, gates, keep, strict=True)
        ]
        for question, answer in zip(questions, self._answers(questions), strict=True):
            cells = question.parents[:, 0], question.effect, question.parents[:, 1]
            certified = question.proposed & (self.own.certify is not None)
            self.found.write(cells, question.gates, answer.active, answer.gain, answer.p_value, certified)

    def _decide_pairs(self, tick: Tick) -> None:
        """Unoriented pairs: each judged once, given the lagged and other parents that both ends keep."""
        pairs = np.argwhere(np.triu(self.skeleton.unoriented))
        if not len(pairs):
            return
        directed = self.found.graph & self.skeleton.directed
        both_ways = both_directions(pairs)
        parents = [pair_parents(directed, cause, effect) for cause, effect in both_ways]
        others = [np.arange(len(rows)) > 0 for rows in parents]  # the pair itself comes first
        trained = self._train(_problems(both_ways[:, 1], parents, others), tick)
        gate = larger_of_both(np.array([gates[0] for gates in trained]))
        proposed = gate > self.config.gate_threshold
        questions = [
            Question(int(effect), rows, gates, (np.arange(len(rows)) == 0) & wanted, other)
            for effect, rows, gates, other, wanted in zip(
                both_ways[:, 1], parents, trained, others, np.tile(proposed, 2), strict=True
            )
        ]
        answers = self._answers(questions)
        gain = larger_of_both(np.array([answer.gain[0] for answer in answers]))
        p_value = p_value_of_both(np.array([answer.p_value[0] for answer in answers]))
        certifies = self.own.certify is not None
        stays = proposed & ((p_value <= self.alpha) | (not certifies))
        self.found.write_pairs(pairs, gate, stays, gain, p_value, proposed & certifies)

    def _train(self, problems: list[Problem], tick: Tick) -> list[FloatArray]:
        """The gates of every problem; those that are not up for decision are 1."""
        gathered = Gathered.of(problems, self.windows, self.skeleton.n_variables)
        generator = torch.Generator(device=self.windows.times.device).manual_seed(int(self.config.seed))
        trained = train(
            gathered,
            self.windows,
            self.windows.times,
            self._sparsity(problems, gathered),
            self.shape,
            self.schedule,
            generator,
            lambda opened: tick(f"{opened} of {sum(len(one.parents) for one in problems)} open"),
            self._start(problems, gathered),
        )
        self.epochs.append(trained.epochs)
        gates = deterministic(trained.log_alpha).double().cpu().numpy()
        return [
            np.where(problem.fixed, 1.0, row[: len(problem.parents)])
            for problem, row in zip(problems, gates, strict=True)
        ]

    def _start(self, problems: list[Problem], gathered: Gathered) -> Tensor:
        """[E, K]: where gates start; those of values that act together are open."""
        start = np.full(gathered.live.shape, self.own.initial_gate, dtype=np.float32)
        for row, problem in enumerate(problems):
            together = self.together.get(problem.effect, {})
            open_ones = [tuple(cell) in together for cell in problem.parents.tolist()]
            start[row, : len(open_ones)][open_ones] = _TOGETHER
        return torch.from_numpy(start).to(self.windows.times.device)

    def _sparsity(self, problems: list[Problem], gathered: Gathered) -> Sparsity:
        penalty = torch.from_numpy(self._prices(problems)).to(self.windows.times.device, torch.float32)
        weight = self.config.lag_concentration
        if not weight:
            return Sparsity(penalty[:, None])
        # The paper's term lacks the factor 1 / (steps per epoch) that the L0 term has.
        steps = -(-self.windows.rows // self.schedule.batch_size)
        free = self.own.pair_free_lags
        table = np.full(self.skeleton.mask.shape[:2], self.config.free_lags) if free is None else free
        return Sparsity(penalty[:, None], weight * self.penalty * steps, *gathered.pairs_and(table))

    def _prices(self, problems: list[Problem]) -> FloatArray:
        """Of one open gate of each problem."""
        prices = np.full(len(problems), self.penalty)
        if self.config.penalty != "auto" or self.own.preset == "paper" or not self.own.least_share:
            return prices
        shares = self.own.least_share * gains_of_others(self.regressions, problems)
        return np.asarray(np.maximum(prices, shares))

    def _with_products(self, question: Question, answer: Answer) -> Answer:
        """The answer, values that act together by the test of all that they take part in."""
        together = self.together.get(question.effect, {})
        by_pairs = [together.get((cause, lag), 1.0) for cause, lag in question.parents.tolist()]
        return replace(answer, p_value=np.minimum(answer.p_value, by_pairs))

    def _answers(self, questions: list[Question]) -> list[Answer]:
        certify = self.own.certify
        answers = additive_answers(self.regressions, questions, self.alpha, eliminate=certify == "additive")
        if certify == "either":
            answers = [self._with_products(*both) for both in zip(questions, answers, strict=True)]
        if certify in (None, "additive"):
            return answers
        if certify == "either":  # what passes that test need not be shown on held-out rows as well
            questions = [
                replace(one, keep=one.keep | (one.proposed & (answer.p_value <= self.alpha)))
                for one, answer in zip(questions, answers, strict=True)
            ]
        epochs = self.own.certificate_epochs
        # Twice the rate on the same batches: half of the rows are seen, and there are no gates to wait for.
        schedule = replace(
            self.schedule, epochs=epochs, patience=epochs, learning_rate=2e-3, cosine=True, settled=0.0
        )
        held_out = HeldOut(
            self.windows, self.skeleton.n_variables, self.shape, schedule, self.own.folds, self.config.seed
        )
        return held_out.answers(questions, answers, self.alpha)


def _problems(effects: IntArray, parents: list[IntArray], fixed: list[BoolArray]) -> list[Problem]:
    return [Problem(int(e), rows, given) for e, rows, given in zip(effects, parents, fixed, strict=True)]
