"""causalts: results of CDNOTS, GRACE and its other searches, known by their attributes alone."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._causal_learn_graph import pruned_pairs, remove_pairs
from ._causal_learn_nodes import Places

_SCORES = ("gate_values", "stability_scores", "val_matrix")


class CausaltsAdapter:
    """Takes every result with `cg_tig`, an array [cause, effect, lag], and `var_names`.

    What goes beyond the named variables (the nodes of the time index) is passed through. A pair set
    both ways at lag 0 is an edge of unknown direction. With `lag_list` the last axis holds those lags.
    """

    name = "causalts"
    accepts = "a causalts result (CdnotsResult, GraceResult, CedarResult, LucidResult)"

    def is_native(self, obj: object) -> bool:
        """Whether `obj` has a graph array and names as causalts' results do."""
        fields = getattr(obj, "__dict__", None) or {}
        graph, names = fields.get("cg_tig"), fields.get("var_names")
        return isinstance(graph, np.ndarray) and graph.ndim == 3 and isinstance(names, (list, tuple))

    def to_skeleton(self, native: Any) -> Skeleton:
        """The entries of `cg_tig`, with GRACE's gates or stabilities, or CEDAR's statistics, as scores.

        Edges that CEDAR was told to keep are required.
        """
        lags = _lags(native)
        mask = _at_lags(_observed(native, native.cg_tig) != 0, lags)
        scores = _scores(native)
        return Skeleton(
            mask, _names(native), None if scores is None else _at_lags(scores, lags), _required(native, mask)
        )

    def from_graph(self, native: Any, graph: BoolArray, *, outcome: Outcome | None = None) -> Any:
        """A copy with a pruned `cg_tig` (and inner `graph`); its plots and effects read these.

        Gates, p-values and statistics of the search stay: they are what the search found.
        """
        table = getattr(native, "_df", None)
        result = copy.deepcopy(native, {id(table): table})  # the data are shared, not copied
        kept = graph.copy()
        kept[:, :, 0] |= graph[:, :, 0].T  # one edge, if both are set in the host's array
        kept = kept[:, :, _lags(native)]
        dropped = (_observed(native, native.cg_tig) != 0) & ~kept
        if dropped.any():
            _observed(native, result.cg_tig)[dropped] = 0
            _prune_inner_graph(result)
            if getattr(result, "_scm_cache", None):
                result._scm_cache = {}  # models that were fitted to the graph before
        return result

    def data_of(self, native: Any) -> Any | None:
        """The table that the search was given, which the result keeps."""
        return getattr(native, "_df", None)


def _lags(native: Any) -> list[int]:
    """The lag that each place of the last axis stands for."""
    length = native.cg_tig.shape[2]
    listed = getattr(native, "lag_list", None)
    lags = list(range(length)) if listed is None else [0, *(int(lag) for lag in listed)]
    if len(lags) != length or len(set(lags)) != length or min(lags) < 0:
        msg = f"cg_tig has {length} places for lags, but lag_list is {listed}; they must belong together."
        raise AdapterError(msg)
    return lags


def _names(native: Any) -> tuple[str, ...]:
    """The variables' names; CEDAR lists its time-index nodes among them, CDNOTS does not."""
    names = tuple(str(name) for name in native.var_names)
    index_nodes = tuple(str(name) for name in getattr(native, "c_node_names", None) or ())
    listed = len(names) == len(native.cg_tig) and names[len(names) - len(index_nodes) :] == index_nodes
    return names[: len(names) - len(index_nodes)] if listed else names


def _required(native: Any, mask: BoolArray) -> BoolArray:
    """CEDAR's (cause, effect, lag) by index; lag None means all lags."""
    required = np.zeros_like(mask)
    for cause, effect, lag in getattr(native, "required", None) or ():
        required[cause, effect, slice(None) if lag is None else lag] = True
    return required & mask


def _observed(native: Any, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The part of `array` that is about named variables; the others come last."""
    count = len(_names(native))
    if count > array.shape[0] or array.shape[0] != array.shape[1]:
        msg = f"cg_tig has shape {array.shape}, but there are {count} names; they must belong together."
        raise AdapterError(msg)
    return array[:count, :count]


def _scores(native: Any) -> npt.NDArray[Any] | None:
    for field in _SCORES:
        found = getattr(native, field, None)
        if isinstance(found, np.ndarray) and found.shape == native.cg_tig.shape:
            return np.asarray(_observed(native, found), dtype=np.float64)
    return None


def _at_lags(array: npt.NDArray[Any], lags: list[int]) -> npt.NDArray[Any]:
    """The last axis from places to lags; lags that were not looked at are empty."""
    full = np.zeros(checked_shape(len(array), max(lags)), dtype=array.dtype)
    full[:, :, lags] = array
    return full


def _prune_inner_graph(result: Any) -> None:
    """CDNOTS keeps its causal-learn graph: node number = place of the lag * nodes per time + variable."""
    general = getattr(getattr(result, "graph", None), "G", None)
    width, _, places = result.cg_tig.shape
    if general is None or len(general.nodes) != width * places:
        return
    names = _names(result)
    where = tuple(
        (node % width, node // width) if node % width < len(names) else None for node in range(width * places)
    )
    kept = _observed(result, result.cg_tig) != 0
    remove_pairs(general, pruned_pairs(general.graph, Places(names, where), kept))
