"""Stretches of rows spread evenly over a long series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grace_plugin.series.rows import Series


def stretches(one: Series, count: int, rows: int) -> list[Series]:
    """`count` stretches of `rows` rows, or the whole series where it is not longer than they are together.

    Each lies in the middle of the part that it stands for: at the very ends of a sorted series, say, they
    would make too much of the largest values.

    >>> [part.values[0, 0] for part in stretches(Series(np.arange(100.0)[:, None]), 2, 10)]
    [np.float64(20.0), np.float64(70.0)]
    """
    length = len(one.values)
    if length <= count * rows:
        return [one]
    middles = (np.arange(count) + 0.5) * (length / count)
    starts = (middles - 0.5 * rows).astype(np.int64).tolist()
    return [_part(one, slice(start, start + rows)) for start in starts]


def _part(one: Series, rows: slice) -> Series:
    target, given, seen = (
        None if mask is None else mask[rows] for mask in (one.as_target, one.as_input, one.seen)
    )
    return replace(one, values=one.values[rows], as_target=target, as_input=given, seen=seen)
