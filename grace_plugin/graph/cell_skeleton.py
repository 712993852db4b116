"""Candidates among many variables as a list of cells; the array is made when somebody asks for it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray
from grace_plugin._common.room import room_for
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton, checked_names


class CellSkeleton(Skeleton):
    """The same as `Skeleton`, from lagged cells [M, 3] of (cause, effect, lag).

    >>> few = CellSkeleton(np.array([[0, 2, 1]]), (3, 3, 2))
    >>> list(few), few.max_lag, bool(few.mask[0, 2, 1])
    ([(0, 2, 1)], 1, True)
    """

    cells: IntArray
    shape: tuple[int, int, int]

    def __init__(
        self,
        cells: IntArray,
        shape: tuple[int, int, int],
        names: Iterable[Hashable] | None = None,
        required: IntArray | None = None,
    ) -> None:
        order = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0]))
        object.__setattr__(self, "cells", cells[order])
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "named", names is not None)
        object.__setattr__(self, "names", checked_names(names, shape[0]))
        object.__setattr__(self, "_required", np.zeros((0, 3), np.int64) if required is None else required)

    @property
    def mask(self) -> BoolArray:
        """[cause, effect, lag]: made anew at every call."""
        return self._spread(self.cells)

    @property
    def required(self) -> BoolArray:
        """[cause, effect, lag]: made anew at every call."""
        return self._spread(self._required)  # type: ignore[attr-defined]

    @property
    def scores(self) -> None:
        """There are none."""

    @property
    def n_variables(self) -> int:
        return self.shape[0]

    @property
    def max_lag(self) -> int:
        return self.shape[2] - 1

    def renamed(self, names: Iterable[Hashable] | None) -> Skeleton:
        """The same edges under other names."""
        return CellSkeleton(self.cells, self.shape, names, self._required)  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return ((int(cause), int(effect), int(lag)) for cause, effect, lag in self.cells)

    def _spread(self, cells: IntArray) -> BoolArray:
        room_for(self.shape, np.bool_, "the whole graph")
        found = np.zeros(self.shape, dtype=np.bool_)
        found[tuple(cells.T)] = True
        found.setflags(write=False)
        return found


def pruned(found: Skeleton, outcome: Outcome) -> Skeleton:
    """The edges that stayed, in the form of the candidates."""
    names = found.names if found.named else None
    if isinstance(found, CellSkeleton):
        records = outcome.records
        return CellSkeleton(np.stack(records.chosen(records.kept).cells, axis=1), outcome.shape, names)
    return Skeleton(outcome.graph, names, found.scores)
