"""A picture of two causes that act together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.show.drawn import Explained
from grace_plugin.show.labels import literal, wrapped
from grace_plugin.show.style import axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STEPS = 15


def draw_surface(explanation: Explained, ax: Axes | None = None) -> tuple[Figure, Axes]:
    """The effect's answer as colours over the values of both causes, blue below its mean and red above."""
    figure, axes = axes_for(ax, (5.4, 4.2))
    surface = explanation.surface
    assert surface is not None
    most = max(float(np.abs(surface.effects).max()), 1e-300)
    levels = np.linspace(-most, most, _STEPS).tolist()
    shades = axes.contourf(surface.causes, surface.partners, surface.effects.T, levels=levels, cmap="RdBu_r")
    bar = figure.colorbar(shades, ax=axes)
    bar.set_label(f"share in {_words(explanation.effect)}")
    axes.set_xlabel(f"{_words(explanation.cause)}, {_when(explanation.lag)}")
    axes.set_ylabel(f"{_words(surface.partner)}, {_when(surface.partner_lag)}")
    axes.set_title("both act together", fontsize=10)
    return figure, axes


def _words(name: str) -> str:
    return "\n".join(wrapped(literal(name), 40))


def _when(lag: int) -> str:
    return f"{lag} steps before" if lag != 1 else "1 step before"
