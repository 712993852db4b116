"""Graphs of many variables: one small square per pair, causes down, effects across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.show.labels import distinct, literal
from grace_plugin.show.strength import SIGNED, Strengths
from grace_plugin.show.style import INK, PALE, axes_for, lag_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LAGS_WRITTEN = 20
_MOST_NAMES = 110
_LONGEST = 32  # signs of a name
_DARK = 0.6  # luminance from which ink is easier to read than white


def draw_matrix(
    layers: Mapping[str, BoolArray],
    names: Sequence[str],
    ax: Axes | None = None,
    strengths: Strengths | None = None,
) -> tuple[Figure, Axes]:
    """Draw several sets of edges, one colour each; a later one covers an earlier one.

    A square stands for all lags of a pair; where there is room, the lags are written into it.
    """
    count = len(names)
    side = matrix_side(count)
    figure, axes = axes_for(ax, (side, side))
    image = np.ones((count, count, 3))
    for style, graph in layers.items():
        _paint(image, style, graph, strengths)
    axes.imshow(image, interpolation="nearest")
    if count <= _MOST_LAGS_WRITTEN:
        _write_lags(axes, list(layers.values())[-1], image)
    _ticks(axes, names)
    return figure, axes


def matrix_side(count: int) -> float:
    """Inches that a matrix of as many variables needs."""
    return float(np.clip(3.2 + (0.3 if count <= _MOST_LAGS_WRITTEN else 0.125) * count, 4.5, 16.0))


def _paint(image: FloatArray, style: str, graph: BoolArray, strengths: Strengths | None) -> None:
    from matplotlib.colors import to_rgb

    for cause, effect in np.argwhere(graph.any(axis=2)):
        if style == SIGNED and strengths is not None:
            colour = strengths.colour(cause, effect, np.flatnonzero(graph[cause, effect]).tolist())
        else:
            colour = style.partition(" ")[0]
        image[cause, effect] = to_rgb(colour)


def _write_lags(axes: Any, shown: BoolArray, image: FloatArray) -> None:
    for cause, effect in np.argwhere(shown.any(axis=2)):
        words = lag_words(np.flatnonzero(shown[cause, effect]))
        light = float(image[cause, effect] @ [0.3, 0.59, 0.11]) > _DARK
        axes.text(effect, cause, words, ha="center", va="center", fontsize=7, color=INK if light else "white")


def _ticks(axes: Any, names: Sequence[str]) -> None:
    count = len(names)
    step = -(-count // _MOST_NAMES)
    places = np.arange(0, count, step)
    short = distinct(names, _LONGEST)
    words = [literal(short[place]) for place in places.tolist()]
    inches = float(axes.figure.get_size_inches()[0]) * axes.get_position().width
    size = float(np.clip(0.75 * 72.0 * inches / count, 3.5, 8.0))
    axes.set_xticks(places, words, rotation=90, fontsize=size)
    axes.set_yticks(places, words, fontsize=size)
    axes.set_xlabel("effect", color=INK)
    axes.set_ylabel("cause", color=INK)
    axes.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PALE, linewidth=0.5 if count <= 50 else 0.15)
    axes.tick_params(which="both", length=0)
