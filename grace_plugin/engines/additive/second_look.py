"""A second look at the rows: an edge must hold beside freely bent curves of the other kept edges.

The few features of the moments leave a little of a strongly bent effect unexplained. With many rows
a false edge close to a true one can live on that remainder. Only the kept edges are looked at, so
that curves can be fine. Where the noise of an effect changes over time, rows count by how noisy they are,
and the test believes the residuals rather than the assumption that all rows are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.lagged_blocks import window_blocks
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.noise_weights import row_weights
from grace_plugin.regression.spline_regression import KNOTS, SLOW_WAVES, KeptModel
from grace_plugin.series.panel import Panel

_ROWS_PER_FEATURE = 10  # an effect with too many kept edges for its rows gets no curves
_CHUNK_ROWS = 4096
_MOST_WEIGHED_ROWS = 1_000_000  # beyond them weights would take more passes over a file than they are worth
_HELD_NUMBERS = 20_000_000  # residuals and weights held at once (about 300 MB)


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the second look says of the kept edges of one effect."""

    effect: int
    parents: IntArray  # [K, 2]: (cause, lag)
    stays: BoolArray  # [K]
    p_value: FloatArray  # [K]
    gain: FloatArray  # [K]


def second_look(
    graph: BoolArray, keep: BoolArray, panel: Panel, moments: Moments, alpha: float
) -> Iterator[Verdict]:
    """Test again the kept edges of every effect; `keep` edges always stay.

    Beside curves where an effect has several edges and rows enough for them, beside slow waves where its
    mean drifts, with weights where its noise changes. Where nothing of this holds, nothing would change.
    """
    coarse = len(moments.basis) > 1  # who asks for linear effects only gets them
    most = moments.rows // _ROWS_PER_FEATURE // (len(KNOTS) + 1) if coarse else 0
    degree = graph.sum(axis=(0, 2))
    curved = (degree > 1) & (degree <= most)
    filled = any(one.seen is not None for one in panel.series)  # such rows are calm, and tell nothing
    weighing = moments.rows <= _MOST_WEIGHED_ROWS and not filled
    models = [
        KeptModel(int(effect), np.argwhere(graph[:, effect]), moments.basis, bool(curved[effect]))
        for effect in np.flatnonzero(degree > 0 if weighing else curved)
    ]
    one_record = len(panel.series) == 1  # several would drift each in its own way
    rows = _Rows(panel, moments)
    size = max(1, _HELD_NUMBERS // max(1, moments.rows))
    for group in (models[first : first + size] for first in range(0, len(models), size)):
        rows.add_up(group)
        for model in group:
            model.drifting = one_record and model.drifts(moments.rows)
        weighed = _weighed(group, rows) if weighing else group
        for model in (new for new in weighed if new.curved or new.drifting or new.spread is not None):
            fixed = keep[model.parents[:, 0], model.effect, model.parents[:, 1]]
            yield _verdict(model, fixed, moments.rows, alpha)


def _weighed(models: list[KeptModel], rows: _Rows) -> list[KeptModel]:
    """The models, those of restless effects summed up anew with weights."""
    weights = [row_weights(residual) for residual in rows.residuals(models)]
    restless = {place: weight for place, weight in enumerate(weights) if weight is not None}
    if not restless:
        return models
    old = [models[place] for place in restless]
    anew = [KeptModel(one.effect, one.parents, one.basis, one.curved) for one in old]
    rows.add_up(anew, list(restless.values()))
    for model, unweighed in zip(anew, old, strict=True):
        model.drifting = unweighed.drifting
    fits = [model.fit() for model in anew]
    for tables in rows.tables(anew, list(restless.values())):
        for model, table, fit in zip(anew, tables, fits, strict=True):
            model.add_spread(table, fit)
    replaced = dict(zip(restless, anew, strict=True))
    return [replaced.get(place, model) for place, model in enumerate(models)]


def _verdict(model: KeptModel, keep: BoolArray, rows: int, alpha: float) -> Verdict:
    """Close the weakest edge above `alpha`, one at a time, until none is left.

    After each, only those above `alpha` are tested anew, and the others at the end.
    """
    stays = np.ones(len(model.parents), dtype=np.bool_)
    p_value, gain = np.full(len(stays), np.nan), np.full(len(stays), np.nan)
    due: BoolArray = stays.copy()
    stale: BoolArray = stays.copy()
    while due.any() or stale.any():
        due = due if due.any() else stale.copy()
        for edge in np.flatnonzero(due):
            p_value[edge], gain[edge] = model.test(edge, stays, rows)
        stale &= ~due
        doubtful = stays & ~keep & (p_value > alpha)
        due = np.zeros_like(stays)
        if doubtful.any():
            weakest = int(np.where(doubtful, p_value, -1.0).argmax())
            stays[weakest] = doubtful[weakest] = False
            due, stale = doubtful, stays.copy()
    return Verdict(model.effect, model.parents, stays, p_value, gain)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that have a complete past, chunk after chunk, read as often as wanted."""

    panel: Panel
    moments: Moments

    def tables(
        self, models: list[KeptModel], weights: list[FloatArray] | None = None
    ) -> Iterator[Iterator[FloatArray]]:
        """For every chunk, the table of each model in turn, its rows scaled by the roots of their weights."""
        start = 0
        for block in window_blocks(self.panel, self.moments.max_lag, _CHUNK_ROWS):
            standardised = (block.values - self.moments.center) / self.moments.scale
            times = np.flatnonzero(block.windows)
            rows = np.arange(start, start + len(times))
            yield self._chunk(models, weights, standardised, times, rows)
            start += len(times)

    def _chunk(
        self,
        models: list[KeptModel],
        weights: list[FloatArray] | None,
        standardised: FloatArray,
        times: IntArray,
        rows: IntArray,
    ) -> Iterator[FloatArray]:
        waves = self._waves(rows)
        for place, model in enumerate(models):
            table = model.table(standardised, times, waves)
            yield table if weights is None else table * np.sqrt(weights[place][rows, None])

    def _waves(self, rows: IntArray) -> FloatArray:
        """Slow waves over the record, and a constant."""
        phase = np.pi * (rows + 0.5) / self.moments.rows
        return np.cos(phase[:, None] * np.arange(SLOW_WAVES, -1, -1))

    def add_up(self, models: list[KeptModel], weights: list[FloatArray] | None = None) -> None:
        for tables in self.tables(models, weights):
            for model, table in zip(models, tables, strict=True):
                model.add(table)

    def residuals(self, models: list[KeptModel]) -> list[FloatArray]:
        """Of every model, at all rows."""
        coefficients = [model.fit().coefficients for model in models]
        parts: list[list[FloatArray]] = [[] for _ in models]
        for tables in self.tables(models):
            for found, table, weights in zip(parts, tables, coefficients, strict=True):
                found.append(table[:, -1] - table[:, :-1] @ weights)
        return [np.concatenate(found) for found in parts]
