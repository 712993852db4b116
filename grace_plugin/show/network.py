"""Graphs as networks: one arrow per pair with its lags, a line without a head where no direction is known.

Names stand in their nodes where all of them fit there, otherwise beside them (on a circle: outside of it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.show.labels import distinct, literal, wrapped
from grace_plugin.show.layout import MOST_ON_CIRCLE, along, bend_past, given, on_circle, placed
from grace_plugin.show.strength import SIGNED, Strengths
from grace_plugin.show.style import INK, PAPER, Link, axes_for, lag_words, links_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends = tuple[FloatArray, FloatArray]

_WIDTH = 1.8
_MOST_LABELS = 70  # arrows: with more of them the lags could not be told apart, and lines grow thin
_IN_NODE = (9, 3)  # signs in a line and lines that a node has room for
_LONGEST = 54  # signs of a name beside its node; longer ones are cut
_BESIDE = 18  # signs in a line there
_TURNED = 27  # and where names are turned
_ONE_LINE = 30  # of many variables
_BULGE = 3.0  # on a large circle, arrows between near variables bend this much more
_LABEL_AT = 0.62  # of the way: where arrows cross in the middle, labels do not


@dataclass(frozen=True)
class _Nodes:
    """How nodes look: radius in points, room that arrows leave as a share of the picture, where names go."""

    radius: float
    room: float
    inside: bool


_LARGE = _Nodes(21.0, 0.1, inside=True)
_SMALL = _Nodes(5.0, 0.03, inside=False)
_TINY = _Nodes(3.0, 0.02, inside=False)
_MANY = 30  # variables: their nodes are tiny, and their names have one line each


@dataclass(frozen=True, eq=False)
class _Arrow:
    link: Link
    colour: Any
    dashes: str
    width: float
    bend: float
    ends: Ends


def draw_network(
    layers: Mapping[str, BoolArray],
    names: Sequence[str],
    positions: FloatArray | None = None,
    ax: Axes | None = None,
    *,
    layout: str = "auto",
    strengths: Strengths | None = None,
) -> tuple[Figure, Axes]:
    """Draw several sets of edges on the same variables, one colour each.

    Args:
        layers: colour -> edges [cause, effect, lag]; later ones lie on top. A colour that ends in
            " --" is drawn dashed; "signed" takes colours and widths from `strengths`.
        names: the variables.
        positions: [variable, 2]; `layout` places them otherwise.
        ax: where to draw.
        layout: "circle", "kamada_kawai", "spring", "graphviz", or "auto": a circle, sorted by neighbours
            where there are many variables.
        strengths: of the edges.
    """
    count = len(names)
    figure, axes = axes_for(ax, (6.6, 6.0) if count <= MOST_ON_CIRCLE else (9.0, 8.4))
    places = _places(layers, positions, layout, count)
    nodes = _LARGE if _fit_inside(names) else _SMALL if count <= _MANY else _TINY
    arrows = list(_arrows(layers, places, nodes, strengths))
    for one in arrows:
        _draw_arrow(axes, one, nodes)
        if len(arrows) <= _MOST_LABELS:
            _draw_lags(axes, one)
    own = _own_lags(layers, count)
    _draw_nodes(axes, places, nodes, own)
    if nodes.inside:
        _names_inside(axes, places, names, own)
    else:
        _names_beside(axes, places, names)
    _frame(axes, places, nodes)
    return figure, axes


def _places(
    layers: Mapping[str, BoolArray], positions: FloatArray | None, layout: str, count: int
) -> FloatArray:
    if positions is not None:
        return given(positions, count)
    return placed(layout, np.any(list(layers.values()), axis=0))


def _fit_inside(names: Sequence[str]) -> bool:
    width, lines = _IN_NODE
    return len(names) <= MOST_ON_CIRCLE and all(len(wrapped(name, width)) <= lines for name in names)


def _arrows(
    layers: Mapping[str, BoolArray], places: FloatArray, nodes: _Nodes, strengths: Strengths | None
) -> Iterator[_Arrow]:
    links = [(style, link) for style, graph in layers.items() for link in links_of(graph)]
    crowd = len(links)
    width = _WIDTH if crowd <= _MOST_LABELS else _WIDTH * max(0.3, (_MOST_LABELS / crowd) ** 0.8)
    extent = float(np.ptp(places, axis=0).max())
    bulge = _BULGE if len(places) > MOST_ON_CIRCLE and on_circle(places) else 0.0
    drawn: Counter[tuple[int, int]] = Counter()
    pairs = {(link.cause, link.effect) for _, link in links}
    for style, link in links:
        pair = (link.cause, link.effect)
        ends = (places[link.cause], places[link.effect])
        others = np.delete(places, pair, axis=0)
        bend = bend_past(ends, others, nodes.room * extent, pair[::-1] not in pairs, bulge)
        bend *= 1.0 + 1.1 * drawn[pair]
        drawn[pair] += 1  # the same pair in another colour
        colour, _, dashes = style.partition(" ")
        if style == SIGNED and strengths is not None:
            cell = (*pair, link.lags)
            yield _Arrow(link, strengths.colour(*cell), "-", strengths.width(*cell, width), bend, ends)
        else:
            yield _Arrow(link, colour, dashes or "-", width, bend, ends)


def _draw_arrow(axes: Any, one: _Arrow, nodes: _Nodes) -> None:
    from matplotlib.patches import FancyArrowPatch

    faint = one.dashes != "-"
    axes.add_patch(
        FancyArrowPatch(
            *(tuple(end) for end in one.ends),
            connectionstyle=f"arc3,rad={one.bend}",
            arrowstyle="-" if one.link.open else "-|>",
            mutation_scale=6 + 2.8 * one.width,
            shrinkA=nodes.radius + 1.0,
            shrinkB=nodes.radius + 1.0,
            linewidth=0.6 * one.width if faint else one.width,
            linestyle=one.dashes,
            color=one.colour,
            alpha=0.75 if faint else 1.0,
            zorder=2,
        )
    )


def _draw_lags(axes: Any, one: _Arrow) -> None:
    axes.annotate(
        lag_words(one.link.lags),
        along(one.ends, one.bend, _LABEL_AT),
        ha="center",
        va="center",
        fontsize=8,
        color=INK,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.9},
    )


def _draw_nodes(axes: Any, places: FloatArray, nodes: _Nodes, own: list[list[tuple[str, str]]]) -> None:
    """Small nodes are filled where a variable keeps its own past."""
    filled = [INK if lags else "white" for lags in own]
    size = (2.0 * nodes.radius) ** 2
    colour = [PAPER] * len(own) if nodes.inside else filled
    axes.scatter(*places.T, s=size, c=colour, edgecolors=INK, linewidths=1.0, zorder=4)


def _own_lags(layers: Mapping[str, BoolArray], count: int) -> list[list[tuple[str, str]]]:
    """For every variable, what it keeps of its own past: (words, colour) of each layer."""
    found: list[list[tuple[str, str]]] = []
    for index in range(count):
        lags = {style: np.flatnonzero(graph[index, index]) for style, graph in layers.items()}
        found.append(
            [
                (f"self {lag_words(own)}", INK if style == SIGNED else style.partition(" ")[0])
                for style, own in lags.items()
                if own.size
            ]
        )
    return found


def _names_inside(
    axes: Any, places: FloatArray, names: Sequence[str], own: list[list[tuple[str, str]]]
) -> None:
    for place, name, lags in zip(places, names, own, strict=True):
        lines = [(literal(line), 8.0, INK) for line in wrapped(name, _IN_NODE[0])]
        lines += [(words, 6.5, colour) for words, colour in reversed(lags)]
        for row, (words, size, colour) in enumerate(lines):
            lift = 9.0 * ((len(lines) - 1) / 2 - row)
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


def _names_beside(axes: Any, places: FloatArray, names: Sequence[str]) -> None:
    """Outside of a circle, turned with the radius where they are many; under their nodes otherwise."""
    from matplotlib.patheffects import withStroke

    ring = on_circle(places)
    turned = ring and len(names) > MOST_ON_CIRCLE
    many = len(names) > _MANY
    short = distinct(names, _ONE_LINE if many else _LONGEST)
    for place, away, name in zip(places, places - places.mean(axis=0), short, strict=True):
        width = _ONE_LINE + 1 if many else _TURNED if turned else _BESIDE
        words = literal("\n".join(wrapped(name, width)))
        axes.annotate(
            words,
            place,
            textcoords="offset points",
            fontsize=7.5 if len(names) <= 2 * _MANY else 6.0,
            linespacing=0.95,
            color=INK,
            zorder=5,
            path_effects=[withStroke(linewidth=2.2, foreground="white")],
            **(_outside(away, turned) if ring else {"xytext": (0, -8), "ha": "center", "va": "top"}),
        )


def _outside(away: FloatArray, turned: bool) -> dict[str, Any]:
    """How to write a name that stands `away` from the middle."""
    way = away / max(float(np.linalg.norm(away)), 1e-12)
    left = bool(way[0] < -1e-9)
    found: dict[str, Any] = {"xytext": tuple(9.0 * way), "ha": "right" if left else "left", "va": "center"}
    if turned:
        angle = np.degrees(np.arctan2(way[1], way[0])) - (180.0 if left else 0.0)
        return {**found, "rotation": angle, "rotation_mode": "anchor"}
    if abs(way[0]) < 0.2:  # above and below the circle
        return {**found, "ha": "center", "va": "bottom" if way[1] > 0 else "top"}
    return found


def _frame(axes: Any, places: FloatArray, nodes: _Nodes) -> None:
    low, high = places.min(axis=0), places.max(axis=0)
    room = (0.16 if nodes.inside else 0.05) * max(float((high - low).max()), 1e-9)
    axes.set_xlim(low[0] - room, high[0] + room)
    axes.set_ylim(low[1] - room, high[1] + room)
    axes.set_aspect("equal")
    axes.set_axis_off()
