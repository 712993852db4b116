"""networkx DiGraphs whose nodes carry a lag: `(name, -lag)`, `(name, lag)` or `name_lagK`."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Hashable, Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._lagged_names import LaggedNames, read_lagged_names

Cell = tuple[int, int, int]
_OTHER_ADAPTERS_CLASSES = {"StructureModel"}  # causalnex and its heirs: weights and origins of their own
_OTHER_ADAPTERS_PACKAGES = {"pywhy_graphs"}


class NetworkxAdapter:
    """Takes directed graphs; the edge from a cause at lag k to an effect at lag 0 is the candidate.

    Edges among past nodes are time-shifted copies and go together with the edge into lag 0. Where
    copies disagree, the edge into lag 0 decides, since only there the whole past is in the graph: a
    copy that exists only among past nodes is no candidate and stays, and a contemporaneous copy of
    the opposite direction goes when the pair goes. Edges that point back in time, and loops, stay.

    A graph without any lag is contemporaneous. Both directions at lag 0 are one unoriented pair.
    Variables stand in the order of the nodes; integers, which mean columns, in numerical order.
    """

    name = "networkx"
    accepts = "a networkx DiGraph with nodes (name, -lag), (name, lag), name_lagK, or without lags"

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is a DiGraph that no more special adapter takes."""
        networkx = sys.modules.get("networkx")
        if networkx is None or not isinstance(obj, networkx.DiGraph):
            return False
        return not any(
            kind.__name__ in _OTHER_ADAPTERS_CLASSES
            or kind.__module__.partition(".")[0] in _OTHER_ADAPTERS_PACKAGES
            for kind in type(obj).__mro__
        )

    def to_skeleton(self, native: Any, *, names: Sequence[object] | None = None) -> Skeleton:
        """The edges into lag 0; a numeric `weight` attribute is the score, without its sign.

        Args:
            native: the graph.
            names: all variables in the order of the data's columns, where the nodes' order is not it.
        """
        nodes = read_lagged_names(native.nodes)
        order = _order(nodes, names)
        shape = checked_shape(len(order), nodes.max_lag)
        mask, scores = np.zeros(shape, dtype=np.bool_), np.zeros(shape)
        _refuse_reversed_time(native, nodes)
        weighted = False
        for cause, effect, attributes in native.edges(data=True):
            cell, shift = _cell(nodes, order, cause, effect)
            if shift or not _is_candidate(cell):
                continue
            mask[cell] = True
            weight = attributes.get("weight")
            if isinstance(weight, Real) and not isinstance(weight, bool) and math.isfinite(weight):
                weighted = True
                scores[cell] = max(scores[cell], abs(float(weight)))
        return Skeleton(mask, _names(nodes, order), scores if weighted else None)

    def from_graph(
        self,
        native: Any,
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        names: Sequence[object] | None = None,
    ) -> Any:
        """A copy of the same class without the pruned edges; nodes and all attributes stay.

        With an `outcome`, the edges get the attributes grace_gate, grace_gain and grace_p_value.
        """
        nodes = read_lagged_names(native.nodes)
        order = _order(nodes, names)
        before = self.to_skeleton(native, names=names).mask
        result = _copy(native)
        # The class's method, because a frozen graph hides it behind one that refuses.
        type(result).remove_edges_from(result, list(_pruned_edges(native, nodes, order, before, graph)))
        if outcome is not None:
            _note(result, nodes, order, graph, outcome)
        return result

    def data_of(self, native: Any) -> None:
        """A graph holds no data."""
        return


def _order(nodes: LaggedNames, names: Sequence[object] | None) -> dict[int, int]:
    """From the index of a variable among the nodes to its index on the skeleton's axes."""
    if not nodes.variables:
        msg = "The graph has no nodes; add the variables, or refine the graph before removing them."
        raise AdapterError(msg)
    if names is not None:
        return _order_of(nodes, [str(name) for name in names])
    listed = range(len(nodes.variables))
    if all(isinstance(variable, int) for variable in nodes.variables):
        ranked = sorted(listed, key=lambda index: int(nodes.names[index]))
        return {index: position for position, index in enumerate(ranked)}
    return {index: index for index in listed}


def _order_of(nodes: LaggedNames, names: list[str]) -> dict[int, int]:
    missing = [name for name in nodes.names if name not in names]
    extra = [name for name in names if name not in nodes.names]
    if missing or extra:
        msg = (
            f"names= must list the graph's variables, each once: missing are {missing}, "
            f"not in the graph are {extra}."
        )
        raise OptionError(msg)
    return {index: names.index(name) for index, name in enumerate(nodes.names)}


def _names(nodes: LaggedNames, order: dict[int, int]) -> list[str] | None:
    listed = [""] * len(order)
    for index, position in order.items():
        listed[position] = nodes.names[index]
    plain_columns = [str(index) for index in range(len(order))]
    return None if listed == plain_columns else listed


def _cell(nodes: LaggedNames, order: dict[int, int], cause: Hashable, effect: Hashable) -> tuple[Cell, int]:
    """Where an edge belongs, and by how many steps it is shifted into the past."""
    from_variable, from_lag = nodes.place[cause]
    to_variable, to_lag = nodes.place[effect]
    return (order[from_variable], order[to_variable], from_lag - to_lag), to_lag


def _is_candidate(cell: Cell) -> bool:
    cause, effect, lag = cell
    return lag > 0 or (lag == 0 and cause != effect)


def _refuse_reversed_time(native: Any, nodes: LaggedNames) -> None:
    steps = [nodes.place[cause][1] - nodes.place[effect][1] for cause, effect in native.edges()]
    across = [step for step in steps if step]
    if across and max(across) < 0:
        msg = (
            f"All {len(across)} edges between different times point into the past; an edge goes from its "
            "cause to its effect, and a lag counts steps back from the present. Try graph.reverse()."
        )
        raise AdapterError(msg)


def _pruned_edges(
    native: Any, nodes: LaggedNames, order: dict[int, int], before: BoolArray, graph: BoolArray
) -> Iterator[tuple[Hashable, ...]]:
    for edge in native.edges(keys=True) if native.is_multigraph() else native.edges():
        (cause, effect, lag), _ = _cell(nodes, order, edge[0], edge[1])
        if not _is_candidate((cause, effect, lag)):
            continue
        if before[cause, effect, lag]:
            gone = not graph[cause, effect, lag]
        else:  # a past copy alone; at lag 0 it may be the other direction of a pair that was judged
            gone = lag == 0 and before[effect, cause, 0] and not graph[effect, cause, 0]
        if gone:
            yield edge


def _copy(native: Any) -> Any:
    if hasattr(native, "_graph"):  # a view: its own copy() gives a graph that can be changed
        return native.copy()
    same_nodes = {id(node): node for node in native.nodes}  # nodes may be equal only to themselves
    return copy.deepcopy(native, same_nodes)


def _note(result: Any, nodes: LaggedNames, order: dict[int, int], graph: BoolArray, outcome: Outcome) -> None:
    for cause, effect, attributes in result.edges(data=True):
        cell, _ = _cell(nodes, order, cause, effect)
        if _is_candidate(cell) and graph[cell]:
            attributes["grace_gate"] = float(outcome.gates[cell])
            attributes["grace_gain"] = float(outcome.gain[cell])
            attributes["grace_p_value"] = float(outcome.p_value[cell])
