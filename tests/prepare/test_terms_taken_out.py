"""Seasons and trends that are much of a variable are taken out of its values; everything else keeps them."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.prepare.preparing import prepare
from grace_plugin.prepare.steady_trends import steady_trends
from grace_plugin.series.panel import as_panel

ROWS = 500
TIME = np.arange(ROWS)


def noise(seed: int, columns: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(ROWS, columns))


def values_after(x: np.ndarray) -> np.ndarray:
    return np.asarray(prepare(as_panel(x)).panel.series[0].values)


def acting_together(seed: int) -> np.ndarray:
    """The product of the first two acts on the third."""
    x = noise(seed, 3)
    x[1:, 2] += 0.8 * x[:-1, 0] * x[:-1, 1]
    return x


def rhythm(rows: int = ROWS) -> np.ndarray:
    """Predators and prey: a line in the spectrum that is the system itself."""
    prey, hunter = np.ones(rows * 20), np.ones(rows * 20)
    rng = np.random.default_rng(0)
    for t in range(1, len(prey)):
        a, b = prey[t - 1], hunter[t - 1]
        prey[t] = a + 0.02 * a * (1 - b) + 0.003 * rng.normal()
        hunter[t] = b + 0.02 * b * (a - 1) + 0.003 * rng.normal()
    return np.column_stack([prey, hunter])[::20]


def test_much_is_taken_out_where_products_act_and_the_mean_stays() -> None:
    x = acting_together(0) + 7.0
    wave = np.sin(2 * np.pi * TIME / 25)
    x += np.array([3.0, 3.0, 0.6]) * wave[:, None]
    before = x.copy()
    after = values_after(x)
    for one in (0, 1):
        assert np.corrcoef(after[:, one], wave)[0, 1] ** 2 < 0.01
        assert after[:, one].mean() == pytest.approx(before[:, one].mean())
    np.testing.assert_array_equal(after[:, 2], before[:, 2])
    np.testing.assert_array_equal(x, before)


def test_many_variables_keep_their_seasons_and_are_judged_beside_them() -> None:
    x = np.concatenate([acting_together(1), noise(5, 77)], axis=1)
    x += 3.0 * np.sin(2 * np.pi * TIME / 25)[:, None]
    prepared = prepare(as_panel(x), ["cycles"])
    np.testing.assert_array_equal(prepared.panel.series[0].values, x)
    assert len(prepared.controlled) == 80


def test_a_system_keeps_its_rhythm() -> None:
    x = rhythm()
    assert prepare(as_panel(x), ["cycles"]).controlled
    np.testing.assert_array_equal(prepare(as_panel(x), ["cycles"]).panel.series[0].values, x)


def test_a_calendar_and_what_wanders_keep_their_values() -> None:
    x = noise(1, 3)
    x[:, 0] = np.sin(2 * np.pi * TIME / 25)
    x[:, 1] = np.cumsum(x[:, 1])
    np.testing.assert_array_equal(values_after(x), x)


def test_events_keep_their_values() -> None:
    x = (noise(2) > 1.9) * np.abs(noise(3)) * 5
    x[TIME < 250] = 0.0
    after = prepare(as_panel(x), ["trends", "steps", "cycles", "persistence"]).panel.series[0].values
    np.testing.assert_array_equal(after, x)


def test_a_bent_trend_that_own_past_stands_in_for_is_found_and_a_walk_has_none() -> None:
    line = np.linspace(-1, 1, ROWS)
    bent = [noise(seed, 1) + 12 * line[:, None] ** 2 for seed in range(10)]
    walks = [np.cumsum(noise(seed, 1), axis=0) for seed in range(100)]
    slow = []
    for seed in range(20):
        made = noise(seed, 1)
        for t in range(1, ROWS):
            made[t] += 0.98 * made[t - 1]
        slow.append(made)
    assert sum(bool(steady_trends(x)[0]) for x in bent) == 10
    assert sum(bool(steady_trends(x)[0]) for x in walks) <= 1
    assert sum(bool(steady_trends(x)[0]) for x in slow) <= 1


def test_products_are_found_under_a_season_and_it_is_told() -> None:
    x = acting_together(4)
    x += 3.0 * np.sin(2 * np.pi * TIME / 30)[:, None] + np.linspace(-2, 2, ROWS)[:, None]
    found = gp.discover(x, 2, progress=False)
    cross = {(c, e) for c, e, _ in np.argwhere(found.graph).tolist() if c != e}
    assert cross == {(0, 2), (1, 2)}
    assert "Taken out of values of which they are much: x0, x1, x2." in found.summary()
