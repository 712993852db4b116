"""networkx DiGraphs with lags in their nodes, `(name, -lag)`, `(name, lag)`, `name_lagK`, or their edges."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, checked_shape, one_way

from ._networkx_edges import Arcs, narrow, pruned, read_arcs

_OTHER_ADAPTERS_CLASSES = {"StructureModel"}  # causalnex and its heirs: weights and origins of their own
_OTHER_ADAPTERS_PACKAGES = {"pywhy_graphs"}


class NetworkxAdapter:
    """Takes directed graphs; the edge from a cause at lag k to an effect at lag 0 is the candidate.

    Edges among past nodes are time-shifted copies and go together with the edge into lag 0. Where
    copies disagree, the edge into lag 0 decides, since only there the whole past is in the graph: a
    copy that exists only among past nodes is no candidate and stays, and a contemporaneous copy of
    the opposite direction goes when the pair goes. Edges that point back in time, and loops, stay.

    Where the nodes carry no lag, the edges may: in an attribute called `lag` or `time_lag` (or `tau`,
    `delay`), one number or several. Where both do, they must agree. A graph without any lag is
    contemporaneous. Both directions at lag 0 are one unoriented pair. Whole numbers mean columns;
    variables with names stand in the order of the nodes unless `names` gives another.
    """

    name = "networkx"
    accepts = (
        "a networkx DiGraph with nodes (name, -lag), (name, lag) or name_lagK, with lags as attributes of "
        "the edges (lag, time_lag), or without lags"
    )

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
            names: all variables in the order of the data's columns; those without a node have no edges.
        """
        arcs = read_arcs(native, names)
        shape = checked_shape(arcs.columns.count, arcs.max_lag)
        mask, scores = np.zeros(shape, dtype=np.bool_), np.zeros(shape)
        weighted = False
        for arc in arcs.listed:
            cells = () if arc.shift else arc.candidates
            weight = _strength(arc.attributes.get("weight"))
            weighted |= weight is not None and bool(cells)
            for cell in cells:
                mask[cell] = True
                scores[cell] = max(scores[cell], weight or 0.0)
        return Skeleton(mask, arcs.columns.names, scores if weighted else None)

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
        before = self.to_skeleton(native, names=names).mask
        arcs = read_arcs(native, names)
        gone, narrowed = pruned(arcs, before, graph)
        result = _copy(native)
        for edge, lags in narrowed.items():
            narrow(result.edges[edge], lags)
        # The class's method, because a frozen graph hides it behind one that refuses.
        type(result).remove_edges_from(result, gone)
        if outcome is not None:
            _note(result, arcs, graph, outcome)
        return result

    def orient(self, native: Any, directions: BoolArray, *, names: Sequence[object] | None = None) -> Any:
        """A copy without the opposite one of two edges at lag 0, where `directions` tell which it is."""
        graph = one_way(self.to_skeleton(native, names=names), directions)
        return self.from_graph(native, graph, names=names)

    def from_skeleton(self, skeleton: Skeleton) -> Any:
        """A DiGraph with nodes (name, -lag); an unoriented pair has both edges."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from((name, 0) for name in skeleton.names)
        for cause, effect, lag in np.argwhere(skeleton.mask).tolist():
            ends = (skeleton.names[cause], -lag), (skeleton.names[effect], 0)
            scores = {} if skeleton.scores is None else {"weight": float(skeleton.scores[cause, effect, lag])}
            graph.add_edge(*ends, lag=lag, **scores)
        return graph

    def data_of(self, native: Any) -> None:
        """A graph holds no data."""
        return

    def needs_names(self, native: Any) -> bool:
        """Nodes come in any order: only the data can say which column a name means."""
        return True


def _strength(weight: Any) -> float | None:
    """An edge's weight without its sign, where it is a number."""
    usable = isinstance(weight, Real) and not isinstance(weight, bool) and math.isfinite(weight)
    return abs(float(weight)) if usable else None


def _copy(native: Any) -> Any:
    if hasattr(native, "_graph"):  # a view: its own copy() gives a graph that can be changed
        return native.copy()
    same_nodes = {id(node): node for node in native.nodes}  # nodes may be equal only to themselves
    return copy.deepcopy(native, same_nodes)


def _note(result: Any, arcs: Arcs, graph: BoolArray, outcome: Outcome) -> None:
    for arc in arcs.listed:
        kept = [cell for cell in arc.candidates if graph[cell]]
        if kept and result.has_edge(*arc.edge):
            best = max(kept, key=lambda cell: outcome.gates[cell])  # of several lags the surest
            result.edges[arc.edge].update(
                grace_gate=float(outcome.gates[best]),
                grace_gain=float(outcome.gain[best]),
                grace_p_value=float(outcome.p_value[best]),
            )
