"""Evidence: right answers against plain least squares, nested graphs, controls, suppressors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.backward import Regressions, eliminate
from grace_plugin.regression.evidence import Evidence, SearchSpace, entry_level, search
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.log_tail import chi_square_of, log_f_tail
from grace_plugin.series.panel import as_panel
from tests.support.plain_tests import f_test


def _world(rows: int = 400, d: int = 4, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, d))
    for t in range(2, rows):
        x[t, 1] += 0.6 * x[t - 1, 0]
        x[t, 2] += 0.5 * np.abs(x[t - 2, 1])
        x[t, 0] += 0.5 * x[t - 1, 0]
    return x


def _rows(x: np.ndarray, moments: Moments) -> LaggedRows:
    return LaggedRows.of(as_panel(x), moments.max_lag, moments.center, moments.scale)


def test_true_edges_have_the_smallest_levels() -> None:
    found = search(Moments.of(as_panel(_world()), 3))
    strongest = found.cells[np.argsort(found.log_p)[:3]].tolist()
    assert sorted(strongest) == [[0, 0, 1], [0, 1, 1], [1, 2, 2]]
    assert np.sort(found.log_p)[2] < np.log(1e-6) < np.log(1e-4) < np.sort(found.log_p)[3]


def test_evidence_of_one_edge_is_itsf_test() -> None:
    x = _world()
    moments = Moments.of(as_panel(x), 2)
    space = SearchSpace(allowed=np.zeros((4, 4, 3), bool), proposed=_only(4, 3, (1, 2, 2)), entry=0.05)
    found = search(moments, space)
    rows = _rows(x, moments)
    y, features = rows.target(2), rows.features([(1, 2)], moments.basis)
    p_linear, p_full = (f_test(y, np.empty((len(y), 0)), part) for part in (features[:, :1], features))
    assert found.cells.tolist() == [[1, 2, 2]]
    np.testing.assert_allclose(found.log_p, np.log(2.0 * min(p_linear, p_full)), rtol=1e-6)


def test_backward_takes_the_weakest_first_and_keeps_the_running_minimum() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(300, 4))
    features[:, 3] = features[:, 0] + 0.3 * rng.normal(size=300)
    y = 0.4 * features[:, 0] + 0.15 * features[:, 1] + rng.normal(size=300)
    found = eliminate(_regressions(features, y), np.zeros((1, 4), bool))
    expected, left, running = np.zeros(4), [0, 1, 2, 3], 0.0
    while left:
        tests = [np.log(f_test(y, features[:, [o for o in left if o != e]], features[:, [e]])) for e in left]
        weakest = left[int(np.argmax(tests))]
        running = min(running, max(tests))
        expected[weakest] = running
        left.remove(weakest)
    np.testing.assert_allclose(found.log_p[0], expected, rtol=1e-5)


def test_required_edges_never_leave() -> None:
    rng = np.random.default_rng(1)
    features, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    required = np.array([[True, False, False]])
    found = eliminate(_regressions(features, y), required)
    others = np.empty((100, 0))
    np.testing.assert_allclose(found.log_p[0, 0], np.log(f_test(y, others, features[:, :1])), rtol=1e-5)


def test_cells_that_never_entered_have_their_test_beside_the_others() -> None:
    x = _world()
    moments = Moments.of(as_panel(x), 1, LINEAR_BASIS)
    found = search(moments, SearchSpace(entry=1e-9))
    assert found.cells.tolist() == [[0, 0, 1], [0, 1, 1]]
    rows = _rows(x, moments)
    expected = f_test(rows.target(1), rows.past(0, 1)[:, None], rows.past(3, 1)[:, None])
    np.testing.assert_allclose(found.rest[3, 1, 1], np.log(expected), rtol=1e-6)
    assert found.dense()[0, 1, 1] == found.log_p[1]


def test_columns_of_an_effect_are_part_of_its_model() -> None:
    """Two variables share a cycle: beside it, neither tells anything of the other."""
    rng = np.random.default_rng(3)
    wave = 3.0 * np.sin(np.arange(500) / 9.0)
    x = rng.normal(size=(500, 2)) + wave[:, None]
    moments = Moments.of(as_panel(x), 2)
    rows = _rows(x, moments)
    cycle = np.stack([np.sin(rows.times / 9.0), np.cos(rows.times / 9.0)], axis=1)
    alone = search(moments, rows=rows).dense()
    beside = search(moments, SearchSpace(columns={1: cycle}), rows).dense()
    assert alone[0, 1].min() < np.log(1e-5)
    assert beside[0, 1].min() > np.log(1e-3)
    np.testing.assert_allclose(beside[:, 0], alone[:, 0])


def test_evidence_beside_columns_is_the_f_test_beside_them() -> None:
    x = _world()
    moments = Moments.of(as_panel(x), 1, LINEAR_BASIS)
    rows = _rows(x, moments)
    columns = np.random.default_rng(5).normal(size=(rows.count, 2))
    space = SearchSpace(np.zeros((4, 4, 2), bool), proposed=_only(4, 2, (0, 1, 1)), columns={1: columns})
    found = search(moments, space, rows)
    expected = f_test(rows.target(1), columns, rows.past(0, 1)[:, None])
    np.testing.assert_allclose(found.log_p, np.log(expected), rtol=1e-6)


def test_causes_that_show_only_together_are_found() -> None:
    """y = b - a, a hidden in b: neither says much alone, both together everything."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(400, 3))
    x[:, 1] = x[:, 0] + 0.05 * rng.normal(size=400)
    x[1:, 2] = 10.0 * (x[:-1, 1] - x[:-1, 0]) + rng.normal(size=399)
    found = search(Moments.of(as_panel(x), 2))
    level = {tuple(cell): p for cell, p in zip(found.cells.tolist(), found.log_p, strict=True)}
    assert max(level[0, 2, 1], level[1, 2, 1]) < np.log(1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(30, 300), st.integers(1, 5))
def test_every_cell_has_one_level_and_only_allowed_ones_enter(seed: int, rows: int, d: int) -> None:
    x = np.random.default_rng(seed).normal(size=(rows, d))
    allowed = np.random.default_rng(seed).random((d, d, 3)) < 0.5
    allowed[:, :, 0] = False
    found: Evidence = search(Moments.of(as_panel(x), 2), SearchSpace(allowed=allowed))
    assert len({tuple(cell) for cell in found.cells}) == len(found.cells)
    assert (found.log_p <= 0.0).all()
    assert np.isfinite(found.log_p).all()
    assert allowed[tuple(found.cells.T)].all()
    assert (found.dense()[:, :, 0] == 0.0).all()


def test_the_liberal_level_falls_with_the_number_of_candidates() -> None:
    assert entry_level(15) == 0.05
    assert entry_level(5000) * 5000 == pytest.approx(entry_level(500) * 500)


@pytest.mark.parametrize("ratio", [0.5, 8.0, 500.0])
def test_tails_agree_where_floats_hold_them(ratio: float) -> None:
    tail = log_f_tail(3, np.array(200.0), np.array(ratio))
    np.testing.assert_allclose(tail, stats.f.logsf(ratio, 3, 200), rtol=1e-6)


def test_tails_go_on_where_floats_end() -> None:
    deep = log_f_tail(2, np.array(1000.0), np.array([1600.0, 1800.0, 1e5]))
    assert (np.diff(deep) < 0.0).all()
    assert np.isfinite(deep).all()
    # With two degrees of freedom the tail has a closed form.
    np.testing.assert_allclose(
        deep, -500.0 * np.log1p(2.0 * np.array([1600.0, 1800.0, 1e5]) / 1000.0), rtol=1e-3
    )
    chi = chi_square_of(np.array([-640.0, -660.0, -5000.0]))
    np.testing.assert_allclose(chi, 2.0 * np.array([640.0, 660.0, 5000.0]), rtol=0.01)
    assert (np.diff(chi) > 0.0).all()


def _only(d: int, lags: int, cell: tuple[int, int, int]) -> np.ndarray:
    mask = np.zeros((d, d, lags), bool)
    mask[cell] = True
    return mask


def _regressions(features: np.ndarray, y: np.ndarray) -> Regressions:
    x = (features - features.mean(axis=0)) / features.std(axis=0)
    target = (y - y.mean()) / y.std()
    gram, cross = x.T @ x / len(y), x.T @ target / len(y)
    ones = np.ones((1, features.shape[1]), np.int64)
    return Regressions(gram[None], cross[None], np.ones(1), ones, np.ones(1), len(y))


def test_cells_within_one_step_enter_where_they_are_allowed() -> None:
    x = np.random.default_rng(7).normal(size=(300, 3))
    x[:, 1] += 0.6 * x[:, 0]
    allowed = np.ones((3, 3, 2), bool)
    allowed[:, :, 0] = False
    allowed[0, 1, 0] = True
    found = search(Moments.of(as_panel(x), 1), SearchSpace(allowed=allowed))
    assert found.cells[np.argmin(found.log_p)].tolist() == [0, 1, 0]
    assert (found.cells[:, 2] == 0).sum() == 1
    assert (found.rest[:, :, 0] == 0.0).all()


def test_cells_that_are_not_allowed_are_tested_but_never_enter() -> None:
    x = _world()
    allowed = np.ones((4, 4, 3), bool)
    allowed[:, :, 0] = allowed[0, 1, 1] = False
    found = search(Moments.of(as_panel(x), 2), SearchSpace(allowed=allowed))
    assert [0, 1, 1] not in found.cells.tolist()
    assert found.rest[0, 1, 1] < np.log(1e-6)
