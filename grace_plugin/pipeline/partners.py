"""Kept causes that act together: who with whom, and how strongly, for the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.graph.outcome import EdgeRecords
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import Product

Cells = Mapping[tuple[int, int], int]  # (cause, lag) of an effect's kept candidates -> their record


def partner_columns(
    products: Mapping[int, Sequence[Product]], records: EdgeRecords, rows: LaggedRows | None
) -> dict[str, FloatArray]:
    """For each candidate: the variable and the lag that it acts together with, and their product's weight.

    The partner of the heaviest product counts, NaN is none. The weight is in standard deviations of the
    effect, per product of two standardised values, beside the linear parts of all kept causes.
    """
    names = "partner", "partner_lag", "together"
    found: dict[str, FloatArray] = {name: np.full(len(records.kept), np.nan) for name in names}
    for effect, some in products.items() if rows is not None else ():
        cells = _kept(records, effect)
        both = [one for one in some if one.first in cells and one.second in cells]
        for one, weight in zip(both, _weights(effect, both, cells, rows), strict=True) if both else ():
            for cell, other in ((one.first, one.second), (one.second, one.first)):
                place = cells[cell]
                if not abs(weight) <= abs(found["together"][place]):
                    found["partner"][place], found["partner_lag"][place] = other
                    found["together"][place] = weight
    return found


def _kept(records: EdgeRecords, effect: int) -> Cells:
    mine = np.flatnonzero(records.kept & (records.effect == effect))
    return {(int(records.cause[place]), int(records.lag[place])): int(place) for place in mine}


def _weights(effect: int, products: Sequence[Product], cells: Cells, rows: LaggedRows | None) -> FloatArray:
    """Of every product, beside one another and the linear parts of all kept causes."""
    assert rows is not None
    linear = [rows.past(cause, lag) for cause, lag in sorted(cells) if lag]
    table = np.column_stack([one.column(rows) for one in products] + linear)
    target = rows.target(effect)
    around = table - table.mean(axis=0)
    weights = np.linalg.lstsq(around, target - target.mean(), rcond=None)[0][: len(products)]
    return np.asarray(weights / max(float(target.std()), 1e-300))
