"""The same decision where cells are too many to be held: some one by one, of the others how many there are.

Cells that are not listed lie above a level at which no edge is likely; what is learned of all cells needs
their number at every level and nothing else (`two_groups.py`). Arrays [cause, effect, lag] are made when they
are asked for, if they fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.room import room_for
from grace_plugin.decide.decision import Decision, share_of_last, share_of_own
from grace_plugin.decide.two_groups import TwoGroups, fit_two_groups

_HALF = 0.5


@dataclass(frozen=True, eq=False)
class ListedDecision:
    """What all cells of a graph of many variables tell together; see `Decision`.

    Args:
        cells: [M, 3], (cause, effect, lag) of the listed cells.
        cell_log_p: [M], their evidence.
        shape: of the graph.
        groups: of the cross cells.
        last_share: of edges among own last values.
        own_share: of edges among own earlier values.
        cell_odds: [M], factors that a user believes in; None is 1.
        forbidden: [cause, effect, lag], cells that cannot be; None where all can.
    """

    cells: IntArray
    cell_log_p: FloatArray
    shape: tuple[int, int, int]
    groups: TwoGroups
    last_share: float
    own_share: float
    cell_odds: FloatArray | None = None
    forbidden: BoolArray | None = None

    @cached_property
    def cell_probability(self) -> FloatArray:
        """[M]: of an edge in each listed cell."""
        found = np.zeros(len(self.cells))
        shares = self.groups.share, self.last_share, self.own_share
        for kind, share in zip(_kinds(self.cells), shares, strict=True):
            found[kind] = self.groups.probability(self.cell_log_p[kind], share)
        odds = self.cell_odds
        return found if odds is None else found * odds / (1.0 - found + found * odds)

    @cached_property
    def cell_q_value(self) -> FloatArray:
        """[M]: the expected share of false edges among all cells that are at least as likely."""
        chance = self.cell_probability
        order = np.lexsort((self.cell_log_p, -chance))
        found = np.empty(len(order))
        found[order] = np.cumsum(1.0 - chance[order]) / np.arange(1, len(order) + 1)
        return found

    def chosen(
        self, *, alpha: float | None = None, fdr: float | None = None, least: float = _HALF
    ) -> BoolArray:
        """[M]: the listed cells that a cut keeps."""
        if fdr is not None:
            return np.asarray(self.cell_q_value <= fdr)
        if alpha is not None:
            return np.asarray(self.cell_log_p <= np.log(alpha))
        return np.asarray(self.cell_probability > least)

    @property
    def half_level(self) -> float:
        """The level at which a cross cell is as likely an edge as not."""
        return self._curve.half_level

    def price(self, rows: int) -> float:
        """Nats per sample that such a cell gains."""
        return self._curve.price(rows)

    @cached_property
    def _curve(self) -> Decision:
        """The same groups without cells."""
        nothing = np.zeros((0, 0, 1))
        return Decision(nothing, nothing > 0, self.groups, self.last_share, self.own_share, 0.05)

    @property
    def possible(self) -> BoolArray:
        """[cause, effect, lag]: the cells that count."""
        room_for(self.shape, np.bool_, "the cells that count")
        found = np.ones(self.shape, dtype=np.bool_)
        found[:, :, 0] = False
        return found if self.forbidden is None else found & ~self.forbidden

    @property
    def log_p(self) -> FloatArray:
        """[cause, effect, lag]: the evidence; 0 of cells that are not listed."""
        return np.asarray(self._spread(self.cell_log_p, 0.0, "the evidence of every possible edge"))

    @property
    def probability(self) -> FloatArray:
        """[cause, effect, lag]: of an edge; 0 of cells that are not listed."""
        return np.asarray(self._spread(self.cell_probability, 0.0, "the probability of every possible edge"))

    @property
    def q_value(self) -> FloatArray:
        """[cause, effect, lag]: the expected share of false edges; 1 of cells that are not listed."""
        return np.asarray(self._spread(self.cell_q_value, 1.0, "the q-value of every possible edge"))

    def likely(self, least: float = _HALF) -> BoolArray:
        """[cause, effect, lag]: cells whose probability is above."""
        return np.asarray(self._spread(self.chosen(least=least), False, "a graph"))

    def at_level(self, alpha: float) -> BoolArray:
        """[cause, effect, lag]: cells whose evidence is at most `alpha`."""
        return np.asarray(self._spread(self.chosen(alpha=alpha), False, "a graph"))

    def at_rate(self, fdr: float) -> BoolArray:
        """[cause, effect, lag]: the largest graph whose expected share of false edges is at most `fdr`."""
        return np.asarray(self._spread(self.chosen(fdr=fdr), False, "a graph"))

    def expected_false(self, graph: BoolArray) -> float:
        """How many edges of a graph are expected to be false."""
        listed = graph[tuple(self.cells.T)]
        return float(graph[:, :, 1:].sum() - self.cell_probability[listed].sum())

    def _spread(self, column: Any, empty: float, what: str) -> Any:
        room_for(self.shape, column.dtype, what)
        found = np.full(self.shape, empty, dtype=column.dtype)
        found[tuple(self.cells.T)] = column
        return found


def make_listed_decision(
    cells: IntArray,
    log_p: FloatArray,
    unlisted: tuple[FloatArray, IntArray],
    shape: tuple[int, int, int],
    unsure: BoolArray | None = None,
    odds: FloatArray | None = None,
    forbidden: BoolArray | None = None,
) -> ListedDecision:
    """Learn from all cells; `unlisted` are levels and how many cross cells lie there, `unsure` is [M]."""
    cross, last, own = _kinds(cells)
    learned = np.ones(len(cells), dtype=np.bool_) if unsure is None else unsure
    levels, counts = unlisted
    every = np.concatenate([log_p[cross & learned], levels])
    weights = np.concatenate([np.ones(int((cross & learned).sum())), counts.astype(np.float64)])
    groups = fit_two_groups(every, weights=weights)
    return ListedDecision(
        cells,
        log_p,
        shape,
        groups,
        share_of_last(groups, log_p[last & learned]),
        share_of_own(groups, log_p[own & learned]),
        odds,
        forbidden,
    )


def _kinds(cells: IntArray) -> tuple[BoolArray, BoolArray, BoolArray]:
    """[M]: cross cells, own last values, own earlier values."""
    own = cells[:, 0] == cells[:, 1]
    return ~own, own & (cells[:, 2] == 1), own & (cells[:, 2] > 1)
