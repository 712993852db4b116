"""Textbook tests from the rows themselves, slow and plain."""

from __future__ import annotations

import numpy as np
from scipy import stats


def f_test(y: np.ndarray, given: np.ndarray, own: np.ndarray) -> float:
    """The p-value of the columns `own` beside `given` and a constant."""
    base = np.column_stack([np.ones(len(y)), given])
    full = np.column_stack([base, own])
    before, after = (float(np.square(y - m @ np.linalg.lstsq(m, y)[0]).sum()) for m in (base, full))
    left = len(y) - full.shape[1]
    return float(stats.f.sf((before - after) / own.shape[1] / (after / left), own.shape[1], left))
