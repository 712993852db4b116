"""One host's graph as another host's object."""

from __future__ import annotations

from grace_plugin._common.config import OptionValue
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.convert import made_as, read_panel, skeleton_of
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.protocols import HostResult
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.forms import Data


def convert(native: HostResult, to: str, data: Data | None = None, **host_options: OptionValue) -> HostResult:
    """The edges of `native` as an object of another host.

    Args:
        native: a host's result, a `Skeleton`, or a `Refinement` (its kept edges).
        to: "networkx", "tigramite", "causal-learn", "lingam", "dynotears", "pairs", "numpy", "edges", or the
            name of any adapter that can make its host's objects.
        data: lends its names to a graph that has none.
        **host_options: how `native` is to be read: `max_lag=` of a matrix without lags, say.

    Scores go along as weights where both sides have them. What the other side cannot say is lost: lags in
    "pairs", names in "lingam".

    >>> import networkx as nx
    >>> table = convert(nx.DiGraph([(("rain", -2), ("river", 0))]), to="edges")
    >>> table.to_dict("records")
    [{'cause': 'rain', 'effect': 'river', 'lag': 2}]
    """
    return made_as(to, _named(edges_of(native, **host_options), data))


def edges_of(given: HostResult, **host_options: OptionValue) -> Skeleton:
    """The edges of anything that holds a graph."""
    if isinstance(given, Refinement):
        return Skeleton(given.graph, given.names if given.skeleton.named else None)
    if isinstance(given, Skeleton):
        return given
    return skeleton_of(find_adapter(given), given, host_options)


def _named(skeleton: Skeleton, data: Data | None) -> Skeleton:
    panel = read_panel(data, {})
    if panel is None or panel.names is None or skeleton.named:
        return skeleton
    return skeleton.renamed(panel.names)
