"""Sums of products of lagged features, stored by the difference of their lags.

A sum of f(t - i) f(t - j)' over a run of windows depends on i and j only through j - i, but for the few
rows at both ends of the run. So max_lag + 1 blocks and those rows say everything that the full matrix
over all pairs of lags says, in a sixth of its memory at max_lag = 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray

_AT_ONCE = 2_000_000  # entries whose positions are computed together


@dataclass(frozen=True, eq=False)
class LagProducts:
    """The matrix of sums over all pairs of columns lag * width + feature.

    Args:
        blocks: [max_lag + 1, width, width]; entry s holds the sums of f(t) f(t - s)' over all windows.
        borders: [n, max_lag, width]; the rows 1, 2, ... before a run of windows begins, or before its end.
        signs: [n]; 1 for a beginning, -1 for an end.
        corrections: what borders amount to for the pairs of lags (i, j), 1 <= i <= j, summed up where they
            were too many to be kept; None where there are none.
    """

    blocks: FloatArray
    borders: FloatArray
    signs: FloatArray
    corrections: FloatArray | None = None

    @classmethod
    def empty(cls, max_lag: int, width: int) -> LagProducts:
        """No windows yet."""
        borders = np.zeros((0, max_lag, width))
        return cls(np.zeros((max_lag + 1, width, width)), borders, np.zeros(0))

    @property
    def max_lag(self) -> int:
        return len(self.blocks) - 1

    @property
    def width(self) -> int:
        return int(self.blocks.shape[1])

    @property
    def summed(self) -> LagProducts:
        """The sums themselves."""
        return self

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        more = 0 if self.corrections is None else self.corrections.nbytes
        return self.blocks.nbytes + self.borders.nbytes + more

    def __add__(self, other: LagProducts) -> LagProducts:
        both = LagProducts(self.blocks + other.blocks, self.borders, self.signs, self.corrections)
        if other.corrections is not None:
            mine = 0.0 if both.corrections is None else both.corrections
            both = LagProducts(both.blocks, both.borders, both.signs, mine + other.corrections)
        return both.with_borders(other.borders, other.signs)

    def with_borders(self, borders: FloatArray, signs: FloatArray) -> LagProducts:
        """The same with more borders; an end that a beginning continues goes together with it."""
        kept, kept_signs = self.borders, self.signs
        opposite = len(kept) and len(borders) and kept_signs[-1] + signs[0] == 0.0
        if opposite and np.array_equal(kept[-1], borders[0]):
            kept, kept_signs, borders, signs = kept[:-1], kept_signs[:-1], borders[1:], signs[1:]
        borders, signs = np.concatenate([kept, borders]), np.concatenate([kept_signs, signs])
        corrections = self.corrections
        if len(borders) * self.max_lag > self.width:  # they take more room than one block
            summed = _summed(borders, signs, self.max_lag)
            corrections = summed if corrections is None else corrections + summed
            borders, signs = borders[:0], signs[:0]
        return LagProducts(self.blocks, borders, signs, corrections)

    def of_features(self, features: IntArray) -> LagProducts:
        """The part of the given features."""
        square = np.ix_(np.arange(len(self.blocks)), features, features)
        rest = self.corrections
        if rest is not None:
            rest = rest[np.ix_(np.arange(len(rest)), features, features)]
        return LagProducts(self.blocks[square], self.borders[:, :, features], self.signs, rest)

    def up_to(self, max_lag: int) -> LagProducts:
        """The part of the lags up to `max_lag`."""
        rest = self.corrections
        if rest is not None:
            rest = rest[[i for i, (_, j) in enumerate(_pairs(self.max_lag)) if j <= max_lag]]
        return LagProducts(self.blocks[: max_lag + 1], self.borders[:, :max_lag], self.signs, rest)

    def dense(self) -> FloatArray:
        """The full matrix."""
        return self.rows(np.arange(len(self.blocks) * self.width))

    def rows(self, columns: IntArray, first_lag: int = 0) -> FloatArray:
        """[..., columns from `first_lag` on]: rows of the full matrix."""
        lags, features = np.divmod(np.ravel(columns), self.width)
        count = len(self.blocks) - first_lag
        found = np.empty((len(lags), count, self.width))
        for lag in np.unique(lags):
            chosen = np.flatnonzero(lags == lag)
            for other in range(first_lag, len(self.blocks)):
                found[chosen, other - first_lag] = self._part(int(lag), other, features[chosen])
        return found.reshape(*np.shape(columns), count * self.width)

    def _part(self, lag: int, other: int, features: IntArray) -> FloatArray:
        """[features, width]: sums of some features at `lag` with all at `other`."""
        block = self.blocks[abs(lag - other)]
        part: FloatArray = block[features] if lag <= other else block[:, features].T
        both = min(lag, other)
        if not both:
            return part
        if self.corrections is not None:
            rest = self.corrections[_pairs(self.max_lag).index((both, max(lag, other)))]
            part = part + (rest[features] if lag <= other else rest[:, features].T)
        if len(self.signs):
            mine = self.borders[:, lag - both : lag, features] * self.signs[:, None, None]
            theirs = self.borders[:, other - both : other]
            part = part + mine.reshape(-1, len(features)).T @ theirs.reshape(-1, self.width)
        return part

    def with_past(self, shift: int, now: IntArray, past: IntArray) -> FloatArray:
        """[now, past]: sums of features now with others `shift` steps before."""
        return np.asarray(self.blocks[shift][np.ix_(now, past)])

    def outer(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """[..., R, C]: entries at all pairs of `rows` [..., R] and `columns` [..., C]."""
        lead = rows.shape[:-1]
        rows, columns = rows.reshape(-1, rows.shape[-1]), columns.reshape(-1, columns.shape[-1])
        found = np.empty((len(rows), rows.shape[1], columns.shape[1]))
        step = max(1, _AT_ONCE // max(1, rows.shape[1] * columns.shape[1]))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            found[part] = self._entries(rows[part], columns[part])
        return found.reshape(*lead, rows.shape[1], columns.shape[1])

    def _entries(self, rows: IntArray, columns: IntArray) -> FloatArray:
        (i, a), (j, b) = np.divmod(rows, self.width), np.divmod(columns, self.width)
        i, a, j, b = i[:, :, None], a[:, :, None], j[:, None, :], b[:, None, :]
        within = np.where(i <= j, a * self.width + b, b * self.width + a)
        area = self.width * self.width
        found: FloatArray = np.take(self.blocks, np.abs(i - j) * area + within)
        if self.corrections is not None:
            place = _places(self.max_lag)[i, j]
            rest = np.take(self.corrections, np.maximum(place, 0) * area + within)
            found += np.where(place >= 0, rest, 0.0)
        if len(self.signs) and self.max_lag:
            mine, theirs = self._border_rows(rows), self._border_rows(columns)
            signs = np.repeat(self.signs, self.max_lag)
            found += (mine * signs) @ np.moveaxis(theirs, -1, -2)
        return found

    def _border_rows(self, columns: IntArray) -> FloatArray:
        """[B, C, n * max_lag]: what the windows that a border cuts off would hold of each column."""
        lag, feature = np.divmod(columns, self.width)
        before = lag[..., None] - np.arange(self.max_lag)  # rows before the border, from 1 on
        held = self.borders[:, np.maximum(before - 1, 0), feature[..., None]]
        kept = np.where(before >= 1, held, 0.0)
        return np.asarray(np.moveaxis(kept, 0, -2).reshape(*columns.shape, -1))


def _pairs(max_lag: int) -> list[tuple[int, int]]:
    """The pairs of lags that borders change, in the order of `corrections`."""
    return [(lag, lag + shift) for shift in range(max_lag) for lag in range(1, max_lag + 1 - shift)]


def _places(max_lag: int) -> IntArray:
    """[lag, lag]: position of a pair among `corrections`; -1 for lag 0."""
    places = np.full((max_lag + 1, max_lag + 1), -1)
    for place, (lag, other) in enumerate(_pairs(max_lag)):
        places[lag, other] = places[other, lag] = place
    return places


def _summed(borders: FloatArray, signs: FloatArray, max_lag: int) -> FloatArray:
    """The `corrections` that borders amount to: each pair of lags adds one row to the pair before."""
    width = borders.shape[2]
    summed: Any = np.empty((len(_pairs(max_lag)), width, width))
    for place, (lag, other) in enumerate(_pairs(max_lag)):
        mine = borders[:, lag - 1] * signs[:, None]
        np.matmul(mine.T, borders[:, other - 1], out=summed[place])
        if lag > 1:
            summed[place] += summed[place - 1]
    return np.asarray(summed)
