"""Edges that stay by a host's word: where the rows cannot tell, and for a lag close by."""

from __future__ import annotations

import numpy as np

from grace_plugin.decide.decision import make_decision
from grace_plugin.decide.host_edges import host_edges

SHAPE = (6, 6, 4)


def _evidence(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    possible = np.ones(SHAPE, dtype=bool)
    possible[:, :, 0] = False
    log_p = np.log(np.random.default_rng(seed).uniform(0.02, 1.0, size=SHAPE))
    return np.where(possible, log_p, 0.0), possible


def _alike(share: float) -> np.ndarray:
    return np.where(np.eye(4, dtype=bool), 1.0, share) * np.ones((6, 1, 1))


def test_the_nearest_lag_stands_for_the_one_that_acts() -> None:
    log_p, possible = _evidence()
    log_p[0, 1, 1] = log_p[2, 3, 2] = -60.0
    reported = np.zeros(SHAPE, dtype=bool)
    reported[0, 1, [2, 3]] = reported[2, 3, 2] = reported[4, 5, 1] = True
    decision = make_decision(log_p, possible)
    assert np.argwhere(host_edges(decision, reported, _alike(0.9))).tolist() == [[0, 1, 2]]
    assert not host_edges(decision, reported, _alike(0.1)).any()


def test_weak_edges_stay_where_few_of_those_reported_are_likely() -> None:
    log_p, possible = _evidence()
    log_p[0, 1, 1] = -30.0
    weak = [(1, 2, 1), (2, 3, 1), (3, 4, 2), (4, 5, 3), (5, 0, 1), (0, 4, 2)]
    reported = np.zeros(SHAPE, dtype=bool)
    reported[0, 1, 1] = True
    for place, cell in enumerate(weak):
        log_p[cell], reported[cell] = np.log(0.006 + 0.002 * place), True
    reported[[0, 1, 2, 3], [5, 5, 5, 5], 2] = True  # nothing there
    decision = make_decision(log_p, possible)
    assert np.argwhere(decision.likely()).tolist() == [[0, 1, 1]]
    assert set(map(tuple, np.argwhere(host_edges(decision, reported, _alike(0.0))).tolist())) == set(weak[:3])


def test_a_graph_of_nothing_stays_empty_and_everything_is_no_choice() -> None:
    log_p, possible = _evidence()
    reported = log_p < np.log(0.1)
    assert not host_edges(make_decision(log_p, possible), reported & possible, _alike(1.0)).any()
    log_p[0, 1, 1], log_p[2, 3, 1] = -30.0, np.log(0.008)
    assert not host_edges(make_decision(log_p, possible), possible, _alike(1.0)).any()
