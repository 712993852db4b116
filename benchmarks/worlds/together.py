"""Causes that act together: neither does anything, or not the same, without the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import BURN_IN

Joint = Callable[[float, float], float]


def _with(rng: Rng, d: int, rows: int, knob: float, alone: Callable[[float], float], joint: Joint) -> World:
    """Every third variable gets (1 - knob) alone(a) + knob joint(a, b) of two of the others, lags 1 to 3."""
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    truth[np.arange(d), np.arange(d), 1] = True
    memory = rng.uniform(0.2, 0.5, size=d)
    acts: list[tuple[int, int, int, int, int, float]] = []
    for effect in range(0, d, 3):
        a, b = rng.choice([one for one in range(d) if one % 3], 2, replace=False)
        first, second = rng.integers(1, 4, size=2)
        acts.append((effect, a, b, first, second, rng.uniform(0.6, 1.0)))
        truth[a, effect, first] = True
        truth[b, effect, second] = knob > 0
    values = rng.normal(size=(rows + BURN_IN, d))
    for t in range(3, len(values)):
        values[t] += memory * values[t - 1]
        for effect, a, b, first, second, size in acts:
            x, y = np.clip((values[t - first, a], values[t - second, b]), -3, 3)
            values[t, effect] += size * ((1 - knob) * alone(x) + knob * joint(x, y))
    return World(_kept(values), truth)


def _kept(values: FloatArray) -> FloatArray:
    return values[BURN_IN:]


@world("acting together")
def products(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The product of two causes."""
    return _with(rng, d, rows, knob, lambda a: a, lambda a, b: a * b)


@world("acting together")
def thresholds(rng: Rng, d: int, rows: int, knob: float) -> World:
    """One cause acts only while the other is above 0."""
    return _with(rng, d, rows, knob, lambda a: a, lambda a, b: 1.5 * a * (b > 0))


@world("acting together")
def exclusive_or(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Up where two causes differ in sign, down where they agree."""
    return _with(rng, d, rows, knob, lambda a: a, lambda a, b: -float(np.sign(a) * np.sign(b)))
