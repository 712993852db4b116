"""Persistence: variables that remember for so long that a plain test of one beside the other is too sure.

Two independent series with roots near 1 wander, and what one lag of the cause says of the effect is partly
that both wander, since the effect's own past is estimated beside it. Chi-square is then too large by

    1 + .9 r s / (1 + c / 6),

r and s the two roots and c = T (1 - root) that of the less persistent of the two: simulated at 50 to 1000
rows and roots from .2 to 1 this is right at every level from .05 to .001 (1.9 of two random walks, 1.35 at
c = 10, 1.1 at c = 30), so chi-square is divided by it. A test beside one more lag of the cause (Toda and
Yamamoto, 1995) is right as well, but keeps the last change of the cause alone: own past .97, 1000 rows and
five effects have F1 .20 that way and .80 this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.prepare.own_past import OwnPast, largest_root, own_past

LONG = 21.0  # a distance at which the factor (1.2) is worth a word: a root above .95 at 500 rows
_WANDERS = 5.0  # a root above .9 at 50 rows, above .99 at 500
_LARGEST, _HALF_AT = 0.9, 6.0
_HARDLY = 0.02  # so much changes no decision, and data that ask for nothing are tested as they are
# Several series wander independently, so that all rows count; but each taken about its own mean leans on its
# past by 1/T, which more of them do not mend.
_OF_EACH = 2.0


@dataclass(frozen=True, eq=False)
class Memory:
    """How long each variable remembers.

    Args:
        root: [d], the largest root of its autoregression.
        distance: [d], rows times what the root lacks to 1.
    """

    root: FloatArray
    distance: FloatArray

    @property
    def is_long(self) -> BoolArray:
        """[d]: so long that it is told."""
        return np.asarray(self.distance < LONG)

    @property
    def wanders(self) -> BoolArray:
        """[d]: so long that no row of so few tells it from a random walk."""
        return np.asarray(self.distance < _WANDERS)

    def too_sure(self, cause: int, effect: int) -> float:
        """The factor by which chi-square of a cause is too large; 1 where it is hardly more.

        >>> walks = Memory(np.array([1.0, 1.0, 0.4]), np.array([0.0, 0.0, 300.0]))
        >>> walks.too_sure(0, 1), walks.too_sure(0, 2)
        (1.9, 1.0)
        """
        away = float(max(self.distance[cause], self.distance[effect]))
        more = _LARGEST * float(self.root[cause] * self.root[effect]) / (1.0 + away / _HALF_AT)
        return 1.0 + more if more > _HARDLY else 1.0


def memory_of(parts: Sequence[FloatArray], pasts: Sequence[OwnPast] | None = None) -> Memory:
    """Of every column, the root by the mean weights of all series; `pasts` are theirs, where known.

    An estimated root falls short by (1 + 3 root) / T (Kendall, 1954), which is put back.

    >>> noise = np.random.default_rng(0).normal(size=(500, 2))
    >>> memory_of([np.stack([noise[:, 0], np.cumsum(noise[:, 1])], axis=1)]).is_long
    array([False,  True])
    """
    rows = np.array([len(values) for values in parts])
    pasts = pasts or [own_past(values) for values in parts]
    weights = np.average([past.weights for past in pasts], axis=0, weights=rows)
    root = largest_root(weights)
    root = np.minimum(root + (1.0 + 3.0 * root) / rows.mean(), 1.0)
    effective = rows[0] if len(parts) == 1 else min(rows.sum(), _OF_EACH * rows.mean())
    return Memory(root, np.asarray(effective * (1.0 - root)))
