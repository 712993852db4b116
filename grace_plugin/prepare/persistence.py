"""Persistence: causes that remember for so long that a plain test of them is too sure.

Two independent series with roots near 1 wander, and what one lag of the cause says of the effect is partly
that both wander, since the effect's own past is estimated beside it. How much too sure the test is hangs on
the distance c = T (1 - root) of the less persistent of the two alone: chi-square is too large by

    1 + .9 / (1 + c / 6)

at every level from .05 to .001 (simulated at T = 100, 300, 1000 and roots from .9 to 1: 1.8 to 1.9 at c = 0,
1.35 at 10, 1.1 at 30), and is divided by it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.prepare.own_past import largest_root, own_past

_CLOSE = 21.0  # a distance at which the factor (1.2) is worth a word
# Several series wander independently, so that all rows count; but each taken about its own mean leans on its
# past by 1/T, which more of them do not mend.
_OF_EACH = _CLOSE / 12.0
_LARGEST, _HALF_AT = 0.9, 6.0
_FAR = 100.0  # from there on 1.05 or less: tests are right
_BIAS = 4.0  # rows times what an estimated root near 1 falls short of it (Kendall, 1954)


def distances(parts: Sequence[FloatArray]) -> FloatArray:
    """[d]: T (1 - root) of every column, the root by the mean weights of all series.

    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> distances([np.stack([noise[:, 0], np.cumsum(noise[:, 1])], axis=1)]) < 21.0
    array([False,  True])
    """
    rows = np.array([len(values) for values in parts])
    weights = np.average([own_past(values).weights for values in parts], axis=0, weights=rows)
    away = 1.0 - largest_root(weights)
    if len(parts) == 1:
        return np.asarray(np.maximum(rows[0] * away - _BIAS, 0.0))
    return np.asarray(np.maximum(np.minimum(rows.sum(), _OF_EACH * rows.mean()) * away - _BIAS, 0.0))


def are_persistent(distance: FloatArray) -> BoolArray:
    """[d]: columns that remember so long that it is told (a root above .95 at 500 rows)."""
    return np.asarray(distance < _CLOSE)


def too_sure(distance: float) -> float:
    """The factor by which chi-square of a cause is too large where both remember.

    >>> round(too_sure(0.0), 2), round(too_sure(10.0), 2), round(too_sure(float("inf")), 2)
    (1.9, 1.34, 1.0)
    """
    return 1.0 if distance > _FAR else 1.0 + _LARGEST / (1.0 + distance / _HALF_AT)
