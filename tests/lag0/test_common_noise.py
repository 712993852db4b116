"""Noise that moves together within a step is not taken for effects, and effects are not taken for noise."""

import warnings

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning

LAGGED = [(0, 1), (1, 2), (2, 5), (4, 7), (6, 3), (7, 6)]


def places(seed: int, effects: bool, rows: int = 600) -> np.ndarray:
    """Eight variables in a row, each with its past; neighbours share noise, or act on each other at once."""
    rng = np.random.default_rng(seed)
    apart = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    mix = np.linalg.cholesky(0.6**apart)
    past = 0.5 * np.eye(8)
    for cause, effect in LAGGED:
        past[effect, cause] = 0.35
    x = np.zeros((rows, 8))
    for t in range(1, rows):
        if effects:  # 0 -> 1 -> ... within the step, lagged causes as they are
            x[t] = past @ x[t - 1] + rng.normal(size=8)
            for cause in range(0, 7, 2):
                x[t, cause + 1] += 0.6 * x[t, cause]
        else:
            x[t] = past @ x[t - 1] + mix @ rng.normal(size=8)
    return x


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_shared_noise_leaves_the_lagged_graph_as_it_is(seed: int) -> None:
    with pytest.warns(DataWarning, match="noise that they share, or a hidden common cause"):
        found = gp.discover(places(seed, effects=False), 2)
    assert not found.graph[:, :, 0].any()
    cross = found.graph & ~np.eye(8, dtype=bool)[:, :, None]
    assert {(int(c), int(e)) for c, e, _ in np.argwhere(cross)} == set(LAGGED)


def rained_on(seed: int, rows: int = 1200) -> np.ndarray:
    """Eight gauges one below the other, under one rain: what it leaves is large for all at once."""
    rng = np.random.default_rng(seed)
    store, flow = np.ones(8), np.ones((rows, 8))
    for t in range(2, rows):
        rain = rng.gamma(0.5, 2.0) * (rng.random() < 0.3)
        store = 0.9 * store + rain * rng.lognormal(0.0, 0.5, 8)
        flow[t] = 0.1 * store
        flow[t, 1:] += 0.6 * flow[t - 1, :-1] + 0.3 * flow[t - 2, :-1]
    return flow * rng.lognormal(0.0, 0.03, (rows, 8))


@pytest.mark.parametrize("seed", [101, 120])
def test_heavy_tails_that_all_share_do_not_speak_for_effects(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = gp.discover(rained_on(seed), 3)
    assert not found.graph[:, :, 0].any()


def test_who_asks_for_lag_0_gets_it_and_is_told() -> None:
    with pytest.warns(DataWarning, match="believe those found at lag 0 little"):
        found = gp.discover(places(100, effects=False), 2, contemporaneous=True)
    assert found.graph[:, :, 0].any()


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_effects_within_the_step_are_kept(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = gp.discover(places(seed, effects=True), 2)
    pairs = found.graph[:, :, 0] | found.graph[:, :, 0].T
    assert all(pairs[cause, cause + 1] for cause in range(0, 7, 2))


def test_a_bootstrap_does_not_take_it_for_effects_either() -> None:
    with pytest.warns(DataWarning, match="noise that they share"):
        stable = gp.bootstrap("basis", places(100, effects=False), max_lag=1, window=300, runs=4)
    assert not stable.frequency[:, :, 0].any()
