"""What time itself does: trends, cycles, shifts, coefficients that change."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import run, tamed, weights


def _with(rng: Rng, d: int, rows: int, per: float, added: FloatArray) -> World:
    """The plain process in units of its own sd, and something added to what is measured."""
    made = weights(rng, d, per)
    values = run(rng, made, rows)
    return World(values / values.std(axis=0) + added, made != 0)


def _trend(rng: Rng, d: int, rows: int, knob: float) -> FloatArray:
    """Lines with a bend, of up to three sd over the whole series."""
    time = np.linspace(-1.0, 1.0, rows)[:, None]
    slope, bend = rng.uniform(0.5, 1.0, size=(2, d)) * rng.choice((-1.0, 1.0), size=(2, d))
    return np.asarray(knob * (1.5 * slope * time + bend * time**2))


def _cycle(rng: Rng, d: int, rows: int, knob: float, period: float) -> FloatArray:
    """A wave of one period in every variable with a phase of its own, and half of it at twice the pace."""
    angle = 2 * np.pi * np.arange(rows)[:, None] / period
    phase = rng.uniform(0, 2 * np.pi, size=(2, d))
    return np.asarray(knob * (1.5 * np.sin(angle + phase[0]) + 0.75 * np.sin(2 * angle + phase[1])))


@world("drifts")
def trends(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """A bent trend in every variable."""
    return _with(rng, d, rows, per, _trend(rng, d, rows, knob))


@world("drifts")
def cycles(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """A cycle of 12 steps in every variable, with its own phase."""
    return _with(rng, d, rows, per, _cycle(rng, d, rows, knob, 12))


@world("drifts", strengths=("strong",))
def long_cycles(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """A cycle that comes about three times, as a year in three years of days."""
    return _with(rng, d, rows, per, _cycle(rng, d, rows, knob, rows / 2.74))


@world("drifts", strengths=("strong",))
def trends_and_cycles(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Both at once, in all variables."""
    added = _trend(rng, d, rows, knob) + _cycle(rng, d, rows, knob, 12)
    return _with(rng, d, rows, per, added)


@world("drifts")
def level_shifts(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Each variable jumps twice, by up to three sd, at times of its own."""
    added = np.zeros((rows, d))
    for one in range(d):
        for start in rng.integers(rows // 10, rows - rows // 10, size=2):
            added[start:, one] += 3.0 * knob * rng.choice((-1.0, 1.0)) * rng.uniform(0.5, 1.0)
    return _with(rng, d, rows, per, added)


@world("drifts", strengths=("strong",))
def common_shift(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """All variables jump at one time, as after a change of the instrument."""
    start = int(rng.integers(rows // 4, 3 * rows // 4))
    added = np.zeros((rows, d))
    added[start:] = 2.5 * knob * rng.choice((-1.0, 1.0), size=d) * rng.uniform(0.5, 1.0, size=d)
    return _with(rng, d, rows, per, added)


@world("drifts")
def changing_effects(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Cross effects rise and fall twice, each in its own time; strong ones turn their sign."""
    made = weights(rng, d)
    made = tamed(np.where(np.eye(d, dtype=bool)[:, :, None], made, (1 + 1.3 * knob) * made))
    made[~np.eye(d, dtype=bool)] /= 1 + 1.3 * knob
    angle = 4 * np.pi * np.arange(rows)[:, None, None] / rows + rng.uniform(0, 2 * np.pi, size=(d, d))
    return World(run(rng, made, rows, factor=1 + 1.3 * knob * np.sin(angle)), made != 0)
