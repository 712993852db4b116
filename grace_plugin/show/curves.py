"""Pictures of numbers: the gates of all candidates, and how an effect answers to a cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.show.drawn import Drawn, Explained
from grace_plugin.show.labels import literal, wrapped
from grace_plugin.show.style import BLUE, GREY, INK, RED, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    axes.legend(framealpha=1.0, edgecolor="white", loc="upper center")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def smooth(effect: FloatArray) -> FloatArray:
    """Values at even steps without the kink at the mean, which the absolute value in the model leaves there.

    A running mean with the weights of a Gaussian; a straight line stays as it is, as its ends are continued.
    """
    half = max(1, len(effect) // 16)
    steps = np.arange(-half, half + 1)
    weights = np.exp(-0.5 * (2.0 * steps / half) ** 2)
    left = 2.0 * effect[0] - effect[half:0:-1]
    right = 2.0 * effect[-1] - effect[-2 : -half - 2 : -1]
    return np.convolve(np.concatenate([left, effect, right]), weights / weights.sum(), mode="valid")


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
    """The fitted answer of the effect to the cause, in the units of the data."""
    figure, axes = axes_for(ax, (5.0, 3.5))
    curve = explanation.curve
    assert curve is not None
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.plot(curve.cause, smooth(curve.effect), color=BLUE if explanation.kept else RED, linewidth=2)
    axes.axvspan(*curve.usual, color=GREY, alpha=0.12, linewidth=0, label="mean ± 2 deviations")
    cause, effect = ("\n".join(wrapped(literal(one), 40)) for one in (explanation.cause, explanation.effect))
    when = f"{explanation.lag} steps before" if explanation.lag != 1 else "1 step before"
    axes.set_xlabel(f"{cause}, {when if explanation.lag else 'same time'}")
    axes.set_ylabel(f"share in {effect}")
    axes.set_title("kept" if explanation.kept else "pruned: what it would add", fontsize=10)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes
