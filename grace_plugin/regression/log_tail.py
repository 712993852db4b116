"""Tails of F-tests as logarithms: an edge of a clear world has a p-value far below what a float can hold.

The tail of F(k, m) at f is the incomplete beta function I_x(m/2, k/2) with x = m / (m + k f); where it is
too small for a float its leading term x^a (1 - x)^(b - 1) / (a B(a, b)), a = m/2, b = k/2, takes its place.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, fdtrc, ndtri

from grace_plugin._common.arrays import FloatArray, IntArray

_LEAST = 1e-290  # smaller tails are computed by their leading term
_DEEPEST = -650.0  # ln p below which a chi-square value is taken from its asymptote


def log_f_tail(freedom: IntArray | int, left: FloatArray | float, ratio: FloatArray) -> FloatArray:
    """Ln of the p-value of F = `ratio` with `freedom` and `left` degrees of freedom.

    >>> float(log_f_tail(1, np.array(100.0), np.array(4.0)).round(4))
    -3.0321
    """
    tail = fdtrc(freedom, left, ratio)
    deep = tail < _LEAST
    found = np.log(np.where(deep, 1.0, tail))
    if deep.any():
        a, b = np.broadcast_arrays(0.5 * np.asarray(left, float), 0.5 * np.asarray(freedom, float))
        share = b / a * ratio  # 1 - x = share / (1 + share)
        leading = -a * np.log1p(share) + (b - 1.0) * np.log(share / (1.0 + share) + 1e-300)
        found = np.where(deep, np.minimum(leading - np.log(a) - betaln(a, b), np.log(_LEAST)), found)
    return np.asarray(found)


def log_p_of_drop(
    without: FloatArray, having: FloatArray, freedom: IntArray | int, left: FloatArray | float
) -> FloatArray:
    """Ln p of `freedom` more features, from the unexplained variances without and with them."""
    usable = (np.asarray(left) > 0) & (np.asarray(freedom) > 0)
    safe_left = np.where(usable, left, 1.0)
    safe_freedom = np.where(usable, freedom, 1)
    ratio = np.maximum(without - having, 0.0) / safe_freedom / (having / safe_left)
    return np.asarray(np.where(usable, log_f_tail(safe_freedom, safe_left, ratio), 0.0))


def twice_the_smaller(linear: FloatArray, full: FloatArray, freedom: IntArray) -> FloatArray:
    """Ln of the combined p-value of the linear and the full test; one feature makes one test only."""
    both = np.minimum(0.0, np.log(2.0) + np.minimum(linear, full))
    return np.asarray(np.where(freedom > 1, both, linear))


def chi_square_of(log_p: FloatArray) -> FloatArray:
    """The chi-square(1) value that has this p-value.

    >>> chi_square_of(np.log([0.05, 0.5])).round(3)
    array([3.841, 0.455])
    """
    log_p = np.asarray(log_p, dtype=np.float64)
    root = ndtri(0.5 * np.exp(np.maximum(log_p, _DEEPEST)))
    # ln p = -c/2 - ln(c pi / 2) / 2, solved by two rounds of substitution.
    deep = -2.0 * np.minimum(log_p, _DEEPEST)
    for _ in range(2):
        deep = -2.0 * np.minimum(log_p, _DEEPEST) - np.log(0.5 * np.pi * deep)
    return np.asarray(np.where(log_p > _DEEPEST, np.square(root), deep))
