"""The time-series graph: every variable a row, time to the right, kept edges into the present.

Up to 20 variables fit on one page; of more, a page shows ten effects and, below a line, their causes from
other pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import OptionError
from grace_plugin.show.labels import distinct, literal
from grace_plugin.show.layout import along
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import BLUE, GREY, INK, PALE, PAPER, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ONE_PAGE = 20  # variables
_EFFECTS = 10  # on each of several pages
_LONGEST = 32  # signs of a name
_WIDTH = 1.4
_ROW = 0.42  # inches
_CLEAR = 0.14  # inches between an arrow and a dot that it passes
_BENDS = (-0.04, 0.04, -0.08, 0.08, -0.13, 0.13, -0.2, 0.2)
_MOST_HEAVY = 40  # edges between variables: more of them are drawn thinner


@dataclass(frozen=True, eq=False)
class _Rows:
    """Which variables have a row: the effects of the page, then causes from elsewhere."""

    effects: list[int]
    causes: list[int]
    title: str

    @classmethod
    def of(cls, graph: BoolArray, page: int) -> _Rows:
        count = len(graph)
        size = count if count <= ONE_PAGE else _EFFECTS
        pages = -(-count // size)
        if isinstance(page, bool) or not isinstance(page, (int, np.integer)) or not 1 <= page <= pages:
            msg = f"page={page!r}; give a whole number from 1 to {pages}."
            raise OptionError(msg)
        effects = list(range((page - 1) * size, min(page * size, count)))
        acting = np.flatnonzero(graph[:, effects].any(axis=(1, 2)))
        words = f"page {page} of {pages}: effects {effects[0] + 1} to {effects[-1] + 1} of {count}"
        causes = [int(cause) for cause in acting if cause not in effects]
        return cls(effects, causes, words if pages > 1 else "")

    @property
    def order(self) -> list[int]:
        return [*self.effects, *self.causes]


def draw_unrolled(
    graph: BoolArray,
    names: Sequence[str],
    ax: Axes | None = None,
    strengths: Strengths | None = None,
    page: int = 1,
) -> tuple[Figure, Axes]:
    """Draw `graph` [cause, effect, lag] unrolled in time; a variable's own past is grey."""
    lags = graph.shape[2]
    rows = _Rows.of(graph, page)
    place = {variable: row for row, variable in enumerate(rows.order)}
    step = 1.5 if len(place) <= _EFFECTS else 2.4  # inches: many rows need flatter arrows
    figure, axes = axes_for(ax, (max(6.0, 3.5 + step * lags), 1.2 + _ROW * len(place)))
    _ground(axes, rows, lags)
    shown = [edge for edge in np.argwhere(graph).tolist() if edge[1] in set(rows.effects)]
    thin = min(1.0, (_MOST_HEAVY / max(len(shown), 1)) ** 0.5)
    for cause, effect, lag in shown:
        open_pair = lag == 0 and graph[effect, cause, 0]
        if open_pair and cause > effect:
            continue
        colour, width = _look(cause, effect, lag, strengths)
        start, end = (lags - 1 - lag, place[cause]), (lags - 1, place[effect])
        _arrow(axes, start, end, colour, width * thin, _bend(start, end, step), "-" if open_pair else "-|>")
    _words(axes, [names[variable] for variable in rows.order], lags, len(rows.effects))
    axes.set_title(rows.title, fontsize=10, loc="left")
    return figure, axes


def _ground(axes: Any, rows: _Rows, lags: int) -> None:
    count = len(rows.order)
    for band in range(0, count, 2):
        axes.fill_between([-1.0, lags], band - 0.5, band + 0.5, color=PAPER, linewidth=0, zorder=0)
    if rows.causes:
        axes.axhline(len(rows.effects) - 0.5, color=GREY, linewidth=0.8)
    column, row = np.meshgrid(np.arange(lags), np.arange(count))
    present = (column == lags - 1) & (row >= len(rows.effects))
    axes.scatter(
        column[~present], row[~present], s=30, color="white", edgecolors=INK, linewidths=0.8, zorder=3
    )
    axes.scatter(
        column[present], row[present], s=30, color="white", edgecolors=PALE, linewidths=0.8, zorder=1
    )


def _look(cause: int, effect: int, lag: int, strengths: Strengths | None) -> tuple[Any, float]:
    if cause == effect:
        return GREY, _WIDTH
    if strengths is None:
        return BLUE, _WIDTH
    return strengths.colour(cause, effect, [lag]), strengths.width(cause, effect, [lag], _WIDTH)


def _words(axes: Any, names: Sequence[str], lags: int, effects: int) -> None:
    """Names on the left, where causes start, and on the right, where arrows end."""
    words = [literal(name) for name in distinct(names, _LONGEST)]
    axes.set_yticks(np.arange(len(names)), words, fontsize=8)
    axes.set_xticks(np.arange(lags), [f"t-{lag}" if lag else "t" for lag in range(lags - 1, -1, -1)])
    for row, name in enumerate(words[:effects]):
        axes.annotate(
            name, (lags - 1, row), xytext=(12, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xlim(-0.4, lags - 0.7)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _bend(start: tuple[int, int], end: tuple[int, int], step: float) -> float:
    """The least bend that stays clear of the dots between; within one step, round the rows between.

    Columns are `step` inches apart, rows `_ROW`.
    """
    steps, rows = end[0] - start[0], end[1] - start[1]
    if steps == 0:
        return 0.35 if rows > 0 else -0.35
    if steps == 1:
        return 0.0
    unit = np.array([step, -_ROW])
    ends = (np.array(start) * unit, np.array(end) * unit)
    return max(_BENDS, key=lambda bend: round(_clearance(ends, bend, unit, steps), 2))


def _clearance(ends: tuple[FloatArray, FloatArray], bend: float, unit: FloatArray, steps: int) -> float:
    """How far the arrow is from the dots of the columns between, at most `_CLEAR` inches."""
    way = along(ends, bend, np.linspace(0.0, 1.0, 20 * steps + 1, dtype=np.float64)[:, None]) / unit
    between = (way[:, 0] > ends[0][0] / unit[0] + 0.3) & (way[:, 0] < ends[1][0] / unit[0] - 0.3)
    off = (way[between] - way[between].round()) * unit
    return min(float(np.linalg.norm(off, axis=1).min()), _CLEAR)


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
