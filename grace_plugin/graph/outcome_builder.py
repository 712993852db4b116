"""What every engine fills in, candidate by candidate, and how it judges a pair of unknown direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.graph.outcome import Details, EdgeRecords, Outcome, Reason, Sums
from grace_plugin.graph.skeleton import Skeleton

Cells = tuple[Any, Any, Any]  # an index of [cause, effect, lag]


class OutcomeBuilder:
    """Columns of the candidates of one refinement; edges of `keep` stay whatever is written."""

    def __init__(self, skeleton: Skeleton, keep: BoolArray) -> None:
        self.keep = keep
        self.graph: BoolArray = np.zeros(keep.shape, dtype=np.bool_)
        self._cells = np.flatnonzero(skeleton.mask)
        self._gate = np.zeros(len(self._cells))
        self._gain = np.full(len(self._cells), np.nan)
        self._p_value = np.full(len(self._cells), np.nan)
        self._reason: npt.NDArray[np.int8] = np.full(len(self._cells), int(Reason.GATE), dtype=np.int8)

    @property
    def gates(self) -> FloatArray:
        """[cause, effect, lag]: the gates so far."""
        found = np.zeros(self.keep.shape)
        found.ravel()[self._cells] = self._gate
        return found

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
        keep, at = self.keep[cells], self._positions(cells)
        self._gate[at], self._gain[at], self._p_value[at] = gates, gain, p_value
        self.graph[cells] = stays | keep
        reason = np.where(certified, int(Reason.CERTIFICATE), int(Reason.GATE))
        self._reason[at] = np.where(keep, int(Reason.KEEP), reason)

    def write_pairs(
        self,
        pairs: IntArray,
        gate: FloatArray,
        stays: BoolArray,
        gain: FloatArray,
        p_value: FloatArray,
        certified: BoolArray,
    ) -> None:
        """The same decision for both directions of every pair (row) at lag 0."""
        for cause, effect in (pairs.T, pairs.T[::-1]):
            self.write((cause, effect, 0), gate, stays, gain, p_value, certified)

    def revise(self, cells: Cells, stays: BoolArray | bool, gain: FloatArray, p_value: FloatArray) -> None:
        """What a later test says of edges that were written before; their reason stays as it is."""
        at = self._positions(cells)
        self.graph[cells] = stays
        self._gain[at], self._p_value[at] = gain, p_value

    def outcome(self, penalty: float, alpha: float, moments: Sums, details: Details) -> Outcome:
        """All that was written, with the values that "auto" stood for."""
        d, _, lags = self.keep.shape
        cause, effect, lag = np.unravel_index(self._cells, self.keep.shape)
        kept = self.graph[cause, effect, lag]
        records = EdgeRecords(cause, effect, lag, self._gate, self._gain, self._p_value, self._reason, kept)
        return Outcome(records, (d, d, lags), penalty, alpha, moments.rows, moments.rows_given, details)

    def _positions(self, cells: Cells) -> IntArray:
        """Of candidates in the columns."""
        flat = np.ravel_multi_index(np.broadcast_arrays(*cells), self.keep.shape)
        return np.searchsorted(self._cells, flat)


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
