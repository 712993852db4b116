"""Columns of one effect that all of its candidates are judged beside: trends, cycles, steps, products.

They are given as values at the lagged rows. What the searches need of them are their correlations with the
effect and with every feature of every candidate, so they are made orthonormal and multiplied with the
features once, lag after lag.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.features import expand
from grace_plugin.regression.forward import Beside, Candidates
from grace_plugin.regression.lagged_rows import LaggedRows

_SINGULAR = 1e-8  # share of the largest singular value below which a column repeats the others

Columns = Mapping[int, FloatArray]  # effect -> [n, m], at the lagged rows


def orthonormal(columns: FloatArray) -> FloatArray:
    """[n, r]: directions of mean 0 and variance 1 that span the centred columns."""
    centred = columns - columns.mean(axis=0)
    size = np.sqrt(np.square(centred).mean(axis=0))
    centred = centred[:, size > 0.0] / size[size > 0.0]
    if not centred.shape[1]:
        return np.empty((len(columns), 0))
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, singular > _SINGULAR * singular[0]] * np.sqrt(len(columns)))


class BesideColumns:
    """Knows the columns of every effect, and what of them the candidates share."""

    def __init__(self, candidates: Candidates, rows: LaggedRows | None, columns: Columns) -> None:
        self.candidates = candidates
        self._directions: dict[int, FloatArray] = {}
        self._shares: dict[int, FloatArray] = {}
        if rows is None or not columns:
            return
        known = {id(given): orthonormal(given) for given in columns.values()}  # many effects may share one
        bases = {effect: known[id(given)] for effect, given in columns.items()}
        bases = {effect: basis for effect, basis in bases.items() if basis.shape[1]}
        if bases:
            self._multiply(bases, rows)

    def _multiply(self, bases: Mapping[int, FloatArray], rows: LaggedRows) -> None:
        candidates, width = self.candidates, self.candidates.width
        stacked = np.concatenate(list(bases.values()), axis=1).T / rows.count
        lags = []
        for _, past in rows.all_past(candidates.first_lag):
            product = stacked @ expand(past, candidates.basis)
            lags.append(product.reshape(len(stacked), candidates.n_variables, width))
        together = np.concatenate(lags, axis=1) * candidates.feature_scale
        directions = np.moveaxis(together, 2, 1).reshape(len(stacked), -1)
        start = 0
        for effect, basis in bases.items():
            stop = start + basis.shape[1]
            self._directions[effect] = directions[start:stop]
            share = basis.T @ rows.target(effect) / rows.count
            self._shares[effect] = share * candidates.target_scale[effect]
            start = stop

    def __bool__(self) -> bool:
        return bool(self._directions)

    def count(self, effect: int) -> int:
        """How many directions the effect's candidates are judged beside."""
        return len(self._shares.get(effect, ()))

    def of(self, effects: IntArray) -> Beside | None:
        """The directions of a block of effects; None where it has none."""
        counts = np.array([self.count(int(effect)) for effect in effects])
        if not counts.any():
            return None
        size = self.candidates.width * self.candidates.count
        directions, share = (
            np.zeros((len(effects), counts.max(), size)),
            np.zeros((len(effects), counts.max())),
        )
        for place in np.flatnonzero(counts):
            effect = int(effects[place])
            directions[place, : counts[place]] = self._directions[effect]
            share[place, : counts[place]] = self._shares[effect]
        return Beside(directions, share, counts)
