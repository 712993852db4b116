"""How a graph fares on new rows, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.show.style import BLUE, GREY, INK, RED, pyplot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_EDGES = 30  # the strongest; more are too small to be read
_MOST_EFFECTS = 20
_COLOURS = {"graph": BLUE, "candidates": GREY, "own_past": INK}
_WORDS = {"graph": "kept causes", "candidates": "all candidates", "own_past": "own past alone"}


def draw_holdout(edges: pd.DataFrame, prediction: pd.DataFrame) -> Figure:
    """Left: every kept edge's effect on the new rows and before; right: what is foretold of each effect."""
    shown = edges.head(_MOST_EDGES)
    height = 1.5 + 0.28 * max(len(shown), min(len(prediction), _MOST_EFFECTS), 4)
    figure: Figure
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(10.0, height), layout="constrained")
    _draw_effects(left, shown)
    _draw_shares(right, prediction.head(_MOST_EFFECTS))
    return figure


def _draw_effects(ax: Axes, edges: pd.DataFrame) -> None:
    places = np.arange(len(edges))[::-1]
    colours = [BLUE if holds else RED for holds in edges["holds"]]
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.hlines(places, edges["low"], edges["high"], colors=colours)
    ax.scatter(edges["effect_size"], places, c=colours, zorder=3, label="new rows (red: does not hold)")
    ax.scatter(
        edges["effect_before"],
        places,
        marker="o",
        facecolors="none",
        edgecolors=INK,
        label="rows it was chosen on",
    )
    ax.set_yticks(places, [f"{c} \N{RIGHTWARDS ARROW} {e} @{lag}" for c, e, lag in _edges(edges)], fontsize=8)
    ax.set_xlabel("standardised effect")
    ax.legend(fontsize=8, frameon=False, loc="best")


def _edges(edges: pd.DataFrame) -> list[tuple[str, str, int]]:
    return list(zip(edges["cause"], edges["effect"], edges["lag"], strict=True))


def _draw_shares(ax: Axes, prediction: pd.DataFrame) -> None:
    places = np.arange(len(prediction))[::-1]
    for number, (name, colour) in enumerate(_COLOURS.items()):
        share = np.clip(prediction[name], -0.2, 1.0)
        ax.barh(places + 0.25 * (1 - number), share, height=0.25, color=colour, label=_WORDS[name])
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.set_yticks(places, list(prediction["effect"]), fontsize=8)
    ax.set_xlabel("share of the variance foretold one step ahead")
    ax.legend(fontsize=8, frameon=False, loc="best")
