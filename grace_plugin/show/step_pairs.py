"""How residuals move together within one step: a square for each pair, those that stand out framed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.graph.shown import StepPairs
from grace_plugin.show.labels import distinct, literal
from grace_plugin.show.style import BLUE, INK, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

_MOST_WRITTEN = 12  # variables up to which correlations are written into their squares
_LEAST_TOP = 0.2  # of the colour scale: chance stays pale
_LONGEST = 32  # signs of a name


def step_size(pairs: StepPairs) -> tuple[float, float]:
    """Inches that the picture needs."""
    side = float(np.clip(2.4 + 0.3 * len(pairs.names), 3.6, 12.0))
    return side + 1.0, side


def draw_step_pairs(pairs: StepPairs, figure: Figure) -> None:
    """The correlations into a figure."""
    from matplotlib.colors import LinearSegmentedColormap

    axis, count = figure.subplots(), len(pairs.names)
    top = max(float(np.abs(pairs.correlation).max()), _LEAST_TOP)
    colours = LinearSegmentedColormap.from_list("residuals", [RED, "white", BLUE])
    shown = pairs.correlation + np.diag(np.full(count, np.nan))  # a variable and itself: left white
    image = axis.imshow(shown, cmap=colours, vmin=-top, vmax=top, interpolation="nearest")
    for one, other in np.argwhere(pairs.standing):
        axis.add_patch(_frame(int(other), int(one)))
    if count <= _MOST_WRITTEN:
        for one, other in np.argwhere(~np.eye(count, dtype=np.bool_)):
            value = float(pairs.correlation[one, other])
            dark = abs(value) > 0.6 * top
            written = f"{round(value, 2) + 0.0:.2f}".replace("0.", ".")
            axis.text(
                other, one, written, ha="center", va="center", fontsize=7, color="white" if dark else INK
            )
    words = [literal(name) for name in distinct(pairs.names, _LONGEST)]
    axis.set_xticks(range(count), words, rotation=90)
    axis.set_yticks(range(count), words)
    axis.tick_params(length=0)
    figure.colorbar(image, ax=axis, shrink=0.8, label="correlation of residuals at lag 0")


def _frame(column: int, row: int) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=INK, linewidth=1.6)
