"""Two-dimensional matrices: who causes whom without saying when (gcastle, CUTS+, Neural Granger)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton

from ._pairs_cells import Cells, cells_of


class PairsAdapter:
    """Takes a 2-D array of 0/1 or scores; an entry survives if any of its lags does.

    Methods that return pairs mostly leave the diagonal 0, but a model without a variable's own past
    takes autocorrelation for influence. So the own lags 1..max_lag of every variable are candidates
    whatever the diagonal says (`own_lags=False` turns it off); a diagonal entry that was 0 stays 0.
    """

    name = "pairs"
    accepts = (
        "a square array [cause, effect] of 0/1 or scores (gcastle's causal_matrix, CUTS+, Neural Granger) "
        'with max_lag=, or granger_lasso\'s (d, d * max_lag) array with layout="effect,lag*cause"'
    )

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is a numeric array with two axes."""
        return isinstance(obj, np.ndarray) and obj.ndim == 2 and obj.dtype.kind in "biuf" and obj.size > 0

    def to_skeleton(
        self,
        native: npt.NDArray[Any],
        *,
        max_lag: int | None = None,
        include_lag0: bool = False,
        own_lags: bool = True,
        threshold: float = 0.0,
        layout: str | None = None,
        names: Sequence[Any] | None = None,
    ) -> Skeleton:
        """Every lag of each pair, or the lags that the matrix tells.

        Args:
            native: the matrix.
            max_lag: the largest lag; needed where neither the layout nor the column names tell lags.
            include_lag0: whether a pair may also act at lag 0.
            own_lags: whether every variable's own lags are candidates; for matrices without lags.
            threshold: absolute values up to this one are no edges (and are 0 in the result).
            layout: "cause,effect" (the default), "effect,cause" (Neural Granger), or
                "effect,lag*cause" (granger_lasso: one block of columns per lag, lag 1 first).
            names: one name per variable; names with lags (`flow_lag1`) say that the columns are lagged
                copies, as do the columns of a gcastle matrix.
        """
        cells = _cells(native, names, layout, max_lag, include_lag0)
        mask = cells.spread(_edges(native, threshold))
        if own_lags and not cells.tells_lags:
            own = np.arange(len(mask))
            mask[own, own, 1:] = True
        mask[..., 0] &= ~np.eye(len(mask), dtype=np.bool_)
        scores = None
        if native.dtype.kind != "b":
            scores = cells.spread(np.nan_to_num(np.abs(np.asarray(native, dtype=np.float64)))) * mask
        return Skeleton(mask, cells.names or _plain_names(native, names), scores)

    def from_graph(
        self,
        native: npt.NDArray[Any],
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        max_lag: int | None = None,
        include_lag0: bool = False,
        own_lags: bool = True,
        threshold: float = 0.0,
        layout: str | None = None,
        names: Sequence[Any] | None = None,
    ) -> npt.NDArray[Any]:
        """A copy of the same class in which an entry is 0 unless one of its lags survived."""
        del outcome, own_lags
        cells = _cells(native, names, layout, max_lag, include_lag0)
        edges = _edges(native, threshold)
        candidates = cells.spread(edges)
        candidates[..., 0] &= ~np.eye(len(candidates), dtype=np.bool_)
        gone = cells.gather(candidates) & ~cells.gather(candidates & graph)
        result = native.copy(order="K")
        result[gone | ~(edges | np.isnan(np.asarray(native)))] = 0
        if hasattr(native, "__dict__"):  # gcastle's Tensor forgets its labels when copied
            vars(result).update(vars(native))
        return result

    def from_skeleton(self, skeleton: Skeleton) -> npt.NDArray[Any]:
        """A matrix [cause, effect]: the largest score over the lags of a pair, or 0 and 1; lags are lost."""
        weights = skeleton.mask if skeleton.scores is None else np.where(skeleton.mask, skeleton.scores, 0.0)
        return np.asarray(weights.max(axis=2), dtype=np.float64)

    def data_of(self, native: npt.NDArray[Any]) -> None:
        """A matrix of edges holds no data."""
        return


def _edges(native: npt.NDArray[Any], threshold: float) -> BoolArray:
    if threshold < 0:
        msg = f"threshold={threshold!r} is negative; entries are compared by absolute value."
        raise OptionError(msg)
    matrix = np.asarray(native)
    unknown = np.isnan(matrix)
    if unknown.any() and not (unknown <= np.eye(*matrix.shape, dtype=np.bool_)).all():
        msg = (
            f"The matrix has {int(unknown.sum())} NaN entries off its diagonal; set them to 0 or to a score."
        )
        raise AdapterError(msg)
    edges: BoolArray = (np.abs(matrix) > threshold) & ~unknown
    return edges


def _cells(
    native: npt.NDArray[Any],
    names: Sequence[Any] | None,
    layout: str | None,
    max_lag: int | None,
    include_lag0: bool,
) -> Cells:
    labels = _own_labels(native) if names is None else names
    return cells_of(native.shape, labels, layout, max_lag, include_lag0)


def _own_labels(native: npt.NDArray[Any]) -> list[Any] | None:
    """The column labels of a gcastle Tensor, unless they merely count."""
    labels = list(getattr(native, "columns", ()))
    return None if len(labels) != native.shape[1] or labels == list(range(len(labels))) else labels


def _plain_names(native: npt.NDArray[Any], names: Sequence[Any] | None) -> Sequence[Any] | None:
    return _own_labels(native) if names is None and native.shape[0] == native.shape[1] else names
