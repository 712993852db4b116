"""Each variable beside three values of its own past: what is left of it, and how long it remembers.

x(t) = a + b1 x(t-1) + b2 x(t-2) + b3 x(t-3) + e(t), by least squares on the times at which all four are
there; the roots of z^3 - b1 z^2 - b2 z - b3 tell how long a push is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray

OWN_LAGS = 3
NORMAL = 1.4826  # a normal distribution's standard deviation over its median absolute deviation
_LARGEST = 1e150  # squares of larger values are infinite; such columns are refused by name later
_RIDGE = 1e-10


@dataclass(frozen=True, eq=False)
class OwnPast:
    """The autoregression of every column of one series."""

    residual: FloatArray  # [T, d]: in the data's units, NaN where a value of the four is missing
    weights: FloatArray  # [d, OWN_LAGS]


def own_past(values: FloatArray) -> OwnPast:
    """Fit every column of `values` [T, d] on its own three lags."""
    scaled, spread = _scaled(values)
    rows = len(values) - OWN_LAGS
    if rows < 1:
        empty = np.full(values.shape, np.nan)
        return OwnPast(empty, np.zeros((values.shape[1], OWN_LAGS)))
    lags = [scaled[OWN_LAGS - lag : len(scaled) - lag] for lag in range(OWN_LAGS + 1)]
    there = np.logical_and.reduce([np.isfinite(one) for one in lags])  # [rows, d]
    if not there.all():
        lags = [np.where(there, one, 0.0) for one in lags]
    table = [there.astype(np.float64), *lags[1:]]
    gram = np.empty((values.shape[1], OWN_LAGS + 1, OWN_LAGS + 1))
    cross = np.empty((values.shape[1], OWN_LAGS + 1))
    for place, one in enumerate(table):
        cross[:, place] = np.einsum("td,td->d", one, lags[0])
        for other in range(place + 1):
            gram[:, place, other] = gram[:, other, place] = np.einsum("td,td->d", one, table[other])
    gram += _RIDGE * (np.trace(gram, axis1=1, axis2=2)[:, None, None] + 1.0) * np.eye(OWN_LAGS + 1)
    weights: FloatArray = np.asarray(np.linalg.solve(gram, cross[:, :, None])[:, :, 0])
    left = lags[0] - weights[:, 0]
    for lag in range(1, OWN_LAGS + 1):
        left -= weights[:, lag] * lags[lag]
    residual = np.full(values.shape, np.nan)
    residual[OWN_LAGS:] = np.where(there, left * spread, np.nan)
    return OwnPast(residual, weights[:, 1:])


def largest_root(weights: FloatArray) -> FloatArray:
    """[d]: the largest real root of each autoregression; 0 where none is positive.

    >>> largest_root(np.array([[0.9, 0.0, 0.0]])).round(3)
    array([0.9])
    """
    companion = np.zeros((len(weights), OWN_LAGS, OWN_LAGS))
    companion[:, 0] = weights
    companion[:, np.arange(1, OWN_LAGS), np.arange(OWN_LAGS - 1)] = 1.0
    roots = np.linalg.eigvals(companion)
    real = np.where(np.abs(roots.imag) < 1e-9, roots.real, 0.0)
    return np.asarray(np.maximum(real.max(axis=1), 0.0))


def robust_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """[d], [d]: median and robust standard deviation of every column; 0 where most values are the same."""
    if len(values) == 0:
        return np.zeros(values.shape[1]), np.zeros(values.shape[1])
    if np.isnan(values).any():
        held = ~np.isnan(values).all(axis=0)
        median, spread = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        median[held] = np.nanmedian(values[:, held], axis=0)
        spread[held] = NORMAL * np.nanmedian(np.abs(values[:, held] - median[held]), axis=0)
        return median, spread
    columns = np.ascontiguousarray(values.T)
    median = np.median(columns, axis=1)
    return median, NORMAL * np.median(np.abs(columns - median[:, None]), axis=1)


def usable(values: FloatArray) -> FloatArray:
    """`values` as floats; columns with infinite or overlarge values, which are refused later, are NaN."""
    values = np.array(values, dtype=np.float64)
    values[:, (np.abs(values) > _LARGEST).any(axis=0)] = np.nan
    return values


def _scaled(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Columns around 0 in units of their spread, and the units."""
    median, spread = robust_spread(values)
    wide = np.nanmax(np.abs(values - median), axis=0, initial=0.0, where=~np.isnan(values))
    spread = np.where(spread > 0.0, spread, np.where(wide > 0.0, wide, 1.0))
    return (values - median) / spread, spread
