r"""Noise that moves together within a step, told apart from effects within it, by the shorter description.

Both make residuals correlate. Where x(t) = B x(t-1) + e with correlated e, a graph A within the step stands
in for the correlations, but its lagged causes are those of (I - A) B: more than B has. Where effects do act
within the step, it is the lagged model without them that needs more lagged causes. So two models of the
variables that A joins are compared, in nats: A with its lagged causes, and the lagged causes found without A
beside free correlations of the noise (fitted together, as seemingly unrelated regressions are). A correlation
costs as much as the effect that stands for it, and half a nat, its gain by chance, where none does. The shape
of residuals counts on both sides: noise that is mixed is more Gaussian than what effects mix.

That holds for independent noise. Where one storm, or one load, makes the residuals of all variables large at
once, what effects leave is heavy-tailed because its size changes, and mixing does not make it more Gaussian:
the shape of rivers under one rain spoke for effects by 3,000 to 6,400 nats, against 580 to 1,270 of the fit,
and all were false. So shapes say nothing where the sizes of what effects leave move together.

Gaussian noise of 16 places, correlated by distance: 140 to 180 nats in favour of common noise; effects
within the step: 0 to 180 against it; slow sampling: 40 against to 5 in favour (tuning seeds).
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.lag0.columns import Columns
from grace_plugin.lag0.node_models import PRICE, NodeModel, NodeModels
from grace_plugin.lag0.rules import connected
from grace_plugin.regression.foretold import move_together

CONVINCING = 2.0 * PRICE  # nats: slow sampling, where pairs within the step are right, stays below
_ROUNDS = 2  # of fitting weights and correlations in turn; more change nothing that counts
_ROWS_PER_VARIABLE = 5  # fewer rows say too little of all correlations at once
_RIDGE = 1e-9


def shorter_by_common_noise(models: NodeModels, graph: BoolArray) -> float:
    """Nats by which common noise describes the variables in less than the effects in `graph` do."""
    return sum(_shorter(models, graph, part) for part in connected(graph))


def _shorter(models: NodeModels, graph: BoolArray, part: IntArray) -> float:
    rows, size = models.columns.rows, len(part)
    if rows < _ROWS_PER_VARIABLE * size:
        return 0.0
    beside = [models.model(int(one), frozenset(np.flatnonzero(graph[:, one]).tolist())) for one in part]
    without = [models.model(int(one), frozenset()) for one in part]
    effects = int(graph[:, part].sum())
    fit = sum(float(np.log(model.left)) for model in beside) - _log_volume(models.columns, part, without)
    features = _features(beside) - _features(without) - effects
    shape = sum(model.shape for model in without) - sum(model.shape for model in beside)
    shape = 0.0 if shape and _large_at_once(models, part, beside) else shape
    return 0.5 * rows * fit + PRICE * features + shape - 0.5 * (size * (size - 1) // 2 - effects)


def _large_at_once(models: NodeModels, part: IntArray, chosen: list[NodeModel]) -> bool:
    """Whether the sizes of what the models leave move together."""
    if models.rows is None:
        return False
    left = models.rows.columns(part * models.columns.width)
    for residual, model in zip(left, chosen, strict=True):
        residual -= model.weights @ models.rows.columns(model.columns)
    return move_together(np.abs(left).T)


def _features(chosen: list[NodeModel]) -> int:
    return sum(len(model.columns) for model in chosen)


def _log_volume(table: Columns, part: IntArray, chosen: list[NodeModel]) -> float:
    """The logarithm of the determinant of the noise's covariance, all weights fitted together."""
    columns = np.concatenate([model.columns for model in chosen]).astype(np.int64)
    owner = np.repeat(np.arange(len(part)), [len(model.columns) for model in chosen])
    now = part * table.width
    inner, cross = table.correlation[columns[:, None], columns], table.correlation[columns[:, None], now]
    target = table.correlation[now[:, None], now]
    weights = np.concatenate([model.weights for model in chosen])
    for _ in range(_ROUNDS):
        precision = np.linalg.inv(_noise(weights, owner, inner, cross, target))
        shared = precision[owner[:, None], owner] * inner + _RIDGE * np.eye(len(columns))
        weights = np.linalg.solve(shared, (precision[owner] * cross).sum(axis=1))
    return float(np.linalg.slogdet(_noise(weights, owner, inner, cross, target))[1])


def _noise(
    weights: FloatArray, owner: IntArray, inner: FloatArray, cross: FloatArray, target: FloatArray
) -> FloatArray:
    """[m, m]: the covariance of what the weights leave."""
    spread = np.zeros((len(weights), len(target)))
    spread[np.arange(len(weights)), owner] = weights
    left = target - spread.T @ cross - cross.T @ spread + spread.T @ inner @ spread
    return np.asarray(left + _RIDGE * np.eye(len(target)))
