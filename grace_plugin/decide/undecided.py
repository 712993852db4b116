"""Whether the evidence as a whole leaves weak edges open, read off the probabilities of all cells."""

from __future__ import annotations

from grace_plugin._common.arrays import FloatArray
from grace_plugin.decide.decision import HALF

_MISSED = 0.3  # edges that must be expected beside the likely ones before their share counts
_MISSED_OF_NONE = 0.5  # the same where none is likely: noise alone makes .1 to .3


def expected_missed(chance: FloatArray, share: float) -> float:
    """How many edges are expected among the cells that are not likely ones; 0 where that is of no weight.

    Args:
        chance: the probabilities of all cells between variables.
        share: of all expected edges, what the likely ones hold where nothing is left open.

    >>> import numpy as np
    >>> float(expected_missed(np.array([0.9, 0.4, 0.3]), 0.8).round(1))
    0.7
    >>> float(expected_missed(np.array([0.9, 0.9, 0.9, 0.4]), 0.8))
    0.0
    """
    likely = chance > HALF
    found, missed = float(chance[likely].sum()), float(chance[~likely].sum())
    enough = _MISSED if likely.any() else _MISSED_OF_NONE
    return missed if missed >= enough and found < share * (found + missed) else 0.0
