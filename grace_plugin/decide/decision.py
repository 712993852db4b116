"""Where to cut: from the evidence of all cells to the graph.

Cells are of four kinds, each with a share of edges of its own: **cross** (one variable's past on another),
**last** (its own last value), **own** (its own past before that) and **step** (within one step, one cell a
pair). The two groups (`two_groups.py`) are learned from all cross cells that could have been reported; the
shares of the other kinds from their own cells, by the same two groups. A cell's probability is the posterior;
its q-value the mean of one minus the probabilities of all cells at least as likely, own past apart; the
expected number of false edges of a graph the sum of the same.

- `alpha="auto"`: an edge stays where it is likelier true than not.
- `alpha=a`: where its evidence is at most a.
- `fdr=q`: where its q-value is at most q.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import LEAST_ALPHA
from grace_plugin.decide.counting import counted
from grace_plugin.decide.two_groups import TwoGroups, fit_two_groups, positions
from grace_plugin.regression.log_tail import chi_square_of

# Share of edges that is believed, and how many cells that is worth. Own last values apart from earlier ones:
# +.005 in F1 over all worlds.
_LAST = (0.4, 20.0)
_OWN = (0.02, 20.0)
_STEP = (0.05, 20.0)
_ROUNDS = 30
_HALF = 0.5


@dataclass(frozen=True, eq=False)
class Decision:
    """What all cells of a graph tell together.

    Args:
        log_p: [cause, effect, lag], the evidence of every cell that could be reported; 0 where none can be.
        possible: [cause, effect, lag], the cells that count.
        groups: of the cross cells.
        last_share: of edges among own last values.
        own_share: of edges among own earlier values.
        step_share: of edges among pairs within one step.
        odds: [cause, effect, lag], factors that a user believes in beside what the data tell; None is 1.
        by_count: [cause, effect, lag], probabilities where the two groups see too little (`counting.py`);
            None where they see enough.
    """

    log_p: FloatArray
    possible: BoolArray
    groups: TwoGroups
    last_share: float
    own_share: float
    step_share: float
    odds: FloatArray | None = None
    by_count: FloatArray | None = None

    @cached_property
    def probability(self) -> FloatArray:
        """[cause, effect, lag]: of an edge; 0 where none is possible."""
        found = np.zeros(self.log_p.shape)
        for kind, share in self._kinds():
            found[kind] = self.groups.probability(self.log_p[kind], share)
        if self.by_count is not None:
            found = np.maximum(found, self.by_count)
        return found if self.odds is None else self._believed(found, self.odds)

    @staticmethod
    def _believed(chance: FloatArray, odds: FloatArray) -> FloatArray:
        """Probabilities whose odds are those factors larger."""
        return np.asarray(chance * odds / (1.0 - chance + chance * odds))

    @cached_property
    def q_value(self) -> FloatArray:
        """[cause, effect, lag]: the expected share of false edges among all that are at least as likely.

        Own past and the rest apart: certain own past must not pay for doubtful edges between variables.
        """
        found = np.ones(self.log_p.shape)
        cross, last, own, step = kinds(self.possible)
        for cells in (cross | step, last | own):
            chance = self.probability[cells]
            order = np.lexsort((self.log_p[cells], -chance))
            ranked = np.empty(len(order))
            ranked[order] = np.cumsum(1.0 - chance[order]) / np.arange(1, len(order) + 1)
            found[cells] = ranked
        return found

    def likely(self, least: float = _HALF) -> BoolArray:
        """[cause, effect, lag]: cells whose probability is above."""
        return self.possible & (self.probability > least)

    def at_level(self, alpha: float) -> BoolArray:
        """[cause, effect, lag]: cells whose evidence is at most `alpha`."""
        return np.asarray(self.possible & (self.log_p <= np.log(alpha)))

    def at_rate(self, fdr: float) -> BoolArray:
        """[cause, effect, lag]: the largest graph whose expected share of false edges is at most `fdr`."""
        return self.possible & (self.q_value <= fdr)

    def expected_false(self, graph: BoolArray) -> float:
        """How many edges of a graph are expected to be false."""
        return float((1.0 - self.probability[graph & self.possible]).sum())

    @cached_property
    def half_level(self) -> float:
        """The level at which a cross cell is as likely an edge as not."""
        if self.by_count is not None:
            return float(np.exp(self.log_p[self.by_count > _HALF].max()))
        low, high = -700.0, 0.0  # ln p; likely at the one end, not at the other
        if self.groups.probability(np.array(low)) <= _HALF:
            return 0.0
        for _ in range(_ROUNDS):
            middle = 0.5 * (low + high)
            likely = self.groups.probability(np.array(middle)) > _HALF
            low, high = (middle, high) if likely else (low, middle)
        return float(np.exp(low))

    def price(self, rows: int) -> float:
        """Nats per sample that such a cell gains: the price of an open gate."""
        level = max(self.half_level, LEAST_ALPHA)
        return float(0.5 * chi_square_of(np.array(np.log(level))) / max(rows, 1))

    def _kinds(self) -> list[tuple[BoolArray, float]]:
        shares = self.groups.share, self.last_share, self.own_share, self.step_share
        return list(zip(kinds(self.possible), shares, strict=True))


def kinds(possible: BoolArray) -> tuple[BoolArray, BoolArray, BoolArray, BoolArray]:
    """The possible cells that are cross, own last values, own earlier values, and within one step."""
    same = np.eye(len(possible), dtype=np.bool_)[:, :, None]
    lag = np.arange(possible.shape[2])
    own = possible & same
    return possible & ~same & (lag > 0), own & (lag == 1), own & (lag > 1), possible & ~same & (lag == 0)


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
    believed = odds if odds is not None and (odds != 1.0).any() else None
    learned = possible if unsure is None else possible & unsure
    cross, last, own, step = kinds(learned)
    groups = fit_two_groups(log_p[cross])
    # Those that are up for decision were chosen among all pairs of variables.
    pairs = len(step) * (len(step) - 1) // 2
    even = cross.copy()
    even[:, list(uneven)] = False
    weak = counted(log_p[even], int((groups.probability(log_p[even]) > _HALF).sum()))
    by_count = np.zeros(log_p.shape)
    by_count[even] = weak
    return Decision(
        log_p,
        possible,
        groups,
        share_of_last(groups, log_p[last]),
        share_of_own(groups, log_p[own]),
        _share(groups, log_p[step], pairs, *_STEP),
        believed,
        by_count if weak.any() else None,
    )


def share_of_last(groups: TwoGroups, log_p: FloatArray) -> float:
    """Of edges among own last values."""
    return _share(groups, log_p, len(log_p), *_LAST)


def share_of_own(groups: TwoGroups, log_p: FloatArray) -> float:
    """Of edges among own earlier values."""
    return _share(groups, log_p, len(log_p), *_OWN)


def _share(groups: TwoGroups, log_p: FloatArray, cells: int, believed: float, worth: float) -> float:
    """The likeliest share of edges among other cells that follow the same two groups."""
    share, even = believed, groups.log_odds(positions(log_p), 0.5)
    for _ in range(_ROUNDS if len(log_p) else 0):
        number = float((1.0 / (1.0 + np.exp(-even) * (1.0 - share) / share)).sum())
        share = (number + believed * worth) / (max(cells, number) + worth)
    return min(max(share, 1e-9), 1.0 - 1e-9)
