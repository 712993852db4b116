"""What the lagged model leaves, and how its parts move together within the step.

The standard error of a residual product believes the products: z = sum r_i r_j / sqrt(sum (r_i r_j)^2), so
that noise whose size changes for both at once is not taken for an effect. Without rows it is that of
constant noise, r sqrt(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.lag0.node_models import NodeModels

_NONE: frozenset[int] = frozenset()
_RIDGE = 1e-6
_ROWS_PER_VARIABLE = 3  # fewer rows say nothing of a correlation given all other variables


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of the lagged model of every variable.

    Args:
        correlation: [d, d] within the step, with a zero diagonal.
        z: [d, d], the same in standard errors.
        bends: [cause, effect], the largest z of a curve of the cause against the effect's residual.
        left: [d], the share of each variance that the lagged model leaves.
        rows: how many rows there were.
    """

    correlation: FloatArray
    z: FloatArray
    bends: FloatArray
    left: FloatArray
    rows: int

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
    """Of the models without any cause within the step."""
    d = models.columns.n_variables
    covariance, pushes = _from_moments(models)
    scale = 1.0 / np.sqrt(np.maximum(covariance.diagonal(), 1e-12))
    correlation = covariance * scale[:, None] * scale
    np.fill_diagonal(correlation, 0.0)
    root = float(np.sqrt(models.columns.rows))
    bends = np.abs(pushes * scale * root).reshape(d, models.columns.width, d)[:, 1:]
    left = np.array([models.model(effect, _NONE).left for effect in range(d)])
    z = root * correlation
    if models.rows is not None and models.rows.count > 2:
        z = _believing_the_products(models) * np.sqrt(models.columns.rows / models.rows.count)
    return Residuals(correlation, z, bends.max(axis=1, initial=0.0), left, models.columns.rows)


def _from_moments(models: NodeModels) -> tuple[FloatArray, FloatArray]:
    """[d, d], the covariance of the residuals; [d * k, d], that of all features now with them."""
    table = models.columns
    d = table.n_variables
    weights = np.zeros((len(table.ids), d))
    for effect in range(d):
        model = models.model(effect, _NONE)
        weights[model.columns, effect] = -model.weights
        weights[table.now(effect), effect] += 1.0
    shared = table.correlation @ weights
    return weights.T @ shared, shared[: d * table.width]


def _believing_the_products(models: NodeModels) -> FloatArray:
    rows = np.column_stack([models.residual(effect, _NONE) for effect in range(models.columns.n_variables)])
    squares = rows * rows
    z = (rows.T @ rows) / np.sqrt(np.maximum(squares.T @ squares, 1e-12))
    np.fill_diagonal(z, 0.0)
    return np.asarray(z)
