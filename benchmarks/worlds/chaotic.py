"""Systems of differential equations with little noise.

The truth stands at lag 1: who stands in whose equation. What a finite step makes of that is spread over lags,
so that pairs are counted, not lags.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.worlds.base import BoolArray, FloatArray, Rng, World, world

Slope = Callable[[FloatArray], FloatArray]


def integrate(
    rng: Rng,
    slope: Slope,
    start: FloatArray,
    rows: int,
    step: float,
    inner: int,
    shake: float,
    burn: int = 100,
) -> FloatArray:
    """Runge-Kutta steps of step / inner, a little noise on the state after each row."""
    h, x = step / inner, start
    made = np.empty((rows + burn, len(start)))
    for t in range(rows + burn):
        for _ in range(inner):
            k1 = slope(x)
            k2 = slope(x + h / 2 * k1)
            k3 = slope(x + h / 2 * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + h * k3))
        x = x + shake * rng.normal(size=len(x))
        made[t] = x
    return made[burn:]


def at_lag_one(who: BoolArray) -> BoolArray:
    truth = np.zeros((*who.shape, 4), dtype=np.bool_)
    truth[:, :, 1] = who | np.eye(len(who), dtype=bool)
    return truth


def _lorenz96(rng: Rng, d: int, rows: int, knob: float, step: float) -> World:
    forcing = {0: 0.0, 1: 5.0, 2: 10.0, 3: 40.0}[round(3 * knob)]
    linked = float(forcing > 0)

    places = np.arange(d)
    after, before, before_that = (places + 1) % d, (places - 1) % d, (places - 2) % d

    def slope(x: FloatArray) -> FloatArray:
        return np.asarray(linked * (x[after] - x[before_that]) * x[before] - x + forcing)

    inner = round(step / 0.0125)
    data = integrate(rng, slope, forcing + rng.normal(size=d), rows, step, inner, shake=0.1)
    who = np.zeros((d, d), dtype=bool)
    for place in (-2, -1, 1):
        who[(np.arange(d) + place) % d, np.arange(d)] = forcing > 0
    return World(data, at_lag_one(who))


@world("chaotic", sizes=((6, 500), (10, 250), (10, 1000)), scored="pairs")
def lorenz96(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lorenz-96 in steps of .05, forcing 5, 10 or 40 (off: no links)."""
    return _lorenz96(rng, d, rows, knob, 0.05)


@world("chaotic", scored="pairs")
def lorenz96_coarse(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lorenz-96 in steps of .2."""
    return _lorenz96(rng, d, rows, knob, 0.2)


def lorenz_links(d: int, drives: bool) -> BoolArray:
    """Who stands in whose equation: inside a system, and the first of each in the first of the next."""
    who = np.zeros((d, d), dtype=bool)
    for x in range(0, d, 3):
        who[[x + 1, x, x + 2, x, x + 1], [x, x + 1, x + 1, x + 2, x + 2]] = True
        if x and drives:
            who[x - 3, x] = True
    return who


@world("chaotic", sizes=((6, 500),), scored="pairs")
def coupled_lorenz(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A chain of Lorenz systems, x of one drives x of the next, in steps of .05."""

    def slope(s: FloatArray) -> FloatArray:
        x, y, z = s[0::3], s[1::3], s[2::3]
        drive = np.concatenate([[0.0], 5.0 * knob * (x[:-1] - x[1:])])
        return np.stack([10 * (y - x) + drive, x * (28 - z) - y, x * y - 8 / 3 * z], axis=1).ravel()

    data = integrate(rng, slope, rng.normal(size=d) + 5, rows, 0.05, 5, shake=0.1)
    return World(data, at_lag_one(lorenz_links(d, knob > 0)))


@world("chaotic", sizes=((6, 500),), scored="pairs")
def coupled_roessler(rng: Rng, d: int, rows: int, knob: float) -> World:
    """A chain of Roessler systems with slightly different pace, x drives x of the next, in steps of .3."""
    pace = np.linspace(1.0, 1.2, d // 3)

    def slope(s: FloatArray) -> FloatArray:
        x, y, z = s[0::3], s[1::3], s[2::3]
        drive = np.concatenate([[0.0], 0.15 * knob * (x[:-1] - x[1:])])
        return np.stack([-pace * y - z + drive, pace * x + 0.2 * y, 0.2 + z * (x - 5.7)], axis=1).ravel()

    data = integrate(rng, slope, rng.uniform(-1, 1, size=d), rows, 0.3, 6, shake=0.02)
    who = np.zeros((d, d), dtype=bool)
    for x in range(0, d, 3):
        who[[x + 1, x + 2, x, x], [x, x, x + 1, x + 2]] = True
        if x and knob:
            who[x - 3, x] = True
    return World(data, at_lag_one(who))


@world("chaotic", sizes=((6, 500),), scored="pairs")
def predator_prey(rng: Rng, d: int, rows: int, knob: float) -> World:
    """Lotka-Volterra: predators and their prey in steps of .5; the knob is how much is eaten.

    Noise acts on the logarithms, and a few come from outside all the time, so that nobody dies out.
    """
    half = d // 2
    eats = np.eye(half, d - half, dtype=bool)  # [prey, predator]: everyone its own, and one more
    eats[rng.integers(half), rng.integers(d - half)] = True
    rate = knob * eats * rng.uniform(0.6, 1.0, size=eats.shape)
    fed = -0.7 if knob else 0.5  # where nobody eats, predators live on something else

    def slope(logs: FloatArray) -> FloatArray:
        x = np.exp(np.clip(logs, -6, 3))
        prey, predator = x[:half], x[half:]
        grows = 1.0 - 0.3 * prey - (rate * predator).sum(axis=1)
        eaten = fed + (rate * prey[:, None]).sum(axis=0) - 0.5 * predator
        return np.asarray(np.concatenate([grows, eaten]) + 0.05 / x)

    logs = integrate(rng, slope, rng.normal(scale=0.3, size=d), rows, 0.5, 5, shake=0.05)
    who = np.zeros((d, d), dtype=bool)
    who[:half, half:], who[half:, :half] = rate > 0, (rate > 0).T
    return World(np.exp(np.clip(logs, -6, 3)), at_lag_one(who))
