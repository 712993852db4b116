"""Where to cut: from the evidence of all cells to the graph.

Cells are of four kinds, each with a share of edges of its own: **cross** (one variable's past on another),
**last** (its own last value), **own** (its own past before that) and **step** (within one step, one cell a
pair). The two groups (`two_groups.py`) are learned from all cross cells that could have been reported; the
shares of the other kinds from their own cells, by the same two groups. Where lags of one pair go together,
they are judged together (`pair_groups.py`). A cell's probability is the posterior;
its q-value the mean of one minus the probabilities of all cells at least as likely, own past apart; the
expected number of false edges of a graph the sum of the same.

- `alpha="auto"`: an edge stays where it is likelier true than not.
- `alpha=a`: where its evidence is at most a.
- `fdr=q`: where its q-value is at most q.

A decision holds a list of cells: all that are possible, or, of a graph of many variables, those that lie
below a level above which no edge is likely, and of the others how many there are. Arrays [cause, effect, lag]
are made when they are asked for, if they fit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.config import LEAST_ALPHA
from grace_plugin._common.room import room_for
from grace_plugin.decide.counting import counted
from grace_plugin.decide.pair_groups import PairGroups, fit_pair_groups
from grace_plugin.decide.two_groups import TwoGroups, fit_two_groups, positions
from grace_plugin.regression.log_tail import chi_square_of

# Share of edges that is believed, and how many cells that is worth. Own last values apart from earlier ones:
# +.005 in F1 over all worlds.
_LAST = (0.4, 20.0)
_OWN = (0.02, 20.0)
_STEP = (0.05, 20.0)
_ROUNDS = 30
HALF = 0.5

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Shares:
    """Of edges among the cells of each kind."""

    cross: float
    last: float
    own: float
    step: float


@dataclass(frozen=True, eq=False)
class Decision:
    """What all cells of a graph tell together.

    Args:
        cells: [M, 3], (cause, effect, lag) of the cells that are known one by one, in order.
        cell_log_p: [M], their evidence.
        shape: of the graph.
        groups: of the cross cells.
        shares: of edges among the cells of each kind.
        pairs: how lags of one pair go together (`pair_groups.py`); None where they do not.
        cell_odds: [M], factors that a user believes in beside what the data tell; None is 1.
        cell_by_count: [M], probabilities where the two groups see too little (`counting.py`); None where
            they see enough.
        whole: whether the listed cells are all that are possible.
        forbidden: [cause, effect, lag], cells that cannot be, where they are not; None where all can.
    """

    cells: IntArray
    cell_log_p: FloatArray
    shape: tuple[int, int, int]
    groups: TwoGroups
    shares: Shares
    pairs: PairGroups | None = None
    cell_odds: FloatArray | None = None
    cell_by_count: FloatArray | None = None
    whole: bool = True
    forbidden: BoolArray | None = None

    @cached_property
    def cell_probability(self) -> FloatArray:
        """[M]: of an edge in each cell."""
        found: FloatArray = np.zeros(len(self.cells))
        shares = self.shares
        each = shares.cross, shares.last, shares.own, shares.step
        for kind, share in zip(self._kinds, each, strict=True):
            found[kind] = self.groups.probability(self.cell_log_p[kind], share)
        if self.pairs is not None:
            cross = self._kinds[0]
            even = self.groups.log_odds(positions(self.cell_log_p[cross]), HALF)
            found[cross] = expit(self.pairs.log_odds(even, pair_numbers(self.cells[cross])))
        if self.cell_by_count is not None:
            found = np.maximum(found, self.cell_by_count)
        odds = self.cell_odds
        return found if odds is None else np.asarray(found * odds / (1.0 - found + found * odds))

    @cached_property
    def cell_q_value(self) -> FloatArray:
        """[M]: the expected share of false edges among all that are at least as likely.

        Own past and the rest apart: certain own past must not pay for doubtful edges between variables.
        """
        found = np.ones(len(self.cells))
        cross, last, own, step = self._kinds
        for cells in (cross | step, last | own):
            chance = self.cell_probability[cells]
            order = np.lexsort((self.cell_log_p[cells], -chance))
            ranked = np.empty(len(order))
            ranked[order] = np.cumsum(1.0 - chance[order]) / np.arange(1, len(order) + 1)
            found[cells] = ranked
        return found

    def chosen(
        self, *, alpha: float | None = None, fdr: float | None = None, least: float = HALF
    ) -> BoolArray:
        """[M]: the cells that a cut keeps: by a rate or a level, else by the probability."""
        if fdr is not None:
            return np.asarray(self.cell_q_value <= fdr)
        if alpha is not None:
            return np.asarray(self.cell_log_p <= np.log(alpha))
        return np.asarray(self.cell_probability > least)

    @property
    def possible(self) -> BoolArray:
        """[cause, effect, lag]: the cells that count."""
        if self.whole:
            return self._spread(np.ones(len(self.cells), dtype=np.bool_), False, "the cells that count")
        room_for(self.shape, np.bool_, "the cells that count")
        found = np.ones(self.shape, dtype=np.bool_)
        found[:, :, 0] = False
        return found if self.forbidden is None else found & ~self.forbidden

    @property
    def log_p(self) -> FloatArray:
        """[cause, effect, lag]: the evidence of every listed cell; 0 of all others."""
        return self._spread(self.cell_log_p, 0.0, "the evidence of every possible edge")

    @property
    def probability(self) -> FloatArray:
        """[cause, effect, lag]: of an edge; 0 where none is possible, and of cells that are not listed."""
        return self._spread(self.cell_probability, 0.0, "the probability of every possible edge")

    @property
    def q_value(self) -> FloatArray:
        """[cause, effect, lag]: the expected share of false edges among all that are at least as likely."""
        return self._spread(self.cell_q_value, 1.0, "the q-value of every possible edge")

    def likely(self, least: float = HALF) -> BoolArray:
        """[cause, effect, lag]: cells whose probability is above."""
        return self._spread(self.chosen(least=least), False, "a graph")

    def at_level(self, alpha: float) -> BoolArray:
        """[cause, effect, lag]: cells whose evidence is at most `alpha`."""
        return self._spread(self.chosen(alpha=alpha), False, "a graph")

    def at_rate(self, fdr: float) -> BoolArray:
        """[cause, effect, lag]: the largest graph whose expected share of false edges is at most `fdr`."""
        return self._spread(self.chosen(fdr=fdr), False, "a graph")

    def expected_false(self, graph: BoolArray) -> float:
        """How many edges of a graph are expected to be false; those of cells that are not listed all are."""
        listed = graph[tuple(self.cells.T)]
        others = 0 if self.whole else int(graph[:, :, 1:].sum()) - int(listed.sum())
        return float((1.0 - self.cell_probability[listed]).sum()) + others

    @property
    def lags_together(self) -> bool:
        """Whether lags of one pair were judged together."""
        return self.pairs is not None

    @cached_property
    def half_level(self) -> float:
        """The level at which a cross cell is as likely an edge as not."""
        if self.cell_by_count is not None:
            return float(np.exp(self.cell_log_p[self.cell_by_count > HALF].max()))
        low, high = -700.0, 0.0  # ln p; likely at the one end, not at the other
        if self.groups.probability(np.array(low)) <= HALF:
            return 0.0
        for _ in range(_ROUNDS):
            middle = 0.5 * (low + high)
            likely = self.groups.probability(np.array(middle)) > HALF
            low, high = (middle, high) if likely else (low, middle)
        return float(np.exp(low))

    def price(self, rows: int) -> float:
        """Nats per sample that such a cell gains: the price of an open gate."""
        level = max(self.half_level, LEAST_ALPHA)
        return float(0.5 * chi_square_of(np.array(np.log(level))) / max(rows, 1))

    @cached_property
    def _kinds(self) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
        return _kinds_of(self.cells)

    def _spread(self, column: npt.NDArray[Scalar], empty: float, what: str) -> npt.NDArray[Scalar]:
        room_for(self.shape, column.dtype, what)
        found = np.full(self.shape, empty, dtype=column.dtype)
        found[tuple(self.cells.T)] = column
        return found


def kinds(possible: BoolArray) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """The possible cells that are cross, own last values, own earlier values, and within one step."""
    cells = np.argwhere(possible)
    cross, last, own, step = (np.zeros_like(possible) for _ in range(4))
    for kind, mine in zip((cross, last, own, step), _kinds_of(cells), strict=True):
        kind[tuple(cells[mine].T)] = True
    return cross, last, own, step


def _kinds_of(cells: IntArray) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """[M]: the same of listed cells."""
    same, lag = cells[:, 0] == cells[:, 1], cells[:, 2]
    return ~same & (lag > 0), same & (lag == 1), same & (lag > 1), ~same & (lag == 0)


def make_decision(
    log_p: FloatArray,
    possible: BoolArray,
    unsure: BoolArray | None = None,
    odds: FloatArray | None = None,
    uneven: Collection[int] = (),
) -> Decision:
    """Learn from all possible cells; `unsure` marks those that do (all but required ones by default).

    `uneven` are effects whose small p-values are not to be counted.
    """
    cells, mine = np.argwhere(possible), log_p[possible]
    d, _, lags = possible.shape
    learned = np.ones(len(cells), dtype=np.bool_) if unsure is None else unsure[possible]
    groups = fit_two_groups(mine[learned & _kinds_of(cells)[0]])
    even = learned & _kinds_of(cells)[0] & ~np.isin(cells[:, 1], list(uneven))
    weak = counted(mine[even], int((groups.probability(mine[even]) > HALF).sum()))
    by_count = np.zeros(len(cells))
    by_count[even] = weak
    return Decision(
        cells,
        mine,
        (d, d, lags),
        groups,
        _shares(groups, cells[learned], mine[learned], d),
        _pairs(groups, cells[learned], mine[learned]),
        odds[possible] if odds is not None and (odds != 1.0).any() else None,
        by_count if weak.any() else None,
    )


def make_listed_decision(
    cells: IntArray,
    log_p: FloatArray,
    unlisted: tuple[FloatArray, IntArray],
    shape: tuple[int, int, int],
    unsure: BoolArray,
    odds: FloatArray | None = None,
    forbidden: BoolArray | None = None,
) -> Decision:
    """The same where only some cells are listed: `unlisted` are levels and how many cross cells lie there.

    Weak edges are not counted there: of millions of cells, tests that are a little off make as many.
    """
    cross = unsure & _kinds_of(cells)[0]
    levels, counts = unlisted
    weights = np.concatenate([np.ones(int(cross.sum())), counts.astype(np.float64)])
    groups = fit_two_groups(np.concatenate([log_p[cross], levels]), weights=weights)
    shares = _shares(groups, cells[unsure], log_p[unsure], shape[0])
    return Decision(cells, log_p, shape, groups, shares, None, odds, whole=False, forbidden=forbidden)


def _pairs(groups: TwoGroups, cells: IntArray, log_p: FloatArray) -> PairGroups | None:
    cross = _kinds_of(cells)[0]
    if not cross.any():
        return None
    even = groups.log_odds(positions(log_p[cross]), HALF)
    return fit_pair_groups(even, pair_numbers(cells[cross]), groups.share)


def pair_numbers(cells: IntArray) -> IntArray:
    """[M]: which pair of variables each cell belongs to, numbered from 0."""
    pair = cells[:, 0] * (int(cells[:, :2].max(initial=0)) + 1) + cells[:, 1]
    return np.asarray(np.unique(pair, return_inverse=True)[1], dtype=np.int64)


def _shares(groups: TwoGroups, cells: IntArray, log_p: FloatArray, variables: int) -> Shares:
    _, last, own, step = _kinds_of(cells)
    # Those that are up for decision within one step were chosen among all pairs of variables.
    pairs = variables * (variables - 1) // 2
    return Shares(
        groups.share,
        _share(groups, log_p[last], int(last.sum()), *_LAST),
        _share(groups, log_p[own], int(own.sum()), *_OWN),
        _share(groups, log_p[step], pairs, *_STEP),
    )


def _share(groups: TwoGroups, log_p: FloatArray, cells: int, believed: float, worth: float) -> float:
    """The likeliest share of edges among other cells that follow the same two groups."""
    share, even = believed, groups.log_odds(positions(log_p), 0.5)
    for _ in range(_ROUNDS if len(log_p) else 0):
        number = float((1.0 / (1.0 + np.exp(-even) * (1.0 - share) / share)).sum())
        share = (number + believed * worth) / (max(cells, number) + worth)
    return min(max(share, 1e-9), 1.0 - 1e-9)
