"""A few candidates of one effect, on the rows: what forward selection asks of all, of these alone."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.features import each_feature
from grace_plugin.moments.row_products import RowProducts
from grace_plugin.regression.backward import Regressions
from grace_plugin.regression.beside import orthonormal
from grace_plugin.regression.forward import Beside, alive_features

_CONSTANT = 1e-12  # variance of a feature that says nothing


class ChosenCandidates:
    """Features of chosen lagged values, centred and with unit variance.

    Args:
        products: the rows.
        effect: whose candidates they are.
        variable: [S].
        lag: [S].
        columns: [n, m], what all of them are judged beside.
    """

    def __init__(
        self,
        products: RowProducts,
        effect: int,
        variable: IntArray,
        lag: IntArray,
        columns: FloatArray | None = None,
    ) -> None:
        self.rows, self.width, self.count = len(products.times), len(products.basis), len(variable)
        self.variable, self.lag = variable, lag
        past = np.empty((self.count, self.rows))
        for place, (cause, steps) in enumerate(zip(variable.tolist(), lag.tolist(), strict=True)):
            past[place] = products.past(steps, cause)
        shaped = np.empty((self.count, self.width, self.rows))
        for place, feature in enumerate(each_feature(past, products.basis)):
            shaped[:, place] = feature
        shaped -= shaped.mean(axis=2, keepdims=True)
        variance = np.einsum("skn,skn->sk", shaped, shaped) / self.rows
        shaped *= np.where(variance > _CONSTANT, 1.0 / np.sqrt(np.maximum(variance, _CONSTANT)), 0.0)[
            :, :, None
        ]
        self.table: FloatArray = shaped.reshape(self.count * self.width, self.rows)
        target = products.past(0, effect)
        around = target - target.mean()
        self.goal: FloatArray = around / max(float(np.sqrt(np.square(around).mean())), 1e-300)
        blocks = shaped @ shaped.transpose(0, 2, 1) / self.rows
        self.own_blocks: FloatArray = np.ascontiguousarray(np.moveaxis(blocks, 0, -1))
        self.alive: BoolArray = alive_features(self.own_blocks)
        self.freedom: IntArray = self.alive.sum(axis=0)
        self.basis = np.empty((self.rows, 0)) if columns is None else orthonormal(columns)

    def columns(self, candidate: IntArray) -> IntArray:
        """[..., k]: rows of the table that hold candidates."""
        return np.asarray(candidate[..., None] * self.width + np.arange(self.width))

    def covariance(self, columns: IntArray) -> FloatArray:
        """[..., k, S]: correlation of rows of the table with all features."""
        found = self.table[np.ravel(columns)] @ self.table.T / self.rows
        shaped = found.reshape(*columns.shape, self.count, self.width)
        return np.ascontiguousarray(np.moveaxis(shaped, -1, -2))

    def target(self, effects: IntArray) -> FloatArray:
        """[1, k, S]: correlation of the effect with all features."""
        del effects
        found = (self.table @ self.goal / self.rows).reshape(self.count, self.width)
        return np.ascontiguousarray(found.T)[None]

    @property
    def beside(self) -> Beside | None:
        """What of the columns the candidates share."""
        if not self.basis.shape[1]:
            return None
        together = (self.basis.T @ self.table.T / self.rows).reshape(-1, self.count, self.width)
        directions = np.moveaxis(together, 2, 1).reshape(1, self.basis.shape[1], -1)
        share = (self.goal @ self.basis / self.rows)[None]
        return Beside(directions, share, np.array([self.basis.shape[1]]))

    def regression(self, entered: IntArray) -> Regressions:
        """Of the effect on some of the candidates, what they are judged beside taken out."""
        places = self.columns(entered).ravel()
        mine, goal = self.table[places], self.goal
        used = 1.0 + self.basis.shape[1]
        if self.basis.shape[1]:
            mine = mine - (mine @ self.basis / self.rows) @ self.basis.T
            goal = goal - self.basis @ (self.basis.T @ goal / self.rows)
        gram, cross = mine @ mine.T / self.rows, mine @ goal / self.rows
        dead = ~self.alive.T[entered].ravel()
        gram[dead] = gram[:, dead] = 0.0
        gram[dead, dead] = 1.0
        cross[dead] = 0.0
        total = np.array([float(goal @ goal) / self.rows])
        freedom = self.freedom[entered][None]
        return Regressions(gram[None], cross[None], total, freedom, np.array([used]), self.rows)

    def residual(self, entered: IntArray) -> tuple[FloatArray, float]:
        """[n]: what the entered candidates and the columns leave, with unit variance; degrees of freedom."""
        places = self.columns(entered).ravel()[self.alive.T[entered].ravel()]
        model = np.column_stack([self.basis, self.table[places].T])
        left = self.goal
        if model.shape[1]:
            left = left - model @ np.linalg.lstsq(model, left, rcond=None)[0]
        size = max(float(np.sqrt(np.square(left).mean())), 1e-12)
        return left / size, 1.0 + model.shape[1]
