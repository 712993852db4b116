"""Values that nobody observed."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import BoolArray, FloatArray, Rng, World, world
from benchmarks.worlds.process import run, weights

_SHARES = (0.0, 0.05, 0.2, 0.4)


def _drawn(rng: Rng, d: int, rows: int, per: float = 1.2) -> tuple[FloatArray, BoolArray]:
    made = weights(rng, d, per)
    return run(rng, made, rows), made != 0


def _share(knob: float) -> float:
    return _SHARES[round(3 * knob)]


@world("gaps", strengths=("weak", "medium", "strong"))
def missing_at_random(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """5, 20 or 40 % of all values, anywhere."""
    values, truth = _drawn(rng, d, rows, per)
    values[rng.random(values.shape) < _share(knob)] = np.nan
    return World(values, truth)


@world("gaps")
def missing_blocks(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Blocks of 20 rows of one variable, until 5, 20 or 40 % are gone."""
    values, truth = _drawn(rng, d, rows)
    blocks = [(start, one) for start in range(0, rows - 19, 20) for one in range(d)]
    for place in rng.permutation(len(blocks))[: round(_share(knob) * len(blocks))]:
        start, one = blocks[place]
        values[start : start + 20, one] = np.nan
    return World(values, truth)


@world("gaps", sizes=((6, 500), (6, 4000)))
def missing_sensor(rng: Rng, d: int, rows: int, knob: float) -> World:
    """One variable lost 20, 40 or 60 % of its values at random."""
    values, truth = _drawn(rng, d, rows)
    values[rng.random(rows) < 0.6 * knob, rng.integers(d)] = np.nan
    return World(values, truth)


@world("gaps")
def missing_by_value(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The largest 5, 20 or 40 % of each variable are gone with probability .5: too much for the sensor."""
    values, truth = _drawn(rng, d, rows)
    large = values > np.quantile(values, 1 - _share(knob), axis=0)
    values[large & (rng.random(values.shape) < 0.5)] = np.nan
    return World(values, truth)
