"""Which rows each run of a bootstrap sees.

A span names the rows that are read; rows that only lend their past to later ones are among them, so
the first `max_lag` rows of a span are never explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from grace_plugin._common.checks import choice, whole
from grace_plugin.exceptions import DataError, OptionError

Length: TypeAlias = int | str | timedelta  # rows, or a duration such as "30D"
SCHEMES = ("moving", "blocks", "resampled", "pairs")
_MOST_RUNS = 1_000_000
_LEAST_ROWS = 100
_ROWS_PER_LAG = 10


@dataclass(frozen=True, order=True)
class Span:
    """Rows `first` to `stop` (exclusive) of one series."""

    series: int
    first: int
    stop: int


@dataclass(frozen=True)
class Window:
    """What one run sees; several spans are several realisations."""

    run: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class Timeline:
    """The rows of one series, and their times where the data have them (datetime64[ns])."""

    rows: int
    times: npt.NDArray[np.datetime64] | None = None


def draw_windows(
    timelines: Sequence[Timeline],
    window: Length | None,
    runs: int,
    scheme: str,
    max_lag: int,
    seed: int,
    candidates: int = 0,
) -> tuple[Window, ...]:
    """The windows of all runs, the same for the same arguments.

    Without a `window`, one is a quarter of the rows, and has at least as many rows as an effect has
    `candidates`; blocks are a twentieth.

    >>> [window.spans[0] for window in draw_windows([Timeline(200)], 100, 9, "blocks", 2, seed=0)]
    [Span(series=0, first=0, stop=100), Span(series=0, first=98, stop=200)]
    """
    _check(runs, scheme)
    length = _default_length(timelines, scheme, max_lag, candidates) if window is None else window
    rng = np.random.default_rng(seed)
    if scheme == "moving":
        return _moving(timelines, length, runs, rng)
    blocks = _blocks(timelines, length, max_lag)
    if scheme == "blocks":
        return tuple(Window(run, (block,)) for run, block in enumerate(blocks[:runs]))
    if len(blocks) < 4:
        msg = f"window={window!r} cuts the data into {len(blocks)} blocks; {scheme!r} needs at least 4."
        raise OptionError(msg)
    if scheme == "resampled":
        draws = [rng.integers(0, len(blocks), len(blocks)) for _ in range(runs)]
    else:
        draws = _halves(len(blocks), runs, rng)
    return tuple(Window(run, tuple(blocks[i] for i in np.sort(draw))) for run, draw in enumerate(draws))


def _check(runs: int, scheme: str) -> None:
    choice("scheme", scheme, SCHEMES)
    whole("runs", runs, 1, _MOST_RUNS)
    if scheme == "pairs" and runs % 2:
        msg = f"runs={runs}; complementary pairs need an even number."
        raise OptionError(msg)


def _default_length(timelines: Sequence[Timeline], scheme: str, max_lag: int, candidates: int) -> int:
    """Long enough to learn from, short enough to differ; pieces of a sample can be shorter."""
    longest = max(one.rows for one in timelines)
    if scheme in ("resampled", "pairs"):
        return max(2, longest // 20)
    least = max(_LEAST_ROWS, _ROWS_PER_LAG * (max_lag + 1))
    return min(longest, max(longest // 4, min(candidates, 3 * longest // 4), least))


def _moving(
    timelines: Sequence[Timeline], length: Length, runs: int, rng: np.random.Generator
) -> tuple[Window, ...]:
    possible = [_spans_from(series, one, length) for series, one in enumerate(timelines)]
    spans = [span for group in possible for span in group]
    if not spans:
        longest = max(one.rows for one in timelines)
        msg = f"window={length!r} is longer than the data (at most {longest} rows); give a shorter one."
        raise OptionError(msg)
    chosen = rng.integers(0, len(spans), runs)
    return tuple(Window(run, (spans[i],)) for run, i in enumerate(chosen))


def _spans_from(series: int, timeline: Timeline, length: Length) -> list[Span]:
    """Every span of the wanted length, one per possible first row."""
    if isinstance(length, (int, np.integer)) and not isinstance(length, bool):
        _refuse_short(int(length))
        return [Span(series, s, s + int(length)) for s in range(timeline.rows - int(length) + 1)]
    times, duration = _times(timeline, length), _duration(length)
    stops = np.searchsorted(times, times + duration, side="left")
    step = np.median(np.diff(times)) if len(times) > 1 else duration
    last = int(np.searchsorted(times, times[-1] + step - duration, side="right"))
    return [Span(series, s, int(stops[s])) for s in range(last)]


def _blocks(timelines: Sequence[Timeline], length: Length, max_lag: int) -> list[Span]:
    """Disjoint blocks, each with the past that its first rows need; an unfinished last one is left out."""
    blocks = []
    for series, timeline in enumerate(timelines):
        starts = {span.first: span.stop for span in _spans_from(series, timeline, length)}
        row = 0
        while row in starts:
            blocks.append(Span(series, max(0, row - max_lag), starts[row]))
            row = starts[row]
    if not blocks:
        msg = f"window={length!r} is longer than the data; give a shorter one."
        raise OptionError(msg)
    return blocks


def _halves(count: int, runs: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    draws = []
    for _ in range(runs // 2):
        order, half = rng.permutation(count), count // 2
        draws += [order[:half], order[half : 2 * half]]
    return draws


def _refuse_short(length: int) -> None:
    if length < 2:
        msg = f"window={length}; give the number of rows of a window, or a duration such as '30D'."
        raise OptionError(msg)


def _times(timeline: Timeline, length: Length) -> npt.NDArray[np.datetime64]:
    if timeline.times is None:
        msg = (
            f"window={length!r} is a duration, but the data have no times; give a number of rows, or a "
            "pandas DataFrame with a DatetimeIndex."
        )
        raise DataError(msg)
    if (np.diff(timeline.times) <= np.timedelta64(0)).any():
        msg = "The times of the data do not increase from row to row; sort the rows and drop repeated times."
        raise DataError(msg)
    return timeline.times


def _duration(length: Length) -> np.timedelta64:
    import pandas as pd

    try:
        duration: np.timedelta64 = pd.Timedelta(length).to_timedelta64()
    except (ValueError, TypeError) as error:
        msg = f"window={length!r}; give a number of rows or a duration such as '30D' or '12h'."
        raise OptionError(msg) from error
    if duration <= np.timedelta64(0):
        msg = f"window={length!r}; a duration must be longer than nothing."
        raise OptionError(msg)
    return duration


def shared_units(windows: Sequence[Window], max_lag: int) -> tuple[tuple[Span, ...], ...]:
    """For each window, spans that add up to it and that overlapping windows have in common.

    Explained rows are cut wherever any window begins or ends, so no row is summed up twice.

    >>> shared_units([Window(0, (Span(0, 0, 60),)), Window(1, (Span(0, 40, 100),))], max_lag=1)[1]
    (Span(series=0, first=40, stop=60), Span(series=0, first=59, stop=100))
    """
    cuts: dict[int, set[int]] = {}
    for window in windows:
        for span in window.spans:
            cuts.setdefault(span.series, set()).update((span.first + max_lag, span.stop))
    ordered = {series: sorted(places) for series, places in cuts.items()}
    return tuple(
        tuple(unit for span in window.spans for unit in _units(span, ordered[span.series], max_lag))
        for window in windows
    )


def _units(span: Span, cuts: list[int], max_lag: int) -> list[Span]:
    inside = [cut for cut in cuts if span.first + max_lag <= cut <= span.stop]
    return [Span(span.series, start - max_lag, stop) for start, stop in pairwise(inside)]
