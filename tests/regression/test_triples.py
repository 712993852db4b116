"""Three values that act only together stand out, and those that do not act do not."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.triples import acting_in_threes
from grace_plugin.series.panel import as_panel

CAUSES = {(0, 1), (1, 2), (3, 1)}


def of_three(seed: int, size: float, rows: int = 1000) -> np.ndarray:
    """x4 is up or down by the signs of x0 one step, x1 two steps and x3 one step before."""
    x = np.random.default_rng(seed).normal(size=(rows, 5))
    past = [x[2 - lag : -lag, cause] for cause, lag in CAUSES]
    x[2:, 4] += size * np.sign(np.prod(past, axis=0))
    return x


def found_in(x: np.ndarray, effect: int = 4) -> dict[tuple[int, int], float]:
    rows = LaggedRows.of(as_panel(x), 2, x.mean(axis=0), x.std(axis=0))
    cells = np.array([(cause, lag) for cause in range(5) for lag in (1, 2)])
    return acting_in_threes(rows, effect, cells, DEFAULT_BASIS, 5)


@pytest.mark.parametrize("seed", range(3))
def test_three_that_act_together_are_found(seed: int) -> None:
    assert set(found_in(of_three(seed, 0.7))) == CAUSES


def test_chance_finds_none() -> None:
    wrong = [found_in(of_three(seed, 0.0)) for seed in range(40)]
    assert sum(map(bool, wrong)) <= 2


def test_noise_that_changes_its_size_finds_none() -> None:
    rng = np.random.default_rng(9)
    wrong = 0
    for seed in range(20):
        size = np.exp(np.cumsum(0.1 * rng.normal(size=600)))[:, None]
        wrong += bool(found_in(of_three(seed, 0.0, 600) * np.clip(size, 0.05, 20.0)))
    assert wrong <= 1


@pytest.mark.neural
def test_the_neural_engine_finds_what_no_pair_shows() -> None:
    x = of_three(5, 0.7)
    found = gp.discover(x, 2, engine="neural", skeleton="full", progress=False)
    assert {(c, lag) for c, e, lag in np.argwhere(found.graph).tolist() if e == 4} == CAUSES
