"""How noisy each row is, judged by its neighbours in time: storms, panics and seizures come in spells.

An ordinary test takes all rows for equally noisy, and in a record with quiet and wild spells a few wild
rows decide. Weighted by what their neighbours tell of the noise, all rows count for what they are worth.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from grace_plugin._common.arrays import FloatArray

_SPELLS = (6.0, 12.0, 24.0, 48.0, 96.0)  # widths of neighbourhoods that are tried, in rows
_TRUNCATE = 4.0  # widths beyond which neighbours do not count
_LEAST_NOISE = 0.01  # of the mean: no row counts for more than a hundred average ones
_LEAST_GAIN = 10.0, 0.03  # nats, and nats per row, by which changing noise must beat constant noise


def row_weights(residual: FloatArray) -> FloatArray | None:
    """Weights of rows, 1 in the mean, or None where constant noise explains the residuals as well.

    The noise of a row is the weighted mean square of its neighbours' residuals, without its own: a row
    cannot speak for or against itself. The width of the neighbourhood is the likeliest.

    >>> rng = np.random.default_rng(0)
    >>> even = rng.normal(size=1000)
    >>> row_weights(even) is None
    True
    >>> weights = row_weights(np.where(np.arange(1000) < 700, 0.1, 1.0) * even)
    >>> bool(weights[:600].mean() > 20 * weights[800:].mean())
    True
    """
    square = residual**2
    mean = float(square.mean())
    if mean == 0.0:
        return None
    noises = [np.maximum(_of_neighbours(square, spell), _LEAST_NOISE * mean) for spell in _SPELLS]
    surprise = [float(np.sum(np.log(noise / mean) + square / noise)) / 2 for noise in noises]
    likeliest = int(np.argmin(surprise))
    least, per_row = _LEAST_GAIN
    if len(square) / 2 - surprise[likeliest] < least + per_row * len(square):
        return None
    weights = 1.0 / noises[likeliest]
    return np.asarray(weights / weights.mean())


def _of_neighbours(square: FloatArray, spell: float) -> FloatArray:
    """The mean of `square` around each row, near rows counting more, the row itself not at all."""
    reach = int(_TRUNCATE * spell + 0.5)  # as the filter has it
    half = np.exp(-0.5 * np.square(np.arange(reach + 1) / spell))
    half /= 2.0 * half.sum() - half[0]
    row = np.arange(len(square))
    # What lies within the record, to either side; both sides have the row itself.
    reached = np.cumsum(half)[np.minimum([row, row[::-1]], reach)].sum(axis=0)
    around = gaussian_filter1d(square, spell, mode="constant", truncate=_TRUNCATE)
    return np.asarray((around - half[0] * square) / (reached - 2.0 * half[0]))
