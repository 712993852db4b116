"""Edges leave one by one; what believes the rows is asked as often as there are edges, not their square."""

from __future__ import annotations

import numpy as np

from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.robust import robust_p_value
from grace_plugin.regression.row_elimination import eliminate
from grace_plugin.regression.row_model import RowModel, RowRules
from grace_plugin.regression.span import Span
from grace_plugin.series.panel import as_panel

CAUSES = 25


def _world(seed: int) -> LaggedRows:
    """Five causes of the last variable among 25 that all move together; t3 noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_t(3, size=(600, CAUSES + 1))
    x[:, :CAUSES] += x[:, [0]]
    x[1:, -1] += x[:-1, :5] @ np.linspace(0.3, 0.9, 5)
    return LaggedRows.of(as_panel(x), 1, x.mean(axis=0), x.std(axis=0))


def _cells() -> np.ndarray:
    return np.stack([np.arange(CAUSES), np.ones(CAUSES, dtype=int)], axis=1)


def test_the_rows_are_asked_a_few_times_an_edge() -> None:
    asked: list[int] = []

    def counted(target: np.ndarray, given: Span, own: np.ndarray, extra: np.ndarray | None = None) -> float:
        asked.append(given.rank)
        return robust_p_value(target, given, own, extra)

    model = RowModel(_world(0), CAUSES, _cells(), LINEAR_BASIS, RowRules(retest=counted))
    log_p, _ = eliminate(model, np.zeros(CAUSES, dtype=bool))
    assert 0 < len(asked) <= 3 * CAUSES
    assert set(np.flatnonzero(log_p < np.log(1e-3))) == set(range(5))


def test_what_stays_has_the_p_value_beside_what_stays() -> None:
    model = RowModel(_world(1), CAUSES, _cells(), LINEAR_BASIS, RowRules(retest=robust_p_value))
    required = np.arange(CAUSES) < 5
    log_p, _ = eliminate(model, required)
    alone = RowModel(_world(1), CAUSES, _cells()[:5], LINEAR_BASIS, RowRules(retest=robust_p_value))
    all_stay = np.ones(5, dtype=bool)
    anew = [alone.robust(edge, all_stay, alone.log_p(edge, all_stay)[0]) for edge in range(5)]
    in_doubt = log_p[:5] > np.log(1e-12)  # the others keep the p-value that they had at first
    assert in_doubt.sum() >= 2
    assert np.allclose(np.array(anew)[in_doubt], log_p[:5][in_doubt], rtol=1e-6)
    assert (log_p[:5][~in_doubt] < np.log(1e-12)).all()
