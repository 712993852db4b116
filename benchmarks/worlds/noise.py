"""Noise that is not Gaussian, not constant, or not on a continuous scale."""

from __future__ import annotations

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng, World, world
from benchmarks.worlds.process import Noise, gaussian, run, weights


def _with(rng: Rng, d: int, rows: int, per: float, noise: Noise) -> World:
    made = weights(rng, d, per)
    return World(run(rng, made, rows, noise), made != 0)


@world("noise")
def spells(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Noise of all variables up to five times as large during spells of 40 rows, a fifth of the time."""

    def noise(own: Rng, shape: tuple[int, int]) -> FloatArray:
        wild = np.repeat(own.random(-(-shape[0] // 40)) < 0.2, 40)[: shape[0]]
        return np.asarray(own.normal(size=shape) * np.where(wild, 1 + 4 * knob, 1.0)[:, None])

    return _with(rng, d, rows, per, noise)


@world("noise")
def shared_volatility(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """One slow volatility (memory .97) scales the noise of all variables, as in returns of stocks."""

    def noise(own: Rng, shape: tuple[int, int]) -> FloatArray:
        log_size = own.normal(size=shape[0]) * (1 - 0.97**2) ** 0.5
        for t in range(1, shape[0]):
            log_size[t] += 0.97 * log_size[t - 1]
        return np.asarray(own.normal(size=shape) * np.exp(knob * log_size)[:, None])

    return _with(rng, d, rows, per, noise)


@world("noise", strengths=("strong",))
def variance_shift(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Each variable's noise grows fourfold at a time of its own."""

    def noise(own: Rng, shape: tuple[int, int]) -> FloatArray:
        start = own.integers(shape[0] // 3, shape[0], size=shape[1])
        return own.normal(size=shape) * (1 + 3 * knob * (np.arange(shape[0])[:, None] > start))

    return _with(rng, d, rows, per, noise)


@world("noise", strengths=("weak", "medium", "strong"))
def heavy_tails(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Student's t with 5, 3 or 1.5 degrees of freedom."""
    dof = {1: 5.0, 2: 3.0, 3: 1.5}.get(round(3 * knob))
    return _with(
        rng, d, rows, per, gaussian if dof is None else lambda own, shape: own.standard_t(dof, size=shape)
    )


@world("noise")
def skewed(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Lognormal noise of sigma up to 1.2."""
    sigma = 1.2 * knob

    def noise(own: Rng, shape: tuple[int, int]) -> FloatArray:
        return np.asarray(np.exp(sigma * own.normal(size=shape)) - np.exp(sigma**2 / 2))

    return _with(rng, d, rows, per, noise if knob else gaussian)


@world("noise", strengths=("weak", "strong"))
def outliers(rng: Rng, d: int, rows: int, knob: float, per: float = 1.2) -> World:
    """Up to 2 % of all measurements are off by ten sd of either sign; they do not travel."""
    made = weights(rng, d, per)
    values = run(rng, made, rows)
    wrong = rng.random(values.shape) < 0.02 * knob
    return World(
        values + 10 * values.std(axis=0) * rng.choice((-1.0, 1.0), size=values.shape) * wrong, made != 0
    )
