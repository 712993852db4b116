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
from dataclasses import dataclass, replace

import numpy as np
from scipy.fft import next_fast_len, rfft
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray
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


def find_terms(values: FloatArray, kinds: Collection[str] = KINDS) -> list[Term]:
    """The terms of one column [T], missing values as NaN; none where rows are few or values constant."""
    fit = _Fit.of(values)
    found: list[Term] = []
    while fit is not None and len(found) < _MOST_TERMS:
        best = min(_candidates(fit, found, kinds), key=lambda term: term.p_value, default=Term("trends"))
        if not best.p_value <= _LEVEL:
            break
        found.append(_refined(best, fit) if best.kind == "cycles" else best)
        fit = fit.beside(found[-1])
    return found


@dataclass(frozen=True, eq=False)
class _Fit:
    """A column beside what is in so far; rows that are not there are zero everywhere."""

    target: FloatArray  # [T]
    there: BoolArray  # [T]
    basis: FloatArray  # [T, q], orthonormal
    residual: FloatArray  # [T], clipped, orthogonal to the basis

    @classmethod
    def of(cls, values: FloatArray) -> _Fit | None:
        center, spread = robust_spread(values[:, None])
        if spread[0] <= 0.0:
            spread = np.nanstd(values, keepdims=True) if np.isfinite(values).any() else spread
        if not spread[0] > 0.0:
            return None
        scaled = np.clip((values - center[0]) / spread[0], -_VALUE_BOUND, _VALUE_BOUND)
        lags = [
            np.concatenate([np.full(lag, np.nan), scaled[: len(scaled) - lag]]) for lag in range(OWN_LAGS + 1)
        ]
        there = np.isfinite(np.stack(lags)).all(axis=0)
        if there.sum() < _FEWEST_ROWS:
            return None
        table = np.where(there[:, None], np.stack([np.ones(len(values)), *lags[1:]], axis=1), 0.0)
        return cls._fitted(np.where(there, scaled, 0.0), there, np.linalg.qr(table)[0])

    @classmethod
    def _fitted(cls, target: FloatArray, there: BoolArray, basis: FloatArray) -> _Fit:
        left = target - basis @ (basis.T @ target)
        bound = _RESIDUAL_BOUND * NORMAL * np.median(np.abs(left[there]))
        if bound > 0.0:
            left = np.clip(left, -bound, bound)
        return cls(target, there, basis, left - basis @ (basis.T @ left))

    @property
    def dof(self) -> int:
        return int(self.there.sum()) - self.basis.shape[1]

    @property
    def total(self) -> float:
        return float(self.residual @ self.residual)

    def left_of(self, columns: FloatArray) -> FloatArray:
        """What the basis leaves of `columns` [T, m]."""
        inside = np.where(self.there[:, None], columns, 0.0)
        return np.asarray(inside - self.basis @ (self.basis.T @ inside))

    def beside(self, term: Term) -> _Fit:
        left = self.left_of(term.columns(len(self.target)))
        basis = np.linalg.qr(np.concatenate([self.basis, left], axis=1))[0]
        return self._fitted(self.target, self.there, basis)

    def p_values(self, gain: FloatArray, count: int) -> FloatArray:
        """Of the F test of `count` columns that gain so much of the residual sum of squares."""
        dof = self.dof - count
        gain = np.minimum(gain, self.total * (1.0 - 1e-12))
        ratio = np.maximum(gain, 0.0) / count * dof / np.maximum(self.total - gain, 1e-300)
        return np.asarray(fdtrc(count, dof, ratio))


def _candidates(fit: _Fit, found: list[Term], kinds: Collection[str]) -> list[Term]:
    if fit.total <= 1e-12 * max(float(fit.target @ fit.target), 1e-300) or fit.dof < OWN_LAGS + 3:
        return []
    terms: list[Term] = []
    if "trends" in kinds and all(term.kind != "trends" for term in found):
        terms.append(_trend(fit))
    if "steps" in kinds:
        terms.append(_step(fit))
    if "cycles" in kinds:
        terms += _cycles(fit, found)
    return terms


def _trend(fit: _Fit) -> Term:
    left = fit.left_of(Term("trends").columns(len(fit.target)))[:, 0]
    gain = np.square(left @ fit.residual) / np.maximum(left @ left, 1e-300)
    return Term("trends", 0.0, float(fit.p_values(gain, 1)))


def _step(fit: _Fit) -> Term:
    rows = len(fit.target)
    later = np.cumsum(np.vstack([fit.there, fit.residual, fit.basis.T])[:, ::-1], axis=1)[:, ::-1]
    size = later[0] - np.square(later[2:]).sum(axis=0)
    away = np.minimum(later[0], later[0, 0] - later[0]) >= _SHORTEST
    gain = np.where(away & (size > _SINGULAR * rows), np.square(later[1]) / np.maximum(size, 1e-300), 0.0)
    best = int(np.argmax(gain))
    return Term("steps", best, min(1.0, 0.25 * rows * float(fit.p_values(gain[best], 1))))


def _cycles(fit: _Fit, found: list[Term]) -> list[Term]:
    """The best line of all, and the best harmonic of those that are in."""
    length = next_fast_len(_FINENESS * len(fit.target), real=True)
    gain = _line_gains(fit, length)
    gain *= np.minimum(1.0, 2.0 * fit.total / fit.dof / np.maximum(_around(gain), 1e-300))
    best = int(np.argmax(gain))
    terms = [Term("cycles", best / length, min(1.0, len(fit.target) * float(fit.p_values(gain[best], 2))))]
    for term in found:
        if term.kind == "cycles":
            terms += _harmonics(fit, term, gain, length)
    return terms


def _harmonics(fit: _Fit, term: Term, gain: FloatArray, length: int) -> list[Term]:
    places = np.rint(np.arange(2, _HARMONICS + 2) * term.place * length).astype(np.int64)
    places = places[places < len(gain)]
    p_values = np.minimum(1.0, len(places) * fit.p_values(gain[places], 2))
    return [Term("cycles", place / length, float(p)) for place, p in zip(places, p_values, strict=True)]


def _line_gains(fit: _Fit, length: int) -> FloatArray:
    """[length // 2 + 1]: what the cosine and sine of each frequency gain together."""
    waves = rfft(np.vstack([fit.residual, fit.basis.T]), length)
    cosine, sine = waves.real, -waves.imag
    real, imag = _at_double(fit.there, length)
    rows = float(fit.there.sum())
    cc = 0.5 * (rows + real) - np.square(cosine[1:]).sum(axis=0)
    ss = 0.5 * (rows - real) - np.square(sine[1:]).sum(axis=0)
    cs = 0.5 * imag - (cosine[1:] * sine[1:]).sum(axis=0)
    size = cc * ss - cs * cs
    c, s = cosine[0], sine[0]
    alive = (size > (_SINGULAR * rows) ** 2) & (np.minimum(cc, ss) > _SINGULAR * rows)
    alive[:_LOWEST] = False
    gain = (ss * c * c - 2.0 * cs * c * s + cc * s * s) / np.where(alive, size, 1.0)
    return np.where(alive, gain, 0.0)


def _at_double(there: BoolArray, length: int) -> tuple[FloatArray, FloatArray]:
    """Sums of cos and sin of twice each frequency over the rows that are there."""
    waves = rfft(there.astype(np.float64), length)
    places = 2 * np.arange(len(waves))
    beyond = places > length // 2  # frequencies above one half are those below it, turned round
    waves = waves[np.where(beyond, length - places, places)]
    return waves.real, np.where(beyond, waves.imag, -waves.imag)


def _around(gain: FloatArray) -> FloatArray:
    """The mean gain of the frequencies that lie near, but not next to, each."""
    upto = np.concatenate([[0.0], np.cumsum(gain)])
    places, last = np.arange(len(gain)), len(gain)

    def between(low: int, high: int) -> tuple[FloatArray, FloatArray]:
        start, stop = np.clip(places + low, _LOWEST, last), np.clip(places + high + 1, _LOWEST, last)
        return upto[stop] - upto[start], (stop - start).astype(np.float64)

    (before, few), (after, many) = between(-_FAR, -_NEAR), between(_NEAR, _FAR)
    return np.asarray((before + after) / np.maximum(few + many, 1.0))


def _refined(term: Term, fit: _Fit) -> Term:
    """The frequency near the grid's at which the line gains most."""
    rows = len(fit.target)
    near = term.place + np.linspace(-0.5, 0.5, 9) / (_FINENESS * rows)
    gains = []
    for place in near:
        left, _ = np.linalg.qr(fit.left_of(Term("cycles", place).columns(rows)))
        gains.append(float(np.square(left.T @ fit.residual).sum()))
    return replace(term, place=float(near[int(np.argmax(gains))]))
