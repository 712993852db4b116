r"""The score of one variable given its causes within the step; lower is better, in nats.

    S(e, P) = n/2 log RSS(e | P, L) + price (|P| + |L|) - max(0, n J(residual) - 2)

L is the best sparse set of lagged features beside P that forward and backward steps find: it is chosen anew
for every P, because a lagged parent of P looks like one of e only as long as P is not there. Features of P
that do not pay are left out as well, but each member of P costs at least one price. The price is that of a
feature just significant at .001.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import chdtri

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.lag0.columns import Columns
from grace_plugin.lag0.shape import shape_gains
from grace_plugin.lag0.sparse_fits import SparseFit, sparse_fits
from grace_plugin.lag0.step_rows import StepRows

PRICE = 0.5 * float(chdtri(1, 1e-3))  # 5.41 nats
_BATCH_NUMBERS = 1_000_000  # residuals and features of the models that are fitted at once
Key = tuple[int, frozenset[int]]  # an effect, and its causes within the step


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
        self._known: dict[Key, NodeModel] = {}

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
            self.prepare([key])
        return self._known[key]

    def prepare(self, keys: Iterable[Key]) -> None:
        """Fit models that will be asked for, many at once."""
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        rows = 0 if self.rows is None else self.rows.count
        size = max(1, _BATCH_NUMBERS // (rows + len(self.columns.ids) + 1))
        for start in range(0, len(new), size):
            some = new[start : start + size]
            self._known.update(zip(some, self._fitted(some), strict=True))

    def _fitted(self, keys: list[Key]) -> list[NodeModel]:
        table = self.columns
        usable = table.pool_columns[[effect for effect, _ in keys]]
        first = np.zeros_like(usable)
        size = np.array([len(parents) for _, parents in keys])
        every = np.array([parent for _, parents in keys for parent in parents], dtype=np.int64)
        first[np.repeat(np.arange(len(keys)), size), every * table.width] = True
        if len(every):
            having = np.flatnonzero(size)
            starts = (np.cumsum(size) - size)[having]
            usable[having] |= np.logical_or.reduceat(table.parent_columns[every], starts, axis=0)
        usable &= table.alive
        target = np.array([table.now(effect) for effect, _ in keys])
        fits = sparse_fits(table.correlation, usable, first & usable, target, table.rows, PRICE)
        return [
            self._judged(parents, fit, shape)
            for (_, parents), fit, shape in zip(keys, fits, self._shapes(target, fits), strict=True)
        ]

    def _judged(self, parents: frozenset[int], fit: SparseFit, shape: float) -> NodeModel:
        unused = len(parents.difference((fit.columns // self.columns.width).tolist()))
        cost = 0.5 * self.columns.rows * log(fit.left) + PRICE * (len(fit.columns) + unused)
        return NodeModel(cost - shape, fit.columns, fit.weights, fit.left, shape)

    def _shapes(self, target: IntArray, fits: list[SparseFit]) -> list[float]:
        if self.rows is None:
            return [0.0] * len(fits)
        residuals = self.rows.columns(target)
        for residual, fit in zip(residuals, fits, strict=True):
            residual -= fit.weights @ self.rows.columns(fit.columns)
        return [float(gain) for gain in shape_gains(residuals)]
