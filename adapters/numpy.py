"""Plain numpy stacks of lagged matrices, in one of three axis orders that the caller names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, one_way

LAYOUTS = ("cause,effect,lag", "lag,effect,cause", "lag-1,effect,cause")
_LAYOUT_HELP = (
    'layout="cause,effect,lag" for (d, d, max_lag + 1), layout="lag,effect,cause" for (max_lag + 1, d, d) '
    'with lag 0 first (lingam), or layout="lag-1,effect,cause" for (max_lag, d, d) with lag 1 first '
    "(coefficients of a vector autoregression)"
)


class NumpyAdapter:
    """Takes 3-D arrays; every entry that is not zero is an edge, its absolute value the score.

    The three known orders have the same shape when max_lag + 1 = d, so the shape cannot tell them
    apart and `layout` has no default. NaN counts as an edge (lingam writes a NaN pair at lag 0 for
    an unknown direction). A variable's entry for itself at lag 0 is no edge and stays as it is.
    """

    name = "numpy"
    accepts = f"a 3-D array of numbers, with one of {', '.join(LAYOUTS)} as layout="

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is a numeric array with three axes."""
        return isinstance(obj, np.ndarray) and obj.ndim == 3 and obj.dtype.kind in "biuf"

    def to_skeleton(
        self,
        native: npt.NDArray[Any],
        *,
        layout: str | None = None,
        names: Sequence[str] | None = None,
    ) -> Skeleton:
        """The entries that are not zero.

        Args:
            native: the stack.
            layout: its axis order, one of `LAYOUTS`.
            names: one name per variable (optional).
        """
        view, first_lag = _cause_effect_lag(native, layout)
        missing = ((0, 0), (0, 0), (first_lag, 0))
        stack = np.pad(view, missing)
        scores = None if native.dtype.kind == "b" else np.abs(stack.astype(np.float64))
        return Skeleton(_edges(stack), names, scores)

    def from_graph(
        self,
        native: npt.NDArray[Any],
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        layout: str | None = None,
        names: Sequence[str] | None = None,
    ) -> npt.NDArray[Any]:
        """A copy of the same dtype in which every pruned entry is 0 (False)."""
        del outcome, names  # an array has no place for them
        result = native.copy(order="K")
        view, first_lag = _cause_effect_lag(result, layout)  # writing to it writes to the result
        before = self.to_skeleton(native, layout=layout).mask
        view[(before & ~graph)[:, :, first_lag:]] = 0
        return result

    def orient(
        self,
        native: npt.NDArray[Any],
        directions: BoolArray,
        *,
        layout: str | None = None,
        names: Sequence[str] | None = None,
    ) -> npt.NDArray[Any]:
        """A copy in which the opposite entry of a pair at lag 0 is 0, where `directions` tell which it is."""
        graph = one_way(self.to_skeleton(native, layout=layout, names=names), directions)
        return self.from_graph(native, graph, layout=layout, names=names)

    def from_skeleton(self, skeleton: Skeleton) -> npt.NDArray[Any]:
        """An array with the layout "cause,effect,lag": scores, or 0 and 1."""
        return _weights_of(skeleton)

    def data_of(self, native: npt.NDArray[Any]) -> None:
        """An array of edges holds no data."""
        return


def _cause_effect_lag(stack: npt.NDArray[Any], layout: str | None) -> tuple[npt.NDArray[Any], int]:
    """`stack` as a view [cause, effect, lag], and the lag of its first entry."""
    if layout is None:
        msg = f"An array of shape {stack.shape} does not tell its axis order; pass {_LAYOUT_HELP}."
        raise OptionError(msg)
    if layout not in LAYOUTS:
        msg = f"layout={layout!r} is not known; pass {_LAYOUT_HELP}."
        raise OptionError(msg)
    view = stack if layout == LAYOUTS[0] else stack.transpose(2, 1, 0)
    if view.shape[0] != view.shape[1] or 0 in view.shape:
        msg = f"An array of shape {stack.shape} is not laid out as {layout!r}; pass {_LAYOUT_HELP}."
        raise OptionError(msg)
    return view, int(layout == LAYOUTS[2])


def _edges(stack: npt.NDArray[Any]) -> BoolArray:
    edges: BoolArray = stack != 0
    edges[:, :, 0] &= ~np.eye(len(edges), dtype=np.bool_)
    return edges


def _weights_of(skeleton: Skeleton) -> npt.NDArray[Any]:
    if skeleton.scores is None:
        return skeleton.mask.astype(np.float64)
    return np.where(skeleton.mask, skeleton.scores, 0.0)
