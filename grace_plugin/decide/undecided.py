"""Whether the evidence as a whole leaves weak edges open, read off the probabilities of all cells."""

from __future__ import annotations

from grace_plugin._common.arrays import FloatArray
from grace_plugin.decide.decision import HALF

_HOPELESS = 0.02  # of a cell that is not worth a thought; thousands of them would add up
_MISSED = 0.25  # edges that must be expected beside the likely ones before their share counts
_MISSED_OF_NONE = 0.6  # the same where none is likely: noise alone makes .1 to .5


def open_cells(chance: FloatArray, share: float) -> FloatArray:
    """The probabilities of the cells that are neither likely nor hopeless; none where they are of no weight.

    Args:
        chance: the probabilities of all cells between variables.
        share: of all expected edges, what the likely ones hold where nothing is left open.

    >>> import numpy as np
    >>> open_cells(np.array([0.9, 0.4, 0.3, 0.01]), 0.8)
    array([0.4, 0.3])
    >>> open_cells(np.array([0.9, 0.9, 0.9, 0.4]), 0.8)
    array([], dtype=float64)
    """
    likely, left = chance[chance > HALF], chance[(chance > _HOPELESS) & (chance <= HALF)]
    found, missed = float(likely.sum()), float(left.sum())
    enough = _MISSED if len(likely) else _MISSED_OF_NONE
    return left if missed >= enough and found < share * (found + missed) else left[:0]
