"""Events: how likely so many coincidences are, and strong cells that the rows cannot carry at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

import grace_plugin as gp
from grace_plugin.regression.coincidence import coincidence_p_value

ROWS = 400


def meeting(rng: np.random.Generator, first: int, second: int, both: int) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of events, so many of each, so many at once, anywhere."""
    order = rng.permutation(ROWS)
    one, other = (
        np.isin(order, np.arange(first)),
        np.isin(order, np.arange(first - both, first - both + second)),
    )
    return one.astype(float), other.astype(float)


@pytest.mark.parametrize("both", [3, 4, 5, 6, 8])
def test_it_is_near_the_exact_tail(both: int) -> None:
    p_value = coincidence_p_value(*meeting(np.random.default_rng(both), 15, 16, both))
    exact = hypergeom.sf(both - 1, ROWS, 15, 16)
    assert exact / 3 <= p_value <= 30 * exact  # shifts vary by chance, and that is held against it


def test_fewer_meetings_than_by_chance_count_as_well() -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(ROWS)
    apart = (order < 150).astype(float), (order >= 250).astype(float)
    assert coincidence_p_value(*apart) < 1e-10


def test_a_constant_meets_nothing() -> None:
    assert coincidence_p_value(np.ones(ROWS), np.arange(ROWS, dtype=float)) == 1.0


def in_bursts(rng: np.random.Generator) -> np.ndarray:
    loud = np.zeros(ROWS)
    for start in rng.integers(0, ROWS - 20, size=3):
        loud[start : start + 20] = 0.4
    return (rng.random(ROWS) < loud + 0.005).astype(float)


def scattered(rng: np.random.Generator) -> np.ndarray:
    return (rng.random(ROWS) < 0.05) * rng.lognormal(size=ROWS)


@pytest.mark.parametrize("events", [in_bursts, scattered])
def test_independent_events_have_small_p_values_no_more_often_than_they_say(events) -> None:
    rng = np.random.default_rng(1)
    found = np.array([coincidence_p_value(events(rng), events(rng)) for _ in range(400)])
    assert np.mean(found < 0.05) <= 0.08
    assert np.mean(found < 0.01) <= 0.025
    assert np.mean(found < 0.001) <= 0.006


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e}


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_rare_events_of_any_size_make_no_edges_in_short_series() -> None:
    """An effect of seven events has more strong cells than 200 rows can carry at once."""
    false = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = (rng.random((200, 8)) < 0.03) * rng.lognormal(1, 1, (200, 8))
        false += len(cross(gp.discover(x, 3, contemporaneous=False, progress=False)))
    assert false <= 2


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_events_that_cause_events_are_found_in_few_rows() -> None:
    hits = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = (rng.random((ROWS, 4)) < 0.04).astype(float)
        for t in range(2, ROWS):
            x[t, 1] = max(x[t, 1], x[t - 1, 0] * (rng.random() < 0.6))
            x[t, 3] = max(x[t, 3], x[t - 2, 2] * (rng.random() < 0.6))
        hits += len(cross(gp.discover(x, 3, progress=False)) & {(0, 1, 1), (2, 3, 2)})
    assert hits >= 10
