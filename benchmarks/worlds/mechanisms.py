"""Effects of one cause that are not straight lines; the knob goes from a line to the shape."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import Push, run, weights


def _with(rng: Rng, d: int, rows: int, knob: float, shape: Push) -> World:
    made = weights(rng, d, size=(0.4, 0.8), own=(0.2, 0.5), acyclic=True)

    def push(past: FloatArray) -> FloatArray:
        return (1 - knob) * past + knob * shape(past)

    return World(run(rng, made, rows, push=push if knob else None), made != 0)


@world("mechanisms")
def monotone(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A cube, flat beyond two sd of the noise."""
    return _with(rng, d, rows, knob, lambda x: np.clip(x, -2, 2) ** 3 / 2)


@world("mechanisms")
def even(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A square, flat beyond three: no correlation is left where the knob is strong."""
    return _with(rng, d, rows, knob, lambda x: np.minimum(x**2, 9.0) - 1.0)


@world("mechanisms")
def saturating(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A steep step that saturates: tanh(3 x)."""
    return _with(rng, d, rows, knob, lambda x: np.tanh(3 * x))


@world("mechanisms", strengths=("strong",))
def periodic(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A sine of twice the value."""
    return _with(rng, d, rows, knob, lambda x: np.sin(2 * x))
