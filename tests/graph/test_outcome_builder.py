"""What both engines share: the columns they fill, and pairs of unknown direction."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.graph.outcome import Details, Outcome, Reason
from grace_plugin.graph.outcome_builder import (
    OutcomeBuilder,
    both_directions,
    larger_of_both,
    p_value_of_both,
    pair_parents,
)
from grace_plugin.graph.skeleton import Skeleton


class Rows:
    """As much of the sums as a builder asks for."""

    rows, rows_given, max_lag = 90, 100, 1

    def with_max_lag(self, max_lag: int) -> Rows:
        del max_lag
        return self


def builder(mask: BoolArray, keep: BoolArray | None = None) -> OutcomeBuilder:
    return OutcomeBuilder(Skeleton(mask), np.zeros_like(mask) if keep is None else keep)


def finished(found: OutcomeBuilder) -> Outcome:
    return found.outcome(0.1, 0.05, Rows(), Details())


def lagged(variables: int = 2) -> BoolArray:
    mask = np.zeros((variables, variables, 2), dtype=bool)
    mask[:, :, 1] = True
    return mask


def test_edges_to_be_kept_stay_and_say_why() -> None:
    keep = np.zeros((2, 2, 2), dtype=bool)
    keep[0, 1, 1] = True
    found = builder(lagged(), keep)
    cells = np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([1, 1, 1])
    no, numbers = np.zeros(3, dtype=bool), np.array([0.1, 0.2, 0.3])
    found.write(cells, numbers, no, numbers, numbers, certified=np.array([True, True, False]))
    outcome = finished(found)
    assert np.argwhere(outcome.graph).tolist() == [[0, 1, 1]]
    assert outcome.reason[cells].tolist() == [Reason.KEEP, Reason.CERTIFICATE, Reason.GATE]
    assert outcome.gates[cells].tolist() == found.gates[cells].tolist() == numbers.tolist()
    assert np.isnan(outcome.p_value[:, :, 0]).all()
    assert (outcome.reason[:, :, 0] == Reason.SKELETON).all()
    assert (outcome.rows_used, outcome.rows_given) == (90, 100)


def test_there_is_one_record_for_each_candidate() -> None:
    mask = lagged(3)
    mask[0, 2, 1] = False
    records = finished(builder(mask)).records
    assert np.array_equal(np.stack(records.cells, axis=1), np.argwhere(mask))


def test_a_later_test_leaves_gate_and_reason() -> None:
    found = builder(lagged())
    cells, yes, one = (np.array([0]), np.array([1]), np.array([1])), np.array([True]), np.array([1.0])
    found.write(cells, one, yes, one, one, yes)
    found.revise(cells, False, np.array([0.5]), np.array([0.7]))
    outcome = finished(found)
    assert not outcome.graph.any()
    assert (outcome.gain[cells], outcome.p_value[cells]) == (0.5, 0.7)
    assert (outcome.gates[cells], outcome.reason[cells]) == (1.0, Reason.CERTIFICATE)


def test_a_pair_gets_one_decision_from_its_two_directions() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    assert both_directions(pairs).tolist() == [[0, 1], [1, 2], [1, 0], [2, 1]]
    assert larger_of_both(np.array([1.0, 2.0, 3.0, 0.0])).tolist() == [3.0, 2.0]
    assert p_value_of_both(np.array([0.01, 0.9, 0.5, 0.8])).tolist() == [0.02, 1.0]
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[:, :, 0] = ~np.eye(3, dtype=bool)
    found = builder(mask)
    numbers = np.array([0.25, 0.5])
    found.write_pairs(pairs, numbers, np.array([True, False]), numbers, numbers, np.array([True, True]))
    outcome = finished(found)
    assert np.argwhere(outcome.graph).tolist() == [[0, 1, 0], [1, 0, 0]]
    for array in (outcome.gates, outcome.gain, outcome.p_value):
        assert array[1, 2, 0] == array[2, 1, 0] == 0.5


def test_a_pair_is_judged_beside_the_parents_of_both_ends() -> None:
    directed = np.zeros((4, 4, 2), dtype=bool)
    directed[2, 0, 1] = directed[3, 1, 0] = directed[1, 0, 0] = directed[0, 1, 0] = directed[0, 1, 1] = True
    assert pair_parents(directed, 0, 1).tolist() == [[0, 0], [0, 1], [2, 1], [3, 0]]
