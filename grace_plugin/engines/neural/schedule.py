"""How long and how fast training goes, when it ends, and which problems are computed together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_WORTH = 100  # a part of its own costs about as much time as this many candidates


@dataclass(frozen=True)
class Schedule:
    """How long and how fast; the defaults are the paper's but for the gates' own rate."""

    epochs: int = 150
    patience: int = 20
    batch_size: int = 32
    learning_rate: float = 1e-3
    gate_learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    gate_decay: float = 0.0
    initial_gate: float = -0.5
    warm_up: int = 0
    concentrate_from: int = 0  # the first epoch in which crowded pairs cost more
    cosine: bool = False
    noise_per_row: bool = False
    rounded_steps: bool = False  # N / B steps an epoch rounded, not up as in the paper
    settled: float = 0.0  # an effect whose gates are all closer than this to 0 or 1 leaves training


def batch_size(rows: int) -> int:
    """The paper's rule: max(32, min(N / 8, 256)).

    >>> batch_size(100), batch_size(995), batch_size(10_000)
    (32, 124, 256)
    """
    return max(32, min(rows // 8, 256))


def steps_of_epoch(rows: int, size: int, rounded: bool) -> int:
    """Into how many batches of equal size an epoch is cut.

    Batches of `size` would leave a last one of three rows of 1995, whose slope is mere noise: with it
    training ends after 46 epochs of 150 at 50 variables, and every gate is still open.

    >>> steps_of_epoch(1995, 249, False), steps_of_epoch(1995, 249, True)
    (9, 8)
    """
    return max(1, round(rows / size) if rounded else math.ceil(rows / size))


def parts(counts: Sequence[int]) -> list[slice]:
    """Cut problems, sorted by falling numbers of candidates, where less padding is worth another part.

    >>> parts([9, 9, 3, 2]), parts([40] * 10 + [5] * 90)
    ([slice(0, 4, None)], [slice(0, 10, None), slice(10, 100, None)])
    """
    cuts = [0]
    for place, count in enumerate(counts):
        most = counts[cuts[-1]]
        if 2 * count <= most and (len(counts) - place) * (most - count) > _WORTH:
            cuts.append(place)
    return [slice(start, stop) for start, stop in zip(cuts, [*cuts[1:], len(counts)], strict=True)]


class Patience:
    """Says when the loss has not improved for `limit` epochs."""

    def __init__(self, limit: int) -> None:
        self.limit, self.best, self.waited = limit, math.inf, 0

    def exhausted(self, loss: float) -> bool:
        """Take note of one more epoch's loss."""
        self.waited = 0 if loss < self.best else self.waited + 1
        self.best = min(self.best, loss)
        return self.waited >= self.limit
