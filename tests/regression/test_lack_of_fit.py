"""Edges that are small beside the others are closed where a model misses something, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common.arrays import FloatArray


def lorenz(rows: int, seed: int, d: int = 6) -> FloatArray:
    """Lorenz-96 in steps of .1: three others act on each; a little noise on what is seen."""
    rng = np.random.default_rng(seed)

    def slope(x: FloatArray) -> FloatArray:
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 10.0

    x, values = 10.0 + rng.normal(size=d), np.empty((rows + 100, d))
    for t in range(len(values)):
        for _ in range(10):
            k1 = slope(x)
            x = x + 0.01 * slope(x + 0.005 * k1)
        values[t] = x
    return values[100:] + 0.1 * rng.normal(size=(rows, d))


def weak_beside_strong(rows: int, seed: int) -> FloatArray:
    """The last variable has causes of size 2 and .1, at lags 1 and 2."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, 4))
    values[2:, 3] += 2.0 * values[1:-1, 0] + 0.1 * values[:-2, 1]
    return values


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_what_stands_in_for_misfit_is_closed_and_told() -> None:
    found = gp.discover(lorenz(800, seed=3), max_lag=1, progress=False)
    small = found.edges[found.edges.reason == "small"]
    assert len(small)
    assert not small.kept.any()
    assert "small beside the others" in found.summary()
    assert "small beside the others" in str(found.explain(small.cause.iloc[0], small.effect.iloc[0], 1))
    for effect in range(6):
        assert {cause for cause in range(6) if found.graph[cause, effect, 1]} >= {
            (effect + shift) % 6 for shift in (-2, -1, 1)
        }


def test_a_weak_effect_beside_a_strong_one_stays() -> None:
    graphs = [gp.discover(weak_beside_strong(4000, seed), max_lag=2, progress=False) for seed in (1, 2, 3)]
    for found in graphs:
        assert found.graph[0, 3, 1]
        assert found.graph[1, 3, 2]
        assert "small beside the others" not in found.summary()
