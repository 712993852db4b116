"""Two graphs of the same variables in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grace_plugin._common.arrays import BoolArray
from grace_plugin.show.matrix import draw_matrix
from grace_plugin.show.network import draw_network
from grace_plugin.show.style import BLUE, INK, MOST_IN_NETWORK, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def draw_two(first: BoolArray, second: BoolArray, names: Sequence[str], ax: Axes | None = None) -> Figure:
    """Shared edges in ink, those of the first alone blue, those of the second alone red and dashed."""
    layers = {INK: first & second, BLUE: first & ~second, f"{RED} --": second & ~first}
    few = len(names) <= MOST_IN_NETWORK
    figure, axes = draw_network(layers, names, ax=ax) if few else draw_matrix(layers, names, ax)
    words = {INK: "in both", BLUE: "only first", f"{RED} --": "only second"}
    lines = [_line(style, word) for style, word in words.items()]
    axes.legend(handles=lines, loc="upper right", fontsize=8, frameon=False)
    return figure


def _line(style: str, word: str) -> Line2D:
    from matplotlib.lines import Line2D

    dashed = style.endswith("--")
    return Line2D([], [], color=style.partition(" ")[0], linestyle="--" if dashed else "-", label=word)
