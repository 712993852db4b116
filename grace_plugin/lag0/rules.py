"""What must hold of a graph within one step, whatever the data say."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Rules:
    """Edges [cause, effect] at lag 0 that must be there, and those that may be there.

    Args:
        required: a required edge is never removed or turned round.
        allowed: the others are never added.
    """

    required: BoolArray
    allowed: BoolArray

    @classmethod
    def free(cls, n_variables: int) -> Rules:
        """Everything is allowed, nothing required."""
        return cls(np.zeros((n_variables, n_variables), dtype=np.bool_), ~np.eye(n_variables, dtype=np.bool_))


def reaches(
    parents: Sequence[AbstractSet[int]], start: int, end: int, skip: tuple[int, int] | None = None
) -> bool:
    """Whether a directed path leads from `start` to `end`, without the edge `skip`.

    >>> reaches([set(), {0}, {1}], 0, 2)
    True
    """
    due, seen = [end], {end}
    while due:
        node = due.pop()
        for parent in parents[node]:
            if skip == (parent, node):
                continue
            if parent == start:
                return True
            if parent not in seen:
                seen.add(parent)
                due.append(parent)
    return False


def connected(pairs: BoolArray) -> list[IntArray]:
    """The members of every group of two and more that edges [d, d], in whatever direction, connect.

    >>> [one.tolist() for one in connected(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))]
    [[0, 2]]
    """
    near = pairs | pairs.T
    left, groups = near.any(axis=0), []
    while left.any():
        members = near[int(left.argmax())]
        while (more := near[members].any(axis=0) & ~members).any():
            members = members | more
        left &= ~members
        groups.append(np.flatnonzero(members))
    return groups


def is_acyclic(graph: BoolArray) -> bool:
    """Whether [cause, effect] holds no directed cycle."""
    left = graph.copy()
    while left.any():
        sources = left.any(axis=1) & ~left.any(axis=0)
        if not sources.any():
            return False
        left[sources] = False
    return True
