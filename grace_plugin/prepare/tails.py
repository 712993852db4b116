"""Heavy tails: values far out are drawn in, where what the own past leaves of a variable asks for it.

Gaussian noise has no residual beyond 6 standard deviations. Where more than a few lie there, single values
would speak for the whole series, and values are clipped at median +- 4 robust standard deviations. Not so
where a push is remembered for long, as in Cauchy noise with own past .9: there the values after it lie far
out as well and follow their causes, and clipping them all halves the recall (.70 to .37).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.prepare.own_past import OWN_LAGS, OwnPast, own_past, robust_spread

_FAR_OUT = 6.0  # robust deviations: one in 5e8 under Gaussian noise
_SHARE = 0.002  # of rows that may lie there, beside one that is a single event
_BOUND = 4.0  # at 3 the paper's generator loses .007 to .009, at 4 none
_REMEMBERED = 0.7  # share of a value far out that is still there a row later


def have_tails(parts: Sequence[FloatArray], pasts: Sequence[OwnPast] | None = None) -> BoolArray:
    """[d]: columns of which at least 1 + .002 T residuals lie far out and are soon forgotten.

    `pasts` are their autoregressions, where they are known.

    A column that is mostly one value has no spread to count by: clipping would leave nothing of its events.
    """
    far: list[BoolArray] = []
    for past in pasts or [own_past(values) for values in parts]:
        residual = past.residual
        center, width = robust_spread(residual[OWN_LAGS:])  # those before have no residual
        with np.errstate(invalid="ignore"):
            far.append((np.abs(residual - center) > _FAR_OUT * width) & (width > 0.0))
    rows = sum(map(len, parts))
    found = sum(one.sum(axis=0) for one in far) >= 1.0 + _SHARE * rows
    for column in np.flatnonzero(found):
        found[column] = _is_spread(parts, column) and not _is_remembered(parts, far, column)
    return np.asarray(found)


def clipped(values: FloatArray, seen: FloatArray) -> FloatArray:
    """Every column within median +- 4 robust standard deviations of what was `seen` of it (else NaN)."""
    center, spread = robust_spread(seen)
    bound = np.where(spread > 0.0, _BOUND * spread, np.inf)
    return np.clip(values, center - bound, center + bound)


def _is_spread(parts: Sequence[FloatArray], column: int) -> bool:
    return any(robust_spread(values[:, [column]])[1][0] > 0.0 for values in parts)


def _is_remembered(parts: Sequence[FloatArray], far: Sequence[BoolArray], column: int) -> bool:
    """Whether most values far out are followed by nearly as large ones."""
    shares = []
    for values, where in zip(parts, far, strict=True):
        away = values[:, column] - robust_spread(values[:, [column]])[0][0]
        times = np.flatnonzero(where[:-1, column] & np.isfinite(away[1:]) & (away[:-1] != 0.0))
        shares.append(away[times + 1] / away[times])
    every = np.concatenate(shares)
    return bool(every.size and np.median(every) > _REMEMBERED)
