"""Products of the last step: a chaotic system in small steps is seen whatever lags are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.regression import judge


def lorenz96(d: int, rows: int, forcing: float, seed: int) -> np.ndarray:
    """In steps of .05, a little noise after each."""
    rng = np.random.default_rng(seed)
    x, made = forcing + rng.normal(size=d), np.empty((rows + 100, d))

    def slope(x: np.ndarray) -> np.ndarray:
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + forcing

    for t in range(len(made)):
        for _ in range(4):
            half = x + 0.00625 * slope(x)
            x = x + 0.0125 * slope(half)
        x = x + 0.1 * rng.normal(size=d)
        made[t] = x
    return made[100:]


@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
def test_lorenz96_from_250_rows_with_three_lags() -> None:
    found = gp.discover(lorenz96(8, 250, 10.0, 5), 3, progress=False).graph.any(axis=2)
    effect = np.arange(8)
    truth = np.zeros((8, 8), dtype=bool)
    for before in (-1, 1, 2):
        truth[(effect - before) % 8, effect] = True
    np.fill_diagonal(found, False)
    hits = int((found & truth).sum())
    assert 2 * hits / (found.sum() + truth.sum()) >= 0.95


def test_a_graph_without_products_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 4))
    for t in range(2, 400):
        x[t, 1] += 0.6 * x[t - 2, 0]
        x[t, 2] += 0.5 * abs(x[t - 1, 1])
    with_products, without = (gp.discover(x, 3, interactions=one, progress=False) for one in (True, False))
    assert set(with_products.native) == set(without.native) == {(0, 1, 2), (1, 2, 1)}


@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
def test_the_last_step_is_not_asked_where_nothing_acts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(judge, "_of_last_step", lambda *given: asked.append(given) or {})
    gp.discover(np.random.default_rng(1).normal(size=(300, 4)), 3, progress=False)
    assert not asked
    gp.discover(lorenz96(6, 300, 10.0, 5), 3, progress=False)
    assert asked
