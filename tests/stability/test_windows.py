from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.stability.windows import Span, Timeline, Window, draw_windows, shared_units


def hours(count: int, start: str = "2024-01-01") -> Timeline:
    times = np.datetime64(start, "ns") + np.arange(count) * np.timedelta64(1, "h")
    return Timeline(count, times)


def test_moving_windows_have_the_wanted_length_and_reach_both_ends() -> None:
    windows = draw_windows([Timeline(30)], 10, 400, "moving", 2, seed=0)
    assert {span.stop - span.first for window in windows for span in window.spans} == {10}
    assert {window.spans[0].first for window in windows} == set(range(21))


def test_the_seed_decides() -> None:
    first, again, other = (draw_windows([Timeline(500)], 50, 9, "moving", 1, seed=s) for s in (3, 3, 4))
    assert first == again
    assert first != other


def test_a_duration_counts_time_and_not_rows() -> None:
    timeline = hours(100)
    assert timeline.times is not None
    gap = np.concatenate([timeline.times[:50], timeline.times[50:] + np.timedelta64(2, "D")])
    windows = draw_windows([Timeline(100, gap)], "24h", 300, "moving", 1, seed=0)
    lengths = {window.spans[0].stop - window.spans[0].first for window in windows}
    assert max(lengths) == 24
    assert min(lengths) < 24  # those that reach into the gap
    for window in windows:
        span = window.spans[0]
        assert gap[span.stop - 1] - gap[span.first] < np.timedelta64(24, "h")


def test_a_duration_of_the_whole_record_is_one_window() -> None:
    windows = draw_windows([hours(48)], "2D", 5, "moving", 1, seed=0)
    assert {window.spans[0] for window in windows} == {Span(0, 0, 48)}


def test_windows_of_several_series_never_cross_from_one_to_the_next() -> None:
    windows = draw_windows([Timeline(40), Timeline(60)], 30, 300, "moving", 1, seed=0)
    assert {window.spans[0].series for window in windows} == {0, 1}
    assert max(w.spans[0].stop for w in windows if w.spans[0].series == 0) <= 40


def test_blocks_explain_every_row_once() -> None:
    windows = draw_windows([Timeline(100)], 25, 50, "blocks", 3, seed=0)
    explained = [row for w in windows for span in w.spans for row in range(span.first + 3, span.stop)]
    assert explained == list(range(3, 100))


def test_blocks_by_duration() -> None:
    windows = draw_windows([hours(72)], "1D", 50, "blocks", 0, seed=0)
    assert [w.spans[0] for w in windows] == [Span(0, 0, 24), Span(0, 24, 48), Span(0, 48, 72)]


def test_pairs_are_disjoint_halves() -> None:
    windows = draw_windows([Timeline(160)], 20, 6, "pairs", 0, seed=1)
    for one, other in zip(windows[::2], windows[1::2], strict=True):
        assert len(one.spans) == len(other.spans) == 4
        assert not set(one.spans) & set(other.spans)


def test_resampled_draws_as_many_blocks_as_there_are_with_repeats() -> None:
    windows = draw_windows([Timeline(200)], 20, 8, "resampled", 0, seed=0)
    assert {len(window.spans) for window in windows} == {10}
    assert any(len(set(window.spans)) < 10 for window in windows)


def test_the_default_has_rows_for_every_candidate() -> None:
    few = draw_windows([Timeline(2000)], None, 1, "moving", 5, seed=0, candidates=20)
    many = draw_windows([Timeline(2000)], None, 1, "moving", 5, seed=0, candidates=900)
    assert few[0].spans[0].stop - few[0].spans[0].first == 500
    assert many[0].spans[0].stop - many[0].spans[0].first == 900


def test_shared_pieces_add_up_to_each_window() -> None:
    rng = np.random.default_rng(0)
    firsts = rng.integers(0, 70, 12)
    windows = [Window(run, (Span(0, int(first), int(first) + 30),)) for run, first in enumerate(firsts)]
    every: set[Span] = set()
    for window, units in zip(windows, shared_units(windows, max_lag=4), strict=True):
        explained = [row for unit in units for row in range(unit.first + 4, unit.stop)]
        assert explained == list(range(window.spans[0].first + 4, window.spans[0].stop))
        every |= set(units)
    rows = sorted(row for unit in every for row in range(unit.first + 4, unit.stop))
    assert len(rows) == len(set(rows))  # no row is summed up twice


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (200, "longer than the data"),
        (1, "number of rows"),
        ("soon", "duration such as"),
        ("-1D", "longer than"),
    ],
)
def test_impossible_windows_are_refused(window: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        draw_windows([hours(100)], window, 5, "moving", 1, seed=0)


def test_a_duration_needs_times_that_increase() -> None:
    with pytest.raises(DataError, match="DatetimeIndex"):
        draw_windows([Timeline(100)], "1D", 5, "moving", 1, seed=0)
    times = hours(100).times
    assert times is not None
    with pytest.raises(DataError, match="do not increase"):
        draw_windows([Timeline(100, times[::-1])], "1D", 5, "moving", 1, seed=0)


@pytest.mark.parametrize(
    ("runs", "scheme", "message"),
    [
        (0, "moving", "whole number"),
        (5, "pairs", "even"),
        (5, "rolling", "is not one of"),
        (4, "pairs", "at least 4"),
    ],
)
def test_impossible_schemes_are_refused(runs: int, scheme: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        draw_windows([Timeline(100)], 40, runs, scheme, 1, seed=0)
