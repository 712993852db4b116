"""causal-learn: graphs over lag-expanded columns, and ordinary graphs as contemporaneous ones."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.checks import shown, whole
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge, KnownCells
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.series.panel import Panel

from ._causal_learn_graph import (
    candidate_mask,
    made_graph,
    open_pairs,
    point_pairs,
    pruned_pairs,
    remove_pairs,
)
from ._causal_learn_knowledge import (
    is_background_knowledge,
    read_background_knowledge,
    write_background_knowledge,
)
from ._causal_learn_nodes import (
    Naming,
    Places,
    columns_of_nodes,
    evenly_spaced_last_column,
    places_of,
    series_of,
)

_LARGEST_LAG = 10_000  # one node per variable and lag is made


class CausalLearnAdapter:
    """Takes what pc, cdnod, fci, ges, boss and grasp return.

    Nodes called `{var}_lag{k}` are one variable at several lags; a graph without such names is
    contemporaneous. The edges that end at lag 0 are the candidates. Between different times the
    earlier node is the cause, whatever the marks; at lag 0 `-->` and `o->` are directed and every other
    mark is an edge of unknown direction. Marks of kept edges are never changed.
    """

    name = "causal-learn"
    accepts = "a causal-learn CausalGraph (pc, cdnod) or GeneralGraph (boss, grasp), fci's tuple, ges's dict"

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is one of causal-learn's graphs or a container that its searches return."""
        if isinstance(obj, tuple):
            return len(obj) == 2 and _is_a("GeneralGraph", obj[0]) and isinstance(obj[1], list)
        if isinstance(obj, dict):
            return _is_a("GeneralGraph", obj.get("G"))
        return _is_a("CausalGraph", obj) or _is_a("GeneralGraph", obj)

    def to_skeleton(self, native: Any, *, naming: Naming | None = None) -> Skeleton:
        """The edges that end at lag 0.

        Args:
            native: one of the objects of `accepts`.
            naming: from a node's name to (variable, lag), for other conventions than `{var}_lag{k}`;
                None stands for a node that is no variable (a time or domain index).
        """
        places = _places(native, naming)
        return Skeleton(candidate_mask(_general_graph(native).graph, places), places.names)

    def from_graph(
        self,
        native: Any,
        graph: BoolArray,
        *,
        outcome: Outcome | None = None,
        naming: Naming | None = None,
    ) -> Any:
        """A copy without the pruned edges and their time-shifted copies; ancestors are worked out anew."""
        pairs = pruned_pairs(_general_graph(native).graph, _places(native, naming), graph)
        if isinstance(native, tuple):
            general, edges = native
            pruned = _pruned_general_graph(general, pairs)
            return pruned, [copy.deepcopy(edge) for edge in edges if _still_in(pruned, edge)]
        if isinstance(native, dict):
            return {**native, "G": _pruned_general_graph(native["G"], pairs)}
        if _is_a("CausalGraph", native):
            return _pruned_causal_graph(native, pairs)
        return _pruned_general_graph(native, pairs)

    def orient(self, native: Any, directions: BoolArray, *, naming: Naming | None = None) -> Any:
        """A copy in which open edges at lag 0, and their time-shifted copies, point as `directions` say.

        Open are `o-o` and, but for fci, where it means something else, `---`.
        """
        in_fci = isinstance(native, tuple)
        pairs = open_pairs(_general_graph(native).graph, _places(native, naming), directions, not in_fci)
        if in_fci:
            general = _pointed_general_graph(native[0], pairs)
            return general, [_pointed_edge(general, edge) for edge in native[1]]
        if isinstance(native, dict):
            return {**native, "G": _pointed_general_graph(native["G"], pairs)}
        if _is_a("CausalGraph", native):
            return _pointed_causal_graph(native, pairs)
        return _pointed_general_graph(native, pairs)

    def from_skeleton(self, skeleton: Skeleton) -> Any:
        """A GeneralGraph over nodes `{var}_lag{k}`; a pair of unknown direction is `---`."""
        return made_graph(skeleton)

    def is_knowledge(self, obj: object) -> bool:
        """Whether `obj` is a BackgroundKnowledge."""
        return is_background_knowledge(obj)

    def read_knowledge(self, known: Any, names: Sequence[str] | None, max_lag: int | None) -> Knowledge:
        """What a BackgroundKnowledge over lagged nodes says."""
        return read_background_knowledge(known, names, max_lag)

    def write_knowledge(self, known: KnownCells, names: Sequence[str]) -> Any:
        """A BackgroundKnowledge over nodes `{var}_lag{k}`, in which time runs forward; odds have no place."""
        return write_background_knowledge(known, names, lagged_knowledge(names, known.required.shape[2] - 1))

    def data_of(self, native: Any, *, naming: Naming | None = None) -> Panel | None:
        """The series behind the table of the graph's own independence test, if it has one.

        Tables of lagged columns are put together to the series that they were made from.
        """
        data = _test_data(native)
        if not isinstance(data, np.ndarray) or data.ndim != 2 or data.dtype.kind not in "biuf":
            return None
        return series_of(data, _places(native, naming))

    def series_in(self, native: Any, panel: Panel, *, naming: Naming | None = None) -> Panel | None:
        """The series behind the very table of lagged columns that the search ran on, if `panel` is it."""
        places = _places(native, naming)
        columns = columns_of_nodes(_general_graph(native).get_node_names(), places, panel)
        if columns is None:
            return None
        parts = [series_of(np.asarray(one.values)[:, columns], places) for one in panel.series]
        return replace(parts[0], series=tuple(series for part in parts for series in part.series))


def lagged_knowledge(names: Iterable[Hashable], max_lag: int) -> Any:
    """Background knowledge that time runs forward, for `pc` and `fci` on lag-expanded columns.

    Args:
        names: the variables, as in `lag_expand`'s data.
        max_lag: the same as in `lag_expand`.

    Returns:
        A causal-learn BackgroundKnowledge with one tier per lag: no edge may point into the past.

    >>> from causallearn.graph.GraphNode import GraphNode
    >>> knowledge = lagged_knowledge(["rain", "river"], max_lag=1)
    >>> knowledge.is_forbidden(GraphNode("river_lag0"), GraphNode("rain_lag1"))
    True
    """
    max_lag = whole("max_lag", max_lag, 0, _LARGEST_LAG)
    if isinstance(names, str) or not isinstance(names, Iterable):
        msg = f"names={shown(names)}; give one name per variable, as a list."
        raise OptionError(msg)
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

    knowledge = BackgroundKnowledge()
    for name in names:
        for lag in range(max_lag + 1):
            knowledge.add_node_to_tier(GraphNode(f"{name}_lag{lag}"), max_lag - lag)
    return knowledge


def _is_a(class_name: str, obj: object) -> bool:
    return any(
        kind.__name__ == class_name and kind.__module__.startswith("causallearn.")
        for kind in type(obj).__mro__
    )


def _general_graph(native: Any) -> Any:
    if isinstance(native, tuple):
        return native[0]
    if isinstance(native, dict):
        return native["G"]
    return native.G if _is_a("CausalGraph", native) else native


def _test_data(native: Any) -> Any:
    return getattr(getattr(native, "test", None), "data", None)


def _places(native: Any, naming: Naming | None) -> Places:
    nodes = _general_graph(native).get_node_names()
    data = _test_data(native)
    fits = isinstance(data, np.ndarray) and data.ndim == 2 and data.shape[1] == len(nodes)
    # cdnod adds the time index to the data as their last column, and a node for it.
    return places_of(nodes, naming, evenly_spaced_last_column(data) if fits else None)


def _pruned_general_graph(general: Any, pairs: list[tuple[int, int]]) -> Any:
    pruned = copy.deepcopy(general)
    remove_pairs(pruned, pairs)
    return pruned


def _pruned_causal_graph(native: Any, pairs: list[tuple[int, int]]) -> Any:
    # The test holds the data and a cache of p-values: it is shared, not copied.
    pruned = copy.deepcopy(native, {id(native.test): native.test})
    remove_pairs(pruned.G, pairs)
    for one, other in pairs:
        for drawn in (pruned.nx_graph, pruned.nx_skel):
            drawn.remove_edges_from([(one, other), (other, one)])
    if pairs:
        gone = {frozenset(pair) for pair in pairs}
        for kind in ("definite_UC", "definite_non_UC"):
            triples = [t for t in getattr(pruned, kind) if not gone & {frozenset(t[:2]), frozenset(t[1:])}]
            setattr(pruned, kind, triples)
    return pruned


def _pointed_general_graph(general: Any, pairs: list[tuple[int, int]]) -> Any:
    pointed = copy.deepcopy(general)
    point_pairs(pointed, pairs)
    return pointed


def _pointed_causal_graph(native: Any, pairs: list[tuple[int, int]]) -> Any:
    pointed = copy.deepcopy(native, {id(native.test): native.test})
    point_pairs(pointed.G, pairs)
    for one, other in pairs:
        if pointed.nx_graph.has_edge(one, other):
            pointed.nx_graph.add_edge(one, other, color="b")  # as the host draws a directed edge
            pointed.nx_graph.remove_edges_from([(other, one)])
    return pointed


def _pointed_edge(general: Any, edge: Any) -> Any:
    """A copy of one of fci's edges with the marks that the graph has now."""
    names = {node.get_name(): index for index, node in enumerate(general.nodes)}
    one, other = (edge.get_node1(), edge.get_node2())
    place = names[one.get_name()], names[other.get_name()]
    marks = type(edge.get_endpoint1())
    made = type(edge)(one, other, marks(int(general.graph[place])), marks(int(general.graph[place[::-1]])))
    made.properties = list(edge.properties)
    return made


def _still_in(general: Any, edge: Any) -> bool:
    names = {node.get_name(): index for index, node in enumerate(general.nodes)}
    one, other = names[edge.get_node1().get_name()], names[edge.get_node2().get_name()]
    return bool(general.graph[one, other] != 0 or general.graph[other, one] != 0)
