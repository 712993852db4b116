"""Variables that are not on a continuous scale: counts, events, rounded, binary and categorical ones."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import MAX_LAG, FloatArray, Rng, World, world
from benchmarks.worlds.process import BURN_IN, run, weights


def _positive(rng: Rng, d: int, per: float) -> FloatArray:
    """Effects that only raise, with a spectral radius below .8."""
    return weights(rng, d, per, signed=False, own=(0.2, 0.5), radius=0.8)


def _past(values: FloatArray, t: int, made: FloatArray) -> FloatArray:
    return np.asarray(sum(values[t - lag] @ made[:, :, lag] for lag in range(1, MAX_LAG + 1)))


@world("scales")
def counts(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Poisson counts around what the past counts make expect; the base rate falls from 10 to 1."""
    made = _positive(rng, d, per)
    if not knob:
        return World(run(rng, made, rows), made != 0)
    base = {1: 10.0, 2: 3.0, 3: 1.0}[round(3 * knob)]
    values = np.full((rows + BURN_IN, d), base)
    for t in range(MAX_LAG, len(values)):
        values[t] = rng.poisson(base + _past(values, t, made))
    return World(values[BURN_IN:], made != 0)


@world("scales")
def sparse_events(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """0 or 1: events that make others more likely; by themselves they happen in 10, 5 or 2 % of the rows."""
    made = _positive(rng, d, per)
    if not knob:
        return World(run(rng, made, rows), made != 0)
    base = {1: 0.1, 2: 0.05, 3: 0.02}[round(3 * knob)]
    values = np.zeros((rows + BURN_IN, d))
    for t in range(MAX_LAG, len(values)):
        values[t] = rng.random(d) < base + _past(values, t, made)
    return World(values[BURN_IN:], made != 0)


@world("scales", sizes=((6, 500), (6, 4000)), strengths=("strong",))
def rounded(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Measured on a grid whose step is up to twice the sd."""
    made = weights(rng, d, per)
    values = run(rng, made, rows)
    step = 2 * knob * values.std(axis=0)
    return World(np.round(values / step) * step if knob else values, made != 0)


@world("scales")
def binary(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """A third, two thirds or all of the variables are -1 or 1, by a probit of what their past says."""
    made = weights(rng, d, per, size=(0.35, 0.6))
    two = np.arange(d) < round(knob * d)
    values = rng.normal(size=(rows + BURN_IN, d))
    for t in range(MAX_LAG, len(values)):
        values[t] += _past(values, t, made)
        values[t] = np.where(two, np.sign(values[t]), values[t])
    return World(values[BURN_IN:], made != 0)


@world("scales")
def categorical(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """A third, two thirds or all of the variables are one of 0, 1, 2, whose order means nothing.

    A category passes on a value of its own (a random order of -1, 0, 1 for each variable), and is drawn with
    a chance that what its past says makes larger for one of them.
    """
    made = weights(rng, d, per, size=(0.6, 0.9), radius=0.98)
    three = np.arange(d) < round(knob * d)
    meaning = np.argsort(rng.random((d, 3)), axis=1) - 1.0
    shown, passed = rng.normal(size=(2, rows + BURN_IN, d))
    for t in range(MAX_LAG, len(shown)):
        drive = _past(passed, t, made)
        chances = np.exp(1.5 * meaning * np.clip(drive, -3, 3)[:, None])
        chances = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
        drawn = (rng.random((d, 1)) > chances).sum(axis=1).clip(0, 2)
        value = shown[t] + drive
        shown[t] = np.where(three, drawn, value)
        passed[t] = np.where(three, 1.2 * meaning[np.arange(d), drawn], value)
    return World(shown[BURN_IN:], made != 0)
