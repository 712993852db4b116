"""Effects within one step, beside lagged ones: an oriented acyclic graph at lag 0."""

from __future__ import annotations

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import Noise, gaussian, run, weights, within_step


def laplace(rng: Rng, shape: tuple[int, int]) -> FloatArray:
    return rng.laplace(size=shape) / 2**0.5


def uniform(rng: Rng, shape: tuple[int, int]) -> FloatArray:
    return rng.uniform(-(3**0.5), 3**0.5, size=shape)


def _drawn(rng: Rng, d: int, rows: int, knob: float, per: float, noise: Noise) -> World:
    lagged = weights(rng, d, per=0.8, acyclic=False)
    made = within_step(rng, lagged, per if knob else 0.0, (0.3 + 0.2 * knob, 0.4 + 0.4 * knob))
    return World(run(rng, made, rows, noise), made != 0)


@world("within a step", sizes=((6, 500), (10, 500)), strengths=("strong",))
def within_step_gaussian(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Half an effect within one step for each variable, Gaussian noise: only lagged effects orient it."""
    return _drawn(rng, d, rows, knob, 0.5, gaussian)


@world("within a step", strengths=("weak", "strong"))
def within_step_laplace(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same with Laplace noise, whose shape orients."""
    return _drawn(rng, d, rows, knob, 0.5, laplace)


@world("within a step", strengths=("strong",))
def within_step_uniform(rng: Rng, d: int, rows: int, knob: float) -> World:
    """The same with uniform noise."""
    return _drawn(rng, d, rows, knob, 0.5, uniform)


@world("within a step", sizes=((6, 500), (10, 500)), strengths=("strong",))
def within_step_many(rng: Rng, d: int, rows: int, knob: float) -> World:
    """More effects within one step than lagged ones, Gaussian noise."""
    return _drawn(rng, d, rows, knob, 1.2, gaussian)
