"""What the lagged model leaves, and how its parts move together within the step.

The lagged model of a variable is least squares on all lagged features that it may choose from.

The standard error of a residual product believes the products: z = sum r_i r_j / sqrt(sum (r_i r_j)^2), so
that noise whose size changes for both at once is not taken for an effect. Without rows it is that of
constant noise, r sqrt(n). Copies of one another are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.lag0.columns import Columns
from grace_plugin.lag0.common_factor import hidden_pairs
from grace_plugin.lag0.node_models import NodeModels
from grace_plugin.lag0.step_rows import StepRows

_LEAST = 1e-12
_COPY = 1e-6  # what is left of a variable beside its copy, of which no graph can tell anything
_RIDGE = 1e-6
_ROWS_PER_VARIABLE = 3  # fewer rows say nothing of a correlation given all other variables


class LaggedModel(NamedTuple):
    """Of one variable: columns, the inverse of their correlations, theirs with it, and their weights."""

    columns: IntArray
    inverse: FloatArray
    cross: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of the lagged model of every variable.

    Args:
        correlation: [d, d] within the step, with a zero diagonal.
        z: [d, d], the same in standard errors.
        bends: [cause, effect], the largest z of a curve of the cause against the effect's residual.
        rows: how many rows there were.
        columns: that the lagged models choose from.
        lagged: those models.
    """

    correlation: FloatArray
    z: FloatArray
    bends: FloatArray
    rows: int
    columns: Columns
    lagged: list[LaggedModel]

    @cached_property
    def precedence(self) -> FloatArray:
        """[cause, effect]: nats that all lags of the cause bring to the effect's lagged model."""
        return _precedence(self.columns, self.lagged)

    @cached_property
    def hidden(self) -> BoolArray:
        """[d, d]: the pairs that an unmeasured common cause explains."""
        return hidden_pairs(self.correlation, self.z, self.rows)

    @cached_property
    def partial_z(self) -> FloatArray:
        """[d, d]: the correlation given all other variables, in standard errors."""
        d = len(self.correlation)
        freedom = self.rows - d - 1
        if freedom < _ROWS_PER_VARIABLE * d:
            return np.zeros((d, d))
        precision = np.linalg.inv(self.correlation + (1.0 + _RIDGE) * np.eye(d))
        scale = 1.0 / np.sqrt(precision.diagonal())
        partial = -precision * scale[:, None] * scale
        np.fill_diagonal(partial, 0.0)
        return np.asarray(np.sqrt(freedom) * np.arctanh(np.clip(partial, -0.999999, 0.999999)))


def residuals(models: NodeModels) -> Residuals:
    """Of the lagged model of every variable, whatever acts within the step."""
    table, rows = models.columns, models.rows
    d, lagged = table.n_variables, [_lagged_model(table, effect) for effect in range(table.n_variables)]
    weights = _lagged_weights(table, lagged)
    shared = table.correlation @ weights
    covariance, pushes = weights.T @ shared, shared[: d * table.width]
    left = np.clip(covariance.diagonal(), _LEAST, 1.0)
    scale = 1.0 / np.sqrt(left)
    correlation = covariance * scale[:, None] * scale
    np.fill_diagonal(correlation, 0.0)
    root = float(np.sqrt(table.rows))
    bends = np.abs(pushes * scale * root).reshape(d, table.width, d)[:, 1:]
    z = root * correlation
    if rows is not None and rows.count > 2:
        z = _believing_the_products(rows, weights) * np.sqrt(table.rows / rows.count)
    z[np.square(correlation) > 1.0 - _COPY] = 0.0
    return Residuals(correlation, z, bends.max(axis=1, initial=0.0), table.rows, table, lagged)


def _lagged_weights(table: Columns, lagged: list[LaggedModel]) -> FloatArray:
    """[U, d], by which columns add up to the residuals."""
    weights = np.zeros((len(table.ids), table.n_variables))
    for effect, model in enumerate(lagged):
        weights[model.columns, effect] = -model.weights
        weights[table.now(effect), effect] = 1.0
    return weights


def _precedence(table: Columns, lagged: list[LaggedModel]) -> FloatArray:
    gain = np.zeros((table.n_variables, table.n_variables))
    for effect, (columns, inverse, cross, mine) in enumerate(lagged):
        left = max(1.0 - float(cross @ mine), _LEAST)
        causes = table.variable[columns // table.width]
        for cause in np.unique(causes):
            own = np.flatnonzero(causes == cause)
            worse = mine[own] @ np.linalg.solve(inverse[own[:, None], own], mine[own])
            gain[cause, effect] = 0.5 * table.rows * np.log1p(max(float(worse), 0.0) / left)
    return gain


def _lagged_model(table: Columns, effect: int) -> LaggedModel:
    columns = table.of(table.pools[effect])
    columns = columns[table.alive[columns]]
    gram = table.correlation[columns[:, None], columns] + _RIDGE * np.eye(len(columns))
    inverse, cross = np.asarray(np.linalg.inv(gram)), table.correlation[columns, table.now(effect)]
    return LaggedModel(columns, inverse, cross, inverse @ cross)


def _believing_the_products(rows: StepRows, weights: FloatArray) -> FloatArray:
    found = np.zeros((weights.shape[1], rows.count))
    for effect, mine in enumerate(weights.T):
        used = np.flatnonzero(mine)
        found[effect] = mine[used] @ rows.columns(used)
    squares = found * found
    z = (found @ found.T) / np.sqrt(np.maximum(squares @ squares.T, _LEAST))
    np.fill_diagonal(z, 0.0)
    return np.asarray(z)
