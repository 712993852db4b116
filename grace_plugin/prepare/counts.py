"""Counts: the square root makes their noise about as wide at every level (Anscombe, 1948)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray

_FEWEST_VALUES = 3  # two values are a switch, not a count
_SHIFT = 3.0 / 8.0  # with it the variance of a Poisson count's root is nearly 1/4 at every mean


def are_counts(parts: Sequence[FloatArray]) -> BoolArray:
    """[d]: columns of whole numbers from 0 on, of three values or more, over all series, that also fall.

    What only rises is a clock or a running total.

    >>> are_counts([np.array([[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0], [4.0, 2.0, 1.0, 2.0]])])
    array([ True, False, False, False])
    """
    found = np.ones(parts[0].shape[1], dtype=np.bool_)
    for values in parts:
        there = np.isfinite(values)
        with np.errstate(invalid="ignore"):
            found &= ~(there & ((values < 0.0) | (values != np.floor(values)))).any(axis=0)
    for column in np.flatnonzero(found):
        held = np.concatenate([values[np.isfinite(values[:, column]), column] for values in parts])
        several = len(np.unique(held[:1000])) >= _FEWEST_VALUES or len(np.unique(held)) >= _FEWEST_VALUES
        found[column] = several and bool((np.diff(held) < 0.0).any())
    return found


def rooted(values: FloatArray) -> FloatArray:
    """sqrt(x + 3/8), of at least 0: what was filled in may lie below."""
    return np.asarray(np.sqrt(np.maximum(values, 0.0) + _SHIFT))
