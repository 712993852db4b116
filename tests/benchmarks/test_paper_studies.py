"""Measures of the studies of the paper, on graphs whose answer is known."""

from __future__ import annotations

import numpy as np

from benchmarks.hosts.rcot import Rcot, rcot_cdnots
from benchmarks.metrics import graded
from benchmarks.studies.neural_gates import by_truth
from benchmarks.studies.paper_topologies import ceiling, coefficients, p_values_of_true_edges


def _chain(effect: float) -> tuple[np.ndarray, np.ndarray]:
    """Two variables, 0 -> 1 at lag 2, own pasts at lag 1."""
    noise = np.random.default_rng(0).normal(size=(800, 2))
    values = np.zeros_like(noise)
    for t in range(2, len(values)):
        values[t] = 0.3 * values[t - 1] + noise[t]
        values[t, 1] += effect * values[t - 2, 0]
    truth = np.zeros((2, 2, 3), dtype=bool)
    truth[0, 1, 2] = truth[0, 0, 1] = truth[1, 1, 1] = True
    return values, truth


def test_a_clear_effect_is_visible_and_its_coefficient_is_read() -> None:
    values, truth = _chain(0.5)
    tests = p_values_of_true_edges(values, truth)
    assert tests[0, 1, 2] < 1e-6
    assert (tests[~truth] == 1.0).all()
    assert abs(coefficients(values, truth).item() - 0.5) < 0.1  # own pasts are not counted
    assert ceiling(truth, tests) > 0.999


def test_the_ceiling_falls_where_true_edges_leave_no_trace() -> None:
    truth = np.zeros((2, 2, 3), dtype=bool)
    truth[0, 1, 1] = truth[1, 0, 2] = True
    tests = np.ones(truth.shape)
    tests[0, 1, 1], tests[1, 0, 2] = 0.0, 0.5
    rng = np.random.default_rng(0)
    others, false = rng.uniform(size=100_000), rng.uniform(size=(100_000, 2)).min(axis=1)
    drawn = np.mean([1.0, np.mean(np.minimum(0.5, others) < false)])
    assert abs(ceiling(truth, tests) - drawn) < 0.005


def test_rcot_sees_a_square_and_gives_the_same_answer_twice() -> None:
    values = np.random.default_rng(1).normal(size=(300, 3))
    values[:, 1] += 2.0 * values[:, 0] ** 2
    answers = []
    for _ in range(2):
        test = Rcot()
        test.data = values
        answers.append((test(0, 1), test(0, 2, (1,))))
    assert answers[0] == answers[1]
    assert answers[0][0][0] < 0.01 < answers[0][1][0]


def test_the_stored_candidates_of_rcot_are_not_made_again() -> None:
    mask, cpu = rcot_cdnots(np.zeros((300, 20)), "scp_20_0_300")
    assert mask.shape == (20, 20, 6)
    assert mask[:, :, 1:].any()
    assert not mask[:, :, 0].any()
    assert cpu > 10.0  # when it was made


def test_gates_are_counted_by_truth() -> None:
    candidates = np.array([[[True, True, True, False]]])
    truth = np.array([[[True, False, False, True]]])
    numbers = by_truth(np.array([[[0.9, 0.1, 0.6, 0.0]]]), candidates, truth)
    assert (numbers["true_edges"], numbers["true_open"]) == (1.0, 1.0)
    assert (numbers["false_edges"], numbers["false_open"], numbers["false_undecided"]) == (2.0, 0.5, 0.5)


def test_ranking_pairs_does_not_depend_on_the_order_of_variables() -> None:
    truth = np.zeros((4, 4, 3), dtype=bool)
    truth[0, 1, 1] = truth[0, 2, 2] = truth[1, 3, 1] = True
    strength = np.full(truth.shape, -1.0)  # as of pairs that are no candidates
    strength[0, 1, 1], strength[3, 0, 2] = 0.9, 0.2
    turned = truth.transpose(1, 0, 2), strength.transpose(1, 0, 2)
    one, other = (graded(a, b > 0.5, b)["pair_auroc"] for a, b in ((truth, strength), turned))
    assert one == other
    assert (
        abs(one - (1.0 + 2 * (0.5 * 8 / 9)) / 3) < 1e-12
    )  # two true pairs tie with eight of nine false ones
