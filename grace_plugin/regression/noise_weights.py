"""How noisy each row is, judged by its neighbours in time: storms, panics and seizures come in spells.

An ordinary test takes all rows for equally noisy, and in a record with quiet and wild spells a few wild
rows decide. Weighted by what their neighbours tell of the noise, all rows count for what they are worth.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, next_fast_len, rfft

from grace_plugin._common.arrays import FloatArray

_SPELLS = (6.0, 12.0, 24.0, 48.0, 96.0)  # widths of neighbourhoods that are tried, in rows
_REACH = 4.0  # widths beyond which neighbours do not count
_LEAST_NOISE = 0.01  # of the mean: no row counts for more than a hundred average ones
_LEAST_GAIN = 10.0, 0.03  # nats, and nats per row, by which changing noise must beat constant noise
_MOST_KEPT = 20_000  # rows of a record whose neighbourhoods are kept for the next effect
ComplexArray = npt.NDArray[np.complex128]


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
    noises = np.maximum(_of_neighbours(square), _LEAST_NOISE * mean)
    surprise = 0.5 * (np.log(noises / mean) + square / noises).sum(axis=1)
    likeliest = int(surprise.argmin())
    least, per_row = _LEAST_GAIN
    if len(square) / 2 - surprise[likeliest] < least + per_row * len(square):
        return None
    weights = 1.0 / noises[likeliest]
    return np.asarray(weights / weights.mean())


def _of_neighbours(square: FloatArray) -> FloatArray:
    """[width, n]: the mean of `square` around each row, near rows counting more, the row itself not at all.

    By Fourier transforms: the widest neighbourhood has 769 rows.
    """
    rows = len(square)
    length, waves, reached = _kept_kernels(rows) if rows <= _MOST_KEPT else _kernels(rows)
    around = irfft(rfft(square, length) * waves, length)[:, :rows]
    return np.asarray(np.maximum(around, 0.0) / reached)


def _kernels(rows: int) -> tuple[int, ComplexArray, FloatArray]:
    """A transform's length, the neighbourhoods' transforms, and how much of each [width, n] there is.

    What lies within the record counts, before the row and behind it.
    """
    length = next_fast_len(rows + max(1, min(int(_REACH * max(_SPELLS)), rows)), real=True)
    row = np.arange(rows)
    both, reached = np.zeros((len(_SPELLS), length)), np.empty((len(_SPELLS), rows))
    for place, spell in enumerate(_SPELLS):
        reach = max(1, min(int(_REACH * spell), rows - 1))
        half = np.exp(-0.5 * np.square(np.arange(reach + 1) / spell))
        both[place, 1 : reach + 1], both[place, -reach:] = half[1:], half[:0:-1]
        before = np.concatenate([[0.0], np.cumsum(half[1:])])[np.minimum(row, reach)]
        reached[place] = before + before[::-1]
    return length, rfft(both, length), reached


_kept_kernels = lru_cache(maxsize=2)(_kernels)  # every effect of a data set has as many rows
