"""Null worlds: series of every kind of noise that have nothing to do with each other.

What the kinds of noise, drifts and gaps do beside true effects is in their own modules.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.worlds import drifts, gaps, noise, scales
from benchmarks.worlds.base import Rng, World, world
from benchmarks.worlds.process import run, weights

_KINDS: dict[str, Any] = {
    "spells": noise.spells,
    "shared_volatility": noise.shared_volatility,
    "variance_shift": noise.variance_shift,
    "heavy_tails": noise.heavy_tails,
    "skewed": noise.skewed,
    "outliers": noise.outliers,
    "counts": scales.counts,
    "sparse_events": scales.sparse_events,
    "rounded": scales.rounded,
    "binary": scales.binary,
    "categorical": scales.categorical,
    "trends": drifts.trends,
    "cycles": drifts.cycles,
    "long_cycles": drifts.long_cycles,
    "level_shifts": drifts.level_shifts,
    "common_shift": drifts.common_shift,
    "missing": gaps.missing_at_random,
}
for _name, _draw in _KINDS.items():
    world(
        "nothing acts",
        strengths=("strong",),
        null=True,
        name=f"null_{_name}",
        about=f"Independent series: {(_draw.__doc__ or '').strip().splitlines()[0]}",
    )(partial(_draw, per=0.0))


@world("nothing acts", sizes=((5, 100), (10, 500), (20, 500)), strengths=("off",), null=True)
def null_white(rng: Rng, d: int, rows: int, knob: float) -> World:
    """White Gaussian noise."""
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    return World(rng.normal(size=(rows, d)), truth)


@world("nothing acts", strengths=("weak", "medium", "strong"), null=True)
def null_own_past(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Own memory of .3, .9 or .99."""
    memory = {0: 0.0, 1: 0.3, 2: 0.9, 3: 0.99}[round(3 * knob)]
    made = weights(rng, d, per=0.0, own=(memory, memory), acyclic=True)
    return World(run(rng, made, rows), made != 0)


@world("nothing acts", strengths=("strong",), null=True)
def null_random_walk(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Random walks (off: white noise)."""
    steps = rng.normal(size=(rows, d))
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    truth[np.arange(d), np.arange(d), 1] = knob > 0
    return World(np.cumsum(steps, axis=0) if knob else steps, truth)


@world("nothing acts", strengths=("strong",), null=True)
def null_moving_average(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Moving averages of white noise: no finite autoregression is right. The truth has no own past."""
    white = rng.normal(size=(rows + 1, d))
    return World(white[1:] + 0.9 * knob * white[:-1], np.zeros((d, d, 4), dtype=np.bool_))


@world("nothing acts", strengths=("strong",), null=True)
def null_cauchy_persistent(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Own memory of .9 and noise of Student's t with 1.5 degrees of freedom."""
    made = weights(rng, d, per=0.0, own=(0.9 * knob, 0.9 * knob), acyclic=True)
    return World(run(rng, made, rows, lambda own, shape: own.standard_t(1.5, size=shape)), made != 0)
