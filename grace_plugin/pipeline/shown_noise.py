"""Noise that is heavy or changes its size, as a sentence and as stretches that can be drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.graph.shown import ActedRule, ShownSeries
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.noise_weights import row_weights

_NAMED = 6
_DRAWN = 4  # variables: more say nothing new
_MOST_ROWS = 2000  # of a variable: a page has no more dots across


def acted_noise(
    residuals: Mapping[int, FloatArray], rows: LaggedRows | None, names: tuple[str, ...]
) -> ActedRule | None:
    """The rule `noise`, if there are effects whose p-values believe what their causes leave (`residuals`)."""
    if not residuals or rows is None:
        return None
    order = sorted(residuals)
    more = f" and {len(order) - _NAMED} more" if len(order) > _NAMED else ""
    sentence = (
        "Noise with heavy tails or of changing size, so that p-values believe the residuals: "
        f"{', '.join(names[effect] for effect in order[:_NAMED])}{more}."
    )
    drawn = [_stretch(names[effect], residuals[effect], rows) for effect in order]
    drawn.sort(key=lambda one: -one.strength)
    return ActedRule("noise", sentence, len(order), tuple(drawn[:_DRAWN]))


def _stretch(name: str, residual: FloatArray, rows: LaggedRows) -> ShownSeries:
    """The residual of the first series and how large it is taken to be; strength is its excess kurtosis."""
    square = np.square(residual)
    mean = max(float(square.mean()), 1e-300)
    weights = row_weights(residual)
    size = np.sqrt(np.full(len(square), mean) if weights is None else (square * weights).mean() / weights)
    first = np.flatnonzero(rows.series == rows.series[0])[:_MOST_ROWS]
    heavy = float(np.square(square).mean()) / mean**2 - 3.0
    return ShownSeries(name, rows.times[first], residual[first], size[first], heavy)
