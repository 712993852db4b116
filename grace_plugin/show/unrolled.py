"""The time-series graph: every variable a row, time to the right, kept edges into the present."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.show.labels import distinct, literal
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import BLUE, GREY, INK, PAPER, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST = 32  # signs of a name
_WIDTH = 1.4
_MOST_HEAVY = 40  # edges between variables: more of them are drawn thinner


def draw_unrolled(
    graph: BoolArray, names: Sequence[str], ax: Axes | None = None, strengths: Strengths | None = None
) -> tuple[Figure, Axes]:
    """Draw `graph` [cause, effect, lag] unrolled in time; a variable's own past is grey."""
    count, _, lags = graph.shape
    figure, axes = axes_for(ax, (max(6.0, 3.5 + 1.5 * lags), 1.2 + 0.5 * count))
    row, column = np.meshgrid(np.arange(count), np.arange(lags), indexing="ij")
    for band in range(0, count, 2):
        axes.fill_between([-1.0, lags], band - 0.5, band + 0.5, color=PAPER, linewidth=0, zorder=0)
    axes.scatter(column, row, s=34, color="white", edgecolors=INK, linewidths=0.8, zorder=3)
    thin = min(1.0, (_MOST_HEAVY / max(int(graph.sum()), 1)) ** 0.5)
    for cause, effect, lag in np.argwhere(graph):
        open_pair = lag == 0 and graph[effect, cause, 0]
        if open_pair and cause > effect:
            continue
        colour, width = _look(int(cause), int(effect), int(lag), strengths)
        start, end = (lags - 1 - lag, cause), (lags - 1, effect)
        head = "-" if open_pair else "-|>"
        _arrow(axes, start, end, colour, width * thin, _bend(cause == effect, lag), head)
    _words(axes, names, lags)
    return figure, axes


def _look(cause: int, effect: int, lag: int, strengths: Strengths | None) -> tuple[Any, float]:
    if cause == effect:
        return GREY, _WIDTH
    if strengths is None:
        return BLUE, _WIDTH
    return strengths.colour(cause, effect, [lag]), strengths.width(cause, effect, [lag], _WIDTH)


def _words(axes: Any, names: Sequence[str], lags: int) -> None:
    """Names on the left, where causes start, and on the right, where arrows end."""
    count = len(names)
    words = [literal(name) for name in distinct(names, _LONGEST)]
    axes.set_yticks(np.arange(count), words, fontsize=8)
    axes.set_xticks(np.arange(lags), [f"t-{lag}" if lag else "t" for lag in range(lags - 1, -1, -1)])
    for row, name in enumerate(words):
        axes.annotate(
            name, (lags - 1, row), xytext=(12, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xlim(-0.4, lags - 0.7)
    axes.set_ylim(count - 0.5, -0.5)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _bend(own: bool, lag: int) -> float:
    """Straight over one step; otherwise round the dots between."""
    if lag == 1:
        return 0.0
    if lag == 0:
        return 0.35
    return -0.25 if own else -0.1


def _arrow(
    axes: Any,
    start: tuple[int, int],
    end: tuple[int, int],
    colour: Any,
    width: float,
    bend: float,
    head: str,
) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle=head,
            mutation_scale=6 + 2.2 * width,
            shrinkA=4,
            shrinkB=4,
            linewidth=width,
            color=colour,
            zorder=2,
        )
    )
