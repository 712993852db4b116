"""One number a cell: the level at which an edge would leave the graph.

Per effect, forward over groups of features to a liberal level, then backward to the end, the weakest first
(`backward.py`); an edge's evidence is the running minimum of the p-values at which edges leave, so that the
graphs of all levels are nested. Forward selection misses causes that show only beside one another; where the
rows can carry all candidates at once, those that are significant in the full linear model enter too. A cell
that never entered has its test beside all that did.

The liberal level lets about `NULLS_ENTERING` of an effect's candidates in by chance, however many there are:
at .05 and a thousand variables a quarter of a million would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.progress import progress_bar
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.beside import BesideColumns, Columns
from grace_plugin.regression.forward import Candidates, Selection
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.log_tail import log_p_of_drop
from grace_plugin.regression.search_blocks import BackwardPiece, ForwardPiece, SearchBlocks, by_size

MOST_LIBERAL = 0.05  # the level at which candidates enter small graphs
NULLS_ENTERING = 2.5  # at most so many candidates of an effect enter by chance, in the mean
ROWS_PER_FEATURE = 5  # of the model at its largest
_ROWS_PER_CANDIDATE = 4  # of the full linear model from which backward elimination may start
_MOST_FULL = 400  # candidates of that model: its cost grows with their cube
_FULL_ENTERING = 1.0  # candidates of an effect that enter from it by chance, in the mean
_RIDGE = 1e-8
BLOCK_NUMBERS = 12_000_000  # numbers held at once for a block of effects (about 100 MB)
USUAL_PARENTS = 16
_FORWARD_SECONDS = 1.6e-8  # about what one number of `BLOCK_NUMBERS` takes
_BACKWARD_SECONDS = 2.4e-9  # and one entry of a Gram matrix, each time that a candidate leaves


@dataclass(frozen=True, eq=False)
class Evidence:
    """Every cell's ln p: of those that entered, one row each; of the others, their test beside them.

    Args:
        cells: [E, 3], (cause, effect, lag) of the cells that entered.
        log_p: [E], the running minimum at which each leaves.
        gain: [E], nats per sample that it brings beside those that outlast it.
        rest: [cause, effect, lag], ln p of every lagged cell, allowed or not, beside all that entered; 0
            where it entered, and within one step.
        rows: how many the tests had.
        entry: the level below which cells entered.
        uneven: effects whose noise has heavy tails or comes in spells, or that wander, as far as
            that was looked at.
        small: (cause, effect, lag) of those that cannot be told from what the model misses (`lack_of_fit`).
        misfit: whether own past gave that away for some of them.
    """

    cells: IntArray
    log_p: FloatArray
    gain: FloatArray
    rest: FloatArray
    rows: int
    entry: float
    uneven: frozenset[int] = frozenset()
    small: frozenset[tuple[int, int, int]] = frozenset()
    misfit: bool = False

    def dense(self) -> FloatArray:
        """[cause, effect, lag]: ln p of every cell."""
        found = self.rest.copy()
        found[tuple(self.cells.T)] = self.log_p
        return found


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """Which cells may enter, which must stay, and what each effect is judged beside.

    Args:
        allowed: [cause, effect, lag]; None allows all from lag 1 on. Cells of lag 0 are looked at where it
            has some: an effect itself must not be among them.
        required: [cause, effect, lag], never closed.
        proposed: [cause, effect, lag], taken in whatever forward selection says (a host's edges).
        columns: effect -> [n, m], controls at the lagged rows.
        effects: those to explain; None means all.
        entry: the liberal level; None takes that of the number of candidates.
        factors: [cause, effect, lag], which cells may be part of a product; None: those that are allowed. A
            host's edge may act together with a cause that the host does not have.
    """

    allowed: BoolArray | None = None
    required: BoolArray | None = None
    proposed: BoolArray | None = None
    columns: Columns = field(default_factory=dict)
    effects: IntArray | None = None
    entry: float | None = None
    factors: BoolArray | None = None


def entry_level(candidates: int) -> float:
    """The liberal level for so many candidates of an effect."""
    return min(MOST_LIBERAL, NULLS_ENTERING / max(candidates, 1))


@dataclass(frozen=True, eq=False)
class Forward:
    """Forward selection among all lagged candidates, with which a search begins.

    Args:
        moments: the sums that it was made from.
        effects: [B], those that were explained.
        candidates: all of them.
        entry: the liberal level.
        selection: what entered, in its order.
        rest: [B, K], ln p of every candidate beside all that entered.
    """

    moments: Moments
    effects: IntArray
    candidates: Candidates
    entry: float
    selection: Selection
    rest: FloatArray

    @classmethod
    def of(
        cls,
        moments: Moments,
        effects: IntArray | None = None,
        progress: bool | None = False,
        n_jobs: int | None = 1,
    ) -> Forward:
        """Nothing is forbidden and nothing known."""
        made = _Search(moments, SearchSpace(effects=effects), None, progress, n_jobs=n_jobs)
        rest = np.zeros((len(made.effects), made.candidates.count))
        parts = {}
        for places, selection, left in made.selections(np.arange(len(made.effects))):
            parts[int(places[0])], rest[places] = selection, left
        ordered = (parts[start] for start in sorted(parts))
        fields = zip(*((one.effect, one.candidate, one.gain, one.p_value) for one in ordered), strict=True)
        selection = Selection(*(np.concatenate(part) for part in fields))
        return cls(moments, made.effects, made.candidates, made.entry, selection, rest)


def search(
    moments: Moments,
    space: SearchSpace | None = None,
    rows: LaggedRows | None = None,
    progress: bool | None = False,
    begun: Forward | None = None,
    n_jobs: int | None = 1,
) -> Evidence:
    """The evidence of every cell; `rows` are needed only where there are columns to judge beside.

    Where `begun` is a forward selection from the same moments, it is not made again for effects that have
    nothing forbidden and nothing to be judged beside. `n_jobs` workers share large searches, with the same
    result.
    """
    return _Search(moments, space or SearchSpace(), rows, progress, begun, n_jobs).run()


class _Search:
    def __init__(
        self,
        moments: Moments,
        space: SearchSpace,
        rows: LaggedRows | None,
        progress: bool | None,
        begun: Forward | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.moments, self.space, self.progress, self.n_jobs = moments, space, progress, n_jobs
        within_step = space.allowed is not None and bool(space.allowed[:, :, 0].any())
        usable = begun is not None and begun.moments is moments and not within_step and space.entry is None
        self.begun = begun if usable else None
        self.candidates = self.begun.candidates if self.begun else Candidates(moments, int(not within_step))
        self.beside = BesideColumns(self.candidates, rows, space.columns)
        d, count = moments.n_variables, self.candidates.count
        self.effects = np.arange(d) if space.effects is None else space.effects
        self.entry = entry_level(count) if space.entry is None else space.entry
        self.most = max(1, moments.rows // (ROWS_PER_FEATURE * self.candidates.width))
        self.variable, self.lag = self.candidates.place(np.arange(count))
        self.blocks = SearchBlocks(
            moments, self.candidates, self.beside, space.allowed, self.entry, self.most
        )

    def run(self) -> Evidence:
        d, count = self.moments.n_variables, self.candidates.count
        rest = np.zeros((len(self.effects), count))
        if count == 0:  # a graph of lag 0 alone: there is no past to search
            nothing = np.zeros(0)
            dense = np.zeros((d, d, self.moments.max_lag + 1))
            return Evidence(np.zeros((0, 3), np.intp), nothing, nothing, dense, self.moments.rows, self.entry)
        entered: BoolArray = np.zeros((len(self.effects), count), dtype=np.bool_)
        for places, found, left in self.selections(np.flatnonzero(~self._known(entered, rest))):
            of_block = np.searchsorted(self.effects[places], found.effect)
            entered[places[of_block], found.candidate], rest[places] = True, left
        first = entered.copy()
        for given in (self.space.required, self.space.proposed):
            entered |= self._mask(given)
        entered |= self._full_start()
        order = np.where(first, -np.inf, np.where(entered, rest, 0.0))
        entered = _at_most(entered, order, self._mask(self.space.required), self.most)
        log_p, gain = self._backward(entered)
        where, candidate = np.nonzero(entered)
        cells = np.stack([self.variable[candidate], self.effects[where], self.lag[candidate]], axis=1)
        rest[entered] = 0.0
        rest[:, self.lag == 0] = 0.0
        dense = np.zeros((d, d, self.moments.max_lag + 1))
        dense[self.variable[None, :], self.effects[:, None], self.lag[None, :]] = rest
        return Evidence(cells, log_p[entered], gain[entered], dense, self.moments.rows, self.entry)

    def _mask(self, cells: BoolArray | None, empty: bool = False) -> BoolArray:
        """[B, K] of [cause, effect, lag]."""
        if cells is None:
            return np.full((len(self.effects), self.candidates.count), empty)
        return np.asarray(cells[self.variable[None, :], self.effects[:, None], self.lag[None, :]])

    def _known(self, entered: BoolArray, rest: FloatArray) -> BoolArray:
        """[B]: the effects whose forward selection was made already, which is written to both."""
        begun, known = self.begun, np.zeros(len(self.effects), dtype=np.bool_)
        if begun is None:
            return known
        place = np.minimum(np.searchsorted(begun.effects, self.effects), len(begun.effects) - 1)
        free = self._mask(self.space.allowed, True).all(axis=1)
        alone = np.array([not self.beside.count(effect) for effect in self.effects.tolist()])
        known = (begun.effects[place] == self.effects) & free & alone
        every = np.zeros(begun.rest.shape, dtype=np.bool_)
        every[np.searchsorted(begun.effects, begun.selection.effect), begun.selection.candidate] = True
        entered[known], rest[known] = every[place[known]], begun.rest[place[known]]
        return np.asarray(known)

    def selections(self, todo: IntArray) -> Iterator[tuple[IntArray, Selection, FloatArray]]:
        """Blocks of the effects at some places: what entered, and ln p [B, K] beside that."""
        width = self.candidates.width
        numbers = self.candidates.count * width * width * min(self.most, USUAL_PARENTS)  # held for one effect
        size = max(1, min(len(self.effects), BLOCK_NUMBERS // numbers))
        blocks = [todo[start : start + size] for start in range(0, len(todo), size)]
        pieces = [ForwardPiece(block, self.effects[block]) for block in blocks]
        with progress_bar(len(pieces), "searching forward", self.progress) as tick:
            for found in self.blocks.results(pieces, self.n_jobs, _FORWARD_SECONDS * len(todo) * numbers):
                yield found
                tick()

    def _full_start(self) -> BoolArray:
        """[B, K]: what is significant in the full linear model, beside all other candidates."""
        found = np.zeros((len(self.effects), self.candidates.count), dtype=np.bool_)
        linear = Candidates(self.moments.linear(), 1)  # what happens in the same step explains everything
        count = linear.count
        if not 0 < count <= _MOST_FULL or count * _ROWS_PER_CANDIDATE > self.moments.rows:
            return found
        gram = linear.covariance(linear.columns(np.arange(count)))[:, 0, 0, :]
        gram += _RIDGE * np.eye(count)
        inverse = np.linalg.inv(gram)
        beta = linear.target(self.effects)[:, 0, :]
        unexplained = np.maximum(1.0 - ((beta @ inverse) * beta).sum(axis=1), _RIDGE)[:, None]
        cost = np.square(beta @ inverse) / inverse.diagonal()
        log_p = log_p_of_drop(unexplained + cost, unexplained, 1, self.moments.rows - count - 1.0)
        level = min(self.entry, _FULL_ENTERING / count)
        found[:, -count:] = log_p < np.log(level)
        return found & self._mask(self.space.allowed, True)

    def _backward(self, entered: BoolArray) -> tuple[FloatArray, FloatArray]:
        """[B, K]: ln p and gain of what entered."""
        log_p, gain = np.zeros(entered.shape), np.zeros(entered.shape)
        degree, width = entered.sum(axis=1), self.candidates.width
        required = self._mask(self.space.required)
        pieces = [self._piece(batch, entered, required, degree) for batch in by_size(degree, width)]
        seconds = _BACKWARD_SECONDS * float((degree * np.square(degree * float(width))).sum())
        with progress_bar(len(pieces), "searching backward", self.progress) as tick:
            for piece, found in self.blocks.results(pieces, self.n_jobs, seconds):
                live, chosen = piece.live, piece.chosen
                place = np.broadcast_to(piece.batch[:, None], chosen.shape)[live]
                log_p[place, chosen[live]] = found.log_p[live]
                gain[place, chosen[live]] = found.gain[live]
                tick()
        return log_p, gain

    def _piece(
        self, batch: IntArray, entered: BoolArray, required: BoolArray, degree: IntArray
    ) -> BackwardPiece:
        chosen = np.argsort(~entered[batch], axis=1, kind="stable")[:, : degree[batch].max()]
        live = np.take_along_axis(entered[batch], chosen, axis=1)
        must = np.take_along_axis(required[batch], chosen, axis=1) & live
        return BackwardPiece(batch, self.effects[batch], chosen, live, must)


def _at_most(entered: BoolArray, order: FloatArray, required: BoolArray, most: int) -> BoolArray:
    """The same with at most so many candidates an effect: required ones, then the first by `order`."""
    if (entered.sum(axis=1) <= most).all():
        return entered
    rank = np.argsort(
        np.argsort(np.where(entered, np.where(required, -np.inf, order), np.inf), axis=1), axis=1
    )
    return np.asarray(entered & ((rank < most) | required))
