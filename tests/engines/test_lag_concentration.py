"""With lag concentration at most the free number of lags of a pair stay, unless each is worth its price."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp


def delayed(later: float, rows: int = 1500) -> np.ndarray:
    """0 -> 1 at lag 1 (0.5) and lag 2 (`later`), 2 -> 1 at lag 3."""
    x = np.random.default_rng(1).normal(size=(rows, 3))
    for t in range(3, rows):
        x[t, 1] += 0.5 * x[t - 1, 0] + later * x[t - 2, 0] + 0.4 * x[t - 3, 2]
    return x


def candidates() -> gp.Skeleton:
    mask = np.zeros((3, 3, 4), dtype=bool)
    mask[:, 1, 1:] = True
    return gp.Skeleton(mask)


def found(x: np.ndarray, **options: object) -> set[tuple[int, int, int]]:
    graph = gp.analyze(candidates(), x, **options).graph
    return {(int(cause), int(effect), int(lag)) for cause, effect, lag in np.argwhere(graph)}


ALWAYS = {(0, 1, 1), (2, 1, 3)}
BOTH = ALWAYS | {(0, 1, 2)}


@pytest.mark.parametrize("decide", ["both", "certificate"])
def test_the_weaker_lag_of_a_crowded_pair_goes(decide: str) -> None:
    x = delayed(later=0.15)
    assert found(x, decide=decide) == BOTH
    assert found(x, decide=decide, lag_concentration=50.0) == ALWAYS


def test_a_lag_that_is_worth_its_price_stays() -> None:
    x = delayed(later=0.4)
    assert found(x, lag_concentration=3.0) == BOTH
    assert found(x, lag_concentration=300.0) == ALWAYS


def test_free_lags_cost_nothing() -> None:
    x = delayed(later=0.15)
    assert found(x, lag_concentration=50.0, free_lags=2) == BOTH


def test_what_is_to_be_kept_stays_and_counts_as_a_lag() -> None:
    x = delayed(later=0.15)
    assert found(x, lag_concentration=50.0, keep=[(0, 1, 2)]) >= {(0, 1, 2), (2, 1, 3)}
    assert found(x, lag_concentration=3000.0, keep=[(0, 1, 2)]) == {(0, 1, 2), (2, 1, 3)}


def test_a_pair_at_one_lag_is_as_without_the_option() -> None:
    x = delayed(later=0.0)
    plain, concentrated = (gp.analyze(candidates(), x, lag_concentration=weight) for weight in (0.0, 1e6))
    np.testing.assert_array_equal(plain.graph, concentrated.graph)
    assert set(map(tuple, np.argwhere(plain.graph))) == ALWAYS
