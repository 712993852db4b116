"""The time-series graph: every variable a row, time to the right, kept edges into the present."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.show.style import BLUE, GREY, INK, axes_for, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_unrolled(graph: BoolArray, names: Sequence[str], ax: Axes | None = None) -> tuple[Figure, Axes]:
    """Draw `graph` [cause, effect, lag] unrolled in time."""
    count, _, lags = graph.shape
    figure, axes = axes_for(ax, (2.2 + 1.5 * lags, 1.2 + 0.55 * count))
    row, column = np.meshgrid(np.arange(count), np.arange(lags), indexing="ij")
    axes.scatter(column, row, s=70, color="white", edgecolors=INK, linewidths=1.0, zorder=3)
    for cause, effect, lag in np.argwhere(graph):
        colour = GREY if cause == effect else BLUE
        _arrow(axes, (lags - 1 - lag, cause), (lags - 1, effect), colour, bend=_bend(cause == effect, lag))
    axes.set_yticks(np.arange(count), [shortened(name) for name in names])
    axes.set_xticks(np.arange(lags), [f"t-{lag}" if lag else "t" for lag in range(lags - 1, -1, -1)])
    axes.set_xlim(-0.4, lags - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return figure, axes


def _bend(own: bool, lag: int) -> float:
    """Straight over one step; otherwise round the dots between."""
    if lag == 1:
        return 0.0
    if lag == 0:
        return 0.35
    return -0.25 if own else -0.1


def _arrow(axes: Any, start: tuple[int, int], end: tuple[int, int], colour: str, bend: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=10,
            shrinkA=5,
            shrinkB=5,
            linewidth=1.4,
            color=colour,
            zorder=2,
        )
    )
