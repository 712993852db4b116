"""The adapter: translates an ArrowBook to candidate edges [cause, effect, lag], and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton


class ArrowbookAdapter:
    """Everything that grace-plugin needs to know about arrowbook."""

    name = "arrowbook"
    accepts = "an ArrowBook, as arrowbook.find_arrows returns it"

    def is_native(self, obj: object) -> bool:
        """Told by name, so that arrowbook is never imported for somebody who does not use it."""
        return any(
            kind.__module__ == "arrowbook" and kind.__name__ == "ArrowBook" for kind in type(obj).__mro__
        )

    def to_skeleton(self, native: Any) -> Skeleton:
        size = len(native.variables)
        mask = np.zeros((size, size, native.horizon + 1), dtype=np.bool_)
        scores = np.zeros(mask.shape)
        for arrow in native.arrows:
            cell = _cell(native, arrow)
            mask[cell], scores[cell] = True, abs(arrow.strength)
        return Skeleton(mask, native.variables, scores)

    def from_graph(self, native: Any, graph: BoolArray, *, outcome: Outcome | None = None) -> Any:
        kept = [arrow for arrow in native.arrows if graph[_cell(native, arrow)]]
        return replace(native, variables=list(native.variables), arrows=kept, remarks=dict(native.remarks))

    def data_of(self, native: Any) -> None:
        """An ArrowBook holds no data."""


def _cell(book: Any, arrow: Any) -> tuple[int, int, int]:
    return book.variables.index(arrow.cause), book.variables.index(arrow.effect), arrow.steps_back
