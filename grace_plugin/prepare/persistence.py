"""Persistence: causes that remember for so long that a plain test of them is too sure.

Two independent series with roots near 1 wander, and what one lag of the cause says of the effect is partly
that both wander. Beside one more lag of the cause its coefficient is that of its last change, and the test is
right whatever the root (Toda and Yamamoto, 1995): false edges at own past .999 fall from 2.4 to 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.prepare.own_past import largest_root, own_past

_DISTANCE = (
    25.0  # how sure a test is hangs on T (1 - root): at 10 the share below .05 is .077, at 30 it is .047
)

# Several series wander independently, so that all rows count; but each taken about its own mean leans on its
# past by 1/T, which more of them do not mend: four of 60 rows,
# own past .9, have .2 false edges at 12, 1.0 at 6.
_DISTANCE_OF_EACH = 12.0


def are_persistent(parts: Sequence[FloatArray]) -> BoolArray:
    """[d]: columns with a root above 1 - 25/T (.95 at 500 rows); of several series, by their mean weights.

    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> are_persistent([np.stack([noise[:, 0], np.cumsum(noise[:, 1])], axis=1)])
    array([False,  True])
    """
    rows = np.array([len(values) for values in parts])
    weights = np.average([own_past(values).weights for values in parts], axis=0, weights=rows)
    away = 1.0 - largest_root(weights)
    if len(parts) == 1:
        return np.asarray(rows[0] * away < _DISTANCE)
    return np.asarray((rows.sum() * away < _DISTANCE) | (rows.mean() * away < _DISTANCE_OF_EACH))
