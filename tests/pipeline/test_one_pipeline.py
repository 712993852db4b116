"""`discover`, `refine` and each window of a bootstrap are doors to one path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin._common.arrays import FloatArray
from grace_plugin.exceptions import OptionError
from grace_plugin.pipeline.data_warnings import DataWarning

pytestmark = pytest.mark.filterwarnings("ignore::grace_plugin.pipeline.data_warnings.DataWarning")


def world(seed: int, rows: int, variables: int) -> FloatArray:
    """Own pasts, and effects at lags 0 to 4, some of them bent."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, variables))
    edges = [(*rng.choice(variables, 2, replace=False), int(rng.integers(0, 5))) for _ in range(variables)]
    for t in range(4, rows):
        x[t] += 0.4 * x[t - 1]
        for cause, effect, lag in edges:
            value = x[t - lag, cause]
            x[t, effect] += 0.5 * (abs(value) - 0.8 if effect % 2 else np.tanh(value))
    return x


def assert_same(found: gp.Stability, alone: gp.Refinement) -> None:
    """The one record of `found` says to the bit what `alone` says."""
    (record,) = found.records
    assert record.shape == alone.graph.shape
    np.testing.assert_array_equal(np.flatnonzero((alone.gates != 0.0) | alone.graph), record.cells)
    np.testing.assert_array_equal(alone.graph.ravel()[record.cells], record.kept)
    np.testing.assert_array_equal(alone.gates.ravel()[record.cells], record.gates)
    np.testing.assert_array_equal(alone.outcome.gain.ravel()[record.cells], record.gains)
    np.testing.assert_array_equal(alone.outcome.p_value.ravel()[record.cells], record.p_values)
    assert record.rows_used == alone.outcome.rows_used


OPTIONS: list[dict[str, Any]] = [
    {},
    {"control_lag": 0},
    {"control_lag": 4},
    {"basis": ("linear",)},
    {"basis": ("linear", "square")},
    {"contemporaneous": True},
    {"keep": [(0, 1, 2)]},
    {"keep": [(1, 0)], "control_lag": 3},
]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    rows=st.sampled_from([90, 300, 820]),
    variables=st.integers(2, 4),
    options=st.sampled_from(OPTIONS),
)
def test_a_bootstrap_of_one_window_is_discover(
    seed: int, rows: int, variables: int, options: dict[str, Any]
) -> None:
    x = world(seed, rows, variables)
    alone = gp.discover(x, 2, alpha=1e-3, **options)
    found = gp.bootstrap("basis", x, max_lag=2, window=rows, runs=1, share_moments=False, **options)
    assert_same(found, alone)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), rows=st.sampled_from([200, 820]), control_lag=st.sampled_from([0, 5]))
def test_a_bootstrap_of_one_window_is_refine(seed: int, rows: int, control_lag: int) -> None:
    x = world(seed, rows, 3)
    candidates = gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1])
    alone = gp.analyze(candidates, x, alpha=1e-3, control_lag=control_lag)
    found = gp.bootstrap(candidates, x, window=rows, runs=1, share_moments=False, control_lag=control_lag)
    assert_same(found, alone)


def late_cause(rows: int = 1500) -> FloatArray:
    """x0 has a long memory and acts on x1 after 4 steps."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, 3))
    for t in range(4, rows):
        x[t, 0] += 0.8 * x[t - 1, 0]
        x[t, 1] += 0.7 * x[t - 4, 0]
    return x


def test_a_cause_beyond_the_largest_lag_adds_no_false_edge_in_a_window() -> None:
    x = late_cause()
    found = gp.bootstrap("basis", x, max_lag=2, window=600, runs=6, level="lag")
    assert not found.graph[0, 1].any()
    blind = gp.bootstrap("basis", x, max_lag=2, window=600, runs=6, level="lag", control_lag=0)
    assert blind.graph[0, 1].any()


def test_windows_that_share_sums_look_at_control_lags_too() -> None:
    x = late_cause()
    found = gp.bootstrap("basis", x, max_lag=2, window=600, runs=6, share_moments=True)
    assert not found.graph[0, 1].any()
    assert {record.rows_used for record in found.records} == {595}


def test_blocks_begin_with_the_past_that_control_lags_need() -> None:
    found = gp.bootstrap("basis", late_cause(), max_lag=2, window=500, runs=3, scheme="blocks")
    assert [window.spans[0].first for window in found.windows] == [0, 495, 995]
    assert [record.rows_used for record in found.records] == [495, 500, 500]


def test_a_kept_edge_beyond_the_reported_lags_is_refused_everywhere() -> None:
    x = late_cause(300)
    with pytest.raises(OptionError, match="beyond the graph's largest lag 2"):
        gp.discover(x, 2, keep=[(0, 1, 4)])
    with pytest.raises(OptionError, match="beyond the graph's largest lag 2"):
        gp.bootstrap("basis", x, max_lag=2, runs=2, keep=[(0, 1, 4)])
    with pytest.raises(OptionError, match="beyond the graph's largest lag 2"):
        gp.refine(gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1]), x, keep=[(0, 1, 4)])


def test_control_lag_is_checked_at_every_door() -> None:
    x = late_cause(300)
    for call in (
        lambda: gp.discover(x, 2, control_lag=-1),
        lambda: gp.bootstrap("basis", x, max_lag=2, runs=2, control_lag=-1),
        lambda: gp.refine(gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1]), x, control_lag=-1),
    ):
        with pytest.raises(OptionError, match="control_lag=-1; give a whole number from 0 on"):
            call()


@pytest.mark.filterwarnings("default")
def test_warnings_carry_the_users_own_line() -> None:
    x = late_cause(300)
    x[:, 2] = x[:, 0]
    candidates = gp.Skeleton(np.ones((3, 3, 3)) * [0, 1, 1])
    for call in (
        lambda: gp.refine(candidates, x),
        lambda: gp.analyze(candidates, x),
        lambda: gp.discover(x, 2),
        lambda: gp.bootstrap("basis", x, max_lag=2, runs=2),
    ):
        with pytest.warns(DataWarning, match="equals") as told:
            call()
        assert {one.filename for one in told} == {__file__}
