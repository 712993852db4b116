"""What rules of `prepare` did to the data: stretches of a few variables, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.graph.shown import ActedRule, ShownSeries
from grace_plugin.show.labels import distinct, literal
from grace_plugin.show.style import BLUE, GREY, INK, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 8.0, 1.7  # inches of one variable
_BEYOND = 0.75  # of the height within which values stay that the picture shows beyond them
_LONGEST = 40  # signs of a name


def rule_size(acted: ActedRule) -> tuple[float, float]:
    """Inches that the picture of a rule needs."""
    return _WIDTH, 0.4 + _HEIGHT * len(acted.series)


def draw_rule(acted: ActedRule, figure: Figure) -> None:
    """The variables of one rule into a figure, the strongest first."""
    axes = figure.subplots(len(acted.series), 1, squeeze=False)[:, 0]
    names = distinct([one.name for one in acted.series], _LONGEST)
    for axis, one, name in zip(axes, acted.series, names, strict=True):
        _DRAWN.get(acted.rule, _draw_terms)(axis, one)
        axis.set_title(f"{literal(name)}{_figure(acted.rule, one)}", loc="left", fontsize=9)
        axis.margins(x=0.01)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.0)
    axes[-1].set_xlabel("row")


def _figure(rule: str, one: ShownSeries) -> str:
    """What there was to do, in numbers."""
    if rule == "persistence":
        return f": correlation of {one.strength:.3f} with the last value"
    if rule == "tails":
        count = int((one.values != one.taken).sum())
        return f": {count} value{'' if count == 1 else 's'} clipped"
    if rule == "noise":
        return f": excess kurtosis {one.strength:.1f}"
    if rule == "counts":
        return ""
    return f": {min(one.strength, 1.0):.0%} of the variance"


def _draw_tails(axis: Axes, one: ShownSeries) -> None:
    low, high = np.nanmin(one.taken), np.nanmax(one.taken)
    room = _BEYOND * (high - low)
    shown = np.clip(one.values, low - room, high + room)
    away = np.isfinite(one.values) & (one.values != one.taken)
    axis.plot(one.rows, one.taken, color=BLUE, linewidth=0.8, label="taken as")
    axis.vlines(one.rows[away], one.taken[away], shown[away], colors=RED, linewidth=0.8)
    kinds = {
        ("o", "clipped"): away & (shown == one.values),
        ("^", "clipped, farther up"): away & (shown < one.values),
        ("v", "clipped, farther down"): away & (shown > one.values),
    }
    for (marker, words), which in kinds.items():
        if which.any():
            axis.plot(one.rows[which], shown[which], marker, color=RED, markersize=4, label=words)


def _draw_counts(axis: Axes, one: ShownSeries) -> None:
    axis.plot(one.rows, one.values, color=GREY, linewidth=0.8, label="counts")
    axis.set_ylabel("counts")
    other = axis.twinx()
    other.plot(one.rows, one.taken, color=BLUE, linewidth=0.8)
    other.set_ylabel("roots", color=BLUE)
    other.spines["right"].set_visible(True)
    axis.plot([], [], color=BLUE, linewidth=0.8, label="their square roots (right)")


def _draw_memory(axis: Axes, one: ShownSeries) -> None:
    axis.plot(one.rows, one.values, color=INK, linewidth=0.8, label="as it came")


def _draw_noise(axis: Axes, one: ShownSeries) -> None:
    axis.plot(one.rows, one.values, color=GREY, linewidth=0.8, label="residual")
    for sign, words in ((2.0, "twice its size, by the rows around it"), (-2.0, "")):
        axis.plot(one.rows, sign * one.taken, color=RED, linewidth=1.2, label=words)


def _draw_terms(axis: Axes, one: ShownSeries) -> None:
    axis.plot(one.rows, one.values, color=GREY, linewidth=0.8, label="as it came")
    axis.plot(one.rows, one.taken, color=RED, linewidth=1.6, label="its trends, steps and cycles")


_DRAWN = {"tails": _draw_tails, "counts": _draw_counts, "persistence": _draw_memory, "noise": _draw_noise}
