"""Pictures of a refinement. matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import Variable
from grace_plugin.exceptions import OptionError
from grace_plugin.show.curves import draw_gates, draw_path, draw_response
from grace_plugin.show.drawn import Drawn
from grace_plugin.show.labels import chosen_labels
from grace_plugin.show.matrix import draw_matrix
from grace_plugin.show.network import draw_network
from grace_plugin.show.strength import SIGNED, Strengths, draw_colour_bar
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
    "draw_path",
    "draw_response",
    "draw_unrolled",
    "plot",
    "plot_before_after",
    "plot_graph",
]

STRONGEST = 60  # pairs that a network of many variables shows: more of them hide each other
KINDS = ("before_after", "graph", "network", "matrix", "time_series", "gates", "response", "path")


@dataclass(frozen=True, eq=False)
class _View:
    """How to draw a graph, as `plot` takes it."""

    names: tuple[str, ...]
    truth: BoolArray | None = None
    positions: FloatArray | None = None
    layout: str = "auto"
    strengths: Strengths | None = None

    @property
    def signed(self) -> bool:
        """Whether colours tell signs."""
        return self.truth is None and self.strengths is not None and self.strengths.known


def plot(
    refinement: Drawn,
    kind: str = "before_after",
    *,
    ax: Axes | Sequence[Axes] | None = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
    edge: tuple[Variable, Variable, int] | None = None,
    labels: Mapping[str, str] | Sequence[str] | None = None,
    layout: str = "auto",
    strongest: int | None = None,
    colorbar: bool = True,
) -> tuple[Figure, Any]:
    """Draw one picture and return (figure, axes); "before_after" returns two axes.

    Kept edges are red where the effect rises with the cause, blue where it falls, ink where it does neither
    (a parabola, say), and wider and darker the stronger they are; numbers are lags. A pair whose direction
    within one time step is not known has a line without a head. `figure.savefig("graph.pdf")` or ".svg"
    writes a picture for a paper.

    Args:
        refinement: what to draw.
        kind: "before_after", "graph" (what is left: a network, or a matrix where there are many variables),
            "network" (always a network, of the strongest edges), "matrix" (one square per pair),
            "time_series" (unrolled in time), "gates" (histogram), "response" (fitted curve of one edge),
            "path" (what every cut would keep, and how much of it is expected to be false).
        ax: where to draw; a pair for "before_after".
        truth: the true edges, [cause, effect, lag] or [cause, effect]; right ones are then blue, false ones
            red, and missed ones dashed.
        positions: [variable, 2], places of the variables in a network.
        edge: (cause, effect, lag) for "response".
        labels: what to write for the variables: a dict by name, or one label each.
        layout: of a network without `positions`: "circle", "kamada_kawai", "spring", or "auto" (a circle,
            sorted by neighbours where there are many variables).
        strongest: how many pairs of variables "network" shows; 60 unless told.
        colorbar: whether to draw the scale of the colours.
    """
    if kind not in KINDS:
        msg = f"kind={kind!r}; give one of {list(KINDS)}."
        raise OptionError(msg)
    where: Any = ax  # several for "before_after", one for all others
    if kind == "gates":
        return draw_gates(refinement, where)
    if kind == "path":
        return draw_path(refinement, where)
    if kind == "response":
        return _response(refinement, edge, where)
    strengths = Strengths.of(refinement) if truth is None else None
    view = _View(chosen_labels(refinement.names, labels), truth, positions, layout, strengths)
    if kind == "before_after":
        figure, axes = _before_after(refinement, view, where)
    elif kind == "graph":
        figure, axes = _graph(refinement, "after", where, view)
    elif kind == "network":
        figure, axes = _network(refinement, where, view, STRONGEST if strongest is None else strongest)
    elif kind == "matrix":
        figure, axes = _matrix(refinement, where, view)
    else:
        figure, axes = draw_unrolled(refinement.graph, view.names, where, strengths)
    if colorbar and view.signed and refinement.graph.any():
        assert strengths is not None
        draw_colour_bar(figure, axes[-1] if kind == "before_after" else axes, strengths)
    return figure, axes


def plot_graph(
    refinement: Drawn,
    *,
    ax: Axes | None = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
) -> tuple[Figure, Axes]:
    """What is left: a network, or a matrix where there are too many variables for one."""
    return plot(refinement, "graph", ax=ax, truth=truth, positions=positions)


def plot_before_after(
    refinement: Drawn,
    *,
    ax: Axes | Sequence[Axes] | None = None,
    truth: BoolArray | None = None,
    positions: FloatArray | None = None,
) -> tuple[Figure, Any]:
    """The host's graph on the left, what is left of it on the right."""
    return plot(refinement, "before_after", ax=ax, truth=truth, positions=positions)


def _before_after(refinement: Drawn, view: _View, ax: Any) -> tuple[Figure, Any]:
    if ax is None:
        made, ax = pyplot().subplots(1, 2, figsize=(12.6, 6.6), layout="constrained")
        made.get_layout_engine().set(h_pad=0.12, w_pad=0.08)
    for one, stage in zip(ax, ("before", "after"), strict=True):
        figure, _ = _graph(refinement, stage, one, view)
        one.set_title(_title(refinement, stage, view.truth), fontsize=11)
    if view.truth is not None:
        _truth_legend(figure, view.truth)
    return figure, ax


def _matrix(refinement: Drawn, ax: Axes | None, view: _View) -> tuple[Figure, Axes]:
    figure, axes = draw_matrix(_layers(refinement, "matrix", view), view.names, ax, view.strengths)
    words = "blue: true, red: false" if view.truth is not None else "kept in colour (numbers are lags)"
    axes.set_title(words if view.truth is not None else f"{words}, pruned grey", fontsize=10)
    return figure, axes


def _network(refinement: Drawn, ax: Axes | None, view: _View, strongest: int) -> tuple[Figure, Axes]:
    layers = _layers(refinement, "after", view)
    size = np.where(refinement.graph, np.nan_to_num(refinement.outcome.gain), -1.0).max(axis=2)
    np.fill_diagonal(size, -1.0)
    pairs = int((size >= 0).sum())
    figure, axes = draw_network(
        {style: graph & _top(size, strongest)[:, :, None] for style, graph in layers.items()},
        view.names,
        view.positions,
        ax,
        layout=view.layout,
        strengths=view.strengths,
    )
    if pairs > strongest:
        axes.set_title(f"the {strongest} strongest of {pairs} pairs", fontsize=10)
    return figure, axes


def _top(size: FloatArray, strongest: int) -> BoolArray:
    """[cause, effect]: the strongest pairs, both ways round where one of them is; and own pasts."""
    order = np.argsort(-size, axis=None, kind="stable")
    chosen = np.eye(len(size), dtype=np.bool_)
    chosen.flat[order[: max(strongest, 0)]] = True
    return chosen


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


def _graph(refinement: Drawn, stage: str, ax: Axes | None, view: _View) -> tuple[Figure, Axes]:
    layers = _layers(refinement, stage, view)
    if view.positions is None and view.layout == "auto" and len(view.names) > MOST_IN_NETWORK:
        return draw_matrix(layers, view.names, ax, view.strengths)
    return draw_network(layers, view.names, view.positions, ax, layout=view.layout, strengths=view.strengths)


def _layers(refinement: Drawn, stage: str, view: _View) -> dict[str, BoolArray]:
    """Style -> edges, in drawing order."""
    mask, graph = refinement.skeleton.mask, refinement.graph
    if view.truth is not None:
        shown = mask if stage == "before" else graph
        right = shown & _full(view.truth, mask)
        missed = _full(view.truth, mask) & ~shown if np.ndim(view.truth) == 3 else np.zeros_like(mask)
        return {f"{GREY} --": missed, RED: shown & ~right, BLUE: right}
    if stage == "before":
        return {GREY: mask}
    if stage == "matrix":
        return {PALE: mask & ~graph, SIGNED: graph}
    return {SIGNED: graph}


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
