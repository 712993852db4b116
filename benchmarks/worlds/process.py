"""The plain process that most worlds bend: a sparse linear vector autoregression.

x_e(t) = sum over (c, l) of w[c, e, l] x_c(t - l) + noise_e(t), with lag 0 along an order of the variables.
Own memory .2 to .6 at lag 1, about six cross effects for five variables with lags 1 to 3 and sizes .25 to .5
of either sign, made smaller together where the process would not be stationary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.worlds.base import MAX_LAG, FloatArray, Rng

BURN_IN = 200
_RADIUS = 0.95  # of the companion matrix: half-life of a shock below 14 steps
Range = tuple[float, float]
Noise = Callable[[Rng, tuple[int, int]], FloatArray]
Push = Callable[[FloatArray], FloatArray]


def gaussian(rng: Rng, shape: tuple[int, int]) -> FloatArray:
    return rng.normal(size=shape)


def weights(
    rng: Rng,
    d: int,
    per: float = 1.2,
    size: Range = (0.25, 0.5),
    own: Range = (0.2, 0.6),
    lags: Sequence[int] = (1, 2, 3),
    acyclic: bool = False,
    signed: bool = True,
    radius: float = _RADIUS,
) -> FloatArray:
    """[cause, effect, lag]: own memory and `per` cross effects for each variable, each pair at most once."""
    made = np.zeros((d, d, MAX_LAG + 1))
    made[np.arange(d), np.arange(d), 1] = rng.uniform(*own, size=d)
    order = rng.permutation(d)
    places = [(i, j) for i in range(d) for j in range(d) if i != j and (i < j or not acyclic)]
    chosen = rng.permutation(len(places))[: round(per * d)]
    for place in chosen:
        cause, effect = order[list(places[place])]
        sign = rng.choice((-1.0, 1.0)) if signed else 1.0
        made[cause, effect, rng.choice(lags)] = sign * rng.uniform(*size)
    return made if acyclic else tamed(made, radius)


def within_step(rng: Rng, lagged: FloatArray, per: float, size: Range) -> FloatArray:
    """The same with effects at lag 0 along a random order, on pairs that have no other effect."""
    d = len(lagged)
    order = rng.permutation(d)
    busy = np.abs(lagged).max(axis=2) > 0
    linked = busy | busy.T
    free = [(i, j) for a, i in enumerate(order) for j in order[a + 1 :] if not linked[i, j]]
    made = lagged.copy()
    for place in rng.permutation(len(free))[: round(per * d)]:
        cause, effect = free[place]
        made[cause, effect, 0] = rng.choice((-1.0, 1.0)) * rng.uniform(*size)
    return tamed(made)


def tamed(made: FloatArray, radius: float = _RADIUS) -> FloatArray:
    """All lagged cross effects made smaller by one factor until shocks die out."""
    cross = np.broadcast_to(~np.eye(len(made), dtype=bool)[:, :, None], made.shape).copy()
    cross[:, :, 0] = False
    made = made.copy()
    while spectral_radius(made) > radius:
        made[cross] *= 0.9
    return made


def spectral_radius(made: FloatArray) -> float:
    """The largest eigenvalue of the companion matrix of the lagged form."""
    d, lags = len(made), made.shape[2] - 1
    now = np.linalg.inv(np.eye(d) - made[:, :, 0])
    companion = np.eye(d * lags, k=-d)
    for lag in range(1, lags + 1):
        companion[:d, (lag - 1) * d : lag * d] = (made[:, :, lag] @ now).T
    return float(np.abs(np.linalg.eigvals(companion)).max())


def run(
    rng: Rng,
    made: FloatArray,
    rows: int,
    noise: Noise = gaussian,
    push: Push | None = None,
    factor: FloatArray | None = None,
) -> FloatArray:
    """Rows [T, d]. `push` bends what a cause passes on, `factor` [T, d, d] scales effects in time."""
    d = len(made)
    values = noise(rng, (rows + BURN_IN, d))
    own = np.eye(d, dtype=bool)
    now = np.linalg.inv(np.eye(d) - made[:, :, 0])
    for t in range(MAX_LAG, len(values)):
        for lag in range(1, made.shape[2]):
            past, effects = values[t - lag], made[:, :, lag]
            if factor is not None:
                effects = np.where(own, effects, effects * factor[max(t - BURN_IN, 0)])
            if push is None:
                values[t] += past @ effects
            else:
                values[t] += past * np.diagonal(effects) + push(past) @ np.where(own, 0.0, effects)
        values[t] = values[t] @ now
    return values[BURN_IN:]
