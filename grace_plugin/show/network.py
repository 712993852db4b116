"""Graphs as networks: variables on a circle, one arrow per pair, lags on the arrows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.show.style import INK, PAPER, axes_for, lag_words, pairs_of, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends = tuple[FloatArray, FloatArray]

_BEND = 0.16  # of an arrow: two opposite arrows must not lie on each other
_WIDTH = 1.8
_MOST_LABELS = 45  # arrows: with more of them the lags could not be told apart, and lines grow thin
_NODE = 30.0  # radius in points that arrows keep clear of


def circle(count: int) -> FloatArray:
    """Positions [count, 2] on the unit circle, the first at the top, clockwise."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(count) / max(count, 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def draw_network(
    layers: Mapping[str, BoolArray],
    names: Sequence[str],
    positions: FloatArray | None = None,
    ax: Axes | None = None,
    labels: bool = True,
) -> tuple[Figure, Axes]:
    """Draw several sets of edges on the same variables, one colour each.

    Args:
        layers: colour -> edges [cause, effect, lag]; later ones lie on top. A colour that ends in
            " --" is drawn dashed.
        names: the variables.
        positions: [variable, 2]; a circle by default.
        ax: where to draw.
        labels: whether to write the lags on the arrows.
    """
    figure, axes = axes_for(ax, (6.0, 6.0))
    places = circle(len(names)) if positions is None else np.asarray(positions, dtype=np.float64)
    drawn: Counter[tuple[int, int]] = Counter()
    pairs = sum(len(pairs_of(graph)) for graph in layers.values())
    labels &= pairs <= _MOST_LABELS
    width = _WIDTH if pairs <= _MOST_LABELS else _WIDTH * max(0.3, (_MOST_LABELS / pairs) ** 0.8)
    for style, graph in layers.items():
        colour, _, dashes = style.partition(" ")
        for cause, effect, lags in pairs_of(graph):
            ends = (places[cause], places[effect])
            bend = _BEND * (1.0 + 1.1 * drawn[cause, effect])  # the same pair in another colour
            drawn[cause, effect] += 1
            _arrow(axes, ends, colour, dashes or "-", bend, width)
            if labels:
                _label(axes, ends, lag_words(lags), colour, bend)
    _nodes(axes, places, names, layers)
    _frame(axes, places)
    return figure, axes


def _arrow(axes: Any, ends: Ends, colour: str, dashes: str, bend: float, width: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    faint = dashes != "-"
    axes.add_patch(
        FancyArrowPatch(
            *(tuple(end) for end in ends),
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=5 + 3.3 * width,
            shrinkA=_NODE * 0.75,
            shrinkB=_NODE * 0.75,
            linewidth=0.6 * width if faint else width,
            linestyle=dashes,
            color=colour,
            alpha=0.75 if faint else 1.0,
            zorder=2,
        )
    )


def _label(axes: Any, ends: Ends, words: str, colour: str, bend: float) -> None:
    """On the arrow, nearer to its head: where arrows cross in the middle, labels do not."""
    start, end = ends
    bent = (start + end) / 2 + bend * np.array([end[1] - start[1], start[0] - end[0]])
    share = 0.62
    at = (1 - share) ** 2 * start + 2 * share * (1 - share) * bent + share**2 * end
    axes.annotate(
        words,
        at,
        ha="center",
        va="center",
        fontsize=8,
        color=colour,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.9},
    )


def _nodes(axes: Any, places: FloatArray, names: Sequence[str], layers: Mapping[str, BoolArray]) -> None:
    axes.scatter(*places.T, s=_NODE**2 * 1.9, color=PAPER, edgecolors=INK, linewidths=1.0, zorder=4)
    for index, name in enumerate(names):
        own = {
            style.partition(" ")[0]: np.flatnonzero(graph[index, index]) for style, graph in layers.items()
        }
        lines = [(lag_words(lags), colour) for colour, lags in own.items() if lags.size]
        _write(axes, places[index], shortened(name, 10), 9.0, INK, 4.0 * len(lines))
        for line, (words, colour) in enumerate(reversed(lines)):
            _write(axes, places[index], f"self {words}", 6.5, colour, 4.0 * len(lines) - 10.5 - 8.0 * line)


def _write(axes: Any, place: FloatArray, words: str, size: float, colour: str, lift: float) -> None:
    axes.annotate(
        words,
        place,
        xytext=(0, lift),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=size,
        color=colour,
        zorder=5,
    )


def _frame(axes: Any, places: FloatArray) -> None:
    low, high = places.min(axis=0), places.max(axis=0)
    room = 0.16 * max(float((high - low).max()), 1e-9)
    axes.set_xlim(low[0] - room, high[0] + room)
    axes.set_ylim(low[1] - room, high[1] + room)
    axes.set_aspect("equal")
    axes.set_axis_off()
