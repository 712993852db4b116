"""The decision: kinds of cells, cuts that agree with one another, and what is expected to be false."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grace_plugin.decide.decision import kinds, make_decision
from grace_plugin.decide.path import Path


def _lagged(d: int, lags: int) -> np.ndarray:
    possible = np.ones((d, d, lags + 1), bool)
    possible[:, :, 0] = False
    return possible


def _null(seed: int, d: int, lags: int) -> np.ndarray:
    log_p = np.log(np.random.default_rng(seed).uniform(size=(d, d, lags + 1)))
    log_p[:, :, 0] = 0.0
    return log_p


def test_every_possible_cell_is_of_one_kind() -> None:
    possible = _lagged(4, 3)
    possible[0, 1, 0] = True
    cross, last, own, step = kinds(possible)
    assert (cross.sum(), last.sum(), own.sum(), step.sum()) == (36, 4, 8, 1)
    assert np.array_equal(cross | last | own | step, possible)


def test_own_last_values_need_less_evidence_than_others() -> None:
    log_p = _null(0, 8, 3)
    log_p[np.arange(8), np.arange(8), 1] = np.log(1e-12)
    log_p[0, 0, 1] = log_p[0, 1, 1] = log_p[0, 0, 2] = np.log(2e-3)
    chance = make_decision(log_p, _lagged(8, 3)).probability
    assert chance[0, 0, 1] > 0.5 > max(chance[0, 1, 1], chance[0, 0, 2])


def test_a_pair_within_one_step_answers_for_all_pairs() -> None:
    """What a search leaves of 44,850 pairs is not 50 of 50."""
    d, rng = 60, np.random.default_rng(1)
    possible, log_p = _lagged(d, 1), _null(1, d, 1)
    every = np.log(rng.uniform(size=d * (d - 1) // 2))
    cause, effect = np.triu_indices(d, 1)
    best = np.argsort(every)[:50]
    possible[cause[best], effect[best], 0] = True
    log_p[cause[best], effect[best], 0] = every[best]
    assert make_decision(log_p, possible).likely()[:, :, 0].sum() <= 1


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8), st.integers(1, 3), st.integers(0, 12))
def test_cuts_agree(seed: int, d: int, lags: int, edges: int) -> None:
    rng, log_p, possible = np.random.default_rng(seed), _null(seed, d, lags), _lagged(d, lags)
    places = rng.choice(np.flatnonzero(possible), size=min(edges, int(possible.sum())), replace=False)
    log_p.ravel()[places] = -rng.uniform(5.0, 200.0, size=len(places))
    decision = make_decision(log_p, possible)
    assert not (decision.likely(0.8) & ~decision.likely(0.5)).any()
    assert not (decision.at_rate(0.05) & ~decision.at_rate(0.2)).any()
    for rate in (0.05, 0.2):
        graph = decision.at_rate(rate)
        assert decision.expected_false(graph) <= rate * graph.sum() + 1e-9
    path = Path.of(decision)
    assert (np.diff(path.fdr) >= -1e-12).all()
    assert len(path.kept) == possible.sum()


def test_the_level_of_one_half_is_where_cross_cells_are_as_likely_as_not() -> None:
    log_p = _null(3, 10, 3)
    log_p[0, 1:6, 1] = -np.array([12.0, 20.0, 30.0, 45.0, 80.0])
    decision = make_decision(log_p, _lagged(10, 3))
    level = decision.half_level
    around = decision.groups.probability(np.log(level) + np.array([-0.01, 0.01]))
    assert around[0] > 0.5 > around[1] - 1e-3
    assert decision.price(500) == pytest.approx(2.0 * decision.price(1000))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_few_cells_fall_back_to_what_is_believed(d: int) -> None:
    log_p = np.full((d, d, 2), np.log(0.4))
    log_p[0, d - 1, 1] = np.log(1e-10)
    decision = make_decision(log_p, _lagged(d, 1))
    assert np.argwhere(decision.likely()).tolist() == [[0, d - 1, 1]]


def test_certain_own_past_does_not_pay_for_doubtful_edges() -> None:
    log_p, possible = _null(3, 6, 3), _lagged(6, 3)
    log_p[np.arange(6), np.arange(6), 1] = -80.0
    log_p[0, 1, 1] = log_p[2, 3, 2] = -60.0
    decision = make_decision(log_p, possible)
    cross = kinds(possible)[0]
    assert (decision.at_rate(0.2) & cross).sum() == 2  # a third one would be one of three
