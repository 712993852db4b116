"""Two graphs side by side: what they share, what only one has, what is turned round or at another lag.

The structural Hamming distance is the number of changes that turn one graph into the other: one for an edge
added, one for an edge taken away, one for a lag-0 edge turned round or given a direction. Precision, recall
and F1 count cells [cause, effect, lag]; a pair of unknown direction at lag 0 has two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import SkeletonError
from grace_plugin.graph.skeleton import Skeleton

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two graphs over the same variables; made by `gp.compare`.

    Args:
        first: [cause, effect, lag]; for `precision`, `recall` and `f1` the graph that is judged.
        second: the same; for these three the truth.
        names: of the variables.

    >>> one = Skeleton([[[0, 0], [0, 1]], [[0, 0], [0, 0]]], names=["a", "b"])
    >>> other = Skeleton([[[0, 0], [0, 0]], [[0, 1], [0, 0]]], names=["a", "b"])
    >>> compared(one, other).edges[["cause", "effect", "lag", "verdict"]]
      cause effect  lag      verdict
    0     a      b    1   only first
    1     b      a    1  only second
    """

    first: BoolArray
    second: BoolArray
    names: tuple[str, ...]

    @cached_property
    def edges(self) -> pd.DataFrame:
        """One row an edge of either graph: cause, effect, lag, verdict, reversed, other_lag.

        The verdict is "shared", "only first" or "only second". `reversed`: the other graph has the opposite
        edge instead; `other_lag`: it has the pair at another lag instead.
        """
        import pandas as pd

        either = _once(self.first) | _once(self.second)
        rows = []
        for cause, effect, lag in np.argwhere(either):
            here, there = (bool(graph[cause, effect, lag]) for graph in (self.first, self.second))
            other = self.second if here else self.first
            alone = here != there
            turned = alone and bool(other[effect, cause].any()) and not other[cause, effect, lag]
            moved = alone and bool(other[cause, effect].any())
            verdict = "shared" if here and there else ("only first" if here else "only second")
            pair = self.names[cause], self.names[effect]
            rows.append((*pair, int(lag), verdict, turned and cause != effect, moved))
        columns = ["cause", "effect", "lag", "verdict", "reversed", "other_lag"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def shared(self) -> BoolArray:
        return self.first & self.second

    @property
    def only_first(self) -> BoolArray:
        return self.first & ~self.second

    @property
    def only_second(self) -> BoolArray:
        return self.second & ~self.first

    @property
    def precision(self) -> float:
        """The share of the first graph's edges that the second has too."""
        return _share(self.shared, self.first)

    @property
    def recall(self) -> float:
        """The share of the second graph's edges that the first has too."""
        return _share(self.shared, self.second)

    @property
    def f1(self) -> float:
        return 2.0 * float(self.shared.sum()) / max(1.0, float(self.first.sum() + self.second.sum()))

    @property
    def shd(self) -> int:
        """The structural Hamming distance."""
        differing = self.first != self.second
        now = differing[:, :, 0] | differing[:, :, 0].T
        return int(differing[:, :, 1:].sum() + np.triu(now).sum())

    def plot(self, ax: Axes | None = None) -> Figure:
        """Draw both in one picture: shared edges dark, those of one alone in its colour."""
        from grace_plugin.show.two_graphs import draw_two

        return draw_two(self.first, self.second, self.names, ax)

    def __repr__(self) -> str:
        counts = [int(_once(part).sum()) for part in (self.shared, self.only_first, self.only_second)]
        table = self.edges[self.edges.verdict != "shared"]
        lines = [
            f"Comparison: {counts[0]} shared, {counts[1]} only first, {counts[2]} only second "
            f"(SHD {self.shd}, F1 {self.f1:.3f})"
        ]
        for row in table.head(_SHOWN).itertuples():
            notes = ["reversed"] * row.reversed + ["other lag"] * row.other_lag
            told = f" ({', '.join(notes)})" if notes else ""
            lines.append(f"  {row.cause} -> {row.effect} @ {row.lag}: {row.verdict}{told}")
        if len(table) > _SHOWN:
            lines.append(f"  ... and {len(table) - _SHOWN} more")
        return "\n".join(lines)


def compared(first: Skeleton, second: Skeleton) -> Comparison:
    """Both on the variables of the first, matched by name where both have names."""
    order = _order(first, second)
    lags = max(first.max_lag, second.max_lag)
    names = first.names if first.named or not second.named else second.names
    return Comparison(_longer(first.mask, lags), _longer(second.mask[np.ix_(order, order)], lags), names)


def _order(first: Skeleton, second: Skeleton) -> list[int]:
    if first.n_variables != second.n_variables:
        msg = (
            f"The first graph has {first.n_variables} variables, the second {second.n_variables}; "
            "compare graphs of the same variables."
        )
        raise SkeletonError(msg)
    if not (first.named and second.named):
        return list(range(first.n_variables))
    if set(first.names) != set(second.names):
        odd = sorted(set(first.names) ^ set(second.names))[:6]
        msg = f"The graphs name different variables ({odd} are in one only); rename them first."
        raise SkeletonError(msg)
    return [second.names.index(name) for name in first.names]


def _longer(mask: BoolArray, lags: int) -> BoolArray:
    found = np.zeros((*mask.shape[:2], lags + 1), dtype=np.bool_)
    found[:, :, : mask.shape[2]] = mask
    return found


def _once(graph: BoolArray) -> BoolArray:
    """An unoriented pair by its smaller variable alone."""
    once = graph.copy()
    now = graph[:, :, 0]
    once[:, :, 0] &= ~np.tril(now & now.T)
    return once


def _share(part: BoolArray, whole: BoolArray) -> float:
    return float(part.sum()) / max(1.0, float(whole.sum()))
