"""The conditional independence search against its definition, test by test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from grace_plugin.exceptions import OptionError
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton
from grace_plugin.skeletons.cdnots import at_level
from grace_plugin.skeletons.search import critical_correlation, partial_correlations

cdnots = get_skeleton("cdnots")


def drifting(rows: int = 500, seed: int = 0) -> np.ndarray:
    """0 and 1 share nothing but a trend; 2 -> 3 at lag 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    x[:, :2] += np.linspace(-2, 2, rows)[:, None]
    x[1:, 3] += 0.8 * x[:-1, 2]
    return x


def source(x: object, max_lag: int = 2) -> Source:
    return Source(as_panel(x), max_lag)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_partial_correlations_are_those_of_residuals(size: int) -> None:
    rng = np.random.default_rng(size)
    data = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 8))
    nodes = np.array([rng.permutation(8)[: size + 2] for _ in range(30)])
    found = partial_correlations(np.corrcoef(data.T), nodes[:, 0], nodes[:, 1], nodes[:, 2:])
    for row, value in zip(nodes, found, strict=True):
        given = np.column_stack([np.ones(200), data[:, row[2:]]])
        both = data[:, row[:2]]
        residual = both - given @ np.linalg.lstsq(given, both, rcond=None)[0]
        assert value == pytest.approx(abs(np.corrcoef(residual.T)[0, 1]), abs=1e-8)


def test_critical_correlation_is_just_significant() -> None:
    freedom = 50
    r = critical_correlation(0.05, freedom)
    t = r * np.sqrt(freedom / (1 - r * r))
    assert 2 * stats.t.sf(t, freedom) == pytest.approx(0.05)


def test_a_common_trend_is_no_edge() -> None:
    aware = cdnots(source(drifting()))
    naive = cdnots(source(drifting()), trends=())
    assert aware.mask[2, 3, 1]
    assert not aware.mask[0, 1, 0]
    assert naive.mask[:2, :2].sum() > aware.mask[:2, :2].sum()


def test_other_trends_explain_other_drifts() -> None:
    x = drifting()
    x[:, :2] = np.random.default_rng(5).normal(size=(500, 2))
    x[:, :2] += 1.5 * np.sin(2 * np.pi * np.linspace(0, 1, 500))[:, None]
    linear = cdnots(source(x)).mask[:2, :2].sum()
    sine = cdnots(source(x), trends=("linear", "sine", "cosine")).mask[:2, :2].sum()
    assert sine < linear


def test_lag_zero_is_searched_and_unoriented() -> None:
    x = drifting()
    x[:, 3] = np.random.default_rng(6).normal(size=500) + x[:, 2]
    found = cdnots(source(x))
    assert found.unoriented[2, 3]
    assert found.scores is not None
    assert found.scores[2, 3, 0] == found.scores[3, 2, 0]


def test_neighbours_of_the_cause_count_too() -> None:
    """0 -> 1 -> 2: only parents of the lagged node (1 at t-1) explain 1's ancestors away at lag 2."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(2000, 3))
    for t in range(1, 2000):
        x[t, 1] += 0.9 * x[t - 1, 0]
        x[t, 2] += 0.9 * x[t - 1, 1]
    found = cdnots(source(x))
    assert found.mask[0, 1, 1]
    assert found.mask[1, 2, 1]
    assert not found.mask[0, 2].any()


def test_shallow_search_keeps_more() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=(800, 6))
    for t in range(1, 800):
        x[t] += 0.5 * x[t - 1] + 0.4 * np.roll(x[t - 1], 1)
    sizes = [len(cdnots(source(x), max_degree=degree)) for degree in (0, 1, None)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_p_values_are_recorded() -> None:
    found = cdnots(source(drifting()))
    assert found.scores is not None
    assert (found.scores[found.mask] >= -np.log10(0.05) - 1e-9).all()
    searched = ~np.eye(4, dtype=bool)[:, :, None] | (np.arange(3) > 0)
    assert (found.scores[searched & ~found.mask] < -np.log10(0.05)).all()
    strict = at_level(found, 1e-6)
    assert set(strict) <= set(found)
    assert strict.mask[2, 3, 1]
    assert set(at_level(found, 0.05)) == set(found)


def test_only_the_score_of_depth_zero_is_a_plain_correlation_test() -> None:
    x = drifting()
    found = cdnots(source(x), max_degree=0, trends=())
    r, p = stats.pearsonr(x[1:-1, 2], x[2:, 3])
    assert abs(r) > 0.3
    assert found.scores is not None
    assert 10.0 ** -found.scores[2, 3, 1] == pytest.approx(p, rel=0.05)


def test_copies_of_a_column_do_not_break_it() -> None:
    x = drifting()
    x[:, 1] = x[:, 0]
    found = cdnots(source(x))
    assert found.mask[2, 3, 1]


def test_a_stream_is_read_once() -> None:
    x = drifting()
    streamed = cdnots(source(iter([x[:200], x[200:]])))
    np.testing.assert_array_equal(streamed.mask, cdnots(source(x)).mask)


@pytest.mark.parametrize(
    "options",
    [
        {"skeleton_alpha": 0.0},
        {"max_sets": 0},
        {"max_degree": -1},
        {"trends": "linear"},
        {"trends": ("cubic",)},
    ],
)
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="give"):
        cdnots(source(drifting(50)), **options)
