"""Trends, steps and cycles of one variable, found beside its own past, as columns to be controlled for.

Greedily, beside a constant and three own lags (values clipped at 5, residuals at 4 robust standard
deviations): the term with the smallest corrected p-value enters while that is at most .002, eight at most.

- trend: t, tested once;
- step: 1(t >= k), the best of all k, p times T/4 (neighbouring steps are nearly the same test);
- cycle: cos and sin of a frequency of a grid four times as fine as the Fourier frequencies, p times T. Its
  gain is measured against the larger of the white level and the mean gain of frequencies nearby, so that
  persistent noise, which is strong at all low frequencies, has no lines. Harmonics of a cycle that is in
  are judged against each other only.

Beside the columns Q of what is in (orthonormal), with residual r, candidate c gains
  gain = (c'r)^2 / (c'c - |Q'c|^2);
for steps these are running sums and for cycles Fourier transforms, so that all of a kind cost one pass.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import next_fast_len, rfft
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.prepare.own_past import NORMAL, OWN_LAGS, robust_spread

KINDS = ("trends", "steps", "cycles")
_LEVEL = 0.002  # for each kind: .6 % of variables without any are given one
_MOST_TERMS = 8
_FEWEST_ROWS = 50
_VALUE_BOUND, _RESIDUAL_BOUND = 5.0, 4.0
_FINENESS = 4  # frequencies per Fourier frequency: the best of them misses a line by 1/8 bin at most
_LOWEST = 2  # of the grid: half a cycle over all rows
_NEAR, _FAR = 7, 80  # frequencies of the grid that a line is compared with: 2 to 20 bins away
_SHORTEST = 5  # rows on either side of a step
_HARMONICS = 6
_BLOCK_NUMBERS = 10_000  # values of the columns that are looked at together: their spectra fit the cache
_SINGULAR = 1e-6  # of a candidate's own variance that must be left beside what is in


@dataclass(frozen=True)
class Term:
    """A deterministic part of a mean: `place` is a row for steps, cycles per row for cycles."""

    kind: str
    place: float = 0.0
    p_value: float = 1.0

    def columns(self, rows: int) -> FloatArray:
        """[rows, 1 or 2]."""
        time = np.arange(rows, dtype=np.float64)
        if self.kind == "trends":
            return (2.0 * time / max(rows - 1, 1) - 1.0)[:, None]
        if self.kind == "steps":
            return (time >= self.place).astype(np.float64)[:, None]
        phase = 2.0 * np.pi * self.place * time
        return np.stack([np.cos(phase), np.sin(phase)], axis=1)


def find_terms(values: FloatArray, kinds: Collection[str] = KINDS) -> list[list[Term]]:
    """The terms of every column of `values` [T, d], missing values as NaN.

    Few rows and constant columns have none.
    """
    found: list[list[Term]] = [[] for _ in range(values.shape[1])]
    size = block_size(len(values))
    for start in range(0, values.shape[1] if kinds else 0, size):
        fit = _Fit.of(values[:, start : start + size])
        for _ in range(_MOST_TERMS):
            if not len(fit.columns):
                break
            terms = [found[start + column] for column in fit.columns]
            best = _best(fit, terms, kinds)
            going = np.array([term.p_value <= _LEVEL for term in best], dtype=np.bool_)
            fit, best = fit.only(going), [term for term, goes in zip(best, going, strict=True) if goes]
            best = [_refined(term, fit, place) for place, term in enumerate(best)]
            for column, term in zip(fit.columns, best, strict=True):
                found[start + column].append(term)
            fit = fit.beside(best)
    return found


def block_size(rows: int) -> int:
    """Columns that are looked at together."""
    return max(1, _BLOCK_NUMBERS // max(rows, 1))


@dataclass(frozen=True, eq=False)
class _Fit:
    """Columns beside what is in so far; rows that are not there are zero everywhere."""

    columns: IntArray  # [B], which they are
    target: FloatArray  # [B, T]
    there: FloatArray  # [B, T], ones and zeros
    basis: FloatArray  # [B, q, T], orthonormal rows, or zeros
    residual: FloatArray  # [B, T], clipped, orthogonal to the basis

    @classmethod
    def of(cls, values: FloatArray) -> _Fit:
        center, spread = robust_spread(values)
        spread = np.where(spread > 0.0, spread, _deviation(values))
        usable = spread > 0.0
        scaled = (values - center) / np.where(usable, spread, 1.0)
        scaled = np.ascontiguousarray(np.clip(scaled, -_VALUE_BOUND, _VALUE_BOUND).T)
        lags = np.full((OWN_LAGS + 1, *scaled.shape), np.nan)
        for lag in range(min(OWN_LAGS + 1, len(values))):
            lags[lag, :, lag:] = scaled[:, : len(values) - lag]
        there = np.isfinite(lags).all(axis=0)
        columns = np.flatnonzero(usable & (there.sum(axis=1) >= _FEWEST_ROWS))
        there = there[columns]
        lags = np.where(there, lags[:, columns], 0.0)
        table = np.stack([there.astype(np.float64), *lags[1:]], axis=2)
        basis = np.linalg.qr(table)[0].transpose(0, 2, 1)
        return cls._fitted(columns, lags[0], there.astype(np.float64), basis)

    @classmethod
    def _fitted(cls, columns: IntArray, target: FloatArray, there: FloatArray, basis: FloatArray) -> _Fit:
        left = _without(target[:, None], basis)[:, 0]
        bound = _RESIDUAL_BOUND * NORMAL * _typical_size(left, there)[:, None]
        left = np.where(bound > 0.0, np.clip(left, -bound, bound), left)
        return cls(columns, target, there, basis, _without(left[:, None], basis)[:, 0])

    @cached_property
    def dof(self) -> FloatArray:
        """[B]: rows that are there but for what is in."""
        held = np.einsum("bqt,bqt->bq", self.basis, self.basis)
        return np.asarray(self.there.sum(axis=1) - held.sum(axis=1))

    @cached_property
    def total(self) -> FloatArray:
        return np.asarray(np.square(self.residual).sum(axis=1))

    def only(self, which: BoolArray) -> _Fit:
        held = self.target[which], self.there[which], self.basis[which], self.residual[which]
        return _Fit(self.columns[which], *held)

    def left_of(self, rows: FloatArray) -> FloatArray:
        """What the basis leaves of `rows` [B, m, T]."""
        return _without(rows * self.there[:, None], self.basis)

    def beside(self, terms: list[Term]) -> _Fit:
        """The same with one more term for each column."""
        news = np.zeros((len(terms), 2, self.target.shape[1]))
        for place, term in enumerate(terms):
            table = term.columns(news.shape[2]).T
            news[place, : len(table)] = table
        left = self.left_of(news)
        return self._fitted(
            self.columns, self.target, self.there, np.concatenate([self.basis, _orthonormal(left)], axis=1)
        )

    def p_values(self, gain: FloatArray, count: int) -> FloatArray:
        """[B, ...]: of the F test of `count` columns that gain so much of the residual sum of squares."""
        total, dof = (part.reshape(-1, *[1] * (gain.ndim - 1)) for part in (self.total, self.dof - count))
        gain = np.clip(gain, 0.0, total * (1.0 - 1e-12))
        ratio = gain / count * dof / np.maximum(total - gain, 1e-300)
        usable = (dof > OWN_LAGS) & (total > 1e-300)
        return np.where(usable, fdtrc(count, np.maximum(dof, 1.0), ratio), 1.0)


def _best(fit: _Fit, found: list[list[Term]], kinds: Collection[str]) -> list[Term]:
    """For each column the candidate with the smallest corrected p-value."""
    choices: list[list[Term]] = [[Term("trends")] for _ in found]
    if "trends" in kinds:
        for place, p_value in enumerate(_trends(fit)):
            if all(term.kind != "trends" for term in found[place]):
                choices[place].append(Term("trends", 0.0, float(p_value)))
    if "steps" in kinds:
        for place, (row, p_value) in enumerate(_steps(fit)):
            choices[place].append(Term("steps", row, p_value))
    if "cycles" in kinds:
        for place, terms in enumerate(_cycles(fit, found)):
            choices[place] += terms
    return [min(some, key=lambda term: term.p_value) for some in choices]


def _trends(fit: _Fit) -> FloatArray:
    """[B]: p-values."""
    rows = fit.target.shape[1]
    trend = np.broadcast_to(Term("trends").columns(rows).T, (len(fit.target), 1, rows))
    left = fit.left_of(trend)[:, 0]
    gain = np.square((left * fit.residual).sum(axis=1)) / np.maximum(np.square(left).sum(axis=1), 1e-300)
    return fit.p_values(gain, 1)


def _steps(fit: _Fit) -> list[tuple[int, float]]:
    """The best row and its p-value, for each column."""
    rows = fit.target.shape[1]
    later = np.concatenate([fit.there[:, None], fit.residual[:, None], fit.basis], axis=1)
    later = np.cumsum(later[:, :, ::-1], axis=2)[:, :, ::-1]
    size = later[:, 0] - np.square(later[:, 2:]).sum(axis=1)
    away = np.minimum(later[:, 0], later[:, 0, :1] - later[:, 0]) >= _SHORTEST
    usable = away & (size > _SINGULAR * rows)
    gain = np.where(usable, np.square(later[:, 1]) / np.where(usable, size, 1.0), 0.0)
    best = gain.argmax(axis=1)
    p_values = np.minimum(1.0, 0.25 * rows * fit.p_values(gain[np.arange(len(best)), best], 1))
    return list(zip(best.tolist(), p_values.tolist(), strict=True))


def _cycles(fit: _Fit, found: list[list[Term]]) -> list[list[Term]]:
    """The best line of each column, and the harmonics of those that are in."""
    rows = fit.target.shape[1]
    length = next_fast_len(_FINENESS * rows, real=True)
    gain = _line_gains(fit, length)
    gain *= np.minimum(1.0, 2.0 * (fit.total / fit.dof)[:, None] / np.maximum(_around(gain), 1e-300))
    best = gain.argmax(axis=1)
    p_values = np.minimum(1.0, rows * fit.p_values(gain[np.arange(len(best)), best], 2))
    terms = [[Term("cycles", place / length, float(p))] for place, p in zip(best, p_values, strict=True)]
    for place, known in enumerate(found):
        for term in known:
            if term.kind == "cycles":
                terms[place] += _harmonics(
                    fit.only(np.arange(len(found)) == place), term, gain[place], length
                )
    return terms


def _harmonics(fit: _Fit, term: Term, gain: FloatArray, length: int) -> list[Term]:
    places = np.rint(np.arange(2, _HARMONICS + 2) * term.place * length).astype(np.int64)
    places = places[places < len(gain)]
    p_values = np.minimum(1.0, len(places) * fit.p_values(gain[None, places], 2)[0])
    return [Term("cycles", place / length, float(p)) for place, p in zip(places, p_values, strict=True)]


def _line_gains(fit: _Fit, length: int) -> FloatArray:
    """[B, length // 2 + 1]: what the cosine and sine of each frequency gain together."""
    waves = rfft(np.concatenate([fit.residual[:, None], fit.basis], axis=1), length)
    cosine, sine = np.ascontiguousarray(waves.real), -waves.imag
    alike = len(fit.there) > 1 and bool((fit.there == fit.there[0]).all())
    real, imag = _at_double(fit.there[:1] if alike else fit.there, length)
    imag = np.broadcast_to(imag, cosine[:, 0].shape)
    rows = fit.there.sum(axis=1, keepdims=True)
    cc, ss, cs = 0.5 * (rows + real), 0.5 * (rows - real), 0.5 * imag
    for place in range(1, cosine.shape[1]):
        one, other = cosine[:, place], sine[:, place]
        cc -= one * one
        ss -= other * other
        cs -= one * other
    size = cc * ss - cs * cs
    c, s = cosine[:, 0], sine[:, 0]
    alive = (size > np.square(_SINGULAR * rows)) & (np.minimum(cc, ss) > _SINGULAR * rows)
    alive[:, :_LOWEST] = False
    gain = (ss * c * c - 2.0 * cs * c * s + cc * s * s) / np.where(alive, size, 1.0)
    return np.where(alive, gain, 0.0)


def _at_double(there: FloatArray, length: int) -> tuple[FloatArray, FloatArray]:
    """Sums of cos and sin of twice each frequency over the rows that are there."""
    waves = rfft(there, length)
    places = 2 * np.arange(waves.shape[1])
    beyond = places > length // 2  # frequencies above one half are those below it, turned round
    waves = waves[:, np.where(beyond, length - places, places)]
    return waves.real, np.where(beyond, waves.imag, -waves.imag)


def _around(gain: FloatArray) -> FloatArray:
    """The mean gain of the frequencies that lie near, but not next to, each."""
    upto = np.concatenate([np.zeros((len(gain), 1)), np.cumsum(gain, axis=1)], axis=1)
    places, last = np.arange(gain.shape[1]), gain.shape[1]
    total, count = np.zeros(gain.shape), np.zeros(last)
    for low, high in ((-_FAR, -_NEAR), (_NEAR, _FAR)):
        start, stop = np.clip(places + low, _LOWEST, last), np.clip(places + high + 1, _LOWEST, last)
        total += upto[:, stop] - upto[:, start]
        count += stop - start
    return np.asarray(total / np.maximum(count, 1.0))


def _refined(term: Term, fit: _Fit, place: int) -> Term:
    """The frequency near the grid's at which a line of one column gains most."""
    if term.kind != "cycles":
        return term
    rows = fit.target.shape[1]
    near = term.place + np.linspace(-0.5, 0.5, 9) / (_FINENESS * rows)
    tables = np.stack([Term("cycles", float(one)).columns(rows).T for one in near])
    left = _without(tables * fit.there[place], np.broadcast_to(fit.basis[place], (9, *fit.basis.shape[1:])))
    gains = np.square(_orthonormal(left) @ fit.residual[place]).sum(axis=1)
    return Term("cycles", float(near[int(np.argmax(gains))]), term.p_value)


def _without(rows: FloatArray, basis: FloatArray) -> FloatArray:
    """[B, m, T]: `rows` without what lies in the basis [B, q, T]."""
    return np.asarray(rows - (rows @ basis.transpose(0, 2, 1)) @ basis)


def _orthonormal(rows: FloatArray) -> FloatArray:
    """[B, m, T]: orthonormal rows that span those given; zeros stay zeros."""
    vectors, triangle = np.linalg.qr(rows.transpose(0, 2, 1))
    size = np.abs(np.diagonal(triangle, axis1=1, axis2=2))
    alive = size > _SINGULAR * np.sqrt(rows.shape[2])
    return np.asarray(np.where(alive[:, :, None], vectors.transpose(0, 2, 1), 0.0))


def _typical_size(rows: FloatArray, there: FloatArray) -> FloatArray:
    """[B]: the median of |rows| [B, T] over what is there."""
    if len(rows) and there[:, OWN_LAGS:].all() and rows.shape[1] > OWN_LAGS:
        return np.asarray(np.median(np.abs(rows[:, OWN_LAGS:]), axis=1))
    return np.array([np.median(np.abs(row[some > 0.0])) for row, some in zip(rows, there, strict=True)])


def _deviation(values: FloatArray) -> FloatArray:
    """[d]: standard deviations; 0 where nothing is there."""
    there = np.isfinite(values)
    count = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, values, 0.0).sum(axis=0) / count
    return np.asarray(np.sqrt(np.where(there, np.square(values - mean), 0.0).sum(axis=0) / count))
