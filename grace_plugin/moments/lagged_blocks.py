"""Chunks of a panel with the past that their lagged rows need, and which of those rows are complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.series.rows import Panel, Series
from grace_plugin.series.standardise import refuse_infinite


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of one series, and where lagged rows end in them."""

    values: FloatArray  # [rows, d], the first max_lag rows repeated from the block before
    windows: BoolArray  # [rows]: whether the window that ends here is complete and allowed
    fresh_rows: int


def window_blocks(panel: Panel, max_lag: int, rows: int) -> Iterator[Block]:
    """Chunks of the panel, each carrying the past that its first windows need."""
    past: Series | None = None
    for chunk, starts_series in panel.chunks(rows):
        refuse_infinite(chunk.values, panel)
        joined = chunk if starts_series or past is None else _joined(past, chunk)
        windows = complete_windows(joined, max_lag)
        fresh = len(chunk.values)
        windows[: len(joined.values) - fresh] = False  # counted with the chunk before
        yield Block(joined.values, windows, fresh)
        past = _tail(joined, max_lag)


def complete_windows(series: Series, max_lag: int) -> BoolArray:
    """[T]: whether rows t - max_lag .. t are all present and allowed in their roles."""
    whole = bool(np.isfinite(series.values.sum()))  # a look that costs a tenth of that at every row
    present: BoolArray = (
        np.ones(len(series.values), np.bool_) if whole else ~np.isnan(series.values).any(axis=1)
    )
    targets = present if series.as_target is None else present & series.as_target
    inputs = present if series.as_input is None else present & series.as_input
    windows = targets.copy()
    windows[:max_lag] = False
    for lag in range(1, max_lag + 1):
        windows[lag:] &= inputs[:-lag] if lag < len(inputs) else False
    return np.asarray(windows)


def _joined(past: Series, chunk: Series) -> Series:
    def both(name: str) -> Any:
        before, after = getattr(past, name), getattr(chunk, name)
        return None if after is None else np.concatenate([before, after])

    return Series(np.concatenate([past.values, chunk.values]), both("as_target"), both("as_input"))


def _tail(series: Series, rows: int) -> Series:
    def last(array: Any) -> Any:
        return None if array is None else array[max(0, len(array) - rows) :]

    return Series(last(series.values), last(series.as_target), last(series.as_input))
