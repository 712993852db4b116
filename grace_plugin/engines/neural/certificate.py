"""Certificates for the edges that neural gates propose: the additive test, or held-out likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from scipy.special import stdtr
from torch import Tensor

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.engines.neural.data import Gathered, Problem, Windows
from grace_plugin.engines.neural.model import (
    Architecture,
    Sparsity,
    Weights,
    negative_log_likelihood,
    predict,
)
from grace_plugin.engines.neural.schedule import Schedule
from grace_plugin.engines.neural.training import train
from grace_plugin.regression.regressions import Regressions
from grace_plugin.regression.sweep import SweptModel, certify

_GRAM_NUMBERS = 24_000_000  # Gram entries held at once
_EVALUATED_ROWS = 1024
_RIDGE = 1e-8


@dataclass(frozen=True, eq=False)
class Question:
    """One effect, its candidates, which of them are proposed, and which are certain."""

    effect: int
    parents: IntArray  # [K, 2]: (cause, lag)
    gates: FloatArray  # [K]
    proposed: BoolArray  # [K]
    keep: BoolArray  # [K]


_Asked = TypeVar("_Asked", Problem, Question)


@dataclass(frozen=True, eq=False)
class Answer:
    """For each candidate [K]: whether it stays, its gain in nats per sample, its p-value."""

    active: BoolArray
    gain: FloatArray
    p_value: FloatArray


def gains_of_others(regressions: Regressions, asked: list[Problem]) -> FloatArray:
    """Nats per sample that all candidates but the effect's own past bring beside it [E].

    In the additive model. A strong own past says nothing of how small a share the others may have.
    """
    own = [_own_past(one) for one in asked]
    some = np.array([len(one.parents) > 0 for one in own])
    gains = whole_gains(regressions, asked)
    if some.any():
        past = [one for one, is_there in zip(own, some, strict=True) if is_there]
        gains[some] -= whole_gains(regressions, past)
    return np.maximum(gains, 0.0)


def _own_past(problem: Problem) -> Problem:
    own = problem.parents[:, 0] == problem.effect
    return Problem(problem.effect, problem.parents[own], problem.fixed[own])


def whole_gains(regressions: Regressions, asked: list[Problem]) -> FloatArray:
    """Nats per sample that all candidates of a problem bring together in the additive model [E]."""
    found: list[FloatArray] = []
    for part in _chunks(asked, regressions.width):
        batch = regressions.gather(np.array([one.effect for one in part]), [one.parents for one in part])
        ridge = _RIDGE * np.eye(batch.gram.shape[1])
        solved = np.linalg.solve(batch.gram + ridge, batch.cross[..., None])[..., 0]
        rss = np.clip(1.0 - (batch.cross * solved).sum(axis=1), _RIDGE, 1.0)
        # As many features explain part of anything; where they are too many nothing is known.
        dof_left = batch.rows - 1 - batch.dof.sum(axis=1)
        unbiased = np.where(dof_left > 0, rss * (batch.rows - 1) / np.maximum(dof_left, 1), 1.0)
        found.append(np.maximum(0.0, -0.5 * np.log(unbiased)))
    return np.concatenate(found)


def additive_answers(
    regressions: Regressions, questions: list[Question], alpha: float, eliminate: bool
) -> list[Answer]:
    """The tests of the additive engine; without `eliminate` all that is proposed stays."""
    answers: list[Answer] = []
    for part in _chunks(questions, regressions.width):
        batch = regressions.gather(np.array([q.effect for q in part]), [q.parents for q in part])
        shape = batch.live.shape
        proposed = _padded([q.proposed for q in part], shape).astype(np.bool_)
        keep = _padded([q.keep for q in part], shape).astype(np.bool_)
        certain = keep if eliminate else keep | proposed
        model = SweptModel(batch)
        tests = certify(
            model, proposed, _padded([q.gates for q in part], shape), certain, alpha, reopen=False
        )
        stays = model.active | certain
        for row, question in enumerate(part):
            live = slice(len(question.parents))
            answers.append(Answer(stays[row, live], tests.gain[row, live], tests.p_value[row, live]))
    return answers


def _chunks(asked: list[_Asked], width: int) -> Iterator[list[_Asked]]:
    """As many at a time as memory allows."""
    most = max((len(one.parents) for one in asked), default=1)
    room = max(1, _GRAM_NUMBERS // (most * width) ** 2)
    for start in range(0, len(asked), room):
        yield asked[start : start + room]


def _padded(columns: list[FloatArray] | list[BoolArray], shape: tuple[int, ...]) -> FloatArray:
    padded = np.zeros(shape)
    for row, column in enumerate(columns):
        padded[row, : len(column)] = column
    return padded


class HeldOut:
    """Does an edge make rows more likely that the network did not see?

    The rows are cut into blocks. Networks with and without the edge are trained on all blocks but one,
    and their log-likelihoods of the block that was left out are compared row by row. All networks of all
    effects are trained in one batch; effects go on losing their weakest edge until all of them pass.
    """

    def __init__(
        self,
        windows: Windows,
        n_variables: int,
        shape: Architecture,
        schedule: Schedule,
        folds: int,
        seed: int,
    ) -> None:
        self.windows, self.n_variables, self.shape = windows, n_variables, shape
        self.schedule, self.folds, self.seed = schedule, folds, seed

    def answers(self, questions: list[Question], known: list[Answer], alpha: float) -> list[Answer]:
        """`known` answers lend gain and p-value to candidates that are not proposed."""
        active = [question.proposed | question.keep for question in questions]
        gain = [answer.gain.copy() for answer in known]
        p_value = [answer.p_value.copy() for answer in known]
        waiting = [i for i, question in enumerate(questions) if (active[i] & ~question.keep).any()]
        while waiting:
            tested = self._tests([questions[i] for i in waiting], [active[i] for i in waiting])
            again = []
            for i, (places, gains, p_values) in zip(waiting, tested, strict=True):
                gain[i][places], p_value[i][places] = gains, p_values
                judged = np.where(active[i] & ~questions[i].keep, p_value[i], -1.0)
                weakest = int(judged.argmax())
                if judged[weakest] > alpha:
                    active[i][weakest] = False
                    if (active[i] & ~questions[i].keep).any():
                        again.append(i)
            waiting = again
        return [Answer(*parts) for parts in zip(active, gain, p_value, strict=True)]

    def _tests(
        self, questions: list[Question], active: list[BoolArray]
    ) -> list[tuple[IntArray, FloatArray, FloatArray]]:
        """Per question: the tested candidates, and the gain and p-value of each."""
        problems: list[Problem] = []
        groups: list[tuple[int, IntArray]] = []
        for question, chosen in zip(questions, active, strict=True):
            places = np.flatnonzero(chosen & ~question.keep)
            groups.append((len(problems), places))
            problems.append(_open(question, chosen))
            for place in places:
                without = chosen.copy()
                without[place] = False
                problems.append(_open(question, without))
        losses = self._held_out(problems)
        found = []
        for start, places in groups:
            better = losses[start + 1 : start + 1 + len(places)] - losses[start]
            mean = better.mean(axis=1)
            error = better.std(axis=1, ddof=1) / np.sqrt(better.shape[1])
            p_value = stdtr(better.shape[1] - 1, -mean / np.maximum(error, 1e-300))
            found.append((places, mean, p_value))
        return found

    def _held_out(self, problems: list[Problem]) -> FloatArray:
        """[problem, row]: the negative log-likelihood of every row by networks that did not see it."""
        gathered = Gathered.of(problems, self.windows, self.n_variables)
        times = self.windows.times
        blocks = torch.arange(len(times), device=times.device).tensor_split(self.folds)
        losses = np.empty((len(problems), len(times)))
        for block in blocks:
            seen = torch.ones(len(times), dtype=torch.bool, device=times.device)
            seen[block] = False
            generator = torch.Generator(device=times.device).manual_seed(self.seed)
            trained = train(
                gathered, self.windows, times[seen], Sparsity(0.0), self.shape, self.schedule, generator
            )
            for rows in torch.split(block, _EVALUATED_ROWS):
                with torch.no_grad():
                    losses[:, rows.cpu().numpy()] = self._losses(gathered, trained.weights, times[rows])
        return losses

    def _losses(self, gathered: Gathered, weights: Weights, times: Tensor) -> FloatArray:
        inputs = self.windows.inputs(gathered.offsets, times)
        gates = gathered.fixed.float()
        mean, sigma = predict(weights, gathered.columns, inputs, gates, self.shape)
        target = self.windows.targets(gathered.effects, times)
        found = negative_log_likelihood(target, mean, sigma).double().cpu().numpy()
        return np.asarray(found, dtype=np.float64)


def _open(question: Question, chosen: BoolArray) -> Problem:
    parents = question.parents[chosen]
    return Problem(question.effect, parents, np.ones(len(parents), dtype=np.bool_))
