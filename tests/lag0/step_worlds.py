"""Small worlds with effects within one step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.within_step import StepSearch
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons.basis import basis_skeleton
from grace_plugin.skeletons.source import Source


def simulate(
    now: npt.ArrayLike,
    lagged: npt.ArrayLike,
    rows: int,
    seed: int,
    noise: str = "normal",
    hidden: float = 0.0,
) -> FloatArray:
    """x_j(t) = sum_i now[i, j] x_i(t) + sum_i lagged[i, j] x_i(t - 1) + noise; `now` is upper triangular."""
    now, lagged = np.asarray(now, float), np.asarray(lagged, float)
    rng = np.random.default_rng(seed)
    shocks = getattr(rng, noise)(size=(rows + 50, len(now)))
    shocks = (shocks + hidden * rng.normal(size=(rows + 50, 1))) @ np.linalg.inv(np.eye(len(now)) - now)
    step = lagged @ np.linalg.inv(np.eye(len(now)) - now)
    x = np.zeros_like(shocks)
    for t in range(1, len(x)):
        x[t] = x[t - 1] @ step + shocks[t]
    return x[50:]


def chain(d: int = 4, weight: float = 0.6) -> FloatArray:
    """0 -> 1 -> 2 -> ... within the step."""
    return np.diag(np.full(d - 1, weight), 1)


def step_search(x: FloatArray, max_lag: int = 2, rows: bool = True) -> StepSearch:
    panel = as_panel(x)
    source = Source(panel, max_lag)
    pool = basis_skeleton(source, entry=1e-2).mask
    return StepSearch(source.moments, pool, panel if rows else None)


def random_world(seed: int, d: int = 6, rows: int = 300) -> tuple[FloatArray, BoolArray]:
    """Some acyclic effects within the step, in a random order of the variables, and their graph."""
    rng = np.random.default_rng(seed)
    now = np.triu(rng.uniform(-0.8, 0.8, (d, d)) * (rng.random((d, d)) < 0.4), 1)
    x = simulate(now, np.diag(rng.uniform(0.0, 0.7, d)), rows, seed)
    order = rng.permutation(d)
    return x[:, order], (now != 0)[np.ix_(order, order)]
