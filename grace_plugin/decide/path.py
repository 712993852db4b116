"""The way from an empty graph to a full one: at every cut, what is kept and how much of it is believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin._common.config import LEAST_ALPHA
from grace_plugin.decide.decision import Decision
from grace_plugin.regression.log_tail import chi_square_of

_LONGEST = 2000  # cuts that are told: a graph of more edges is nobody's


@dataclass(frozen=True, eq=False)
class Path:
    """One entry a cut, the strictest first.

    Args:
        level: evidence of the last cell that is kept.
        kept: how many.
        probability: of that cell.
        expected_false: how many of the kept ones.
        fdr: the same as a share.
        expected_f1: of the kept ones against all edges that are expected to be there.
    """

    level: FloatArray
    kept: IntArray
    probability: FloatArray
    expected_false: FloatArray
    fdr: FloatArray
    expected_f1: FloatArray

    @classmethod
    def of(cls, decision: Decision) -> Path:
        """Cell after cell, the likeliest first."""
        chance = decision.probability[decision.possible]
        log_p = decision.log_p[decision.possible]
        order = np.lexsort((log_p, -chance))
        total = float(chance.sum())
        order = order[:_LONGEST]
        true = np.cumsum(chance[order])
        kept = np.arange(1, len(order) + 1)
        return cls(
            np.exp(np.maximum.accumulate(log_p[order])) if len(order) else np.empty(0),
            kept,
            chance[order],
            kept - true,
            1.0 - true / kept,
            2.0 * true / (kept + max(total, 1e-300)),
        )


def least_effect(level: float, rows: int) -> float:
    """The smallest standardised effect that so many rows show at a level, one time in two.

    >>> round(least_effect(0.001, 500), 3)
    0.146
    """
    needed = float(chi_square_of(np.array(np.log(max(level, LEAST_ALPHA)))))
    return float(np.sqrt(needed / (needed + max(rows, 1))))
