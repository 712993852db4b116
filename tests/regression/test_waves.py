"""Whether data ask for a fourth feature of lagged values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.pipeline.features import WAVES
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.waves import asks_for_waves

Curve = Callable[[np.ndarray], np.ndarray]


def wave(x: np.ndarray) -> np.ndarray:
    return np.asarray((1.0 - 4.0 * np.exp(-np.square(x) / 2.0)) * x)


def series(seed: int, curve: Curve, rows: int = 300, noise: str = "normal", size: float = 0.6) -> np.ndarray:
    """Variable 0 acts on 1 two steps later, 2 on 3 at once a step later, each with a past of its own."""
    rng = np.random.default_rng(seed)
    shocks = rng.normal(size=(rows, 4)) if noise == "normal" else rng.standard_t(3, size=(rows, 4))
    if noise == "spells":
        shocks *= np.repeat(rng.choice([0.3, 2.0], size=rows // 20), 20)[:, None]
    x = np.zeros((rows, 4))
    for t in range(2, rows):
        x[t] = 0.4 * x[t - 1] + shocks[t]
        x[t, 1] += size * curve(x[t - 2, 0])
        x[t, 3] += size * curve(x[t - 1, 2])
    return x


def asks(x: np.ndarray, max_lag: int = 3) -> bool:
    values = (x - x.mean(axis=0)) / x.std(axis=0)
    return asks_for_waves(LaggedRows(values, np.arange(max_lag, len(x)), max_lag))


@pytest.mark.parametrize("seed", range(4))
def test_waves_ask(seed: int) -> None:
    assert asks(series(seed, wave))


@pytest.mark.parametrize("curve", [lambda x: x, np.abs, np.square], ids=["linear", "absolute", "square"])
@pytest.mark.parametrize("noise", ["normal", "heavy", "spells"])
def test_what_the_usual_features_follow_does_not(curve: Curve, noise: str) -> None:
    scaled = lambda x: 0.5 * curve(np.clip(x, -2.0, 2.0))  # noqa: E731
    usual = curve if noise == "normal" else scaled
    assert sum(asks(series(seed, usual, noise=noise)) for seed in range(20)) <= 2


def test_few_rows_and_no_lags_ask_for_nothing() -> None:
    assert not asks(series(0, wave, rows=50))
    assert not asks(series(0, wave), max_lag=0)


def test_variables_more_than_the_rows_can_carry_are_judged_beside_their_own_past() -> None:
    rng = np.random.default_rng(5)
    assert asks(np.column_stack([series(5, wave, rows=200), rng.normal(size=(200, 40))]))


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e}


@pytest.mark.parametrize("seed", range(2))
def test_discover_and_refine_see_waves_in_few_rows_and_say_so(seed: int) -> None:
    x, truth = series(seed, wave), {(0, 1, 2), (2, 3, 1)}
    found = gp.discover(x, 3, progress=False)
    assert truth <= cross(found)
    assert len(cross(found)) <= 3
    assert WAVES in found.outcome.details.notes
    every = np.ones((4, 4, 4), dtype=bool)
    every[:, :, 0] = False
    assert truth <= cross(gp.analyze(gp.Skeleton(every), x, progress=False))


def test_linear_data_have_the_usual_features_and_no_word_of_it() -> None:
    found = gp.discover(series(1, lambda x: x), 3, progress=False)
    assert WAVES not in found.outcome.details.notes
    assert found.outcome.details.basis == ("linear", "square", "absolute")


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_weak_waves_are_found_by_it() -> None:
    truth, found, usual = {(0, 1, 2), (2, 3, 1)}, 0, 0
    for seed in range(8):
        x = series(seed, wave, size=0.35)
        found += len(truth & cross(gp.discover(x, 3, progress=False)))
        basis = ("linear", "square", "absolute")
        usual += len(truth & cross(gp.discover(x, 3, basis=basis, progress=False)))
    assert found >= 14
    assert found >= usual + 4
