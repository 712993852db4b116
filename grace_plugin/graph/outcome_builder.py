"""What every engine fills in, edge by edge, and how it judges a pair of unknown direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.graph.outcome import Outcome, Reason
from grace_plugin.moments.sums import Moments

Cells = tuple[Any, Any, Any]  # an index of [cause, effect, lag]


class Verdicts:
    """Arrays [cause, effect, lag] of one refinement; edges of `keep` stay whatever is written."""

    def __init__(self, keep: BoolArray) -> None:
        self.keep = keep
        self.gates = np.zeros(keep.shape)
        self.graph = np.zeros(keep.shape, dtype=np.bool_)
        self.gain = np.full(keep.shape, np.nan)
        self.p_value = np.full(keep.shape, np.nan)
        self.reason: npt.NDArray[np.int8] = np.full(keep.shape, int(Reason.SKELETON), dtype=np.int8)

    def write(
        self,
        cells: Cells,
        gates: FloatArray,
        stays: BoolArray,
        gain: FloatArray,
        p_value: FloatArray,
        certified: BoolArray,
    ) -> None:
        """`certified` is True where the certificate decided, whichever way; elsewhere it was the gate."""
        keep = self.keep[cells]
        self.gates[cells] = gates
        self.graph[cells] = stays | keep
        self.gain[cells], self.p_value[cells] = gain, p_value
        reason = np.where(certified, int(Reason.CERTIFICATE), int(Reason.GATE))
        self.reason[cells] = np.where(keep, int(Reason.KEEP), reason)

    def write_pairs(
        self,
        pairs: IntArray,
        gate: FloatArray,
        stays: BoolArray,
        gain: FloatArray,
        p_value: FloatArray,
        certified: BoolArray,
    ) -> None:
        """The same verdict for both directions of every pair (row) at lag 0."""
        for cause, effect in (pairs.T, pairs.T[::-1]):
            self.write((cause, effect, 0), gate, stays, gain, p_value, certified)

    def revise(self, cells: Cells, stays: BoolArray | bool, gain: FloatArray, p_value: FloatArray) -> None:
        """What a later test says of edges that were written before; their reason stays as it is."""
        self.graph[cells] = stays
        self.gain[cells], self.p_value[cells] = gain, p_value

    def outcome(self, penalty: float, alpha: float, moments: Moments, details: Mapping[str, Any]) -> Outcome:
        """All that was written, with the values that "auto" stood for."""
        return Outcome(
            self.gates,
            self.graph,
            self.gain,
            self.p_value,
            self.reason,
            penalty,
            alpha,
            moments.rows,
            moments.rows_given,
            details,
        )


def both_directions(pairs: IntArray) -> IntArray:
    """(cause, effect) rows: all pairs as they are, then all of them turned round."""
    return np.concatenate([pairs, pairs[:, ::-1]])


def larger_of_both(values: FloatArray) -> FloatArray:
    """Of each pair, the larger of the values of `both_directions`."""
    return np.asarray(values.reshape(2, -1).max(axis=0))


def p_value_of_both(p_values: FloatArray) -> FloatArray:
    """Of each pair, given those of `both_directions`: the smaller counts twice, as two were looked at."""
    return np.asarray(np.minimum(1.0, 2.0 * p_values.reshape(2, -1).min(axis=0)))


def pair_parents(directed: BoolArray, cause: int, effect: int) -> IntArray:
    """(cause, lag) rows: the edge in question first, then all parents of both ends but the effect itself."""
    parents = directed[:, cause] | directed[:, effect]
    parents[effect, 0] = parents[cause, 0] = False
    return np.concatenate([[[cause, 0]], np.argwhere(parents)])
