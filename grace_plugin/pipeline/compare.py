"""Any two graphs, of any hosts, compared cell by cell."""

from __future__ import annotations

from grace_plugin.pipeline.conversion import edges_of
from grace_plugin.protocols import HostResult
from grace_plugin.results.comparison import Comparison, compared


def compare(first: HostResult, second: HostResult) -> Comparison:
    """What two graphs share and where they differ, lag by lag.

    Args:
        first: a host's result, a `Skeleton`, or a `Refinement` (its kept edges).
        second: another of the same variables, of any host; the truth, where `precision`, `recall` and `f1`
            are to be read.

    >>> import networkx as nx
    >>> found = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -2), ("c", 0))])
    >>> true = nx.DiGraph([(("a", -1), ("b", 0)), (("b", -1), ("c", 0))])
    >>> print(compare(found, true))
    Comparison: 1 shared, 1 only first, 1 only second (SHD 2, F1 0.500)
      b -> c @ 1: only second (other lag)
      b -> c @ 2: only first (other lag)
    """
    return compared(edges_of(first), edges_of(second))
