"""Graphs of many variables: one small square per pair, causes down, effects across."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.show.style import INK, PALE, axes_for, lag_words, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LAGS_WRITTEN = 20
_MOST_NAMES = 40


def draw_matrix(
    layers: Mapping[str, BoolArray], names: Sequence[str], ax: Axes | None = None
) -> tuple[Figure, Axes]:
    """Draw several sets of edges, one colour each; a later one covers an earlier one.

    A square stands for all lags of a pair; where there is room, the lags are written into it.
    """
    from matplotlib.colors import to_rgb

    figure, axes = axes_for(ax, (7.0, 7.0))
    count = len(names)
    image = np.ones((count, count, 3))
    for style, graph in layers.items():
        image[graph.any(axis=2)] = to_rgb(style.partition(" ")[0])
    axes.imshow(image, interpolation="nearest")
    if count <= _MOST_LAGS_WRITTEN:
        _write_lags(axes, layers)
    _ticks(axes, names)
    return figure, axes


def _write_lags(axes: Any, layers: Mapping[str, BoolArray]) -> None:
    shown = list(layers.values())[-1]
    for cause, effect in np.argwhere(shown.any(axis=2)):
        words = lag_words(np.flatnonzero(shown[cause, effect]))
        axes.text(effect, cause, words, ha="center", va="center", fontsize=7, color="white")


def _ticks(axes: Any, names: Sequence[str]) -> None:
    count = len(names)
    step = -(-count // _MOST_NAMES)
    places = np.arange(0, count, step)
    words = [shortened(names[place], 12) for place in places.tolist()]
    size = 8 if count <= 20 else 6
    axes.set_xticks(places, words, rotation=90, fontsize=size)
    axes.set_yticks(places, words, fontsize=size)
    axes.set_xlabel("effect", color=INK)
    axes.set_ylabel("cause", color=INK)
    axes.set_xticks(np.arange(count + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(count + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white" if count <= 50 else PALE, linewidth=0.8 if count <= 50 else 0.1)
    axes.tick_params(which="both", length=0)
