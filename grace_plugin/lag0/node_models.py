r"""The score of one variable given its causes within the step; lower is better, in nats.

    S(e, P) = n/2 log RSS(e | P, L) + price (|P| + |L|) - max(0, n J(residual) - 2)

L is the best sparse set of lagged features beside P that forward and backward steps find: it is chosen anew
for every P, because a lagged parent of P looks like one of e only as long as P is not there. Features of P
that do not pay are left out as well, but each member of P costs at least one price. The price is that of a
feature just significant at .001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.lag0.columns import Columns
from grace_plugin.lag0.shape import shape_gain
from grace_plugin.lag0.step_rows import StepRows

PRICE = 0.5 * float(chdtri(1, 1e-3))  # 5.41 nats
_COLLINEAR = 1e-6  # what must be left of a column beside those in the model
_LEAST = 1e-12
_MOST_FEATURES = 0.2  # of the rows


@dataclass(frozen=True, eq=False)
class NodeModel:
    """The best sparse model of one variable given its causes within the step."""

    score: float
    columns: IntArray
    weights: FloatArray
    left: float  # share of the variance that is not explained
    shape: float  # nats that the shape of the residual brings


class NodeModels:
    """Every model that is asked for, computed once."""

    def __init__(self, columns: Columns, rows: StepRows | None) -> None:
        self.columns, self.rows = columns, rows
        self._known: dict[tuple[int, frozenset[int]], NodeModel] = {}

    @property
    def count(self) -> int:
        """How many models were fitted so far."""
        return len(self._known)

    def score(self, effect: int, parents: frozenset[int]) -> float:
        return self.model(effect, parents).score

    def model(self, effect: int, parents: frozenset[int]) -> NodeModel:
        """Of `effect`, given that `parents` may act on it within the step."""
        key = effect, parents
        if key not in self._known:
            self._known[key] = self._fitted(effect, parents)
        return self._known[key]

    def _fitted(self, effect: int, parents: frozenset[int]) -> NodeModel:
        table = self.columns
        first = sorted(parents)
        lagged = set(table.pools[effect]).union(*(table.pools[parent] for parent in first))
        usable = table.of([*first, *sorted(lagged)])
        usable = usable[table.alive[usable]]
        target, current = table.now(effect), {table.now(parent) for parent in first}
        search = _Sweep(table.correlation, usable, target, table.rows)
        search.start([place for place, column in enumerate(usable.tolist()) if column in current])
        search.forward()
        search.backward()
        chosen = usable[search.active]
        weights = search.weights
        unused = len(parents - set((chosen // table.width).tolist()))
        shape = self._shape(target, chosen, weights)
        return NodeModel(search.cost + PRICE * unused - shape, chosen, weights, search.left, shape)

    def _shape(self, target: int, chosen: IntArray, weights: FloatArray) -> float:
        return 0.0 if self.rows is None else shape_gain(self._residual(target, chosen, weights))

    def _residual(self, target: int, chosen: IntArray, weights: FloatArray) -> FloatArray:
        assert self.rows is not None
        residual = self.rows.column(target).copy()
        for column, weight in zip(chosen, weights, strict=True):
            residual -= weight * self.rows.column(int(column))
        return residual


class _Sweep:
    """Least squares of one target on columns that come and go; the last row is the target."""

    def __init__(self, correlation: FloatArray, usable: IntArray, target: int, rows: int) -> None:
        places = np.append(usable, target)
        self._matrix = correlation[places[:, None], places]
        self._rows = rows
        self._most = max(1, int(_MOST_FEATURES * rows))
        self.active = np.zeros(len(usable), dtype=np.bool_)

    @property
    def left(self) -> float:
        return max(float(self._matrix[-1, -1]), _LEAST)

    @property
    def weights(self) -> FloatArray:
        return np.asarray(self._matrix[:-1, -1][self.active])

    @property
    def cost(self) -> float:
        return 0.5 * self._rows * float(np.log(self.left)) + PRICE * int(self.active.sum())

    def start(self, chosen: list[int]) -> None:
        """Take these columns in, as far as they can be told apart."""
        for column in chosen:
            if self._matrix[column, column] > _COLLINEAR:
                self._flip(column)

    def forward(self) -> None:
        """Take in the best column while it pays."""
        while self.active.sum() < self._most:
            diagonal = self._matrix.diagonal()[:-1]
            possible = ~self.active & (diagonal > _COLLINEAR)
            if not possible.any():
                return
            drop = np.where(possible, self._matrix[:-1, -1] ** 2 / np.where(possible, diagonal, 1.0), 0.0)
            best = int(drop.argmax())
            after = max(self.left - drop[best], _LEAST)
            if 0.5 * self._rows * np.log(self.left / after) <= PRICE:
                return
            self._flip(best)

    def backward(self) -> None:
        """Take out the weakest column while it does not pay."""
        while self.active.any():
            inverse = -self._matrix.diagonal()[:-1]
            rise = np.where(
                self.active, self._matrix[:-1, -1] ** 2 / np.where(self.active, inverse, 1.0), np.inf
            )
            weakest = int(rise.argmin())
            if 0.5 * self._rows * np.log1p(rise[weakest] / self.left) >= PRICE:
                return
            self._flip(weakest)

    def _flip(self, column: int) -> None:
        matrix, pivot = self._matrix, self._matrix[column, column]
        row = matrix[column].copy()
        matrix -= np.outer(row, row / pivot)
        row /= pivot if not self.active[column] else -pivot
        matrix[column] = matrix[:, column] = row
        matrix[column, column] = -1.0 / pivot
        self.active[column] = not self.active[column]
