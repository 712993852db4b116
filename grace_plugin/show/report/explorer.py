"""The graph to play with: what the page's script draws, and what it tells of a chosen edge."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.show.drawn import Curve
from grace_plugin.show.labels import distinct
from grace_plugin.show.layout import MOST_ON_CIRCLE, circle, placed
from grace_plugin.show.report.subject import Subject, template
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import GREY, INK

_EXPLAINED = 300  # edges with a sentence and a curve of their own, the strongest: each one is a fit
_POINTS = 34  # of a curve
_TICKS = 41  # quantiles of the cause below it
_LONGEST = 36  # signs of a name beside its node
_LARGEST_SHARE = 0.5  # where the slider ends, as slider.html says


def explorer(subject: Subject) -> str:
    """The slider, where shares of false edges are known, and the graph."""
    return (template("slider.html") if subject.has_rates else "") + template("explorer.html")


def graph_data(subject: Subject) -> str:
    """Variables and edges as JSON that can stand inside a page."""
    result = subject.result
    strengths = Strengths.of(result)
    places = _places(subject)
    labels = distinct(result.names, _LONGEST)
    nodes = [
        {"name": name, "label": label, "x": round(float(x), 4), "y": round(-float(y), 4)}
        for name, label, (x, y) in zip(result.names, labels, places, strict=True)
    ]
    place = {name: index for index, name in enumerate(result.names)}
    edges = [
        _edge(subject, row, order, (place[row.cause], place[row.effect], int(row.lag)), strengths)
        for order, row in enumerate(subject.edges.itertuples())
    ]
    return json.dumps({"nodes": nodes, "edges": edges}, allow_nan=False).replace("<", "\\u003c")


def _places(subject: Subject) -> FloatArray:
    graph = subject.result.graph
    if len(graph) <= MOST_ON_CIRCLE:
        return circle(len(graph))
    return placed("kamada_kawai", graph)


def _edge(
    subject: Subject, row: Any, order: int, cell: tuple[int, int, int], strengths: Strengths
) -> dict[str, Any]:
    cause, effect, lag = cell
    found: dict[str, Any] = {"cause": cause, "effect": effect, "lag": lag, "kept": bool(row.kept)}
    if not row.oriented:
        found["open"] = True
    share = getattr(row, "q_value", np.nan)
    if np.isfinite(share):
        found["q"] = float(share)
    if row.kept:
        found["colour"] = _hex(strengths.colour(cause, effect, [lag]))
        found["width"] = round(strengths.width(cause, effect, [lag], 1.8), 2)
    shown = row.kept or share <= _LARGEST_SHARE
    if shown and order < _EXPLAINED and not subject.result.parts:
        explained = subject.result.explain(cause, effect, lag)
        found["why"] = str(explained)
        if explained.curve is not None:
            found["curve"] = _curve(explained.curve)
    return found


def _hex(colour: Any) -> str:
    try:
        from matplotlib.colors import to_hex
    except ImportError:
        return colour if isinstance(colour, str) else (INK if colour is None else GREY)
    return str(to_hex(colour))


def _curve(curve: Curve) -> dict[str, list[float]]:
    chosen = np.linspace(0, len(curve.cause) - 1, _POINTS).round().astype(int)
    lines = {"x": curve.cause, "y": curve.effect, "low": curve.low, "high": curve.high}
    found = {name: _short(line[chosen]) for name, line in lines.items()}
    if curve.values.size:
        found["ticks"] = _short(np.quantile(curve.values, np.linspace(0.0, 1.0, _TICKS)))
    return found


def _short(values: Any) -> list[float]:
    return [float(f"{value:.4g}") for value in np.asarray(values, dtype=np.float64)]
