"""Pictures of a refinement. matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import Variable
from grace_plugin.exceptions import OptionError
from grace_plugin.show.curves import draw_gates, draw_path, draw_response
from grace_plugin.show.drawn import Drawn
from grace_plugin.show.labels import chosen_labels, with_levels
from grace_plugin.show.matrix import draw_matrix
from grace_plugin.show.network import draw_network
from grace_plugin.show.scene import GRAPHS, STRONGEST, Scene
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import sheet
from grace_plugin.show.surface import draw_surface
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

# Pictures of numbers by their kind; those of graphs are in scene.GRAPHS.
_NUMBERS: Mapping[str, Callable[[Drawn, Any], tuple[Figure, Any]]] = {"gates": draw_gates, "path": draw_path}
KINDS = (*GRAPHS, "response", *_NUMBERS)


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
    page: int = 1,
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
            "time_series" (unrolled in time), "gates" (histogram), "response" (fitted curve of one
            edge, or the surface of two causes that act together),
            "path" (what every cut would keep, and how much of it is expected to be false).
        ax: where to draw; a pair for "before_after".
        truth: the true edges, [cause, effect, lag] or [cause, effect]; right ones are then blue, false ones
            red, and missed ones dashed.
        positions: [variable, 2], places of the variables in a network.
        edge: (cause, effect, lag) for "response".
        labels: what to write for the variables: a dict by name, or one label each.
        layout: of a network without `positions`: "circle", "kamada_kawai", "spring", "graphviz" (in layers,
            from causes to effects; needs the program `dot`), or "auto" (a circle, sorted by neighbours where
            there are many variables).
        strongest: how many pairs of variables "network" shows; 60 unless told.
        page: of "time_series" of more than 20 variables, which shows ten effects on a page.
        colorbar: whether to draw the scale of the colours.
    """
    if kind not in KINDS:
        msg = f"kind={kind!r}; give one of {list(KINDS)}."
        raise OptionError(msg)
    where: Any = ax  # several for "before_after", one for all others
    with sheet():
        if kind in _NUMBERS:
            return _NUMBERS[kind](refinement, where)
        if kind == "response":
            return _response(refinement, edge, where)
        scene = Scene(
            chosen_labels(refinement.names, _default_labels(refinement) if labels is None else labels),
            refinement.skeleton.mask,
            refinement.graph,
            Strengths.of(refinement),
            truth=truth,
            positions=positions,
            layout=layout,
            strongest=STRONGEST if strongest is None else strongest,
            page=page,
            ax=ax,
            colorbar=colorbar,
        )
        return scene.draw(kind)


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
    return draw_response(explanation, ax) if explanation.surface is None else draw_surface(explanation, ax)


def _default_labels(refinement: Drawn) -> dict[str, str] | None:
    """Names with the levels of those that hold words; None where none does."""
    return with_levels(refinement.names, refinement.outcome.details.words) or None
