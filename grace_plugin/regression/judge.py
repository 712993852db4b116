"""From moments and rows to the evidence of every cell.

1. **Search** (`evidence.py`): forward and backward from the moments, beside each effect's controls.
2. **Products** (`products.py`) in what the additive model leaves, before any variance is made robust: a
   product of causes looks like noise whose size changes. Their effects are searched anew beside them.
3. **Rows** (`row_model.py`): the strong cells once more, beside curves, with their products, by p-values that
   believe the residuals where these ask for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import Evidence, SearchSpace, search
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import Product, find_products
from grace_plugin.regression.row_model import RowModel, RowRules

STRONG = 0.01  # cells below it are looked at once more on the rows, of many candidates fewer:
NULLS_LOOKED_AT = 1.0  # about so many of an effect by chance
_ROWS_PER_CELL = 15  # an effect has at most so many rows' worth of strong cells; the strongest come first


@dataclass(frozen=True, eq=False)
class Judged:
    """The evidence of every cell, and which lagged values act together on which effect."""

    evidence: Evidence
    products: Mapping[int, Sequence[Product]] = field(default_factory=dict)

    def partners(self, cause: int, effect: int, lag: int) -> list[tuple[int, int]]:
        """(cause, lag) of the values that a cell acts together with."""
        found = (one.partner((cause, lag)) for one in self.products.get(effect, ()))
        return [cell for cell in found if cell is not None]


def judge(
    moments: Moments,
    rows: LaggedRows | None,
    space: SearchSpace | None = None,
    rules: RowRules | None = None,
    interactions: bool = True,
) -> Judged:
    """The evidence of every lagged cell; without rows there are no products and no second look."""
    space = space or SearchSpace()
    found = search(moments, space, rows)
    if rows is None:
        return Judged(found)
    products = _products(moments, rows, space, found) if interactions else {}
    if products:
        found = _beside_products(moments, rows, space, found, products)
    return Judged(_on_rows(moments, rows, space, rules or RowRules(), found, products), products)


def strong_cells(found: Evidence, effect: int, level: float, most: int) -> IntArray:
    """[K, 2]: (cause, lag) of an effect's cells below a level, the strongest first."""
    mine = np.flatnonzero((found.cells[:, 1] == effect) & (found.log_p < np.log(level)))
    order = mine[np.argsort(found.log_p[mine], kind="stable")][:most]
    return np.asarray(found.cells[order][:, [0, 2]])


def strong_level(moments: Moments) -> float:
    """The level below which cells are looked at once more."""
    return min(STRONG, NULLS_LOOKED_AT / max(moments.n_variables * moments.max_lag, 1))


def _most(rows: LaggedRows, width: int) -> int:
    return max(1, rows.count // (_ROWS_PER_CELL * width))


def _effects(moments: Moments, space: SearchSpace) -> IntArray:
    return np.arange(moments.n_variables) if space.effects is None else space.effects


def _products(
    moments: Moments, rows: LaggedRows, space: SearchSpace, found: Evidence
) -> dict[int, list[Product]]:
    models: dict[int, FloatArray] = {}
    factors: dict[int, IntArray] = {}
    for effect in _effects(moments, space).tolist():
        cells = strong_cells(found, effect, strong_level(moments), _most(rows, len(moments.basis)))
        columns = rows.features(cells.tolist(), moments.basis)
        controls = space.columns.get(effect)
        models[effect] = columns if controls is None else np.column_stack([columns, controls])
        factors[effect] = cells
    may = space.allowed if space.factors is None else space.factors
    return find_products(rows, models, factors, may)


def _beside_products(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    found: Evidence,
    products: Mapping[int, Sequence[Product]],
) -> Evidence:
    """The effects that have products, searched anew beside them."""
    columns = dict(space.columns)
    for effect, some in products.items():
        parts = [one.column(rows)[:, None] for one in some]
        parts += [columns[effect]] if effect in columns else []
        columns[effect] = np.concatenate(parts, axis=1)
    effects = np.array(sorted(products))
    anew = search(moments, replace(space, columns=columns, effects=effects), rows)
    stays = ~np.isin(found.cells[:, 1], effects)
    rest = found.rest.copy()
    rest[:, effects] = anew.rest[:, effects]
    return replace(
        found,
        cells=np.concatenate([found.cells[stays], anew.cells]),
        log_p=np.concatenate([found.log_p[stays], anew.log_p]),
        gain=np.concatenate([found.gain[stays], anew.gain]),
        rest=rest,
    )


def _on_rows(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    rules: RowRules,
    found: Evidence,
    products: Mapping[int, Sequence[Product]],
) -> Evidence:
    """The same evidence, that of strong cells and of factors of products from the rows."""
    table = _Cells(found)
    for effect in _effects(moments, space).tolist():
        some = products.get(effect, ())
        cells = strong_cells(found, effect, strong_level(moments), _most(rows, len(moments.basis)))
        cells = _with_factors(cells, some)
        if not len(cells):
            continue
        model = RowModel(rows, effect, cells, moments.basis, rules, space.columns.get(effect), some)
        log_p, gain = model.eliminate(_required(space.required, effect, cells))
        table.write(effect, cells, log_p, gain)
    return table.evidence()


def _required(required: BoolArray | None, effect: int, cells: IntArray) -> BoolArray:
    if required is None:
        return np.zeros(len(cells), dtype=np.bool_)
    return np.asarray(required[cells[:, 0], effect, cells[:, 1]])


def _with_factors(cells: IntArray, products: Sequence[Product]) -> IntArray:
    known = {tuple(cell) for cell in cells.tolist()}
    more = {cell for one in products for cell in (one.first, one.second)} - known
    return np.array([*cells.tolist(), *sorted(more)], dtype=np.int64).reshape(-1, 2)


class _Cells:
    """Evidence that is written anew, cell by cell."""

    def __init__(self, found: Evidence) -> None:
        self.found = found
        self.log_p, self.gain = found.log_p.copy(), found.gain.copy()
        self.rest = found.rest.copy()
        self.place = {tuple(cell): place for place, cell in enumerate(found.cells.tolist())}
        self.more: list[tuple[int, int, int]] = []
        self.more_log_p: list[float] = []
        self.more_gain: list[float] = []

    def write(self, effect: int, cells: IntArray, log_p: FloatArray, gain: FloatArray) -> None:
        for (cause, lag), p_value, nats in zip(cells.tolist(), log_p, gain, strict=True):
            place = self.place.get((cause, effect, lag))
            if place is None:
                self.more.append((cause, effect, lag))
                self.more_log_p.append(float(p_value))
                self.more_gain.append(float(nats))
                self.rest[cause, effect, lag] = 0.0
            else:
                self.log_p[place], self.gain[place] = p_value, nats

    def evidence(self) -> Evidence:
        more = np.array(self.more, dtype=np.int64).reshape(-1, 3)
        return replace(
            self.found,
            cells=np.concatenate([self.found.cells, more]),
            log_p=np.concatenate([self.log_p, self.more_log_p]),
            gain=np.concatenate([self.gain, self.more_gain]),
            rest=self.rest,
        )
