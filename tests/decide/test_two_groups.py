"""Two groups: empty graphs stay empty, inflated tests are seen, probabilities mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from grace_plugin.decide.two_groups import TwoGroups, fit_two_groups, positions


def _cells(
    rng: np.random.Generator, nulls: int, edges: int, scale: float = 1.0, mean: float = 4.0
) -> np.ndarray:
    null = scale * rng.chisquare(1, size=nulls)
    true = np.exp(rng.normal(mean, 0.8, size=edges))
    return np.log(np.maximum(chdtrc(1, np.concatenate([null, true])), 1e-300))


@pytest.mark.parametrize("cells", [6, 40, 300, 12_000])
def test_a_graph_without_edges_stays_empty(cells: int) -> None:
    rng = np.random.default_rng(cells)
    false = []
    for _ in range(20):
        log_p = _cells(rng, cells, 0)
        false.append((fit_two_groups(log_p).probability(log_p) > 0.5).sum())
    assert np.mean(false) <= 0.25


def test_the_share_and_the_place_of_edges_are_learned() -> None:
    groups = fit_two_groups(_cells(np.random.default_rng(0), 1800, 200))
    assert groups.share == pytest.approx(0.1, abs=0.03)
    assert groups.mean == pytest.approx(4.0, abs=0.25)
    assert groups.scale < 1.2


def test_inflated_tests_are_seen_and_held_back() -> None:
    log_p = _cells(np.random.default_rng(1), 900, 60, scale=5.0, mean=5.5)
    groups = fit_two_groups(log_p)
    assert 3.5 < groups.scale < 7.0
    kept = groups.probability(log_p) > 0.5
    assert kept[900:].mean() > 0.9
    assert kept[:900].sum() <= 10
    assert (log_p[:900] < np.log(1e-3)).sum() > 50  # what a level would have kept


def test_probabilities_are_shares() -> None:
    rng = np.random.default_rng(2)
    likely, true = [], []
    for _ in range(40):
        log_p = _cells(rng, 400, 40, mean=2.6)
        likely.append(fit_two_groups(log_p).probability(log_p))
        true.append(np.arange(440) >= 400)
    chance, truth = np.concatenate(likely), np.concatenate(true)
    for low, high in ((0.1, 0.4), (0.4, 0.7), (0.7, 0.95)):
        chosen = (chance > low) & (chance < high)
        assert truth[chosen].mean() == pytest.approx(chance[chosen].mean(), abs=0.1)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0.001, 0.9),
    st.floats(1.5, 7.0),
    st.floats(0.3, 2.5),
    st.floats(1.0, 20.0),
    st.floats(0.01, 0.9),
)
def test_more_evidence_is_never_less_likely(
    share: float, mean: float, deviation: float, scale: float, other: float
) -> None:
    groups = TwoGroups(share, mean, deviation, scale)
    log_p = -np.linspace(0.0, 3000.0, 4000)
    chance = groups.probability(log_p)
    assert (np.diff(chance) >= -1e-12).all()
    assert (chance >= 0.0).all()
    assert (chance <= 1.0).all()
    assert (np.diff(groups.probability(log_p, other)) >= -1e-12).all()


def test_evidence_beyond_floats_is_certain() -> None:
    groups = fit_two_groups(_cells(np.random.default_rng(3), 300, 10))
    assert groups.probability(np.array([-5000.0]))[0] > 0.999
    assert positions(np.array([0.0, -5000.0]))[0] < 0.0
