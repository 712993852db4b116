"""Stepwise regression of many effects at once on groups of features, from moments.

Arrays are [effect, feature, candidate]: candidates last, so that every step is a few long vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.log_tail import log_p_of_drop, twice_the_smaller
from grace_plugin.regression.small_factors import explained_shares, inverse_factors
from grace_plugin.regression.tolerances import COLLINEAR, DEAD_FEATURE, LEAST_VARIANCE


class Candidates:
    """All (lag, variable) pairs from `first_lag` on, as standardised rows of the moment matrix."""

    def __init__(self, moments: Moments, first_lag: int) -> None:
        self.rows = moments.rows
        self.width = len(moments.basis)
        self.n_variables = moments.n_variables
        self.first_lag = first_lag
        self.count = (moments.max_lag + 1 - first_lag) * self.n_variables
        self._offset = first_lag * self.n_variables
        self._moments = moments
        self._mean = moments.mean
        every = np.arange(len(self._mean))[:, None]
        variance = moments.covariance(every, every).ravel()
        alive = variance > DEAD_FEATURE * DEAD_FEATURE
        self._scale = np.where(alive, 1.0 / np.sqrt(np.where(alive, variance, 1.0)), 0.0)
        self.own_blocks = self._blocks()
        self.alive = alive_features(self.own_blocks)
        self.freedom = self.alive.sum(axis=0)

    def place(self, candidate: IntArray) -> tuple[IntArray, IntArray]:
        """The variable and the lag of candidates."""
        lag, variable = np.divmod(candidate + self._offset, self.n_variables)
        return variable, lag

    def covariance(self, columns: IntArray) -> FloatArray:
        """[..., k, K]: correlation of the given columns of the moment matrix with all features."""
        start = self._offset * self.width
        whole = self._moments.whole_covariance
        if whole is not None:
            picked = whole[columns, start:] * self._scale[columns][..., None]
        else:
            picked = self._moments.products.rows(columns, self.first_lag)
            picked *= (self._scale[columns] / self.rows)[..., None]
            picked -= (self._scale * self._mean)[columns][..., None] * self._mean[start:]
        picked *= self._scale[start:]
        shaped = picked.reshape(*columns.shape, self.count, self.width)
        return np.ascontiguousarray(np.moveaxis(shaped, -1, -2))

    @property
    def basis(self) -> tuple[str, ...]:
        return self._moments.basis

    @property
    def feature_scale(self) -> FloatArray:
        """[K, k]: one over the deviation of every feature of every candidate; 0 for a constant one."""
        return self._scale[self._offset * self.width :].reshape(self.count, self.width)

    @property
    def target_scale(self) -> FloatArray:
        """[d]: one over the deviation of every variable, now."""
        return self._scale[: self.n_variables * self.width : self.width]

    def number(self, variable: IntArray, lag: IntArray) -> IntArray:
        """The candidates of variables and lags."""
        return np.asarray(lag * self.n_variables + variable - self._offset)

    def columns(self, candidate: IntArray) -> IntArray:
        """[..., k]: the columns of the moment matrix that hold candidates."""
        return np.asarray((candidate + self._offset)[..., None] * self.width + np.arange(self.width))

    def target(self, effects: IntArray) -> FloatArray:
        """[B, k, K]: correlation of the effects themselves, now, with all features."""
        return self.covariance(effects * self.width)

    def _blocks(self) -> FloatArray:
        """[k, k, K]: each candidate's own features among themselves."""
        columns = self.columns(np.arange(self.count))
        blocks = self._moments.covariance(columns, columns)
        scale = self._scale[columns]
        blocks *= scale[:, :, None] * scale[:, None, :]
        return np.ascontiguousarray(np.moveaxis(blocks, 0, -1))


class Searchable(Protocol):
    """What forward selection asks of candidates."""

    rows: int
    width: int
    count: int
    own_blocks: FloatArray
    alive: BoolArray
    freedom: IntArray

    def columns(self, candidate: IntArray) -> IntArray:
        """[..., k]: numbers of the features of candidates."""

    def covariance(self, columns: IntArray) -> FloatArray:
        """[..., k, K]: correlation of features with all features."""

    def target(self, effects: IntArray) -> FloatArray:
        """[B, k, K]: correlation of the effects with all features."""


def alive_features(blocks: FloatArray) -> BoolArray:
    """[k, K]: whether a feature says something that the earlier ones of its candidate do not."""
    _, pivots = inverse_factors(blocks, np.ones(blocks.shape[1:], dtype=np.bool_))
    return pivots > DEAD_FEATURE


@dataclass(frozen=True, eq=False)
class Selection:
    """One entry per candidate that entered: whose parent it is, and what it brought."""

    effect: IntArray
    candidate: IntArray
    gain: FloatArray  # nats per sample when it entered
    p_value: FloatArray  # when it entered

    @classmethod
    def of_nothing(cls) -> Selection:
        """Where nothing entered."""
        nothing = np.empty(0, dtype=np.int64)
        return cls(nothing, nothing, np.empty(0), np.empty(0))

    def until(self, entry: float) -> Selection:
        """What would have entered at a stricter level: all before the first that is above it."""
        above = self.p_value >= entry
        first = np.full(int(self.effect.max(initial=-1)) + 1, len(above))
        np.minimum.at(first, self.effect[above], np.flatnonzero(above))
        chosen = np.arange(len(above)) < first[self.effect]
        return Selection(self.effect[chosen], self.candidate[chosen], self.gain[chosen], self.p_value[chosen])


@dataclass(frozen=True, eq=False)
class Beside:
    """Columns that every candidate of an effect is judged beside, as orthonormal directions.

    Args:
        directions: [B, m, k * K], their correlation with every feature of every candidate.
        share: [B, m], their correlation with the effect.
        count: [B], how many of them each effect has; the others are zero.
    """

    directions: FloatArray
    share: FloatArray
    count: IntArray


def select_forward(
    candidates: Searchable,
    effects: IntArray,
    entry: float,
    most: int,
    forbidden: BoolArray | None = None,
    beside: Beside | None = None,
    rest: FloatArray | None = None,
) -> Selection:
    """Enter the most significant candidate of every effect while its p-value is below `entry`.

    `forbidden` [B, K] marks candidates that must not enter (an effect at lag 0 explains itself). Where `rest`
    [B, K] is given, the ln p of every candidate beside all that entered is written there.
    """
    model = _Model(candidates, effects, forbidden)
    if beside is not None:
        model.project(beside)
    entered: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
    places: IntArray = np.arange(len(effects))  # of the effects that are not finished
    for _ in range(most):
        best, p_value, gain = model.best()
        going = p_value < entry
        if rest is not None and not going.all():
            rest[places[~going]] = model.log_p_values(~going)
        if not going.any():
            places = places[:0]
            break
        places = places[going]
        model.restrict(going)
        entered.append((model.effects, best[going], gain[going], p_value[going]))
        model.enter(best[going])
    if rest is not None and places.size:
        rest[places] = model.log_p_values(np.ones(len(places), dtype=np.bool_))
    if not entered:
        return Selection.of_nothing()
    effect, candidate, gained, level = (np.concatenate(part) for part in zip(*entered, strict=True))
    return Selection(effect, candidate, gained, level)


class _Model:
    """The regressions of a block of effects: what is left of every candidate and of the effects."""

    def __init__(self, candidates: Searchable, effects: IntArray, forbidden: BoolArray | None) -> None:
        self.candidates = candidates
        self.effects = effects
        count, width = len(effects), candidates.width
        self.possible: BoolArray = np.ones((count, candidates.count), dtype=np.bool_)
        self.several = sorted({count for count in candidates.freedom.tolist() if count > 1})
        if forbidden is not None:
            self.possible &= ~forbidden
        self.cross: FloatArray = candidates.target(effects)  # [B, k, K]
        own = candidates.own_blocks.reshape(1, width * width, -1)
        self.blocks: FloatArray = np.repeat(own, count, axis=0).reshape(count, width, width, -1)
        self.residual: FloatArray = np.ones(count)
        self.used: FloatArray = np.ones(count)  # degrees of freedom, the mean among them
        # Orthonormal, [B, m, k * K]; grows.
        self.directions: FloatArray = np.empty((count, 4 * width, width * candidates.count))
        self.n_directions = 0

    def project(self, beside: Beside) -> None:
        """Take the given directions out of everything, before anything enters."""
        count, width = len(self.effects), self.candidates.width
        shaped = beside.directions.reshape(count, -1, width, self.candidates.count)
        self.cross -= (beside.share[:, None, :] @ beside.directions).reshape(self.cross.shape)
        self._take_out(shaped)
        self.residual = np.maximum(self.residual - np.square(beside.share).sum(axis=1), LEAST_VARIANCE)
        self.used = self.used + beside.count
        self._room(beside.directions.shape[1])[:] = beside.directions

    def log_p_values(self, rows: BoolArray) -> FloatArray:
        """[B, K]: ln p of every candidate of some effects beside what entered, forbidden or not."""
        alive, freedom = self.candidates.alive, self.candidates.freedom
        blocks, cross = (np.moveaxis(part[rows], 0, -2) for part in (self.blocks, self.cross))
        explained, pivots = explained_shares(blocks, cross, alive[:, None, :])
        separable = ((pivots > COLLINEAR) | ~alive[:, None, :]).all(axis=0)
        total = self.residual[rows][:, None]
        left = (self.candidates.rows - self.used[rows])[:, None]
        linear = np.maximum(total - explained[0], LEAST_VARIANCE)
        full = np.maximum(total - explained.sum(axis=0), LEAST_VARIANCE)
        one = log_p_of_drop(total, linear, 1, left - 1)
        every = log_p_of_drop(total, full, freedom, left - freedom)
        found = twice_the_smaller(one, every, freedom)
        return np.where(separable & alive[0], found, 0.0)

    def restrict(self, rows: BoolArray) -> None:
        """Forget the effects that are finished."""
        if rows.all():
            return
        self.effects, self.possible = self.effects[rows], self.possible[rows]
        self.cross, self.blocks = self.cross[rows], self.blocks[rows]
        self.residual, self.used = self.residual[rows], self.used[rows]
        for place, before in enumerate(np.flatnonzero(rows).tolist()):  # in place: fresh memory is dear
            if place != before:
                held = self.directions[:, : self.n_directions]
                held[place] = held[before]
        self.directions = self.directions[: len(self.effects)]

    def best(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """[B]: the candidate with the smallest p-value, that p-value, and its gain."""
        alive = self.candidates.alive
        blocks, cross = (np.moveaxis(part, 0, -2) for part in (self.blocks, self.cross))
        explained, pivots = explained_shares(blocks, cross, alive[:, None, :])
        separable = ((pivots > COLLINEAR) | ~alive[:, None, :]).all(axis=0)
        possible = self.possible & separable & alive[0]
        full = np.where(possible, explained.sum(axis=0), -1.0)
        linear = np.where(possible, explained[0], -1.0)
        chances = [self._chance(linear, 1)]
        for freedom in self.several:
            chances.append(self._chance(np.where(self.candidates.freedom == freedom, full, -1.0), freedom))
        p_values = np.stack([p for _, p in chances])
        chosen = p_values.argmin(axis=0)
        rows = np.arange(len(self.effects))
        best = np.stack([where for where, _ in chances])[chosen, rows]
        single = self.candidates.freedom[best] == 1  # only one test was made of it
        p_value = np.minimum(1.0, np.where(single, 1.0, 2.0) * p_values[chosen, rows])
        left = np.maximum(self.residual - np.maximum(full[rows, best], 0.0), LEAST_VARIANCE)
        return best, p_value, 0.5 * np.log(self.residual / left)

    def _chance(self, reduction: FloatArray, freedom: int) -> tuple[IntArray, FloatArray]:
        """The candidate that explains most with so many features, and the p-value of its F-test."""
        best = reduction.argmax(axis=1)
        explained = reduction[np.arange(len(best)), best]
        left = self.candidates.rows - self.used - freedom
        unexplained = np.maximum(self.residual - explained, LEAST_VARIANCE)
        usable = (left > 0) & (explained >= 0.0)
        safe = np.where(usable, left, 1.0)
        ratio = np.maximum(explained, 0.0) / freedom / (unexplained / safe)
        return best, np.where(usable, fdtrc(freedom, safe, ratio), 1.0)

    def enter(self, chosen: IntArray) -> None:
        """Take one candidate per effect into the model and out of everything else."""
        candidates, width = self.candidates, self.candidates.width
        rows = np.arange(len(chosen))
        news = candidates.covariance(candidates.columns(chosen)).reshape(len(chosen), width, -1)
        own = chosen[:, None] + np.arange(width) * candidates.count  # [B, k] among k * K
        if self.n_directions:
            known = self.directions[:, : self.n_directions]
            news -= known[rows[:, None], :, own] @ known
        blocks = news[rows[:, None, None], np.arange(width)[None, :, None], own[:, None, :]]
        alive = candidates.alive[:, chosen]
        inverse, _ = inverse_factors(np.moveaxis(blocks, 0, -1), alive)
        inverse = np.moveaxis(inverse, -1, 0)
        directions = np.matmul(inverse, news, out=self._room(width))
        share = (inverse @ self.cross[rows, :, chosen][:, :, None])[:, :, 0]
        self.cross -= (share[:, None, :] @ directions).reshape(self.cross.shape)
        shaped = directions.reshape(len(chosen), width, width, -1)
        self._take_out(shaped)
        self.residual = np.maximum(self.residual - np.square(share).sum(axis=1), LEAST_VARIANCE)
        self.used = self.used + candidates.freedom[chosen]
        self.possible[rows, chosen] = False

    def _take_out(self, directions: FloatArray) -> None:
        """Directions [B, m, k, K] out of the lower half of every candidate's own features."""
        for i in range(self.candidates.width):
            for j in range(i + 1):
                self.blocks[:, i, j] -= np.einsum("bmk,bmk->bk", directions[:, :, i], directions[:, :, j])

    def _room(self, count: int) -> FloatArray:
        """[B, count, k * K]: where further directions are to be written."""
        start, self.n_directions = self.n_directions, self.n_directions + count
        while self.n_directions > self.directions.shape[1]:
            self.directions = np.concatenate([self.directions, np.empty_like(self.directions)], axis=1)
        return self.directions[:, start : self.n_directions]
