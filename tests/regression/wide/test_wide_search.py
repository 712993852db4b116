"""The search among many variables finds what the search with all sums finds."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import Evidence, SearchSpace, search
from grace_plugin.regression.wide.screen import LEVELS, LISTED, Screen, level_of
from grace_plugin.regression.wide.search import EffectEvidence, WideSearch
from grace_plugin.series.panel import as_panel

D, LAGS, ROWS = 30, 3, 500


def values(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, D))
    for t in range(3, ROWS):
        x[t] += 0.5 * x[t - 1]
        x[t, 1] += 0.6 * x[t - 2, 0]
        x[t, 2] += 0.7 * np.abs(x[t - 1, 3])
        x[t, 5] += 0.5 * x[t - 1, 4] - 0.5 * x[t - 2, 4]
    return x


@pytest.fixture(scope="module")
def both() -> tuple[Evidence, list[EffectEvidence], Screen]:
    panel = as_panel(values(7))
    moments, _ = Moments.of_rows(panel, LAGS, DEFAULT_BASIS)
    screen = Screen(moments.products)  # type: ignore[arg-type]
    space = SearchSpace(entry=2.5 / (D * LAGS))
    sums = Moments.of(panel, LAGS, DEFAULT_BASIS)
    return search(sums, space), WideSearch(screen, LAGS).run(np.arange(D), {}), screen


def test_the_same_cells_enter_with_the_same_evidence(
    both: tuple[Evidence, list[EffectEvidence], Screen],
) -> None:
    dense, wide, _ = both
    from_sums = {tuple(cell): one for cell, one in zip(dense.cells.tolist(), dense.log_p, strict=True)}
    from_rows = {
        (cause, effect, lag): one
        for effect, found in enumerate(wide)
        for (cause, lag), one in zip(found.entered.tolist(), found.log_p, strict=True)
    }
    true = {(0, 1, 2), (3, 2, 1), (4, 5, 1), (4, 5, 2), (7, 7, 1)}
    assert true <= set(from_rows)
    # The full linear model, from which small graphs start too, may add cells that forward selection misses.
    assert set(from_rows) <= set(from_sums)
    same = [cell for cell in from_rows if cell in from_sums]
    strong = [cell for cell in same if from_sums[cell] < np.log(1e-6)]
    assert set(true) <= set(strong)
    np.testing.assert_allclose(
        [from_rows[cell] for cell in strong], [from_sums[cell] for cell in strong], rtol=0.05
    )


def test_every_cell_is_listed_or_counted(both: tuple[Evidence, list[EffectEvidence], Screen]) -> None:
    _, wide, _ = both
    one_by_one = sum(len(one.entered) + len(one.listed) for one in wide)
    counted = sum(int(one.counts[:-1].sum()) for one in wide)
    assert one_by_one + counted == D * D * LAGS


def test_counts_are_those_of_the_evidence_of_all_cells(
    both: tuple[Evidence, list[EffectEvidence], Screen],
) -> None:
    dense, wide, _ = both
    every = level_of(dense.rest[:, :, 1:].ravel())
    expected = np.bincount(every, minlength=len(LEVELS) + 1)[: len(LEVELS)]
    expected[0] -= len(dense.cells)  # of cells that entered nothing is written there
    found = np.sum([one.counts for one in wide], axis=0)[: len(LEVELS)]
    # Shares are a lower bound, and models differ by a few cells: a few per cent of the cells move by a level.
    halves = [slice(0, 1), slice(1, 90), slice(90, 180), slice(180, None)]
    for half in halves:
        assert found[half].sum() == pytest.approx(expected[half].sum(), abs=0.03 * D * D * LAGS)


def test_listed_cells_lie_below_the_level(both: tuple[Evidence, list[EffectEvidence], Screen]) -> None:
    _, wide, _ = both
    for effect, one in enumerate(wide):
        others = one.listed[:, 0] != effect
        assert (one.listed_log_p[others] < np.log(LISTED) + 1e-3).all()


def test_an_effect_may_have_no_candidate_at_all() -> None:
    moments, _ = Moments.of_rows(as_panel(values(3)), LAGS, DEFAULT_BASIS)
    nothing = np.zeros((D, LAGS + 1), dtype=np.bool_)
    wide = WideSearch(Screen(moments.products), LAGS, allowed=lambda effect: nothing)  # type: ignore[arg-type]
    (found,) = wide.run(np.array([4]), {})
    assert len(found.entered) == len(found.listed) == 0
    assert found.counts.sum() == 0


def test_required_cells_enter_and_forbidden_ones_do_not() -> None:
    moments, _ = Moments.of_rows(as_panel(values(3)), LAGS, DEFAULT_BASIS)
    allowed = np.ones((D, LAGS + 1), dtype=np.bool_)
    allowed[0, 2] = False
    wide = WideSearch(
        Screen(moments.products),  # type: ignore[arg-type]
        LAGS,
        required=lambda effect: np.array([[20, 3]]),
        allowed=lambda effect: allowed,
    )
    (found,) = wide.run(np.array([1]), {})
    cells = set(map(tuple, found.entered.tolist()))
    assert (20, 3) in cells
    assert (0, 2) not in cells | set(map(tuple, found.listed.tolist()))
