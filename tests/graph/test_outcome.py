"""One record a candidate; arrays are views of the records."""

from __future__ import annotations

import numpy as np

import grace_plugin as gp
from grace_plugin.graph.outcome import Outcome, Reason
from grace_plugin.results.json_reader import read_json


def outcome() -> Outcome:
    """Candidates 0 -> 1 at lag 1 (kept), 1 -> 0 at lag 2 (gone), 2 -> 0 at lag 1 (gone)."""
    reason = np.zeros((3, 3, 3), dtype=np.int8)
    reason[0, 1, 1], reason[1, 0, 2], reason[2, 0, 1] = Reason.CERTIFICATE, Reason.GATE, Reason.CERTIFICATE
    numbers = np.arange(27.0).reshape(3, 3, 3) / 27
    graph = np.zeros((3, 3, 3), dtype=bool)
    graph[0, 1, 1] = True
    return Outcome.of_arrays(numbers, graph, numbers, numbers, reason, alpha=0.01, rows_used=7)


def test_records_are_sorted_and_views_are_full_arrays() -> None:
    found = outcome()
    assert np.stack(found.records.cells, axis=1).tolist() == [[0, 1, 1], [1, 0, 2], [2, 0, 1]]
    assert found.records.gate.tolist() == [4 / 27, 11 / 27, 19 / 27]
    assert found.gates[1, 0, 2] == 11 / 27
    assert found.gates[1, 1, 2] == 0.0
    assert np.isnan(found.gain[1, 1, 2])
    assert np.argwhere(found.graph).tolist() == [[0, 1, 1]]
    assert found.reason.dtype == np.int8
    assert found.graph is found.graph  # made once


def test_lags_beyond_the_largest_are_left_out() -> None:
    short = outcome().up_to_lag(1)
    assert short.shape == short.gates.shape == (3, 3, 2)
    assert np.stack(short.records.cells, axis=1).tolist() == [[0, 1, 1], [2, 0, 1]]
    assert short.rows_used == 7


def test_a_mask_chooses_records() -> None:
    cells = np.zeros((3, 3, 3), dtype=bool)
    cells[0, 1, 1] = cells[1, 1, 1] = True
    chosen = outcome().within(cells)
    assert np.stack(chosen.records.cells, axis=1).tolist() == [[0, 1, 1]]
    assert chosen.shape == (3, 3, 3)


def test_another_order_of_the_variables_moves_every_column() -> None:
    found = outcome()
    order = [2, 0, 1]
    moved = found.reordered(order)
    for name in ("gates", "graph", "gain", "p_value", "reason"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(found, name)[np.ix_(order, order)])
    flat = np.ravel_multi_index(moved.records.cells, moved.shape)
    assert (np.diff(flat) > 0).all()


def test_further_columns_reach_arrays_the_table_and_json() -> None:
    x = np.random.default_rng(0).normal(size=(300, 2))
    once = gp.analyze(gp.Skeleton(np.ones((2, 2, 2)) * [0, 1], ["a", "b"]), x)
    records = once.outcome.records.with_columns(evidence=np.arange(4.0))
    more = gp.Refinement(
        once.native, once.skeleton, Outcome(records, once.outcome.shape, 0.1, 0.01, 299, 300), once.config
    )
    assert more.outcome.further("evidence")[1, 0, 1] == 2.0
    assert np.isnan(more.outcome.further("evidence")[1, 0, 0])
    row = more.edges.set_index(["cause", "effect", "lag"]).loc[("b", "a", 1)]
    assert row.evidence == 2.0
    again = read_json(more.to_json())
    assert again.edges.equals(more.edges)
