"""Kinds of noise, memory, drift and scale, of ten series that have nothing to do with each other or act.

Weights [cause, effect, lag] of zero leave the series independent, each with the own past of its kind; others
are added where values are made, so that the same kind is drawn with and without effects.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.worlds.base import FloatArray, Rng

Noise = Callable[[Rng, int, int], FloatArray]
_BURN_IN = 200
_LAGS = 3


def _plain(rng: Rng, rows: int, d: int) -> FloatArray:
    return rng.normal(size=(rows, d))


def _run(noise: FloatArray, weights: FloatArray, own: float) -> FloatArray:
    """Values that remember and act; lags 1 to 3."""
    values = noise.copy()
    for t in range(_LAGS, len(values)):
        values[t] += own * values[t - 1]
        for lag in range(1, weights.shape[2]):
            values[t] += values[t - lag] @ weights[:, :, lag]
    return values


def _student(dof: float) -> Noise:
    return lambda rng, rows, d: rng.standard_t(dof, size=(rows, d))


def _bursts(rng: Rng, rows: int, d: int) -> FloatArray:
    """Each series is loud for a tenth of the time, in spells of its own."""
    loud = np.zeros((rows, d))
    for column in range(d):
        for start in rng.integers(0, rows, size=max(1, rows // 200)):
            loud[start : start + 20, column] = 1.0
    return np.asarray(rng.normal(size=(rows, d)) * (1.0 + 7.0 * loud))


def _shared_volatility(rng: Rng, rows: int, d: int) -> FloatArray:
    size = np.zeros((rows, 1))
    for t in range(1, rows):
        size[t] = 0.95 * size[t - 1] + 0.3 * rng.normal()
    return np.asarray(rng.normal(size=(rows, d)) * np.exp(size))


def _variance_shift(rng: Rng, rows: int, d: int) -> FloatArray:
    return np.asarray(rng.normal(size=(rows, d)) * np.where(np.arange(rows) < rows // 2, 1.0, 4.0)[:, None])


def _outliers(rng: Rng, rows: int, d: int) -> FloatArray:
    far = rng.random((rows, d)) < 0.01
    return np.asarray(10.0 * far * rng.choice((-1.0, 1.0), size=(rows, d)))


def _shifts(rng: Rng, rows: int, d: int, common: bool) -> FloatArray:
    row = np.arange(rows)[:, None]
    places = rng.integers(rows // 5, 4 * rows // 5, size=1 if common else d)
    return np.asarray(3.0 * (row >= places) * rng.choice((-1.0, 1.0), size=d))


def _cycle(rng: Rng, rows: int, d: int, period: float) -> FloatArray:
    row = np.arange(rows)[:, None]
    return np.asarray(1.5 * np.sin(2 * np.pi * (row / period + rng.random(d))))


# noise, own past, what is laid over the values, what is made of them
_Kind = tuple[Noise, float, Noise | None, Callable[[Rng, FloatArray], FloatArray] | None]
KINDS: dict[str, _Kind] = {
    "white": (_plain, 0.0, None, None),
    "own past .5": (_plain, 0.5, None, None),
    "own past .9": (_plain, 0.9, None, None),
    "own past .99": (_plain, 0.99, None, None),
    "own past .999": (_plain, 0.999, None, None),
    "random walk": (_plain, 1.0, None, None),
    "moving average -.9": (
        lambda g, n, d: (w := g.normal(size=(n + 1, d)))[1:] - 0.9 * w[:-1],
        0.0,
        None,
        None,
    ),
    "t2": (_student(2.0), 0.5, None, None),
    "t3": (_student(3.0), 0.5, None, None),
    "Cauchy": (_student(1.0), 0.5, None, None),
    "Cauchy, own past .9": (_student(1.0), 0.9, None, None),
    "lognormal": (lambda g, n, d: np.exp(g.normal(size=(n, d))), 0.5, None, None),
    "outliers": (_plain, 0.5, _outliers, None),
    "counts": (
        _plain,
        0.5,
        None,
        lambda g, x: g.poisson(np.exp(0.5 + 0.5 * np.clip(x, -6, 4))).astype(float),
    ),
    "INAR counts": (lambda g, n, d: g.poisson(1.0, size=(n, d)).astype(float), 0.0, None, None),
    "rounded": (_plain, 0.5, None, lambda _, x: np.round(x)),
    "events": (_plain, 0.5, None, lambda _, x: np.where(x > 2.0 * x.std(axis=0), x, 0.0)),
    "bursts": (_bursts, 0.5, None, None),
    "common level shift": (_plain, 0.5, lambda g, n, d: _shifts(g, n, d, common=True), None),
    "own level shifts": (_plain, 0.5, lambda g, n, d: _shifts(g, n, d, common=False), None),
    "trends": (
        _plain,
        0.5,
        lambda g, n, d: 4.0 * np.linspace(-1, 1, n)[:, None] * g.uniform(0.5, 1, d),
        None,
    ),
    "cycle of 12": (_plain, 0.5, lambda g, n, d: _cycle(g, n, d, 12.0), None),
    "cycle of 365": (_plain, 0.5, lambda g, n, d: _cycle(g, n, d, 365.0), None),
    "shared volatility": (_shared_volatility, 0.5, None, None),
    "variance shift": (_variance_shift, 0.5, None, None),
}
CHAOS = "logistic chaos"
NAMES = (*KINDS, CHAOS)


def draw(kind: str, seed: int, d: int, rows: int, effects: int = 0) -> tuple[FloatArray, FloatArray]:
    """Values [rows, d] and weights [cause, effect, lag] of as many effects between variables."""
    rng = np.random.default_rng([seed, d, rows, effects, *kind.encode()])
    weights = np.zeros((d, d, _LAGS + 1))
    cells = [(c, e, lag) for c in range(d) for e in range(c + 1, d) for lag in range(1, _LAGS + 1)]
    for place in rng.permutation(len(cells))[:effects]:
        weights[cells[place]] = rng.choice((-1.0, 1.0)) * 0.4
    if kind == CHAOS:
        return _chaos(rng, weights, rows), weights
    noise, own, over, made = KINDS[kind]
    if kind == "INAR counts":
        values = _thinned(rng, noise(rng, rows + _BURN_IN, d), weights)[_BURN_IN:]
    else:
        values = _run(noise(rng, rows + _BURN_IN, d), weights, own)[_BURN_IN:]
    values = values if over is None else values + over(rng, rows, d)
    return (values if made is None else made(rng, values)), weights


def _thinned(rng: Rng, arrivals: FloatArray, weights: FloatArray) -> FloatArray:
    """Counts of which every unit survives with probability .5, and calls others where effects are."""
    values = arrivals.copy()
    for t in range(_LAGS, len(values)):
        values[t] += rng.binomial(values[t - 1].astype(np.int64), 0.5)
        for cause, effect, lag in np.argwhere(weights):
            values[t, effect] += rng.binomial(int(values[t - lag, cause]), abs(weights[cause, effect, lag]))
    return values


def _chaos(rng: Rng, weights: FloatArray, rows: int) -> FloatArray:
    """x -> 3.8 x (1 - x), pushed by causes."""
    d = len(weights)
    values = rng.uniform(0.2, 0.8, size=(rows + _BURN_IN, d))
    for t in range(_LAGS, len(values)):
        push = sum(values[t - lag] @ (0.3 * np.abs(weights[:, :, lag])) for lag in range(1, _LAGS + 1))
        values[t] = np.clip(3.8 * values[t - 1] * (1.0 - values[t - 1]) * (1.0 - 0.5 * push), 0.01, 0.99)
    return values[_BURN_IN:]
