"""How likely so many coincidences are: the p-value of a candidate that lives on few rows.

With a what is left of the candidate and r of the target, neither of which knows of the other, T is what
sum a_t r_p(t) could have been over all orders p of the rows. Its tail is that of its cumulants

    K(s) = sum_u n_u ln sum_v w_v exp(s a_u r_v),

a_u and r_v the values of both with how often they come, by Lugannani and Rice in the form of
Barndorff-Nielsen: Phi(-(x + ln(y / x) / x)), x = sqrt(2 (s T - K)), y = s sqrt(K''), K'(s) = T.
Of 400 rows 15 and 16 are events: 5 of each at once have p = 1.2e-4. This says .5e-4, and twice that is
taken, because coincidences are whole numbers. By the tail of the shifts, as many as there are rows, real
effects between events had p = 1e-4 where this has 1e-7 (5 variables, 400 rows: F1 .33 to .78).

Events that come in bursts meet more often. So T is made smaller by what circular shifts vary beyond orders,
and no p-value is below the share of shifts that show as much.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, rfft
from scipy.optimize import brentq
from scipy.special import log_ndtr

from grace_plugin._common.arrays import FloatArray

NEAREST = 3  # shifts on either side that see nearly the same rows
_VALUES = 64  # so many values of each side are told apart
_EXTREMES = 4  # the largest and the smallest among them, one by one
_WHOLE = 2.0
_STEEPEST = 500.0  # of exponents: beyond it no order of the rows shows so much


def coincidence_p_value(candidate: FloatArray, target: FloatArray) -> float:
    """Of `candidate` [n] for `target` [n], both beside all else.

    >>> order = np.random.default_rng(0).permutation(400)
    >>> events, other = np.isin(order, np.arange(15)), np.isin(order, np.arange(10, 26))
    >>> 1e-4 < coincidence_p_value(events.astype(float), other.astype(float)) < 1e-3
    True
    """
    a, r = candidate - candidate.mean(), target - target.mean()
    seen, spread = float(a @ r), float((a @ a) * (r @ r)) / len(a)
    if not spread > 0.0:
        return 1.0
    moved = irfft(rfft(a).conj() * rfft(r), len(a))[NEAREST + 1 : len(a) - NEAREST]
    bursts = max(1.0, float(moved.var()) / spread)
    height = abs(seen) / np.sqrt(bursts)
    shifts = float(np.mean(np.abs(moved) >= abs(seen)))
    return max(min(1.0, _WHOLE * (_tail(a, r, height) + _tail(-a, r, height))), shifts)


def _tail(a: FloatArray, r: FloatArray, height: float) -> float:
    """The share of orders whose sum is at least so high."""
    (values, often), (other, weight) = _told_apart(a), _told_apart(r)
    products, log_weight = np.outer(values, other), np.log(weight / weight.sum())

    def cumulants(s: float) -> tuple[float, float, float]:
        exponent = s * products + log_weight
        top = exponent.max(axis=1, keepdims=True)
        share = np.exp(exponent - top)
        total = share.sum(axis=1)
        share /= total[:, None]
        first = np.einsum("uv,uv->u", share, products)
        second = np.einsum("uv,uv,uv->u", share, products, products) - np.square(first)
        return float(often @ (top[:, 0] + np.log(total))), float(often @ first), float(often @ second)

    if cumulants(0.0)[1] >= height:
        return 1.0
    most = _STEEPEST / float(np.abs(products).max())
    steep = most
    if cumulants(most)[1] > height:
        steep = float(brentq(lambda s: cumulants(s)[1] - height, 0.0, most, xtol=1e-9 * most))
    value, _, curvature = cumulants(steep)
    x = np.sqrt(max(2.0 * (steep * height - value), 1e-12))
    y = max(steep * np.sqrt(max(curvature, 0.0)), 1e-12)
    return float(np.exp(log_ndtr(-(x + np.log(y / x) / x))))


def _told_apart(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The values of a column and how often each comes; of many values the means of neighbours."""
    values, often = np.unique(column, return_counts=True)
    if len(values) <= _VALUES:
        return values, often.astype(np.float64)
    ordered = np.sort(column)
    middle = np.array_split(ordered[_EXTREMES:-_EXTREMES], _VALUES - 2 * _EXTREMES)
    parts = [*ordered[:_EXTREMES, None], *middle, *ordered[-_EXTREMES:, None]]
    return np.array([part.mean() for part in parts]), np.array([len(part) for part in parts], np.float64)
