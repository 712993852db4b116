"""Missing values through the whole pipeline: known edges, and nothing new where data are complete."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from benchmarks.worlds.grid import make
from grace_plugin.exceptions import DataError

EDGES = {(0, 1, 1), (1, 2, 2)}


def world(rows: int = 600, seed: int = 0) -> np.ndarray:
    """x0 -> x1 at lag 1, x1 -> x2 at lag 2, x3 alone; all with a past of their own."""
    x = np.random.default_rng(seed).normal(size=(rows, 4))
    for t in range(2, rows):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
    return x


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e}


def holes(x: np.ndarray, kind: str) -> np.ndarray:
    rng, found = np.random.default_rng(7), x.copy()
    if kind == "sensor":
        found[rng.random(len(x)) < 0.5, 0] = np.nan
    elif kind == "blocks":
        for start in rng.integers(0, len(x), 30):
            found[start : start + 20, rng.integers(4)] = np.nan
    elif kind == "rows":
        found[rng.random(len(x)) < 0.2] = np.nan
    else:
        found[rng.random(x.shape) < float(kind)] = np.nan
    return found


@pytest.mark.parametrize("kind", ["0.05", "0.2", "0.35", "sensor", "blocks", "rows"])
def test_the_edges_are_found_through_gaps_of_every_kind(kind: str) -> None:
    found = gp.discover(holes(world(), kind), max_lag=2)
    assert cross(found) == EDGES
    assert "of the values are missing" in found.summary()


def test_complete_data_are_not_touched() -> None:
    x = world(300)
    filled, dropped = (gp.discover(x, max_lag=2, gaps=way) for way in ("fill", "drop"))
    np.testing.assert_array_equal(filled.outcome.p_value, dropped.outcome.p_value)
    assert filled.outcome.details.notes == ()
    assert "missing" not in filled.summary()


def test_rows_can_be_dropped_as_well() -> None:
    x = holes(world(), "0.2")
    with pytest.raises(DataError, match="complete windows"):
        gp.discover(x, max_lag=2, gaps="drop")


def test_times_that_are_left_out_are_filled_in_too_and_told() -> None:
    frame = pd.DataFrame(world(), index=pd.date_range("2020-01-01", periods=600, freq="h"))
    kept = np.sort(np.random.default_rng(1).choice(600, 480, replace=False))
    found = gp.discover(frame.iloc[[0, *kept[1:-1], 599]], max_lag=2)
    assert cross(found) == EDGES
    assert "leaves out" in found.summary()
    assert "expectation" in found.summary()


def test_a_stream_says_that_it_was_not_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grace_plugin.hosts.streams.GATHERED_BYTES", 1)  # too long to be held
    x = holes(world(), "0.05")
    found = gp.discover(iter([x[:300], x[300:]]), max_lag=2, control_lag=0)
    assert "read only once are not filled in" in found.summary()


def test_a_short_stream_is_filled() -> None:
    x = holes(world(), "0.2")
    assert cross(gp.discover(iter([x[:300], x[300:]]), max_lag=2)) == EDGES


def test_notes_survive_a_file() -> None:
    found = gp.discover(holes(world(), "0.2"), max_lag=2)
    assert gp.read_json(found.to_json()).outcome.details.notes == found.outcome.details.notes


def test_windows_of_a_bootstrap_see_filled_rows() -> None:
    found = gp.bootstrap("basis", holes(world(), "0.2"), max_lag=2, runs=6, window=300)
    assert {tuple(cell) for cell in np.argwhere(found.graph).tolist() if cell[0] != cell[1]} == EDGES


@pytest.mark.host
def test_a_missing_flag_is_a_gap_and_a_mask_is_not() -> None:
    from tigramite.data_processing import DataFrame

    x = holes(world(), "0.2")
    flagged = np.where(np.isnan(x), 999.0, x)
    found = gp.discover(DataFrame(flagged, missing_flag=999.0), max_lag=2)
    assert cross(found) == EDGES
    np.testing.assert_array_equal(found.outcome.p_value, gp.discover(x, max_lag=2).outcome.p_value)
    mask = np.zeros(flagged.shape, dtype=bool)
    mask[100:200] = True
    masked = DataFrame(flagged, missing_flag=999.0, mask=mask)
    some = gp.discover(masked, max_lag=2, mask_type="y")
    assert some.outcome.rows_used == found.outcome.rows_used - 100


def blocks_of_all(x: np.ndarray, share: float) -> np.ndarray:
    """Blocks of thirty rows of single variables until so much is missing."""
    rng, found = np.random.default_rng(3), x.copy()
    while np.isnan(found).mean() < share:
        start = rng.integers(0, len(x))
        found[start : start + 30, rng.integers(x.shape[1])] = np.nan
    return found


def test_what_was_filled_in_is_taken_neither_for_tails_nor_for_quiet_spells() -> None:
    """Expected values vary little, so that those that were seen look far out beside them."""
    found = gp.discover(blocks_of_all(world(500), 0.45), max_lag=3)
    assert cross(found) >= EDGES
    assert "heavy tails" not in found.summary()


def test_tails_beside_gaps_are_clipped_by_what_was_seen() -> None:
    x = world(500)
    x[np.random.default_rng(5).integers(0, 500, 8), 3] += 60.0
    found = gp.discover(blocks_of_all(x, 0.3), max_lag=3)
    assert cross(found) == EDGES
    assert "because of heavy tails: x3." in found.summary()


def test_filled_blocks_are_no_calm_spells() -> None:
    """A plain level tests kept edges once more with weights; filled rows would outweigh all others."""
    made = make("missing_blocks", 1001)
    truth = {(c, e, lag) for c, e, lag in np.argwhere(made.truth).tolist() if c != e}
    found = cross(gp.discover(made.data, made.max_lag, alpha="level"))
    assert found <= truth
    assert len(found) >= 5  # of 7; none where filled rows count
