"""The regression of one effect on what may act on it, on the rows themselves.

Each cause has its features, a bent curve that the others are judged beside, and the products it takes part
in. The test of a cause compares the model of all others (their curves and products, the effect's controls)
with the same and the cause: its linear feature alone, and all of its features and products together; twice
the smaller p-value counts. A product was chosen among many, so a p-value that rests on it is multiplied by
how many of the cause's products were looked at.

Where the residual has heavy tails or a size that changes, a p-value below .01 is handed to `retest` with
the columns themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import chdtri, log_ndtr

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.prepare.persistence import Memory
from grace_plugin.regression.foretold import Foretold
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.log_tail import chi_square_of, log_p_of_drop
from grace_plugin.regression.products import Product
from grace_plugin.regression.robust import HEAVY, RESTLESS
from grace_plugin.regression.span import Span

KNOTS = np.array([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5])  # of the curves, in standard deviations
_DOUBTED = np.log(0.01)  # above it a nominal p-value is believed
_RIDGE = 1e-9


class Retest(Protocol):
    """A p-value that believes the rows; `grace_plugin.regression.robust.robust_p_value` is one."""

    def __call__(
        self, target: FloatArray, given: Span, own: FloatArray, extra: FloatArray | None = None
    ) -> float:
        """Of `own` [n, k] for `target` [n] beside what is given, and once more beside `extra` too."""


@dataclass(frozen=True, eq=False)
class RowRules:
    """What the tests on rows go by.

    Args:
        curves: whether the others are given as curves where the rows can carry them.
        retest: for strong candidates of effects whose residual is not plain; None believes all.
        memory: how long variables remember, by which tests are corrected.
        drifts: cause -> [N, m], its trends, steps and cycles at all rows of the data, which it is tested
            beside: what two variables share with time alone may show in one of them only.
        foretold: what all other lagged values foretell of causes, which they are tested beside (`foretold`).
        sees_hidden: whether that is asked for where something seems to be left out.
    """

    curves: bool = True
    retest: Retest | None = None
    memory: Memory | None = None
    drifts: Mapping[int, FloatArray] = field(default_factory=dict)
    foretold: Foretold = field(default_factory=dict)
    sees_hidden: bool = False


class RowModel:
    """One effect with its causes (cells) and products."""

    def __init__(
        self,
        rows: LaggedRows,
        effect: int,
        cells: IntArray,
        basis: tuple[str, ...],
        rules: RowRules,
        controls: FloatArray | None = None,
        products: Sequence[Product] = (),
    ) -> None:
        self.rows, self.effect, self.cells, self.basis, self.rules = rows, effect, cells, basis, rules
        self.products, self.seen = products, rows.seen(effect)
        bends = len(KNOTS) if self._affords_curves(controls) else 0
        blocks: list[FloatArray] = [np.ones((1, rows.count))]  # columns of the table, as rows
        blocks += [] if controls is None else [(controls - controls.mean(axis=0)).T]
        start = 1 if controls is None else 1 + controls.shape[1]
        self.always: list[int] = list(range(start))
        self.features: list[list[int]] = []
        self.curve: list[list[int]] = []
        for cause, lag in cells.tolist():
            blocks.append(rows.features_of(cause, lag, basis))
            own = list(range(start, start + len(basis)))
            start += len(basis)
            self.features.append(own)
            self.curve.append([own[0], *range(start, start + bends)] if bends else own)
            if bends:
                blocks.append(np.maximum(rows.past(cause, lag) - KNOTS[:, None], 0.0))
                start += bends
        self.shared: list[list[int]] = [[] for _ in cells]  # columns of products, by cell
        for product in products:
            blocks.append(product.column(rows)[None])
            for place, (cause, lag) in enumerate(cells.tolist()):
                if (cause, lag) in (product.first, product.second):
                    self.shared[place].append(start)
            start += 1
        self.known: list[list[int]] = []  # columns of what all others foretell, by cell
        for cause, lag in cells.tolist():
            told = rules.foretold.get((cause, lag)) if cause != effect else None
            self.known.append([] if told is None else [start])
            if told is not None:
                blocks.append(told[None])
                start += 1
        self._prepare(np.concatenate(blocks))

    def _affords_curves(self, controls: FloatArray | None) -> bool:
        others = len(self.products) + (0 if controls is None else controls.shape[1])
        needed = 10 * (len(self.cells) * (len(KNOTS) + 1) + others)
        wanted = self.rules.curves and len(self.basis) > 1 and len(self.cells) > 1
        return wanted and needed <= self.rows.count

    def _prepare(self, columns: FloatArray) -> None:
        size = np.sqrt(np.einsum("qn,qn->q", columns, columns) / columns.shape[1])
        dead = size < 1e-12
        self.dead = frozenset(np.flatnonzero(dead).tolist())
        columns /= np.where(dead, 1.0, size)[:, None]
        self.table = columns.T  # [n, q], one column behind the other
        self.target = self.rows.target(self.effect)
        self.gram = columns @ columns.T
        self.cross = columns @ self.target
        self.total = float(self.target @ self.target)

    def log_p(self, edge: int, stays: BoolArray) -> tuple[float, float]:
        """Ln p and gain of one edge beside the others that stay."""
        base = [*self._base(edge, stays), *self.known[edge]]
        own, shared = self.features[edge], self._products(edge, stays)
        groups = [own[:1], own] if len(own) > 1 else [own]
        before, rank, after = self._nested(base, [*groups, [*own, *shared]] if shared else groups)
        left, more = np.array([one for one, _ in after]), np.array([count for _, count in after])
        found = log_p_of_drop(np.array(before), left, more, self.rows.count - rank - more).tolist()
        if shared:
            found[-1] = min(0.0, found[-1] + np.log(self._searched(edge)))
        log_p = min(0.0, min(found) + np.log(min(len(found), 2)))
        return log_p, 0.5 * float(np.log(before / after[-1][0]))

    def _searched(self, edge: int) -> int:
        cell = tuple(self.cells[edge].tolist())
        return max((one.searched for one in self.products if cell in (one.first, one.second)), default=1)

    def _products(self, edge: int, stays: BoolArray) -> list[int]:
        """Columns of the edge's products whose partner stays or was never in doubt."""
        if not self.shared[edge]:
            return []
        gone = {column for place in np.flatnonzero(~stays) if place != edge for column in self.shared[place]}
        return [column for column in self.shared[edge] if column not in gone]

    def _base(self, edge: int | None, stays: BoolArray) -> list[int]:
        """Columns of everything that stays but the edge."""
        others = [place for place in np.flatnonzero(stays).tolist() if place != edge]
        found = [*self.always, *(column for place in others for column in self.curve[place])]
        if self.products:
            gone = {column for place in np.flatnonzero(~stays) for column in self.shared[place]}
            gone |= set() if edge is None else set(self.shared[edge])
            found += sorted({column for place in others for column in self.shared[place]} - gone)
        return [column for column in found if column not in self.dead] if self.dead else found

    def _nested(
        self, base: list[int], groups: list[list[int]]
    ) -> tuple[float, float, list[tuple[float, int]]]:
        """Unexplained without and with each group of columns, how many count, and the rank of the base."""
        wide = groups[-1]
        rows = self.gram[base]
        mixed = np.concatenate([rows[:, wide], self.cross[base][:, None]], axis=1)
        solved = np.linalg.solve(self._ridged(rows[:, base]), mixed)
        taken = mixed[:, :-1].T @ solved
        left, cross = self.gram[wide][:, wide] - taken[:, :-1], self.cross[wide] - taken[:, -1]
        before = max(self.total - float(mixed[:, -1] @ solved[:, -1]), 1e-14 * self.total)
        after = []
        for group in groups:  # each of them the first of `wide`
            count = len(group)
            explained, count = _explained(left[:count, :count], cross[:count], self.rows.count)
            after.append((max(before - explained, 1e-14 * self.total), count))
        return before, float(len(base)), after

    def _ridged(self, gram: FloatArray) -> FloatArray:
        """The same Gram matrix, which is nobody else's, with what keeps it regular."""
        gram.flat[:: len(gram) + 1] += _RIDGE * self.rows.count
        return gram

    def residual(self, stays: BoolArray) -> FloatArray:
        """[n]: what all edges that stay leave."""
        columns = self._base(None, stays)
        weights = np.zeros(len(self.cross))
        weights[columns] = np.linalg.solve(self._ridged(self.gram[columns][:, columns]), self.cross[columns])
        return np.asarray(self.target - self.table @ weights)

    def beside(self, columns: FloatArray, stays: BoolArray) -> tuple[float, float, float, int]:
        """Unexplained by all edges that stay, their rank, and what further columns add and how many count."""
        base = self._base(None, stays)
        size = np.sqrt(np.square(columns).mean(axis=0))
        columns = columns / np.where(size > 0.0, size, 1.0)
        mixed = np.column_stack([(self.table.T @ columns)[base], self.cross[base]])
        solved = np.linalg.solve(self._ridged(self.gram[base][:, base]), mixed)
        left = columns.T @ columns - mixed[:, :-1].T @ solved[:, :-1]
        cross = columns.T @ self.target - mixed[:, :-1].T @ solved[:, -1]
        before = max(self.total - float(mixed[:, -1] @ solved[:, -1]), 1e-14 * self.total)
        explained, count = _explained(left, cross, self.rows.count)
        return before, float(len(base)), explained, count

    @cached_property
    def plain(self) -> bool:
        """Whether rows are alike: a residual with light tails and a size that nothing tells, or no doubts."""
        return self.rules.retest is None or self._is_plain()

    def _is_plain(self) -> bool:
        residual = self.residual(np.ones(len(self.cells), dtype=np.bool_))
        causes = self.table[:, [own[0] for own in self.features]]
        if self.seen is not None:
            residual, causes = residual[self.seen], causes[self.seen]
        square = np.square(residual)
        mean = float(square.mean())
        if mean <= 0.0 or np.square(square).mean() / mean**2 - 3.0 >= HEAVY:
            return mean <= 0.0
        past = [np.concatenate([np.full(lag, mean), square[:-lag]]) for lag in (1, 2, 3)]
        return not _depends(square, np.column_stack([*past, causes, np.square(causes)]))

    def believed(self, edge: int, stays: BoolArray, log_p: float) -> float:
        """The plain ln p of an edge, less sure where the rows or the memories of both ask for it."""
        return self._beside_memory(edge, self.robust(edge, stays, log_p))

    def robust(self, edge: int, stays: BoolArray, log_p: float) -> float:
        """The same where the rows are to be believed, if that says less."""
        retest = self.rules.retest
        if retest is None or log_p > _DOUBTED:
            return log_p
        extra = self._of_cause(*self.cells[edge].tolist())
        if self.plain and extra is None:
            return log_p
        own = [*self.features[edge], *self._products(edge, stays)]
        base = [*self._base(edge, stays), *self.known[edge]]
        target, table, gram = self._believable
        if self.seen is not None and extra is not None:
            extra = extra[self.seen]
        given = Span.of(table.T[base].T, gram[base][:, base])
        believed = retest(target, given, table[:, own], extra)
        more = np.log(self._searched(edge)) if self._products(edge, stays) else 0.0
        return max(log_p, min(0.0, float(np.log(max(believed, 1e-300))) + more)) if believed > 0.0 else log_p

    @cached_property
    def _believable(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Target, table and its Gram matrix without values filled in, whose noise cannot be believed."""
        if self.seen is None:
            return self.target, self.table, self.gram
        table = self.table[self.seen]
        return self.target[self.seen], table, table.T @ table

    def _of_cause(self, cause: int, lag: int) -> FloatArray | None:
        """What a cause must hold beside: its own trends, steps and cycles."""
        parts: list[FloatArray] = []
        if cause != self.effect and cause in self.rules.drifts:
            parts.append(self.rules.drifts[cause][self.rows.times - lag])
        return np.concatenate(parts, axis=1) if parts else None

    def _beside_memory(self, edge: int, log_p: float) -> float:
        """The same, less sure where cause and effect both wander."""
        cause, memory = int(self.cells[edge, 0]), self.rules.memory
        if memory is None or cause == self.effect or log_p >= 0.0:
            return log_p
        factor = memory.too_sure(cause, self.effect)
        if factor == 1.0:
            return log_p
        chi_square = chi_square_of(np.array(log_p)) / factor
        return min(0.0, float(np.log(2.0) + log_ndtr(-np.sqrt(chi_square))))


def _explained(gram: FloatArray, cross: FloatArray, rows: int) -> tuple[float, int]:
    """What columns explain, and how many of them say something of their own; columns have size 1."""
    if len(gram) == 1:
        own = float(gram[0, 0])
        return (float(cross[0]) ** 2 / own, 1) if own > 1e-6 * rows else (0.0, 0)
    value, vector = np.linalg.eigh(gram)
    dead = int(value.searchsorted(1e-6 * rows, side="right"))  # they come in order
    share = cross @ vector[:, dead:]
    return float((share * share / value[dead:]).sum()), len(value) - dead


def _depends(size: FloatArray, inputs: FloatArray) -> bool:
    """Whether any of the inputs goes with `size`, at a level that counts them all."""
    centred = inputs - inputs.mean(axis=0)
    around = size - size.mean()
    scale = np.sqrt(np.square(centred).sum(axis=0) * float(around @ around))
    correlation = (around @ centred) / np.maximum(scale, 1e-300)
    return bool(np.square(correlation).max() * len(size) > chdtri(1, RESTLESS / inputs.shape[1]))
