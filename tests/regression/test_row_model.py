"""Tests on rows: plain F-tests where nothing is bent, curves of the others, retests of strong candidates."""

from __future__ import annotations

import numpy as np

from grace_plugin.moments.features import DEFAULT_BASIS, LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.prepare.persistence import Memory
from grace_plugin.regression.judge import judge
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.log_tail import chi_square_of
from grace_plugin.regression.row_elimination import eliminate
from grace_plugin.regression.row_model import RowModel, RowRules
from grace_plugin.regression.span import Span
from grace_plugin.series.panel import as_panel
from tests.support.plain_tests import f_test


def _rows(x: np.ndarray, max_lag: int = 1) -> LaggedRows:
    return LaggedRows.of(as_panel(x), max_lag, x.mean(axis=0), x.std(axis=0))


def _linear_world() -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[1:, 2] += 0.3 * x[:-1, 0] + 0.25 * x[:-1, 1]
    return x


def test_a_linear_edge_has_its_f_test_beside_the_others_and_the_controls() -> None:
    rows = _rows(_linear_world())
    cells = np.array([[0, 1], [1, 1]])
    control = np.random.default_rng(1).normal(size=(rows.count, 1))
    model = RowModel(rows, 2, cells, LINEAR_BASIS, RowRules(), control)
    log_p, _ = model.log_p(0, np.ones(2, bool))
    given = np.column_stack([control, rows.past(1, 1)])
    np.testing.assert_allclose(
        log_p, np.log(f_test(rows.target(2), given, rows.past(0, 1)[:, None])), rtol=1e-5
    )


def test_the_last_edge_is_tested_alone() -> None:
    x = _linear_world()
    x[:, 0] = np.random.default_rng(5).normal(size=300)
    rows = _rows(x)
    model = RowModel(rows, 2, np.array([[0, 1], [1, 1]]), LINEAR_BASIS, RowRules())
    log_p, gain = eliminate(model, np.zeros(2, bool))
    alone = np.log(f_test(rows.target(2), np.empty((rows.count, 0)), rows.past(1, 1)[:, None]))
    np.testing.assert_allclose(log_p[1], alone, rtol=1e-5)
    assert log_p[0] > np.log(1e-3) > log_p[1]
    assert gain[1] > gain[0] >= 0.0


def test_an_edge_that_lives_on_what_coarse_features_leave_goes() -> None:
    """y has a kink at a = 1 that no feature has; b has the same kink and is no cause."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4000, 3))
    x[:, 1] = np.abs(x[:, 0] - 1.0) + 0.5 * rng.normal(size=4000)
    x[1:, 2] += 3.0 * np.abs(x[:-1, 0] - 1.0)
    rows, cells, both = _rows(x), np.array([[0, 1], [1, 1]]), np.ones(2, bool)
    coarse, fine = (
        RowModel(rows, 2, cells, DEFAULT_BASIS, RowRules(curves=curves)).log_p(1, both)[0]
        for curves in (False, True)
    )
    assert coarse < np.log(1e-4)
    assert fine > 0.2 * coarse


def test_strong_candidates_of_heavy_residuals_are_handed_on_with_their_columns() -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_t(2, size=(300, 3))
    x[1:, 2] += x[:-1, 0]
    rows = _rows(x)
    seen: list[tuple[int, ...]] = []

    def doubt(target: np.ndarray, given: Span, own: np.ndarray, extra: np.ndarray | None = None) -> float:
        seen.append((len(target), given.rank, own.shape[1], -1 if extra is None else extra.shape[1]))
        return 0.5

    cells = np.array([[0, 1], [1, 1]])
    plain, _ = eliminate(RowModel(rows, 2, cells, LINEAR_BASIS, RowRules()), np.zeros(2, bool))
    rules = RowRules(retest=doubt, drifts={0: np.arange(300.0)[:, None]})
    doubted, _ = eliminate(RowModel(rows, 2, cells, LINEAR_BASIS, rules), np.zeros(2, bool))
    assert plain[0] < np.log(1e-6)
    assert doubted[0] >= np.log(0.5)
    assert seen[0] == (rows.count, 2, 1, 1)  # a constant and the other cause


def test_gaussian_residuals_are_believed() -> None:
    def never(*_: object) -> float:
        raise AssertionError

    x = _linear_world()
    model = RowModel(_rows(x), 2, np.array([[0, 1], [1, 1]]), LINEAR_BASIS, RowRules(retest=never))
    log_p, _ = eliminate(model, np.zeros(2, bool))
    assert (log_p < np.log(0.01)).all()


def test_required_edges_stay_to_the_end() -> None:
    rows = _rows(_linear_world())
    model = RowModel(rows, 0, np.array([[1, 1], [2, 1]]), LINEAR_BASIS, RowRules())
    log_p, _ = eliminate(model, np.array([True, True]))
    given, own = rows.past(2, 1)[:, None], rows.past(1, 1)[:, None]
    np.testing.assert_allclose(log_p[0], np.log(f_test(rows.target(0), given, own)), rtol=1e-4)


def test_rows_leave_clear_linear_worlds_as_the_moments_see_them() -> None:
    x = _linear_world()
    moments = Moments.of(as_panel(x), 2)
    rows = LaggedRows.of(as_panel(x), 2, moments.center, moments.scale)
    with_rows, without = judge(moments, rows).evidence, judge(moments, None).evidence
    for one in (with_rows, without):
        assert sorted(one.cells[np.argsort(one.log_p)[:2]].tolist()) == [[0, 2, 1], [1, 2, 1]]
    np.testing.assert_allclose(with_rows.rest, without.rest)


def test_two_long_memories_are_believed_less() -> None:
    rows = _rows(_linear_world())
    cells = np.array([[0, 1], [1, 1]])

    def found(*root: float) -> np.ndarray:
        rules = RowRules(memory=Memory(np.array(root), 1e9 * (1.0 - np.array(root))))
        return eliminate(RowModel(rows, 2, cells, LINEAR_BASIS, rules), np.zeros(2, bool))[0]

    plain, one, both = found(0.0, 0.0, 0.0), found(1.0, 0.0, 0.0), found(1.0, 0.0, 1.0)
    np.testing.assert_allclose(one, plain, rtol=0.01)
    np.testing.assert_allclose(chi_square_of(both[:1]), chi_square_of(plain[:1]) / 1.9, rtol=0.01)
    np.testing.assert_allclose(both[1], plain[1], rtol=0.01)
