"""What both engines share: the arrays they fill, and pairs of unknown direction."""

from __future__ import annotations

import numpy as np

from grace_plugin.graph.outcome import Reason
from grace_plugin.graph.outcome_builder import (
    Verdicts,
    both_directions,
    larger_of_both,
    p_value_of_both,
    pair_parents,
)


def test_edges_to_be_kept_stay_and_say_why() -> None:
    keep = np.zeros((2, 2, 2), dtype=bool)
    keep[0, 1, 1] = True
    found = Verdicts(keep)
    cells = np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([1, 1, 1])
    no, numbers = np.zeros(3, dtype=bool), np.array([0.1, 0.2, 0.3])
    found.write(cells, numbers, no, numbers, numbers, certified=np.array([True, True, False]))
    assert np.argwhere(found.graph).tolist() == [[0, 1, 1]]
    assert found.reason[cells].tolist() == [Reason.KEEP, Reason.CERTIFICATE, Reason.GATE]
    assert found.gates[cells].tolist() == numbers.tolist()
    assert np.isnan(found.p_value[:, :, 0]).all()
    assert (found.reason[:, :, 0] == Reason.SKELETON).all()


def test_a_later_test_leaves_gate_and_reason() -> None:
    found = Verdicts(np.zeros((2, 2, 2), dtype=bool))
    cells, yes, one = (np.array([0]), np.array([1]), np.array([1])), np.array([True]), np.array([1.0])
    found.write(cells, one, yes, one, one, yes)
    found.revise(cells, False, np.array([0.5]), np.array([0.7]))
    assert not found.graph.any()
    assert (found.gain[cells], found.p_value[cells]) == (0.5, 0.7)
    assert (found.gates[cells], found.reason[cells]) == (1.0, Reason.CERTIFICATE)


def test_a_pair_gets_one_verdict_from_its_two_directions() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    assert both_directions(pairs).tolist() == [[0, 1], [1, 2], [1, 0], [2, 1]]
    assert larger_of_both(np.array([1.0, 2.0, 3.0, 0.0])).tolist() == [3.0, 2.0]
    assert p_value_of_both(np.array([0.01, 0.9, 0.5, 0.8])).tolist() == [0.02, 1.0]
    found = Verdicts(np.zeros((3, 3, 2), dtype=bool))
    numbers = np.array([0.25, 0.5])
    found.write_pairs(pairs, numbers, np.array([True, False]), numbers, numbers, np.array([True, True]))
    assert np.argwhere(found.graph).tolist() == [[0, 1, 0], [1, 0, 0]]
    for array in (found.gates, found.gain, found.p_value):
        assert array[1, 2, 0] == array[2, 1, 0] == 0.5


def test_a_pair_is_judged_beside_the_parents_of_both_ends() -> None:
    directed = np.zeros((4, 4, 2), dtype=bool)
    directed[2, 0, 1] = directed[3, 1, 0] = directed[1, 0, 0] = directed[0, 1, 0] = directed[0, 1, 1] = True
    assert pair_parents(directed, 0, 1).tolist() == [[0, 0], [0, 1], [2, 1], [3, 0]]
