"""When the data ask for a search within one step."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.lag0.ask import Question, question
from grace_plugin.lag0.common_factor import hidden_pairs, loadings
from tests.lag0.step_worlds import chain, simulate, step_search

PASTS = np.diag([0.5] * 6)


def asked(x: np.ndarray) -> Question:
    return question(step_search(x).residuals)


@pytest.mark.parametrize("seed", range(4))
def test_clean_series_ask_for_nothing(seed: int) -> None:
    found = asked(simulate(np.zeros((6, 6)), PASTS, 500, seed))
    assert not found.asks
    assert found.pairs == 0
    assert found.possible == 15


def test_an_effect_within_the_step_asks() -> None:
    now = np.zeros((6, 6))
    now[2, 4] = -0.6
    found = asked(simulate(now, PASTS, 500, 1))
    assert found.asks
    assert found.strongest == (2, 4)
    assert found.pairs == 1
    assert found.correlation == pytest.approx(-0.51, abs=0.1)


def test_noise_that_grows_for_all_at_once_does_not_ask() -> None:
    rng = np.random.default_rng(0)
    size = np.exp(np.cumsum(rng.normal(size=600)) * 0.3)[:, None]
    x = rng.normal(size=(600, 6)) * size / size.mean()
    assert not asked(x).asks


@pytest.mark.parametrize("seed", range(3))
def test_one_hidden_cause_of_all_is_told_from_a_chain(seed: int) -> None:
    hidden = asked(simulate(np.zeros((6, 6)), PASTS, 600, seed, hidden=1.0))
    assert hidden.hidden == hidden.pairs == 15
    assert not hidden.asks
    effects = asked(simulate(chain(6, 0.9), PASTS, 600, seed))
    assert effects.pairs > 10
    assert effects.asks


def test_a_measured_cause_of_all_is_no_hidden_one() -> None:
    now = np.zeros((6, 6))
    now[0, 1:] = 0.8
    assert asked(simulate(now, PASTS, 600, 5)).asks


def test_effects_among_shocks_ask_however_much_the_past_foresees() -> None:
    shocks = simulate(chain(3, 0.5), np.zeros((3, 3)), 1000, 3)
    x = np.zeros_like(shocks)  # slowly swinging: every change is foreseen
    for t in range(2, len(x)):
        x[t] = 1.97 * x[t - 1] - 0.985 * x[t - 2] + 0.1 * shocks[t]
    assert asked(x).asks
    assert asked(simulate(chain(4, 0.5), np.diag([0.985] * 4), 1000, 3)).asks


def test_three_variables_beside_a_fourth_that_hardly_moves_with_them_have_no_hidden_cause() -> None:
    def pairs(fourth: float) -> int:
        load = np.array([0.8, 0.75, 0.7, fourth])
        correlation = np.outer(load, load)
        np.fill_diagonal(correlation, 0.0)
        return int(hidden_pairs(correlation, correlation * 100, 10_000).sum()) // 2

    assert (pairs(0.4), pairs(0.15)) == (6, 0)


def test_loadings_are_those_that_made_the_correlations() -> None:
    truth = np.array([0.9, -0.5, 0.4, 0.7, 0.3])
    correlation = np.outer(truth, truth)
    np.fill_diagonal(correlation, 0.0)
    found = loadings(correlation)
    assert np.allclose(found * np.sign(found[0]), truth, atol=1e-3)
    pairs = ~np.eye(5, dtype=bool)
    assert np.array_equal(hidden_pairs(correlation, correlation * 100, 10_000), pairs)
    assert not hidden_pairs(correlation, correlation * 5, 500).any()  # too few stand out
    assert not hidden_pairs(correlation[:3, :3], correlation[:3, :3] * 100, 500).any()


@pytest.mark.parametrize("rows", [300, 500, 1000])
def test_a_variable_that_acts_on_the_others_is_no_hidden_cause(rows: int) -> None:
    hub = np.zeros((4, 4))
    hub[0, 1:] = 0.6
    found = [asked(simulate(hub, PASTS[:4, :4], rows, seed)) for seed in range(10)]
    assert [one.hidden for one in found] == [0] * 10
    assert all(one.asks for one in found)
    shared = [asked(simulate(np.zeros((4, 4)), PASTS[:4, :4], rows, seed, hidden=1.0)) for seed in range(10)]
    assert sum(one.hidden == one.pairs for one in shared) >= 9


def test_a_hidden_cause_of_some_is_told_from_an_effect_between_others() -> None:
    x = simulate(np.zeros((5, 5)), PASTS[:5, :5], 800, 7, hidden=1.0)
    x = np.column_stack([x, simulate(chain(2), PASTS[:2, :2], 800, 8)])
    found = asked(x)
    assert found.pairs == 11
    assert found.hidden == 10
    assert found.asks


def test_many_weak_pairs_ask_together() -> None:
    """None of them stands out by itself, and one such pair says nothing."""
    now = np.zeros((6, 6))
    now[range(5), range(1, 6)] = 0.2
    together = asked(simulate(now, PASTS, 200, 7))
    assert together.asks
    assert together.pairs == 3
    assert abs(together.correlation) * np.sqrt(200) < 4.0
    now[:4] = 0.0
    assert not asked(simulate(now, PASTS, 200, 7)).asks


def test_chance_asks_no_oftener_than_it_should() -> None:
    asking = sum(asked(simulate(np.zeros((6, 6)), PASTS, 150, seed)).asks for seed in range(150))
    assert asking <= 2
