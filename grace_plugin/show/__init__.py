"""Pictures of a refinement. matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import Variable
from grace_plugin.exceptions import OptionError
from grace_plugin.show.curves import draw_gates, draw_response
from grace_plugin.show.drawn import Drawn
from grace_plugin.show.matrix import draw_matrix
from grace_plugin.show.network import draw_network
from grace_plugin.show.style import BLUE, GREY, MOST_IN_NETWORK, PALE, RED, pyplot
from grace_plugin.show.unrolled import draw_unrolled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "KINDS",
    "draw_gates",
    "draw_matrix",
    "draw_network",
    "draw_response",
    "draw_unrolled",
    "plot",
    "plot_before_after",
    "plot_graph",
]

KINDS = ("before_after", "graph", "matrix", "time_series", "gates", "response")


def plot(
    refinement: Drawn,
    kind: str = "before_after",
    *,
    ax: Any = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
    edge: tuple[Variable, Variable, int] | None = None,
) -> tuple[Figure, Any]:
    """Draw one picture and return (figure, axes); "before_after" returns two axes.

    Args:
        refinement: what to draw.
        kind: "before_after", "graph" (what is left), "matrix" (one square per pair), "time_series"
            (unrolled in time), "gates" (histogram), "response" (fitted curve of one edge).
        ax: where to draw; a pair for "before_after".
        truth: the true edges, [cause, effect, lag] or [cause, effect]; right ones are then blue, false ones
            red, and missed ones dashed.
        positions: [variable, 2], places of the variables in a network; a circle by default.
        edge: (cause, effect, lag) for "response".
    """
    if kind not in KINDS:
        msg = f"kind={kind!r}; give one of {list(KINDS)}."
        raise OptionError(msg)
    if kind == "before_after":
        return plot_before_after(refinement, ax=ax, truth=truth, positions=positions)
    if kind == "graph":
        return plot_graph(refinement, ax=ax, truth=truth, positions=positions)
    if kind == "matrix":
        return _matrix(refinement, ax, truth)
    if kind == "time_series":
        return draw_unrolled(refinement.graph, refinement.names, ax)
    if kind == "gates":
        return draw_gates(refinement, ax)
    return _response(refinement, edge, ax)


def plot_graph(
    refinement: Drawn,
    *,
    ax: Axes | None = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
) -> tuple[Figure, Axes]:
    """What is left: a network, or a matrix where there are too many variables for one."""
    return _graph(refinement, "after", ax, truth, positions)


def plot_before_after(
    refinement: Drawn,
    *,
    ax: Any = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
) -> tuple[Figure, Any]:
    """The host's graph on the left, what is left of it on the right."""
    if ax is None:
        made, ax = pyplot().subplots(1, 2, figsize=(12.0, 6.6), layout="constrained")
        made.get_layout_engine().set(h_pad=0.12, w_pad=0.08)
    for one, stage in zip(ax, ("before", "after"), strict=True):
        figure, _ = _graph(refinement, stage, one, truth, positions)
        one.set_title(_title(refinement, stage, truth), fontsize=11)
    if truth is not None:
        _truth_legend(figure, truth)
    return figure, ax


def _matrix(refinement: Drawn, ax: Axes | None, truth: BoolArray | None) -> tuple[Figure, Axes]:
    figure, axes = draw_matrix(_layers(refinement, "matrix", truth), refinement.names, ax)
    axes.set_title(
        "blue: true, red: false" if truth is not None else "blue: kept (numbers are lags), grey: pruned",
        fontsize=10,
    )
    return figure, axes


def _truth_legend(figure: Any, truth: BoolArray) -> None:
    from matplotlib.lines import Line2D

    styles: dict[str, tuple[str, Any]] = {
        "true": (BLUE, "-"),
        "false": (RED, "-"),
        "true, but not found": (GREY, "--"),
    }
    if np.ndim(truth) == 2:
        del styles["true, but not found"]
    lines = [Line2D([], [], color=c, linestyle=s, linewidth=2, label=name) for name, (c, s) in styles.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines), frameon=False)


def _graph(
    refinement: Drawn,
    stage: str,
    ax: Axes | None,
    truth: BoolArray | None,
    positions: FloatArray | None,
) -> tuple[Figure, Axes]:
    layers = _layers(refinement, stage, truth)
    if positions is None and len(refinement.names) > MOST_IN_NETWORK:
        return draw_matrix(layers, refinement.names, ax)
    labels = len(refinement.names) <= MOST_IN_NETWORK
    return draw_network(layers, refinement.names, positions, ax, labels)


def _layers(refinement: Drawn, stage: str, truth: BoolArray | None) -> dict[str, BoolArray]:
    """Style -> edges, in drawing order."""
    mask, graph = refinement.skeleton.mask, refinement.graph
    if truth is not None:
        shown = mask if stage == "before" else graph
        right = shown & _full(truth, mask)
        missed = _full(truth, mask) & ~shown if np.ndim(truth) == 3 else np.zeros_like(mask)
        return {f"{GREY} --": missed, RED: shown & ~right, BLUE: right}
    if stage == "before":
        return {GREY: mask}
    if stage == "matrix":
        return {PALE: mask & ~graph, BLUE: graph}
    return {BLUE: graph}


def _full(truth: BoolArray, mask: BoolArray) -> BoolArray:
    known = np.asarray(truth, dtype=np.bool_)
    if known.ndim == 2 and known.shape == mask.shape[:2]:
        # A graph of pairs says nothing of a variable's own past.
        known = np.repeat((known | np.eye(len(known), dtype=np.bool_))[:, :, None], mask.shape[2], axis=2)
    if known.shape != mask.shape:
        msg = f"truth has shape {known.shape}; expected {mask.shape} or {mask.shape[:2]}."
        raise OptionError(msg)
    return known


def _title(refinement: Drawn, stage: str, truth: BoolArray | None) -> str:
    shown = refinement.skeleton.mask if stage == "before" else refinement.graph
    count = int(shown.sum() - (shown[:, :, 0] & shown[:, :, 0].T).sum() // 2)
    words = f"{stage}: {count} edges"
    if truth is not None:
        words += f", {int((shown & ~_full(truth, shown)).sum())} of them false"
    return words


def _response(
    refinement: Drawn, edge: tuple[Variable, Variable, int] | None, ax: Axes | None
) -> tuple[Figure, Axes]:
    if edge is None:
        msg = 'kind="response" needs edge=(cause, effect, lag).'
        raise OptionError(msg)
    explanation = refinement.explain(*edge)
    if explanation.curve is None:
        msg = f"There is no fitted curve for this edge: {explanation.no_curve}"
        raise OptionError(msg)
    return draw_response(explanation, ax)
