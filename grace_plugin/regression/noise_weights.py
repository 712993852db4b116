"""How noisy each row is, judged by its neighbours in time: storms, panics and seizures come in spells.

An ordinary test takes all rows for equally noisy, and in a record with quiet and wild spells a few wild
rows decide. Weighted by what their neighbours tell of the noise, all rows count for what they are worth.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from grace_plugin._common.arrays import FloatArray

_SPELLS = (6.0, 12.0, 24.0, 48.0, 96.0)  # widths of neighbourhoods that are tried, in rows
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

    def around(values: FloatArray) -> FloatArray:
        return np.asarray(gaussian_filter1d(values, spell, mode="constant"))

    alone = np.zeros(2 * int(4 * spell) + 3)
    alone[len(alone) // 2] = 1.0
    own = float(around(alone)[len(alone) // 2])
    return np.asarray((around(square) - own * square) / (around(np.ones_like(square)) - own))
