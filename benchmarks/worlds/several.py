"""Two violations at once, as data in the field have them: each rule must leave the other its place."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import gaussian, run, weights, within_step

_GROUP = "two at once"


def _season(rng: Rng, rows: int, d: int, knob: float, period: float) -> FloatArray:
    """A wave of up to three sd in every variable, each with a phase of its own."""
    phase = rng.uniform(0, 2 * np.pi, size=d)
    return np.asarray(3 * knob * np.sin(2 * np.pi * np.arange(rows)[:, None] / period + phase))


def _step(rng: Rng, d: int, rows: int) -> tuple[FloatArray, FloatArray]:
    """Values in units of their sd, lagged effects and half an effect within the step for each variable."""
    made = within_step(rng, weights(rng, d, per=0.8), 0.5, (0.4, 0.7))
    values = run(rng, made, rows)
    return values / values.std(axis=0), made


def _plain(rng: Rng, d: int, rows: int) -> tuple[FloatArray, FloatArray]:
    made = weights(rng, d)
    values = run(rng, made, rows)
    return values / values.std(axis=0), made


@world(_GROUP, sizes=((6, 700),), strengths=("strong",))
def season_within_step(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Effects within one step under a long season."""
    values, made = _step(rng, d, rows)
    return World(values + _season(rng, rows, d, knob, 350.0), made != 0)


@world(_GROUP, sizes=((8, 730),), strengths=("strong",))
def season_near_places(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Weather: places in a row, noise that near ones share, what moves along, and a year."""
    near = np.linalg.cholesky((0.5 * knob) ** np.abs(np.subtract.outer(np.arange(d), np.arange(d))))
    made = np.zeros((d, d, 4))
    made[np.arange(d), np.arange(d), 1] = 0.4
    made[np.arange(d - 1), np.arange(1, d), 1] = 0.35
    values = run(rng, made, rows, lambda rng, shape: gaussian(rng, shape) @ near.T)
    lag = 0.15 * rng.normal(size=d)  # of the season, a little apart in each place
    year = 3 * knob * np.sin(2 * np.pi * np.arange(rows)[:, None] / 365.0 + lag)
    return World(values / values.std(axis=0) + year, made != 0)


@world(_GROUP, strengths=("strong",))
def season_and_outliers(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Measurements that are off, hidden in the range of a season."""
    values, made = _plain(rng, d, rows)
    wrong = (rng.random(values.shape) < 0.01 * knob) * rng.choice((-1.0, 1.0), size=values.shape)
    return World(values + _season(rng, rows, d, knob, 50.0) + 12 * wrong, made != 0)


@world(_GROUP, strengths=("strong",))
def outliers_within_step(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Effects within one step, and measurements that are off."""
    values, made = _step(rng, d, rows)
    wrong = (rng.random(values.shape) < 0.01 * knob) * rng.choice((-1.0, 1.0), size=values.shape)
    return World(values + 12 * wrong, made != 0)


@world(_GROUP, strengths=("strong",))
def trend_within_step_missing(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Effects within one step under bent trends, 15 % of all values missing."""
    values, made = _step(rng, d, rows)
    time = np.linspace(-1.0, 1.0, rows)[:, None]
    values += knob * (2 * time * rng.normal(size=d) + 2 * time**2 * rng.normal(size=d))
    return World(np.where(rng.random(values.shape) < 0.15 * knob, np.nan, values), made != 0)


@world(_GROUP, strengths=("strong",))
def season_and_missing(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A season, and 15 % of all values missing."""
    values, made = _plain(rng, d, rows)
    values += _season(rng, rows, d, knob, 50.0)
    return World(np.where(rng.random(values.shape) < 0.15 * knob, np.nan, values), made != 0)


@world(_GROUP, strengths=("strong",))
def season_and_counts(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Counts of what happens at a rate that has a season."""
    values, made = _plain(rng, d, rows)
    if not knob:
        return World(values, made != 0)
    rate = np.exp(1.5 + 0.35 * values + _season(rng, rows, d, knob, 50.0) / 6)
    return World(rng.poisson(rate).astype(np.float64), made != 0)
