r"""Many sparse least-squares models at once: features enter while they pay, then leave while they do not.

A feature pays where it takes more off n/2 log RSS than its price. Each model begins with the features that it
is given. The models of a batch go side by side, because each of them is a few small vectors: of 10 variables
one by one they took twice as long, of 30 variables three times.

Forward, the features that entered are kept as orthonormal directions q, so that of all others

    cross <- cross - (q' y) q,    spread <- spread - q^2,    RSS <- RSS - (q' y)^2

are all that is needed. Backward, what RSS rises by without feature i is w_i^2 / (G^-1)_ii.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray

_COLLINEAR = 1e-6  # what must be left of a column beside those in the model
_LEAST = 1e-12
_MOST_FEATURES = 0.2  # of the rows


@dataclass(frozen=True, eq=False)
class SparseFit:
    """One model.

    Args:
        columns: the features in it.
        weights: theirs.
        left: share of the variance that is not explained.
    """

    columns: IntArray
    weights: FloatArray
    left: float


def sparse_fits(
    correlation: FloatArray, usable: BoolArray, first: BoolArray, target: IntArray, rows: int, price: float
) -> list[SparseFit]:
    """One model for each row of `usable`.

    Args:
        correlation: [U, U], of all columns.
        usable: [B, U], the columns that a model may have.
        first: [B, U], those of them that it begins with, as far as they can be told apart.
        target: [B], the column that it explains.
        rows: how many there are.
        price: of a column, in nats.

    >>> both = np.array([[1.0, 0.6, 0.5], [0.6, 1.0, 0.3], [0.5, 0.3, 1.0]])
    >>> usable = np.array([[False, True, True]])
    >>> fit = sparse_fits(both, usable, np.zeros_like(usable), np.array([0]), 400, 5.0)[0]
    >>> fit.columns.tolist(), fit.weights.round(3).tolist(), round(fit.left, 3)
    ([1, 2], [0.495, 0.352], 0.527)
    """
    forward = _Forward(correlation, usable, first, target, rows, price)
    forward.run()
    return _backward(correlation, target, forward, rows, price)


class _Forward:
    """What is left of every column beside those that entered; models that are finished are set aside."""

    def __init__(
        self,
        correlation: FloatArray,
        usable: BoolArray,
        first: BoolArray,
        target: IntArray,
        rows: int,
        price: float,
    ) -> None:
        self._correlation, self._rows, self._price = correlation, rows, price
        self._most = max(1, int(_MOST_FEATURES * rows))
        self.model: IntArray = np.arange(len(target))
        self.columns, place = _side_by_side(usable)
        self._first = _side_by_side(first, place)[0]
        self._has_first = np.arange(self._first.shape[1]) < first.sum(axis=1)[:, None]
        self._cross: FloatArray = correlation[target[:, None], self.columns]
        possible = np.arange(self.columns.shape[1]) < usable.sum(axis=1)[:, None]
        # Nothing is left of what must not enter: padding, and what entered already.
        self._spread: FloatArray = np.where(possible, correlation.diagonal()[self.columns], 0.0)
        self.left: FloatArray = np.maximum(correlation.diagonal()[target], _LEAST)
        self.left_of_all = self.left.copy()  # of finished models too
        self._size: IntArray = np.zeros(len(target), dtype=np.int64)
        self._directions: FloatArray = np.empty((len(target), 8, self.columns.shape[1]))
        self._count = 0
        self.entered: list[tuple[IntArray, IntArray]] = []  # models, columns

    def run(self) -> None:
        """Take in what each model begins with, then its best column while it pays."""
        every = np.arange(len(self.model))
        for start, there in zip(self._first.T, self._has_first.T, strict=True):
            self._enter(start, there & (self._spread[every, start] > _COLLINEAR))
        while len(self.model):
            drop = np.zeros(self._cross.shape)
            np.divide(self._cross * self._cross, self._spread, out=drop, where=self._spread > _COLLINEAR)
            best = drop.argmax(axis=1)
            after = np.maximum(self.left - drop[np.arange(len(best)), best], _LEAST)
            pays = 0.5 * self._rows * np.log(self.left / after) > self._price
            going = pays & (self._size < self._most)
            self._restrict(going)
            best = best[going]
            self._enter(best, np.ones(len(best), dtype=np.bool_))
        self.left = self.left_of_all

    def _restrict(self, going: BoolArray) -> None:
        if going.all():
            return
        self.left_of_all[self.model] = self.left
        self.model, self.columns = self.model[going], self.columns[going]
        self._cross, self._spread = self._cross[going], self._spread[going]
        self.left, self._size = self.left[going], self._size[going]
        self._directions = self._directions[going]

    def _enter(self, chosen: IntArray, entering: BoolArray) -> None:
        """Take one column of each model that is `entering` out of all others."""
        every = np.arange(len(chosen))
        column = self.columns[every, chosen]
        new = self._correlation.take(column[:, None] * len(self._correlation) + self.columns)
        if self._count:
            known = self._directions[:, : self._count]
            new -= (known[every, :, chosen][:, None, :] @ known)[:, 0]
        spread, share = self._spread[every, chosen], self._cross[every, chosen]
        root = entering / np.sqrt(np.where(entering, spread, 1.0))
        new *= root[:, None]
        share *= root
        self._cross -= share[:, None] * new
        self._spread -= new * new
        self.left = np.maximum(self.left - share * share, _LEAST)
        self._spread[every, chosen] = np.where(entering, 0.0, spread)
        self._size = self._size + entering
        if self._count == self._directions.shape[1]:
            self._directions = np.concatenate([self._directions, np.empty_like(self._directions)], axis=1)
        self._directions[:, self._count] = new
        self._count += 1
        self.entered.append((self.model[entering], column[entering]))


def _side_by_side(chosen: BoolArray, values: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """[B, m], the chosen columns (or their `values`), filled up with 0; and [B, U], their places in it."""
    size = chosen.sum(axis=1)
    model, column = np.nonzero(chosen)
    place = np.arange(len(model)) - (np.cumsum(size) - size)[model]
    table = np.zeros((len(chosen), int(size.max(initial=0))), dtype=np.int64)
    table[model, place] = column if values is None else values[model, column]
    places = np.zeros(chosen.shape, dtype=np.int64)
    places[model, column] = place
    return table, places


def _backward(
    correlation: FloatArray, target: IntArray, forward: _Forward, rows: int, price: float
) -> list[SparseFit]:
    """Take the weakest column out of each model while it does not pay."""
    columns, active = _entered(forward.entered, len(target))
    both = active[:, :, None] & active[:, None, :]
    gram = np.where(both, correlation[columns[:, :, None], columns[:, None, :]], np.eye(columns.shape[1]))
    inverse = np.linalg.inv(gram)
    cross = np.where(active, correlation[target[:, None], columns], 0.0)
    weights, left = (inverse @ cross[:, :, None])[:, :, 0], forward.left
    some = np.arange(len(target)) if columns.shape[1] else np.arange(0)
    while len(some):
        there = active[some]
        pivot = np.where(there, np.diagonal(inverse, axis1=1, axis2=2)[some], 1.0)
        rise = np.where(there, np.square(weights[some]) / pivot, np.inf)
        weakest = rise.argmin(axis=1)
        least = rise[np.arange(len(some)), weakest]
        leaving = 0.5 * rows * np.log1p(least / left[some]) < price
        if not leaving.any():
            break
        some, weakest = some[leaving], weakest[leaving]
        out = inverse[some, :, weakest]
        pivot = out[np.arange(len(some)), weakest]
        weights[some] -= out * (weights[some, weakest] / pivot)[:, None]
        inverse[some] -= out[:, :, None] * (out / pivot[:, None])[:, None, :]
        active[some, weakest] = False
        left[some] += least[leaving]
    parts = zip(columns, weights, active, left.tolist(), strict=True)
    return [SparseFit(column[keep], weight[keep], rest) for column, weight, keep, rest in parts]


def _entered(entered: list[tuple[IntArray, IntArray]], count: int) -> tuple[IntArray, BoolArray]:
    """[B, m]: the columns of each model in order, and which of the places are filled."""
    nothing = np.empty(0, dtype=np.int64)
    model = np.concatenate([nothing, *(one for one, _ in entered)])
    column = np.concatenate([nothing, *(one for _, one in entered)])
    order = np.lexsort((column, model))
    model, column = model[order], column[order]
    size = np.bincount(model, minlength=count)
    place = np.arange(len(model)) - (np.cumsum(size) - size)[model]
    table = np.zeros((count, int(size.max(initial=0))), dtype=np.int64)
    table[model, place] = column
    return table, np.arange(table.shape[1]) < size[:, None]
