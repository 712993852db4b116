"""DYNOTEARS: causalnex' StructureModel, and the (W, A) weight matrices of other implementations.

causalnex is never imported: its StructureModel is a networkx DiGraph whose nodes are called
`{variable}_lag{k}`, and that is all this adapter relies on.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._lagged_names import LaggedNames, LagStyle, read_lagged_names


class DynotearsAdapter:
    """Takes a StructureModel or a tuple (W, A); every weight that is not zero is an edge.

    `W[cause, effect]` holds lag 0. `A` is either stacked, `A[(lag - 1) * d + cause, effect]`, or has
    three axes, `A[lag - 1, cause, effect]`. The absolute weight is the score.
    """

    name = "dynotears"
    accepts = (
        "a causalnex StructureModel with nodes called name_lagK, or a tuple (W, A) of weight arrays: "
        "W [cause, effect], A [(lag - 1) * d + cause, effect] or [lag - 1, cause, effect]"
    )

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is a StructureModel by its class names, or a pair of fitting arrays."""
        return _is_structure_model(obj) or _is_weight_pair(obj)

    def to_skeleton(
        self, native: Any, *, names: Sequence[object] | None = None, threshold: float = 0.0
    ) -> Skeleton:
        """The edges of a model, or the weights that are not zero.

        Args:
            native: the model or the tuple.
            names: one name per variable, for (W, A) and for models that number their variables
                (`0_lag0`, as `from_numpy_dynamic` does).
            threshold: absolute weights up to this one are no edges (and are gone from the result).
        """
        if threshold < 0:
            msg = f"threshold={threshold!r} is negative; weights are compared by absolute value."
            raise OptionError(msg)
        if _is_weight_pair(native):
            stack = _stacked(native)
            return Skeleton(_beyond(stack, threshold), names, np.abs(stack))
        return _skeleton_of_model(native, names, threshold)

    def from_graph(
        self,
        native: Any,
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        names: Sequence[object] | None = None,
        threshold: float = 0.0,
    ) -> Any:
        """A deep copy without the pruned edges: gone from a model, zero in (W, A)."""
        del outcome, names, threshold  # whatever is not in `graph` goes, for whichever reason
        if _is_weight_pair(native):
            return _pruned_pair(native, graph)
        model = copy.deepcopy(native)
        nodes = _nodes_of(native)
        model.remove_edges_from([edge for edge in native.edges if not graph[_cell(edge, nodes)]])
        return model

    def from_skeleton(self, skeleton: Skeleton) -> tuple[FloatArray, FloatArray]:
        """(W, A) with A stacked: the scores, or 0 and 1."""
        weights = np.where(skeleton.mask, 1.0 if skeleton.scores is None else skeleton.scores, 0.0)
        d = skeleton.n_variables
        return weights[:, :, 0].copy(), np.moveaxis(weights[:, :, 1:], 2, 0).reshape(-1, d)

    def data_of(self, native: Any) -> None:
        """Neither form holds its data."""
        return


def _is_structure_model(obj: object) -> bool:
    classes = [kind.__name__ for kind in type(obj).__mro__]
    return "StructureModel" in classes and "DiGraph" in classes


def _is_weight_pair(obj: object) -> bool:
    if not (isinstance(obj, tuple) and len(obj) == 2 and all(isinstance(part, np.ndarray) for part in obj)):
        return False
    now, past = obj
    d = len(now) if now.ndim else 0
    if not d or now.shape != (d, d) or {now.dtype.kind, past.dtype.kind} - set("fiu"):
        return False
    if past.ndim == 3:
        return bool(past.shape[1:] == (d, d))
    return bool(past.ndim == 2 and past.shape[1] == d and past.shape[0] % d == 0)


def _stacked(native: tuple[npt.NDArray[Any], npt.NDArray[Any]]) -> FloatArray:
    """(W, A) as one array [cause, effect, lag]."""
    now, past = (np.asarray(part, dtype=np.float64) for part in native)
    if not (np.isfinite(now).all() and np.isfinite(past).all()):
        msg = "The weights (W, A) hold NaN or infinite values; set those entries to 0 or to a weight."
        raise AdapterError(msg)
    if now.diagonal().any():
        loops = np.flatnonzero(now.diagonal()).tolist()
        msg = (
            f"W has weights on its diagonal, for variables {loops}: nothing causes itself at lag 0. "
            "Give (W, A) in this order, W for lag 0 first, with a zero diagonal."
        )
        raise AdapterError(msg)
    lags = np.concatenate([now[None], past.reshape(-1, *now.shape)])
    return np.moveaxis(lags, 0, 2)


def _beyond(stack: FloatArray, threshold: float) -> BoolArray:
    beyond: BoolArray = np.abs(stack) > threshold
    return beyond


def _pruned_pair(native: tuple[Any, ...], graph: BoolArray) -> Any:
    by_lag = np.moveaxis(graph, 2, 0)
    now, past = (part.copy() for part in native)
    now[~by_lag[0]] = 0
    past[~by_lag[1:].reshape(past.shape)] = 0
    rebuild = getattr(type(native), "_make", type(native))  # a namedtuple stays one
    return rebuild((now, past))


def _nodes_of(model: Any) -> LaggedNames:
    nodes = read_lagged_names(model.nodes)
    if nodes.style is not LagStyle.SUFFIX:
        msg = (
            f"The nodes of this StructureModel carry no lags (they are called name_lagK after DYNOTEARS): "
            f"{list(model.nodes)[:4]}. A model without lags is a plain graph: pass networkx.DiGraph(model)."
        )
        raise AdapterError(msg)
    return _in_numeric_order(nodes)


def _in_numeric_order(nodes: LaggedNames) -> LaggedNames:
    """Variables called 0, 1, ..., d - 1 are column numbers, in whatever order the nodes were added."""
    wanted = tuple(str(number) for number in range(len(nodes.variables)))
    if set(nodes.variables) != set(wanted):
        return nodes
    moved = [int(str(variable)) for variable in nodes.variables]
    place = {node: (moved[index], lag) for node, (index, lag) in nodes.place.items()}
    return replace(nodes, variables=wanted, place=place)


def _cell(edge: tuple[Any, Any], nodes: LaggedNames) -> tuple[int, int, int]:
    (cause, cause_lag), (effect, effect_lag) = nodes.place[edge[0]], nodes.place[edge[1]]
    lag = cause_lag - effect_lag  # a copy shifted in time (A_lag2 -> B_lag1) is the same edge
    if lag < 0:
        msg = f"The edge {edge[0]!r} -> {edge[1]!r} points back in time; remove it from the model first."
        raise AdapterError(msg)
    return cause, effect, lag


def _skeleton_of_model(model: Any, names: Sequence[object] | None, threshold: float) -> Skeleton:
    nodes = _nodes_of(model)
    d = len(nodes.variables)
    mask = np.zeros(checked_shape(d, nodes.max_lag), dtype=np.bool_)
    scores = np.zeros(mask.shape)
    for cause, effect, weight in model.edges(data="weight"):
        strength = np.nan if weight is None else abs(float(weight))
        if threshold and strength <= threshold:
            continue
        cell = _cell((cause, effect), nodes)
        mask[cell] = True  # an edge that is there counts, whatever its weight
        scores[cell] = strength
    return Skeleton(mask, _names_of(nodes, names), scores)


def _names_of(nodes: LaggedNames, names: Sequence[object] | None) -> Sequence[object]:
    if names is None or set(map(str, names)) == set(nodes.names):
        return nodes.names
    if not all(name.isdigit() for name in nodes.names):
        msg = (
            f"names={list(names)} differ from the model's own {list(nodes.names)}; names= is for models "
            "that number their variables. Rename the model's nodes or leave names= out."
        )
        raise OptionError(msg)
    return names
