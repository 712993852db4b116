"""Edges that are small beside the others are closed where a model misses something, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common.arrays import FloatArray
from grace_plugin.regression.lack_of_fit import small_beside_own_past


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


def measured_with_noise(rows: int, seed: int, noise: float) -> FloatArray:
    """Four slow variables in a chain, each seen with noise of its own."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, 4))
    for t in range(1, rows):
        values[t] += 0.8 * values[t - 1]
        values[t, 1:] += 0.5 * values[t - 1, :-1]
    return values + noise * values.std(axis=0) * rng.normal(size=values.shape)


CHAIN = {(0, 1, 1), (1, 2, 1), (2, 3, 1)}


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


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_own_past_tells_how_much_noise_of_the_measurement_makes_up() -> None:
    found = gp.discover(measured_with_noise(8000, seed=1, noise=0.3), max_lag=2, progress=False)
    cross = {edge for edge in found.native if edge[0] != edge[1]}
    assert cross >= CHAIN
    small = found.edges[found.edges.reason == "small"]
    assert {(int(a[1]), int(b[1])) for a, b in zip(small.cause, small.effect, strict=True)} - {
        (0, 1),
        (1, 2),
        (2, 3),
    }
    assert "small beside the others" in found.summary()
    with pytest.warns(gp.exceptions.DataWarning, match="measured with noise, rounded"):
        gp.discover(measured_with_noise(8000, seed=1, noise=0.3), max_lag=2, progress=False)


def test_a_further_lag_of_a_pair_is_its_echo_where_own_past_shows_misfit() -> None:
    cells = np.array([(0, 0, 1), (0, 0, 2), (1, 0, 1), (1, 0, 2), (2, 0, 2)])
    gain = np.array([0.3, 0.01, 0.1, 0.02, 0.02])
    sure = np.full(5, -40.0)
    assert small_beside_own_past(cells, sure, gain).tolist() == [False, False, False, True, False]
    without = np.array([0, 2, 3, 4])
    assert not small_beside_own_past(cells[without], sure[without], gain[without]).any()


def test_without_noise_of_the_measurement_nothing_is_small() -> None:
    found = gp.discover(measured_with_noise(8000, seed=1, noise=0.0), max_lag=2, progress=False)
    assert {edge for edge in found.native if edge[0] != edge[1]} == CHAIN
    assert "small beside the others" not in found.summary()


def test_few_variables_with_a_long_past_of_their_own_are_no_sign_of_misfit() -> None:
    """Of forty variables three have a second lag; a weak edge stays."""
    own = [(v, v, 1) for v in range(40)] + [(v, v, 2) for v in range(3)]
    cells = np.array([*own, (0, 1, 1), (2, 1, 1)])
    gain = np.array([0.3] * 40 + [0.02] * 3 + [0.2, 0.01])
    sure = np.full(len(cells), -40.0)
    assert not small_beside_own_past(cells, sure, gain).any()
    many = np.array([*own, *((v, v, 2) for v in range(3, 8)), (0, 1, 1), (2, 1, 1)])
    gains = np.array([0.3] * 40 + [0.02] * 8 + [0.2, 0.01])
    assert np.flatnonzero(small_beside_own_past(many, np.full(len(many), -40.0), gains)).tolist() == [
        len(many) - 1
    ]


def test_only_lagged_edges_that_would_stay_are_small() -> None:
    cells = np.array([(0, 0, 1), (0, 0, 2), (1, 0, 1), (2, 0, 3), (2, 0, 0)])
    gain = np.array([0.3, 0.02, 0.1, 0.01, 0.01])
    sure = np.full(5, -40.0)
    assert small_beside_own_past(cells, sure, gain).tolist() == [False, False, False, True, False]
    assert not small_beside_own_past(cells, np.full(5, -1.0), gain).any()
