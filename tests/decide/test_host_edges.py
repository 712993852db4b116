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


def test_lag_0_stands_for_a_lag_that_acts_in_one_direction_or_open() -> None:
    log_p, possible = _evidence()
    log_p[0, 1, 1] = log_p[2, 3, 2] = log_p[4, 5, 1] = -60.0
    reported, pairs = np.zeros(SHAPE, dtype=bool), np.zeros(SHAPE[:2], dtype=bool)
    reported[0, 1, 0] = reported[3, 2, 0] = reported[4, 5, 0] = reported[4, 5, 1] = True
    pairs[3, 2] = pairs[2, 3] = pairs[0, 4] = pairs[4, 0] = True
    stays = host_edges(make_decision(log_p, possible), reported, _alike(0.9), pairs)
    assert np.argwhere(stays).tolist() == [[0, 1, 0], [2, 3, 0], [3, 2, 0]]
    assert not host_edges(make_decision(log_p, possible), reported, _alike(0.1), pairs).any()


def test_where_much_is_unsure_a_lower_probability_promises_the_better_graph() -> None:
    log_p, possible = _evidence()
    log_p[0, 1, 1] = -12.0
    weak = [(1, 2, 1), (2, 3, 1)]
    reported = np.zeros(SHAPE, dtype=bool)
    reported[0, 1, 1] = True
    for cell in weak:
        log_p[cell], reported[cell] = np.log(0.002), True
    reported[[0, 1, 2, 3], [5, 5, 5, 5], 2] = True  # nothing there
    decision = make_decision(log_p, possible)
    stays = host_edges(decision, reported, _alike(0.0))
    assert np.argwhere(decision.likely()).tolist() == [[0, 1, 1]]
    assert np.argwhere(stays).tolist() == [list(cell) for cell in weak]
    assert 0.25 < decision.probability[stays].min() < 0.5


def test_clear_edges_leave_no_room_for_doubtful_ones() -> None:
    log_p, possible = _evidence()
    reported = np.zeros(SHAPE, dtype=bool)
    for cause in range(6):
        cell = (cause, (cause + 1) % 6, 1)
        log_p[cell], reported[cell] = -60.0, True
    log_p[0, 3, 2], reported[0, 3, 2] = np.log(0.01), True
    assert not host_edges(make_decision(log_p, possible), reported, _alike(0.0)).any()


def test_a_graph_of_nothing_stays_empty_unless_chance_does_not_make_so_many() -> None:
    log_p, possible = _evidence()
    reported = (log_p < np.log(0.1)) & possible
    assert not host_edges(make_decision(log_p, possible), reported, _alike(1.0)).any()
    cells = [(1, 2, 1), (2, 3, 1)]
    for cell in cells:
        log_p[cell], reported[cell] = np.log(0.002), True
    decision = make_decision(log_p, possible)
    assert not decision.likely().any()
    assert np.argwhere(host_edges(decision, reported, _alike(1.0))).tolist() == [list(cell) for cell in cells]
    log_p[cells[1]] = np.log(0.02)
    assert not host_edges(make_decision(log_p, possible), reported, _alike(1.0)).any()
