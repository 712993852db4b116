"""Edges that stand for something left out are held against all lagged values; others keep their tests."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.prepare.preparing import RULES
from grace_plugin.regression.foretold import _normal_scores, foretold, move_together
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.series.panel import as_panel

TRUE = {(0, 1, 2), (2, 3, 1)}


def slow_hidden(seed: int, size: float, rows: int = 500) -> np.ndarray:
    """x0 -> x1 at lag 2, x2 -> x3 at lag 1, and a hidden cause of memory .95 on the first four of six."""
    rng = np.random.default_rng(seed)
    x, hidden = rng.normal(size=(rows + 100, 6)), 0.0
    for t in range(2, len(x)):
        x[t, :4] += size * hidden
        hidden = 0.95 * hidden + 0.31 * rng.normal()
        x[t] += 0.3 * x[t - 1]
        x[t, 1] += 0.5 * x[t - 2, 0]
        x[t, 3] += 0.5 * x[t - 1, 2]
    return x[100:]


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e and lag > 0}


def test_what_others_foretell_is_their_regression() -> None:
    x = slow_hidden(0, 1.0)
    moments = Moments.of(as_panel(x), 2, LINEAR_BASIS)
    rows = LaggedRows.of(as_panel(x), 2, moments.center, moments.scale)
    told = foretold(moments, rows, {(1, 2), (4, 1)})
    others = [rows.past(v, lag) for lag in (1, 2) for v in range(6) if (v, lag) != (1, 2)]
    table = np.column_stack([np.ones(rows.count), *others])
    expected = table @ np.linalg.lstsq(table, rows.past(1, 2))[0]
    np.testing.assert_allclose(told[1, 2], expected - expected.mean(), atol=1e-5)
    assert set(told) == {(1, 2), (4, 1)}


@pytest.mark.parametrize("seed", [18, 20, 26])
def test_where_nothing_is_strong_nothing_is_foretold(seed: int) -> None:
    """White noise that is shared within the step: something is missing, and no lagged value stands out."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(500, 2))
    x += 0.8 * rng.normal(size=(500, 1))
    with pytest.warns(DataWarning, match="moves together within one step"):
        found = gp.discover(x, 1, contemporaneous=False, progress=False)
    assert not found.graph.any()
    moments = Moments.of(as_panel(x), 1, LINEAR_BASIS)
    rows = LaggedRows.of(as_panel(x), 1, moments.center, moments.scale)
    assert foretold(moments, rows, set()) == {}


def test_own_lags_do_not_foretell_a_smooth_cause() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 3))
    x[:, 0] = np.convolve(rng.normal(size=420), np.hanning(21), mode="valid") + 0.001 * x[:, 0]
    moments = Moments.of(as_panel(x), 3, LINEAR_BASIS)
    rows = LaggedRows.of(as_panel(x), 3, moments.center, moments.scale)
    told = foretold(moments, rows, {(0, 2)})
    others = [rows.past(v, lag) for lag in (1, 2, 3) for v in (1, 2)]
    table = np.column_stack([np.ones(rows.count), *others])
    expected = table @ np.linalg.lstsq(table, rows.past(0, 2))[0]
    np.testing.assert_allclose(told[0, 2], expected - expected.mean(), atol=1e-4)


def test_residuals_of_changing_size_do_not_move_together() -> None:
    rng = np.random.default_rng(1)
    alarms = [
        move_together(rng.normal(size=(400, 5)) * np.exp(rng.normal(size=(400, 1)))) for _ in range(100)
    ]
    assert sum(alarms) <= 1


def test_sparse_events_do_not_move_together_by_single_coincidences() -> None:
    rng = np.random.default_rng(2)
    events = [rng.normal(size=(500, 10)) for _ in range(30)]
    events = [np.where(x > 2.0, x, 0.0) for x in events]
    assert sum(move_together(x - x.mean(axis=0)) for x in events) <= 1


def test_an_effect_that_was_missed_is_nothing_slow() -> None:
    rng = np.random.default_rng(3)
    alone, missed, shared = [], [], []
    for _ in range(30):
        x, slow = rng.normal(size=(600, 5)), np.zeros(600)
        for t in range(1, 600):
            slow[t] = 0.9 * slow[t - 1] + rng.normal()
        alone.append(move_together(x, 10))
        shared.append(move_together(x + 0.3 * slow[:, None], 10))
        for lag in (1, 2, 3):  # the first acts on the second, at some lags, and nothing on the first
            x[lag:, 1] += 0.25 * x[:-lag, 0]
        missed.append(move_together(x, 10))
    assert not any(alone)
    assert sum(missed) <= 1
    assert all(shared)


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
@pytest.mark.parametrize(("kind", "seed"), [("slow", 0), ("shared", 4)])
def test_what_is_left_out_makes_fewer_false_edges_and_hides_no_true_one(kind: str, seed: int) -> None:
    x = slow_hidden(seed, 1.0 if kind == "slow" else 0.0)
    if kind == "shared":
        x = x + 0.6 * np.random.default_rng(seed + 50).normal(size=(len(x), 1))
    found = cross(gp.discover(x, max_lag=3))
    without = cross(gp.discover(x, max_lag=3, prepare=[rule for rule in RULES if rule != "hidden"]))
    assert found >= TRUE
    assert len(found - TRUE) <= len(without - TRUE) - 3


def test_it_is_told_and_without_a_hidden_cause_nothing_changes() -> None:
    with pytest.warns(DataWarning):
        found = gp.discover(slow_hidden(0, 1.0), max_lag=3)
    assert "every edge was judged beside all lagged values" in found.summary()
    clean = slow_hidden(1, 0.0)
    plain = gp.discover(clean, max_lag=3, prepare=[rule for rule in RULES if rule != "hidden"])
    found = gp.discover(clean, max_lag=3)
    np.testing.assert_array_equal(found.outcome.p_value, plain.outcome.p_value)
    assert cross(found) == TRUE


def test_equal_values_have_equal_scores_and_others_the_same_as_without_them() -> None:
    rng = np.random.default_rng(5)
    values = np.column_stack([rng.normal(size=101), rng.normal(size=101)])
    tied = np.column_stack([values[:, 0], np.round(values[:, 1])])
    assert _normal_scores(tied)[:, 0] == pytest.approx(_normal_scores(values)[:, 0], abs=1e-12)
    for value in np.unique(tied[:, 1]):
        assert np.ptp(_normal_scores(tied)[tied[:, 1] == value, 1]) == 0.0
    assert _normal_scores(tied).mean(axis=0) == pytest.approx(0.0, abs=1e-12)
