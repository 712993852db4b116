"""Lags of one pair judged together: the formula by enumeration, and when it is asked for at all."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.decide.pair_groups import PairGroups, fit_pair_groups

CHANCE = st.floats(0.01, 0.99)
EVEN = st.lists(st.floats(-8.0, 30.0), min_size=1, max_size=5)


def by_enumeration(acting: float, rho: float, even: list[float]) -> np.ndarray:
    """P of each lag, all graphs of the pair weighed one by one."""
    count = len(even)
    total, found = 1.0 - acting, np.zeros(count)
    for chosen in product((0, 1), repeat=count):
        if any(chosen):
            prior = rho ** sum(chosen) * (1 - rho) ** (count - sum(chosen)) / (1 - (1 - rho) ** count)
            weight = acting * prior * np.exp(np.dot(chosen, even))
            total, found = total + weight, found + weight * np.array(chosen)
    return np.asarray(found / total)


@given(CHANCE, CHANCE, EVEN)
def test_probabilities_are_those_of_all_graphs_of_a_pair(
    acting: float, rho: float, even: list[float]
) -> None:
    odds = PairGroups(acting, rho).log_odds(np.array(even), np.zeros(len(even), dtype=np.int64))
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), by_enumeration(acting, rho, even), atol=1e-9)


@given(CHANCE, EVEN)
def test_lags_that_know_nothing_of_one_another_are_a_special_case(share: float, even: list[float]) -> None:
    pairs = PairGroups(1 - (1 - share) ** len(even), share)
    odds = pairs.log_odds(np.array(even), np.zeros(len(even), dtype=np.int64))
    np.testing.assert_allclose(odds, np.array(even) + np.log(share / (1 - share)), atol=1e-6)


def test_they_are_asked_for_where_lags_go_together_and_nowhere_else() -> None:
    rng = np.random.default_rng(0)
    pair = np.repeat(np.arange(90), 3)
    quiet = -2.0 + 0.5 * rng.normal(size=270)
    together = fit_pair_groups(np.where(pair < 15, 2.0, quiet), pair, 45 / 270)
    assert together is not None
    assert together.lags > 0.6
    apart = np.where(np.isin(np.arange(270), rng.choice(270, 20, replace=False)), 6.0, quiet)
    assert fit_pair_groups(apart, pair, 20 / 270) is None
    assert fit_pair_groups(quiet[:90], np.arange(90), 0.1) is None  # one lag a pair


def test_effects_over_several_steps_are_found_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    d, rows = 8, 1000
    acts = np.zeros((d, d), dtype=bool)
    for effect in range(d):
        acts[rng.choice([one for one in range(d) if one != effect], 2, replace=False), effect] = True
    x = rng.normal(size=(rows, d))
    for t in range(3, rows):
        x[t] += sum(0.1 * (x[t - lag] @ (acts + np.eye(d))) for lag in (1, 2, 3))
    pairs = gp.discover(x, 3, progress=False).graph.any(axis=2)
    off = ~np.eye(d, dtype=bool)
    assert (pairs & acts & off).sum() >= 15
    assert (pairs & ~acts & off).sum() <= 1
