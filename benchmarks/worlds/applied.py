"""Worlds that look like a field's data: gene regulation, rivers."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.chaotic import at_lag_one, integrate

_TRAJECTORY = 25  # rows of one experiment


@world("applied", sizes=((10, 250),), scored="pairs")
def genes(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Genes that switch others on or off, saturating, in several short trajectories from random states."""
    who = np.zeros((d, d), dtype=bool)
    for effect in range(d):
        others = [one for one in range(d) if one != effect]
        who[rng.choice(others, rng.integers(1, 3), replace=False), effect] = knob > 0
    on = rng.random((d, d)) < 0.5
    steep, causes = 1 + 2 * knob, np.maximum(who.sum(axis=0), 1)

    def slope(x: FloatArray) -> FloatArray:
        high = np.clip(x, 1e-6, None)[:, None] ** steep
        act = np.where(on, high, 0.5**steep) / (0.5**steep + high)
        return np.asarray(knob * (who * act).sum(axis=0) / causes + 0.5 * (1 - knob) - x)

    count = max(1, rows // _TRAJECTORY)
    parts = [
        integrate(rng, slope, rng.uniform(0, 1, size=d), _TRAJECTORY, 0.4, 4, shake=0.08, burn=0)
        for _ in range(count)
    ]
    return World(np.concatenate(parts), at_lag_one(who), parts=(_TRAJECTORY,) * count)


@world("applied", sizes=((8, 700), (8, 4000)))
def rivers(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A tree of gauges: water arrives one to three steps later; rain, which nobody measured, is shared.

    Rain falls one step in ten; each catchment lets it off over ten steps or so. The knob is the share of the
    rain that falls on all catchments at once.
    """
    shape = (rows + 200, d)

    def shower(columns: int) -> FloatArray:
        return rng.gamma(0.5, 2.0, size=(shape[0], columns)) * (rng.random((shape[0], columns)) < 0.1)

    rain = np.sqrt(1 - 0.8 * knob) * shower(d) + np.sqrt(0.8 * knob) * shower(1)
    flow, store = np.zeros(shape), np.zeros(d)
    below = np.array([0, *(rng.integers(0, one) for one in range(1, d))])
    lags = rng.integers(1, 4, size=d)
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    truth[np.arange(d), np.arange(d), 1] = True
    truth[np.arange(1, d), below[1:], lags[1:]] = True
    for t in range(3, shape[0]):
        store = 0.9 * store + rain[t]
        flow[t] = 0.1 * store + 0.02 * rng.normal(size=d) + 0.3 * flow[t - 1]
        for one in range(1, d):
            flow[t, below[one]] += 0.6 * flow[t - lags[one], one]
    return World(flow[200:], truth)
