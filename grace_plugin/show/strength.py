r"""How strong an edge is, and in which direction it pushes.

Strength is the edge's partial correlation with its effect beside all other kept edges, from its gain g in
nats per sample: sqrt(1 - exp(-2 g)). Its sign is that of the straight line through the fitted response
curve, over the usual values of the cause; an edge whose line explains less than half of its curve (a
parabola, say) has no sign.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.additive_fit import AdditiveFit, ResponseCurve
from grace_plugin.show.drawn import Drawn
from grace_plugin.show.style import BLUE, INK, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Colour: TypeAlias = str | tuple[float, float, float, float]  # a name, or red, green, blue and how opaque

SIGNED = "signed"  # the style of a layer whose colours tell signs

_MIDDLE = "#c3c8d1"  # a weak edge is still seen on white paper
_LEAST_LINE = 0.5  # share of a curve that its line must explain to give the edge a sign
_WIDTHS = (0.9, 4.2)  # points, of no and of the largest strength
_LONGEST_BAR = 4.5  # inches
_LEAST_TOP = 0.2  # of the colour scale: weak graphs stay pale


@dataclass(frozen=True, eq=False)
class Strengths:
    """Of all edges of a graph; arrays are [cause, effect, lag].

    Args:
        size: from 0 to 1; NaN where it is not known.
        sign: 1, -1, or 0 for neither.
        known: whether signs could be told at all.
        top: the end of the colour scale.
        words: what the scale shows.
    """

    size: FloatArray
    sign: FloatArray
    known: bool
    top: float
    words: str = "partial correlation, with the sign of the effect"

    @classmethod
    def of(cls, drawn: Drawn) -> Strengths:
        """Of the kept edges of a result."""
        graph, outcome = drawn.graph, drawn.outcome
        size = np.where(graph, np.sqrt(-np.expm1(-2.0 * np.maximum(outcome.gain, 0.0))), np.nan)
        seen = size[np.isfinite(size)]
        top = max(_LEAST_TOP, np.ceil(10 * seen.max()) / 10) if seen.size else 1.0
        moments = outcome.details.moments
        if isinstance(moments, Moments) and not drawn.parts:
            return cls(size, _signs(drawn, moments), True, float(top))
        if "effect_size" in outcome.records.further:  # a result that was read from a file
            return cls(size, _stored_signs(drawn), True, float(top))
        return cls(size, np.zeros(graph.shape), False, float(top))

    def of_variables(self, cells: tuple[IntArray, ...]) -> Strengths:
        """Of some variables alone, by an index of [cause, effect, lag]."""
        return replace(self, size=self.size[cells], sign=self.sign[cells])

    def strongest(self, cause: int, effect: int, lags: Iterable[int]) -> tuple[float, float]:
        """Size and sign of the strongest of a pair's lags."""
        cells = list(lags)
        sizes = self.size[cause, effect, cells]
        best = int(np.argmax(np.nan_to_num(sizes, nan=-1.0)))
        return float(sizes[best]), float(self.sign[cause, effect, cells[best]])

    def colour(self, cause: int, effect: int, lags: Iterable[int]) -> Colour:
        """By the strongest lag: red pushes up, blue pushes down, ink does neither."""
        size, sign = self.strongest(cause, effect, lags)
        if not self.known:
            return BLUE
        if sign == 0.0:
            return INK
        place = 0.5 + 0.5 * sign * min(1.0, float(np.nan_to_num(size, nan=self.top)) / self.top)
        red, green, blue, opaque = colours()(place)
        return red, green, blue, opaque

    def width(self, cause: int, effect: int, lags: Iterable[int], usual: float) -> float:
        """Points; `usual` where the size is not known."""
        size, _ = self.strongest(cause, effect, lags)
        if not np.isfinite(size):
            return usual
        low, high = _WIDTHS
        return low + (high - low) * min(1.0, size / self.top)

    @property
    def legend(self) -> str:
        """What the scale shows, and what the colour beside it means where an edge has it."""
        bent = np.isfinite(self.size) & (self.sign == 0.0)
        return f"{self.words}\n(dark: bent, neither up nor down)" if bent.any() else self.words

    def mappable(self) -> ScalarMappable:
        """What a colour bar shows."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        return ScalarMappable(Normalize(-self.top, self.top), colours())


def colours() -> Colormap:
    """From blue over grey to red, told apart with every kind of colour vision."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", [BLUE, _MIDDLE, RED])


def draw_colour_bar(figure: Figure, axes: Axes, strengths: Strengths) -> None:
    """The scale of the signed colours beside the axes."""
    shrink = min(0.55, _LONGEST_BAR / figure.get_size_inches()[1])
    bar = figure.colorbar(strengths.mappable(), ax=axes, shrink=shrink, aspect=24, pad=0.02)
    bar.set_label(strengths.legend, fontsize=8, color=INK)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set_visible(False)


def _signs(drawn: Drawn, moments: Moments) -> FloatArray:
    graph, fit = drawn.graph, AdditiveFit(moments)
    signs = np.zeros(graph.shape)
    for effect in range(graph.shape[1]):
        parents = [(int(cause), effect, int(lag)) for cause, lag in np.argwhere(graph[:, effect])]
        for edge in parents:
            signs[edge] = _sign(fit.curve(parents, edge))
    return signs


def _stored_signs(drawn: Drawn) -> FloatArray:
    """By the interval of the linear effect: an edge whose interval holds 0 has no sign."""
    low, high = (np.nan_to_num(drawn.outcome.further(name)) for name in ("low", "high"))
    return np.where(low > 0.0, 1.0, np.where(high < 0.0, -1.0, 0.0))


def _sign(curve: ResponseCurve) -> float:
    usual = (curve.cause >= curve.usual[0]) & (curve.cause <= curve.usual[1])
    cause, effect = curve.cause[usual] - curve.cause[usual].mean(), curve.effect[usual]
    effect = effect - effect.mean()
    product = float(cause @ effect)
    explained = product**2 / max(float(cause @ cause) * float(effect @ effect), 1e-300)
    return float(np.sign(product)) if explained >= _LEAST_LINE else 0.0
