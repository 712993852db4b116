"""Forward and backward among many candidates: a few in double precision, the others by their shares.

1. **Screen**: candidates of an effect that explain something beside its own past, about `_CHOSEN` of them by
   chance, and all lags of the effect itself.
2. **Forward** among these, exactly as among all (`forward.py`).
3. **Check** the residual against all others: whoever would enter joins the chosen, with all lags of the
   variables that entered, and step 2 is taken again. After `_ROUNDS` nobody is missed but a cause that shows
   nothing by itself and is nearly the same as one that entered.
4. **Backward** to the end (`backward.py`) among those that entered.

What is left of the others at the check is their evidence: below `LISTED` cell by cell, else counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray, Single
from grace_plugin.regression.backward import eliminate
from grace_plugin.regression.beside import Columns
from grace_plugin.regression.evidence import ROWS_PER_FEATURE, entry_level
from grace_plugin.regression.forward import select_forward
from grace_plugin.regression.wide.chosen import ChosenCandidates
from grace_plugin.regression.wide.screen import LEVELS, LISTED, Screen, level_of

_CHOSEN = 20.0  # candidates of an effect that are looked at exactly by chance, in the mean
_SLACK = 4.0  # a share is a lower bound of what a candidate explains: so much above the level it may enter
_ROUNDS = 3
_MOST_JOINING = 200  # candidates of an effect in one round (10 MB): of thousands of copies a few tell all

Allowed = Callable[[int], BoolArray]  # effect -> [cause, lag], which cells may enter


@dataclass(frozen=True, eq=False)
class EffectEvidence:
    """What the search says of one effect's cells.

    Args:
        entered: [E, 2], (cause, lag) of cells that entered.
        log_p: [E], the running minimum at which each leaves.
        gain: [E], nats per sample.
        listed: [F, 2], other cells whose ln p is listed.
        listed_log_p: [F].
        counts: [levels + 1], how many other cells are at each of `LEVELS`, those of one effect of a block for
            all of them.
    """

    entered: IntArray
    log_p: FloatArray
    gain: FloatArray
    listed: IntArray
    listed_log_p: FloatArray
    counts: IntArray


@dataclass(eq=False)
class _Effect:
    """One effect on its way through the search."""

    effect: int
    chosen: IntArray  # [S], candidates as (lag - 1) * d + variable
    required: IntArray  # [R], likewise
    columns: FloatArray | None
    forbidden: BoolArray | None  # [K]
    candidates: ChosenCandidates | None = None
    entered: IntArray | None = None  # positions among `chosen`
    rest: FloatArray | None = None  # [S], ln p of each beside those that entered
    residual: FloatArray | None = None
    used: float = 1.0
    listed: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    listed_log_p: FloatArray = field(default_factory=lambda: np.zeros(0))
    counts: IntArray = field(default_factory=lambda: np.zeros(len(LEVELS) + 1, dtype=np.int64))

    @property
    def settled(self) -> IntArray:
        """Candidates that are not up for the check."""
        if self.forbidden is None:
            return self.chosen
        return np.union1d(self.chosen, np.flatnonzero(self.forbidden))


class WideSearch:
    """Searches blocks of effects.

    Args:
        screen: the whitened rows.
        reported: the largest lag whose cells are counted.
        required: effect -> [R, 2], (cause, lag) of cells that never leave.
        allowed: which cells may enter; None allows all.
    """

    def __init__(
        self,
        screen: Screen,
        reported: int,
        required: Callable[[int], IntArray] | None = None,
        allowed: Allowed | None = None,
    ) -> None:
        self.screen, self.products = screen, screen.products
        self.counted = reported * len(self.products.values)  # candidates, the first lags first
        self.d, self.max_lag = len(self.products.values), self.products.max_lag
        self.entry = entry_level(screen.count)
        self.most = max(1, screen.rows // (ROWS_PER_FEATURE * len(self.products.basis)))
        self.required, self.allowed = required, allowed

    def run(self, effects: IntArray, columns: Columns) -> list[EffectEvidence]:
        """The evidence of a block of effects, each beside its columns."""
        work = [self._begin(int(effect), columns.get(int(effect))) for effect in effects]
        self._screen(work)
        due = work
        for last in [False] * (_ROUNDS - 1) + [True]:
            due = self._check(due, last)
            if not due:
                break
        return [self._evidence(one) for one in work]

    def _begin(self, effect: int, columns: FloatArray | None) -> _Effect:
        own = np.arange(self.max_lag) * self.d + effect
        needed: IntArray = np.zeros(0, dtype=np.int64)
        if self.required is not None:
            cells = self.required(effect)
            needed = (cells[:, 1] - 1) * self.d + cells[:, 0]
        forbidden = None
        if self.allowed is not None:
            forbidden = ~self.allowed(effect)[:, 1:].T.ravel()
            own = own[~forbidden[own]]
        return _Effect(effect, np.union1d(own, needed), needed, columns, forbidden)

    def _fit(self, one: _Effect) -> None:
        """Forward selection among the chosen candidates."""
        lag, variable = np.divmod(one.chosen, self.d)
        if not len(one.chosen):
            lag, variable = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        found = ChosenCandidates(self.products, one.effect, variable, lag + 1, one.columns)
        rest = np.zeros((1, found.count))
        closed = None if len(one.chosen) else np.ones((1, 1), dtype=np.bool_)
        entered = select_forward(
            found, np.zeros(1, dtype=np.int64), self.entry, self.most, closed, found.beside, rest
        ).candidate
        needed = np.searchsorted(one.chosen, one.required)
        one.candidates, one.rest = found, rest[0]
        one.entered = np.concatenate([entered, np.setdiff1d(needed, entered)]).astype(np.int64)
        one.residual, one.used = found.residual(one.entered)

    def _screen(self, work: list[_Effect]) -> None:
        """Choose the candidates that are looked at exactly, beside the effect's own past."""
        for one in work:
            self._fit(one)
        linear, full = self.screen.shares(_stacked(work))
        passing = self.screen.passing(linear, full, min(1.0, _CHOSEN / self.screen.count), _used(work))
        for place, one in enumerate(work):
            self._join(one, _strongest(passing[place], full[place]))
            self._fit(one)

    def _check(self, work: list[_Effect], last: bool) -> list[_Effect]:
        """Who has candidates that were not chosen and would enter: fitted anew. The others are done."""
        linear, full = self.screen.shares(_stacked(work))
        for place, one in enumerate(work):
            linear[place, one.settled] = full[place, one.settled] = -1.0
        entering = self.screen.passing(linear, full, min(1.0, _SLACK * self.entry), _used(work))
        again = np.zeros(len(work), dtype=np.bool_)
        for place, one in enumerate(work if not last else []):
            strongest = _strongest(entering[place], full[place])
            again[place] = self._join(one, strongest, beside_entered=True)
        done = [one for one, goes in zip(work, again, strict=True) if not goes]
        if done:
            self._list(done, linear[~again], full[~again])
        due = [one for one, goes in zip(work, again, strict=True) if goes]
        for one in due:
            self._fit(one)
        return due

    def _join(self, one: _Effect, more: IntArray, beside_entered: bool = False) -> bool:
        """Add candidates to the chosen; whether there are any."""
        assert one.entered is not None
        joining = np.setdiff1d(more, one.chosen)
        if one.forbidden is not None:
            joining = joining[~one.forbidden[joining]]
        if not len(joining):
            return False
        if beside_entered:  # a neighbouring lag of a cause may show only beside it
            variable = one.chosen[one.entered] % self.d
            near = (np.arange(self.max_lag)[:, None] * self.d + variable).ravel()
            joining = np.union1d(joining, near if one.forbidden is None else near[~one.forbidden[near]])
        one.chosen = np.union1d(one.chosen, joining)
        return True

    def _list(self, work: list[_Effect], linear: Single, full: Single) -> None:
        """Candidates that were not chosen: their ln p where it is listed, else how many there are."""
        passing = self.screen.passing(linear, full, LISTED, _used(work))
        place, candidate = np.nonzero(passing)
        used = np.array([one.used for one in work])
        log_p = self.screen.log_p(linear[passing], full[passing], candidate, used[place])
        bounds = np.searchsorted(place, np.arange(len(work) + 1))
        for one, start, stop in zip(work, bounds, bounds[1:], strict=False):
            one.listed, one.listed_log_p = candidate[start:stop], log_p[start:stop]
            one.counts = np.zeros(len(LEVELS) + 1, dtype=np.int64)
        lags = slice(self.counted)
        counts = self.screen.counted(linear[:, lags], full[:, lags], _used(work))
        counts[0] -= sum(int((one.settled < self.counted).sum()) for one in work)
        work[0].counts = counts  # those of all of them

    def _evidence(self, one: _Effect) -> EffectEvidence:
        assert one.candidates is not None
        assert one.entered is not None
        assert one.rest is not None
        entered = one.entered
        log_p, gain = np.zeros(0), np.zeros(0)
        if len(entered):
            must = np.isin(one.chosen[entered], one.required)[None]
            left = eliminate(one.candidates.regression(entered), must)
            log_p, gain = left.log_p[0], left.gain[0]
        out = np.ones(len(one.chosen), dtype=np.bool_)
        out[entered] = False
        mine, rest = one.chosen[out], one.rest[: len(one.chosen)][out]
        own = mine % self.d == one.effect  # few, and of another kind
        clear = (rest < np.log(LISTED)) | own
        some = ~clear & (mine < self.counted)
        counts = one.counts + np.bincount(level_of(rest[some]), minlength=len(one.counts))
        return EffectEvidence(
            self._cells(one.chosen[entered]),
            log_p,
            gain,
            self._cells(np.concatenate([mine[clear], one.listed])),
            np.concatenate([rest[clear], one.listed_log_p]),
            counts,
        )

    def _cells(self, candidate: IntArray) -> IntArray:
        """[..., 2]: (cause, lag)."""
        return np.stack([candidate % self.d, candidate // self.d + 1], axis=-1)


def _strongest(passing: BoolArray, share: FloatArray) -> IntArray:
    """Which candidates pass, in their order; of very many those that explain most."""
    found = np.flatnonzero(passing)
    if len(found) <= _MOST_JOINING:
        return found
    return np.sort(found[np.argsort(-share[found], kind="stable")[:_MOST_JOINING]])


def _stacked(work: list[_Effect]) -> FloatArray:
    return np.stack([one.residual for one in work if one.residual is not None])


def _used(work: list[_Effect]) -> float:
    """Degrees of freedom of a model, in the mean."""
    return float(np.mean([one.used for one in work]))
