"""Kept causes that act together: who with whom, and how strongly, for the table."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.graph.outcome import Outcome
from grace_plugin.regression.judge import Judged
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import Product


def partner_columns(judged: Judged, outcome: Outcome, rows: LaggedRows | None) -> dict[str, FloatArray]:
    """For each candidate: the variable and the lag that it acts together with, and their product's weight.

    The partner of the heaviest product counts, NaN is none. The weight is in standard deviations of the
    effect, per product of two standardised values, beside the linear parts of all kept causes.
    """
    found = {name: np.full(outcome.shape, np.nan) for name in ("partner", "partner_lag", "together")}
    if rows is not None:
        for effect, products in _kept(judged, outcome).items():
            for one, weight in zip(products, _weights(effect, products, outcome, rows), strict=True):
                for (cause, lag), other in ((one.first, one.second), (one.second, one.first)):
                    cell = cause, effect, lag
                    if not abs(weight) <= abs(found["together"][cell]):
                        found["partner"][cell], found["partner_lag"][cell] = other
                        found["together"][cell] = weight
    return {name: array[outcome.records.cells] for name, array in found.items()}


def _kept(judged: Judged, outcome: Outcome) -> dict[int, list[Product]]:
    """The products whose factors both stayed, by effect."""
    found: dict[int, list[Product]] = {}
    for effect, products in judged.products.items():
        for one in products:
            if all(outcome.graph[cause, effect, lag] for cause, lag in (one.first, one.second)):
                found.setdefault(effect, []).append(one)
    return found


def _weights(effect: int, products: list[Product], outcome: Outcome, rows: LaggedRows) -> FloatArray:
    """Of every product, beside one another and the linear parts of all kept causes."""
    linear = [rows.past(cause, lag) for cause, lag in np.argwhere(outcome.graph[:, effect]).tolist() if lag]
    table = np.column_stack([one.column(rows) for one in products] + linear)
    target = rows.target(effect)
    around = table - table.mean(axis=0)
    weights = np.linalg.lstsq(around, target - target.mean(), rcond=None)[0][: len(products)]
    return np.asarray(weights / max(float(target.std()), 1e-300))
