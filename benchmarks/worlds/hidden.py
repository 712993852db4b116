"""A common cause that nobody measured."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import Rng, World, world
from benchmarks.worlds.process import run, weights

_LARGEST = 1.0  # effect of a strong hidden cause, in sd of its own noise


def _drawn(rng: Rng, d: int, rows: int, knob: float, own: float, spread: bool) -> World:
    """A hidden variable acts on two thirds of the others, in one step or spread over lags 1 to 3."""
    seen = weights(rng, d)
    made = np.zeros((d + 1, d + 1, 4))
    made[:d, :d], made[d, d, 1] = seen, own
    touched = rng.permutation(d)[: -(-2 * d // 3)]
    lags = rng.integers(1, 4, size=len(touched)) if spread else np.ones(len(touched), dtype=int)
    size = _LARGEST * knob * (1 - own**2) ** 0.5  # the same variance whatever its memory
    made[d, touched, lags] = size * rng.choice((-1.0, 1.0), size=len(touched))
    return World(run(rng, made, rows)[:, :d], seen != 0)


@world("hidden causes")
def hidden_fast(rng: Rng, d: int, rows: int, knob: float) -> World:
    """White noise hits two thirds of the variables in the same step."""
    return _drawn(rng, d, rows, knob, own=0.0, spread=False)


@world("hidden causes")
def hidden_slow(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same with a hidden cause of memory .95."""
    return _drawn(rng, d, rows, knob, own=0.95, spread=False)


@world("hidden causes")
def hidden_lagged(rng: Rng, d: int, rows: int, knob: float) -> World:
    """White noise hits each variable one to three steps later: the early ones seem to act on the late."""
    return _drawn(rng, d, rows, knob, own=0.0, spread=True)


@world("hidden causes", sizes=((10, 500),))
def noise_by_distance(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Variables are places on a map; noise is alike where they are near, as weather is."""
    made, past = weights(rng, d), 50
    places = rng.uniform(size=(d, 2))
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
    mix = np.linalg.cholesky(knob * np.exp(-apart / 0.3) + (1.0 - knob + 1e-6) * np.eye(d))
    noise = rng.normal(size=(rows + past, d)) @ mix.T
    data = np.zeros((rows + past, d))
    for now in range(3, rows + past):
        data[now] = noise[now] + sum(data[now - lag] @ made[:, :, lag] for lag in range(1, 4))
    return World(data[past:], made != 0)
