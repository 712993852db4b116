"""Center and scale of very long data, which are those of stretches spread over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.moments.sums import Moments
from grace_plugin.series import standardise as _standardise
from grace_plugin.series.panel import as_panel
from grace_plugin.series.standardise import standardisation

ROWS = 60_000


@pytest.fixture
def long_from_1000(monkeypatch: pytest.MonkeyPatch) -> None:
    """Series of more than 1000 rows count as long, and 64 stretches of 64 rows stand for them."""
    monkeypatch.setattr(_standardise, "_LONG_ROWS", 1000)
    monkeypatch.setattr(_standardise, "_STRETCHES", 64)
    monkeypatch.setattr(_standardise, "_STRETCH_ROWS", 64)


def process(rows: int = ROWS) -> Any:
    """0 -> 1 at lag 1, 1 -> 2 at lag 2 by its absolute value; 3 alone. Any units."""
    x = np.random.default_rng(0).normal(size=(rows, 4))
    x[1:, 1] += 0.5 * x[:-1, 0]
    x[2:, 2] += 0.5 * np.abs(x[:-2, 1])
    return x * [1.0, 1e-6, 1e6, 1.0] + [0.0, 3.0, -1e7, 1e3]


TRUE = {(0, 1, 1), (1, 2, 2)}


def of_stretches(x: Any) -> tuple[Any, Any]:
    _, center, scale = standardisation(as_panel(x))
    return center, scale


def of_all(x: Any) -> tuple[Any, Any]:
    return x.mean(axis=0), x.std(axis=0)


@pytest.mark.usefixtures("long_from_1000")
def test_even_series_get_nearly_the_center_and_scale_of_all_rows() -> None:
    """4096 of the rows: a mean is off by 0.05 deviations at most, a deviation by 5 %, that is by 3 errors."""
    x = process()
    (center, scale), (mean, deviation) = of_stretches(x), of_all(x)
    assert (np.abs(center - mean) < 0.05 * deviation).all()
    assert (np.abs(scale / deviation - 1.0) < 0.05).all()
    assert (center != mean).all()  # the rows between the stretches were not read


def test_short_series_get_those_of_all_rows_to_rounding() -> None:
    x = process(5000)
    (center, scale), (mean, deviation) = of_stretches(x), of_all(x)
    np.testing.assert_allclose(center, mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scale, deviation, rtol=1e-8)


@pytest.mark.filterwarnings("ignore:Weak edges are undecided")
def test_the_graph_and_the_gains_are_those_of_full_standardisation(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    x = process(20_000)
    whole = gp.discover(x, 2, second_look=False)
    request.getfixturevalue("long_from_1000")
    thinned = gp.discover(x, 2, second_look=False)
    assert set(thinned.native) == set(whole.native) == TRUE
    kept = whole.graph
    # Squares and absolute values bend at the center, so gains differ by what it is off.
    np.testing.assert_allclose(thinned.outcome.gain[kept], whole.outcome.gain[kept], rtol=0.02)


@pytest.mark.usefixtures("long_from_1000")
def test_a_sorted_series_is_seen_from_end_to_end() -> None:
    x = np.sort(process(), axis=0)
    (center, scale), (mean, deviation) = of_stretches(x), of_all(x)
    assert (np.abs(center - mean) < 0.05 * deviation).all()
    assert (np.abs(scale / deviation - 1.0) < 0.05).all()


@pytest.mark.parametrize("start", [0, 31_000, ROWS - 600])
@pytest.mark.usefixtures("long_from_1000")
def test_large_values_in_a_small_part_leave_the_graph_right(start: int) -> None:
    """One row in a hundred is a thousand times as large; it may lie in a stretch or between two."""
    x = process()
    x[start : start + 600, 3] += 1e6 * np.random.default_rng(1).normal(size=600)
    found = set(gp.discover(x, 2, second_look=False).native)
    assert {edge for edge in found if edge[:2] != (3, 3)} == TRUE  # that column does follow its own past
    moments = Moments.of(as_panel(x), 2)
    assert np.isfinite(moments.first).all()
    assert np.isfinite(moments.second).all()


@pytest.mark.usefixtures("long_from_1000")
def test_a_column_that_moves_only_between_stretches_is_read_whole() -> None:
    x = process()
    border = 10 * ROWS // 64  # between two of the parts whose middles are looked at
    x[:, 3] = 5.0
    x[border - 100 : border + 100, 3] = np.random.default_rng(1).normal(size=200)
    (center, scale), (mean, deviation) = of_stretches(x), of_all(x)
    np.testing.assert_allclose(center, mean, rtol=1e-9)
    np.testing.assert_allclose(scale, deviation, rtol=1e-6)


@pytest.mark.usefixtures("long_from_1000")
def test_missing_values_are_left_out_of_stretches() -> None:
    x = process()
    x[np.random.default_rng(2).random(x.shape) < 0.2] = np.nan
    (center, scale), mean, deviation = of_stretches(x), np.nanmean(x, axis=0), np.nanstd(x, axis=0)
    assert (np.abs(center - mean) < 0.06 * deviation).all()
    assert (np.abs(scale / deviation - 1.0) < 0.06).all()
