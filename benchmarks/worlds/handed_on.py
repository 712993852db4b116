"""What somebody did to the data before: closed gaps, and what the field makes of chaotic systems."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.chaotic import at_lag_one, integrate
from benchmarks.worlds.process import run, weights


def _plain(rng: Rng, d: int, rows: int) -> tuple[FloatArray, FloatArray]:
    made = weights(rng, d)
    return run(rng, made, rows), made


def _unseen(rng: Rng, values: FloatArray, share: float) -> FloatArray:
    """The values, a share of them missing; never the first and the last."""
    gaps = rng.random(values.shape) < share
    gaps[[0, -1]] = False
    return np.where(gaps, np.nan, values)


def held(values: FloatArray) -> FloatArray:
    """Every gap with the value before it."""
    rows = np.arange(len(values))[:, None]
    last = np.maximum.accumulate(np.where(np.isnan(values), 0, rows), axis=0)
    return np.take_along_axis(values, last, axis=0)


@world("handed on")
def gaps_held(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Up to 40 % of all values were missing and repeat the one before."""
    values, made = _plain(rng, d, rows)
    return World(held(_unseen(rng, values, 0.4 * knob)), made != 0)


@world("handed on")
def gaps_interpolated(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Up to 40 % of all values were missing and lie on straight lines."""
    values, made = _plain(rng, d, rows)
    gaps, time = _unseen(rng, values, 0.4 * knob), np.arange(rows)
    for column in gaps.T:
        there = np.isfinite(column)
        column[~there] = np.interp(time[~there], time[there], column[there])
    return World(gaps, made != 0)


def _ring(rng: Rng, d: int, rows: int) -> World:
    """Lorenz-96 with forcing 10 in steps of a tenth, with a little noise of the measurement."""
    who = np.zeros((d, d), dtype=bool)
    for one in range(d):
        who[[(one + 1) % d, (one - 1) % d, (one - 2) % d], one] = True

    def slope(x: FloatArray) -> FloatArray:
        return np.asarray((np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 10.0)

    values = integrate(rng, slope, 10.0 + rng.normal(size=d), rows, 0.1, 10, shake=0.0, burn=500)
    return World(values + 0.1 * rng.normal(size=values.shape), at_lag_one(who))


@world("handed on", sizes=((8, 500),), scored="pairs")
def chaos_in_season(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lorenz-96 under seasons of different length and trends, up to twice as large as itself."""
    made, time = _ring(rng, d, rows), np.arange(rows)[:, None]
    period = rng.choice((12.0, 24.0, 50.0), size=d)
    drift = (
        np.sin(2 * np.pi * time / period + rng.uniform(0, 2 * np.pi, size=d))
        + rng.normal(size=d) * time / rows
    )
    return World(made.data + 2 * knob * made.data.std(axis=0) * drift, made.truth)


@world("handed on", sizes=((8, 500),), scored="pairs")
def chaos_measured(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lorenz-96 measured with noise of up to half its size."""
    made = _ring(rng, d, rows)
    return World(
        made.data + 0.5 * knob * made.data.std(axis=0) * rng.normal(size=made.data.shape), made.truth
    )


@world("handed on", sizes=((8, 500),), strengths=("strong",), scored="pairs")
def chaos_in_classes(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lorenz-96, half of the variables as one of five classes."""
    made = _ring(rng, d, rows)
    values = made.data.copy()
    for one in rng.permutation(d)[: d // 2]:
        values[:, one] = np.digitize(values[:, one], np.quantile(values[:, one], (0.2, 0.4, 0.6, 0.8)))
    return World(values if knob else made.data, made.truth)
