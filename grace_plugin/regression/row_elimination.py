"""Edges of one effect leave its model on the rows one by one, the weakest first.

A p-value that believes the rows is dear. When another edge leaves, an edge keeps the share of its plain ln p
that it was left with, and is tested anew before it leaves itself and at the end: so many tests as there are
edges, instead of their square.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.regression.row_model import RowModel

_CLEAR = np.log(1e-12)  # an edge below it is not tested again when another one goes
_LAST = np.log(1e-6)  # once the weakest is below it the others keep what they have


def eliminate(model: RowModel, required: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Ln p (the running minimum at which each edge leaves) and gain of every edge."""
    edges = _Edges(model)
    found, running = np.zeros(len(required)), 0.0
    while True:
        weakest = edges.weakest(~required)
        if weakest is None:
            break
        running = min(running, float(edges.log_p[weakest]))
        found[weakest] = running
        edges.leave(weakest)
    found[edges.stay] = np.minimum(edges.log_p[edges.stay], running)
    return found, edges.gain


class _Edges:
    """The edges that stay, and what is known of their p-values."""

    def __init__(self, model: RowModel) -> None:
        count = len(model.cells)
        self.model = model
        self.stay = np.ones(count, dtype=np.bool_)
        self.log_p, self.gain = np.zeros(count), np.zeros(count)
        self.plain, self.share = np.zeros(count), np.ones(count)
        self.tested = np.zeros(count, dtype=np.bool_)
        self._guess(self.stay)
        self._test(self.stay)

    def weakest(self, may_leave: BoolArray) -> int | None:
        """The edge to leave next; None where all that could are far from it."""
        while (self.stay & may_leave).any():
            leaving = np.where(self.stay & may_leave, self.log_p, -np.inf)
            weakest = int(leaving.argmax())
            due = self.stay & ~self.tested
            if leaving[weakest] < _LAST and not due.any():
                break
            if leaving[weakest] >= _LAST and self.tested[weakest]:
                return weakest
            self._test(due if leaving[weakest] < _LAST else np.arange(len(due)) == weakest)
        self._test(self.stay & ~self.tested)
        return None

    def leave(self, edge: int) -> None:
        self.stay[edge] = False
        self._guess(self.stay & (self.log_p > _CLEAR))

    def _guess(self, due: BoolArray) -> None:
        for edge in np.flatnonzero(due).tolist():
            self.plain[edge], self.gain[edge] = self.model.log_p(edge, self.stay)
            self.log_p[edge] = self.plain[edge] * self.share[edge]
            self.tested[edge] = False

    def _test(self, due: BoolArray) -> None:
        for edge in np.flatnonzero(due).tolist():
            self.log_p[edge] = self.model.believed(edge, self.stay, self.plain[edge])
            self.share[edge] = self.log_p[edge] / self.plain[edge] if self.plain[edge] < 0.0 else 1.0
            self.tested[edge] = True
