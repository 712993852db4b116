"""What was measured is not what acted: noise on top of the values, which does not travel."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import run, weights


def _measured(rng: Rng, d: int, rows: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Standardised values, their effects, and white noise of the same shape."""
    made = weights(rng, d)
    values = run(rng, made, rows)
    return values / values.std(axis=0), made, rng.normal(size=(rows, d))


def _remembering(white: FloatArray, memory: float) -> FloatArray:
    values = np.asarray(white * (1 - memory**2) ** 0.5)
    for t in range(1, len(values)):
        values[t] += memory * values[t - 1]
    return values


@world("measurement", sizes=((6, 500), (6, 4000)))
def noisy(rng: Rng, d: int, rows: int, knob: float) -> World:
    """White noise on the measurements, as large as the values where the knob is strong."""
    values, made, white = _measured(rng, d, rows)
    return World(values + knob * white, made != 0)


@world("measurement")
def noisy_persistent(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Noise on the measurements that has a memory of .9 itself."""
    values, made, white = _measured(rng, d, rows)
    return World(values + knob * _remembering(white, 0.9), made != 0)


@world("measurement")
def noisy_shared(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same white noise on every measurement, as a common reference has."""
    values, made, white = _measured(rng, d, rows)
    return World(values + knob * white[:, :1], made != 0)


@world("measurement")
def noisy_multiplicative(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Each measurement is off by a random factor, up to e to the power of a normal number of sd .7."""
    values, made, white = _measured(rng, d, rows)
    return World((values + 2.0) * np.exp(0.7 * knob * white), made != 0)
