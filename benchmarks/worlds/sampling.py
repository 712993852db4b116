"""Data that are slower than the process: averaged as in brain imaging, or every k-th row alone."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import run, weights


def _fast(rng: Rng, d: int, rows: int, own: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """An acyclic process of one lag at its own pace, and its effects [cause, effect]."""
    made = weights(rng, d, size=(0.3, 0.6), own=own, lags=(1,), acyclic=True)
    return run(rng, made, rows), made[:, :, 1]


def _truth(effects: FloatArray, within: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    truth = np.zeros((len(effects), len(effects), 4), dtype=np.bool_)
    truth[:, :, 1] = (effects != 0) & (np.eye(len(effects), dtype=bool) if within else True)
    truth[:, :, 0] = (effects != 0) & ~np.eye(len(effects), dtype=bool) & within
    return truth


@world("slow sampling", scored="pairs")
def averaged(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The process runs 1, 2, 5 or 10 times as fast as the data, which are means of that many steps."""
    rate = {0: 1, 1: 2, 2: 5, 3: 10}[round(3 * knob)]
    values, effects = _fast(rng, d, rows * rate, own=(0.5, 0.8))
    return World(values.reshape(rows, rate, d).mean(axis=1), _truth(effects, within=rate > 1))


@world("slow sampling", scored="pairs")
def subsampled(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Every second, third or fourth row of a process was kept."""
    rate = 1 + round(3 * knob)
    values, effects = _fast(rng, d, rows * rate, own=(0.5, 0.8))
    return World(values[::rate], _truth(effects, within=False))
