"""Pictures of numbers: the gates of all candidates, and how an effect answers to a cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.show.drawn import Curve, Drawn, Explained
from grace_plugin.show.labels import literal, wrapped
from grace_plugin.show.style import BLUE, GREY, INK, RED, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 60
_SMOOTHED = 4  # bins either side


def draw_gates(refinement: Drawn, ax: Axes | None = None) -> tuple[Figure, Axes]:
    """A histogram of the candidates' gates, by what became of the edge."""
    figure, axes = axes_for(ax, (6.0, 3.5))
    table = refinement.edges
    groups = {
        "kept": (BLUE, table.kept),
        "pruned by the certificate": (RED, ~table.kept & (table.reason == "certificate")),
        "pruned by the gate": (GREY, ~table.kept & (table.reason != "certificate")),
    }
    values = [table.gate[rows].to_numpy() for _, rows in groups.values()]
    labels = [f"{name} ({len(value)})" for name, value in zip(groups, values, strict=True)]
    axes.hist(
        values,
        bins=np.linspace(0.0, 1.0, 21).tolist(),
        stacked=True,
        color=[colour for colour, _ in groups.values()],
        label=labels,
        edgecolor="white",
        linewidth=0.5,
    )
    threshold = refinement.config.gate_threshold
    axes.axvline(threshold, color=INK, linestyle=":", label=f"threshold {threshold:g}")
    axes.set_xlabel("gate (0 closed, 1 open)")
    axes.set_ylabel("candidate edges")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_path(refinement: Drawn, ax: Axes | None = None) -> tuple[Figure, Axes]:
    """How many edges every cut would keep, and how many of them are expected to be false."""
    figure, axes = axes_for(ax, (6.0, 3.5))
    kept = int(refinement.graph.sum())
    path = refinement.path.head(max(3 * kept, 10))
    axes.plot(path["kept"], path["kept"] - path["expected_false"], color=BLUE, label="expected true")
    axes.plot(path["kept"], path["expected_false"], color=RED, label="expected false")
    axes.axvline(kept, color=INK, linestyle=":", label=f"kept here: {kept}")
    axes.set_xlabel("edges kept, the likeliest first")
    axes.set_ylabel("edges")
    axes.legend(frameon=False, fontsize=9)
    return figure, axes


def draw_response(explanation: Explained, ax: Axes | None = None) -> tuple[Figure, Axes]:
    """The fitted answer of the effect to the cause, its interval, and where values of the cause lie."""
    figure, axes = axes_for(ax, (5.0, 3.5))
    curve = explanation.curve
    assert curve is not None
    colour = BLUE if explanation.kept else RED
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.fill_between(curve.cause, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, label="95 %")
    axes.plot(curve.cause, curve.effect, color=colour, linewidth=2)
    axes.set_xlim(float(curve.cause[0]), float(curve.cause[-1]))
    if curve.values.size:
        _draw_density(axes, curve)
    cause, effect = ("\n".join(wrapped(literal(one), 40)) for one in (explanation.cause, explanation.effect))
    when = f"{explanation.lag} steps before" if explanation.lag != 1 else "1 step before"
    axes.set_xlabel(f"{cause}, {when if explanation.lag else 'same time'}")
    axes.set_ylabel(f"share in {effect}")
    axes.set_title("kept" if explanation.kept else "pruned: what it would add", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _draw_density(axes: Any, curve: Curve) -> None:
    """How many values of the cause lie where, as a low grey hill on the ground."""
    ground, top = axes.get_ylim()
    height = 0.14 * (top - ground)
    places, density = density_of(curve.values, float(curve.cause[0]), float(curve.cause[-1]))
    axes.fill_between(
        places,
        ground - height,
        ground - height + height * density,
        color=GREY,
        alpha=0.45,
        linewidth=0,
        label="values of the cause",
    )
    axes.set_ylim(ground - height, top)


def density_of(values: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """A smooth histogram between two ends, its largest value 1; values beyond the ends are left out.

    >>> density_of(np.array([0.0, 0.0, 1.0]), -1.0, 2.0)[1].max()
    np.float64(1.0)
    """
    counts, edges = np.histogram(values, bins=_BINS, range=(low, high))
    steps = np.arange(-_SMOOTHED, _SMOOTHED + 1)
    weights = np.exp(-0.5 * np.square(2.0 * steps / _SMOOTHED))
    smooth = np.convolve(counts, weights, mode="same")
    return (edges[:-1] + edges[1:]) / 2, smooth / max(float(smooth.max()), 1e-300)
