"""From moments and rows to the evidence of every cell.

1. **Search** (`evidence.py`): forward and backward from the moments, beside each effect's controls.
2. **Products** (`products.py`) in what the additive model leaves, before any variance is made robust: a
   product of causes looks like noise whose size changes. Their effects are searched anew beside them.
3. **Rows** (`row_model.py`): the strong cells once more, beside curves, with their products, by p-values that
   believe the residuals where these ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.progress import progress_bar
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import MOST_LIBERAL, Evidence, Forward, SearchSpace, search
from grace_plugin.regression.evidence_writer import EvidenceWriter
from grace_plugin.regression.first_order import description_length, of_last_step
from grace_plugin.regression.foretold import Missing, affords, foretold, missing
from grace_plugin.regression.in_turns import in_turns
from grace_plugin.regression.lack_of_fit import small_beside_others, small_beside_own_past
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.product_paths import products_of
from grace_plugin.regression.products import Product
from grace_plugin.regression.row_elimination import eliminate
from grace_plugin.regression.row_model import RowModel, RowRules

STRONG = 0.01  # cells below it are looked at once more on the rows, of many candidates fewer:
NULLS_LOOKED_AT = 1.0  # about so many of an effect by chance
KEPT = np.log(1e-3)  # cells below it count as kept where it is asked whether something was left out
_ROWS_PER_CELL = 15  # an effect has at most so many rows' worth of strong cells; the strongest come first


@dataclass(frozen=True, eq=False)
class Judged:
    """The evidence of every cell, and which lagged values act together on which effect.

    Where something seems to be `missing`, all lagged values were held against each edge. `noise` is what
    causes leave [n] of the effects whose p-values believe it, because it is heavy or changes its size.
    """

    evidence: Evidence
    products: Mapping[int, Sequence[Product]] = field(default_factory=dict)
    missing: Missing | None = None
    noise: Mapping[int, FloatArray] = field(default_factory=dict)

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
    progress: bool | None = False,
    begun: Forward | None = None,
    n_jobs: int | None = 1,
) -> Judged:
    """The evidence of every lagged cell; without rows there are no products and no second look.

    `n_jobs` workers share what is long, with the same result.
    """
    space = space or SearchSpace()
    found = search(moments, space, rows, progress, begun, n_jobs)
    if rows is None:
        return Judged(_told_from_misfit(found))
    products: dict[int, list[Product]] = {}
    if interactions:
        found, products = _acting_together(moments, rows, space, found)
    return _on_rows(moments, rows, space, rules or RowRules(), found, products, progress)


def strong_cells(found: Evidence, effect: int, level: float, most: int) -> IntArray:
    """[K, 2]: (cause, lag) of an effect's cells below a level, the strongest first."""
    mine = np.flatnonzero((found.cells[:, 1] == effect) & (found.log_p < np.log(level)))
    order = mine[np.argsort(found.log_p[mine], kind="stable")][:most]
    return np.asarray(found.cells[order][:, [0, 2]])


def strong_level(moments: Moments) -> float:
    """The level below which cells are looked at once more."""
    return strong_level_of(moments.n_variables * moments.max_lag)


def strong_level_of(candidates: int) -> float:
    """The same of so many candidates of an effect."""
    return min(STRONG, NULLS_LOOKED_AT / max(candidates, 1))


def most_cells(rows: LaggedRows, width: int) -> int:
    """Of one effect that are looked at once more."""
    return max(1, rows.count // (_ROWS_PER_CELL * width))


def _effects(moments: Moments, space: SearchSpace) -> IntArray:
    return np.arange(moments.n_variables) if space.effects is None else space.effects


def _acting_together(
    moments: Moments, rows: LaggedRows, space: SearchSpace, found: Evidence
) -> tuple[Evidence, dict[int, list[Product]]]:
    """The products of every effect, of all lags or of the last step alone, and the evidence beside them.

    The last step is asked apart where some values act together at all: it chooses between two descriptions
    of the same system, and costs as much as the first search.
    """
    may = space.allowed if space.factors is None else space.factors
    model = _models(moments, rows, space, found)
    products = products_of(rows, model.columns, model.cells, may)
    found = _beside_products(moments, rows, space, found, products)
    if not products or moments.max_lag < 2 or rows.n_variables < 2:
        return found, products
    near = _of_last_step(moments, rows, space)
    if not near:
        return found, products
    other = _beside_products(moments, rows, space, found, near)
    model, nearer = _models(moments, rows, space, found), _models(moments, rows, space, other)
    shorter = {
        effect: some
        for effect, some in near.items()
        if nearer.length(rows, effect, some) < model.length(rows, effect, products.get(effect, []))
    }
    effects = np.array(sorted(shorter), dtype=np.int64)
    return _with_effects(found, other, effects), {**products, **shorter}


def _of_last_step(moments: Moments, rows: LaggedRows, space: SearchSpace) -> dict[int, list[Product]]:
    """The products of the last values beside the last values alone."""
    short, first = rows.up_to(1), moments.with_max_lag(1)
    space = replace(
        space,
        allowed=of_last_step(space.allowed),
        required=of_last_step(space.required),
        proposed=of_last_step(space.proposed),
        factors=of_last_step(space.factors),
    )
    model = _models(first, short, space, search(first, space, short))
    may = space.allowed if space.factors is None else space.factors
    return products_of(short, model.columns, model.cells, may)


@dataclass(frozen=True, eq=False)
class _Models:
    """The additive model of every effect: columns of its strong cells and its controls; and the cells."""

    columns: dict[int, FloatArray]
    cells: dict[int, IntArray]

    def length(self, rows: LaggedRows, effect: int, products: Sequence[Product]) -> float:
        return description_length(rows, effect, self.columns[effect], len(self.cells[effect]), products)


def _models(moments: Moments, rows: LaggedRows, space: SearchSpace, found: Evidence) -> _Models:
    models = _Models({}, {})
    for effect in _effects(moments, space).tolist():
        cells = strong_cells(found, effect, strong_level(moments), most_cells(rows, len(moments.basis)))
        columns = rows.features(cells.tolist(), moments.basis)
        controls = space.columns.get(effect)
        models.columns[effect] = columns if controls is None else np.column_stack([columns, controls])
        models.cells[effect] = cells
    return models


def _beside_products(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    found: Evidence,
    products: Mapping[int, Sequence[Product]],
) -> Evidence:
    """The effects that have products, searched anew beside them."""
    if not products:
        return found
    columns = dict(space.columns)
    for effect, some in products.items():
        parts = [one.column(rows)[:, None] for one in some]
        parts += [columns[effect]] if effect in columns else []
        columns[effect] = np.concatenate(parts, axis=1)
    effects = np.array(sorted(products))
    anew = search(moments, replace(space, columns=columns, effects=effects), rows)
    return _with_effects(found, anew, effects)


def _with_effects(found: Evidence, anew: Evidence, effects: IntArray) -> Evidence:
    """The evidence, that of some effects taken from another search."""
    stays, comes = ~np.isin(found.cells[:, 1], effects), np.isin(anew.cells[:, 1], effects)
    rest = found.rest.copy()
    rest[:, effects] = anew.rest[:, effects]
    return replace(
        found,
        cells=np.concatenate([found.cells[stays], anew.cells[comes]]),
        log_p=np.concatenate([found.log_p[stays], anew.log_p[comes]]),
        gain=np.concatenate([found.gain[stays], anew.gain[comes]]),
        rest=rest,
    )


def _on_rows(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    rules: RowRules,
    found: Evidence,
    products: Mapping[int, Sequence[Product]],
    progress: bool | None,
) -> Judged:
    """The same evidence, that of strong cells and of factors of products from the rows."""
    table, wider, effects = EvidenceWriter(found), EvidenceWriter(found), _effects(moments, space)
    sparse: dict[int, FloatArray] = {}
    noise: dict[int, FloatArray] = {}
    too_small: set[tuple[int, int, int]] = set()
    residuals = np.stack([rows.target(effect) for effect in effects.tolist()], axis=1)
    for effect, model in _row_models(moments, rows, space, rules, found, products, progress):
        sparse[effect], gain = eliminate(model, _required(space.required, effect, model.cells))
        left = residuals[:, np.searchsorted(effects, effect)] = model.residual(sparse[effect] < KEPT)
        small = small_beside_others(model, sparse[effect], gain)
        sparse[effect] = np.where(small, np.log(MOST_LIBERAL), sparse[effect])
        too_small |= {(cause, effect, lag) for cause, lag in model.cells[small].tolist()}
        table.write(effect, model.cells, sparse[effect], gain)
        noise |= {} if model.plain else {effect: left}
        if not model.plain:
            for turn in _others(moments, rows, space, found, model, sparse[effect]):
                table.write(effect, *turn)
    asks = rules.sees_hidden and affords(moments)
    left_out = missing(moments, rows, residuals, effects, _steady(space, effects)) if asks else None
    if left_out is None:
        evidence = replace(table.evidence(), uneven=_uneven(noise, rules), small=frozenset(too_small))
        return Judged(_told_from_misfit(evidence), products, None, noise)
    strong = found.cells[found.cells[:, 2] > 0]
    known = foretold(moments, rows, {(int(cause), int(lag)) for cause, _, lag in strong})
    wider_rules = replace(rules, foretold=known)
    for effect, model in _row_models(moments, rows, space, wider_rules, found, products, progress):
        log_p, gain = eliminate(model, _required(space.required, effect, model.cells))
        wider.write(effect, model.cells, np.maximum(log_p, sparse[effect]), gain)
    evidence = replace(wider.evidence(), uneven=_uneven(noise, rules), small=frozenset(too_small))
    return Judged(_told_from_misfit(evidence), products, left_out, noise)


def _told_from_misfit(found: Evidence) -> Evidence:
    """Without evidence of cells that are too small beside the misfit that own past shows."""
    small = small_beside_own_past(found.cells, found.log_p, found.gain)
    if not small.any():
        return found
    cells = frozenset((cause, effect, lag) for cause, effect, lag in found.cells[small].tolist())
    log_p = np.where(small, np.maximum(found.log_p, np.log(MOST_LIBERAL)), found.log_p)
    return replace(found, log_p=log_p, small=found.small | cells, misfit=True)


def _uneven(noise: Mapping[int, FloatArray], rules: RowRules) -> frozenset[int]:
    """Effects whose small p-values are too rough to be counted."""
    wander = () if rules.memory is None else np.flatnonzero(rules.memory.wanders).tolist()
    return frozenset(noise) | frozenset(wander)


def _steady(space: SearchSpace, effects: IntArray) -> IntArray | None:
    """The effects without controls of their own; None where some lagged cause was forbidden."""
    if space.allowed is not None and not space.allowed[:, effects, 1:].all():
        return None
    return np.array([effect for effect in effects.tolist() if effect not in space.columns], dtype=np.int64)


def _row_models(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    rules: RowRules,
    found: Evidence,
    products: Mapping[int, Sequence[Product]],
    progress: bool | None,
) -> Iterator[tuple[int, RowModel]]:
    """Every effect that has strong cells, with its model."""
    effects, basis = _effects(moments, space).tolist(), moments.basis
    with progress_bar(len(effects), "looking at rows", progress) as tick:
        for effect in effects:
            some = products.get(effect, ())
            cells = strong_cells(found, effect, strong_level(moments), most_cells(rows, len(basis)))
            cells = with_factors(cells, some)
            if len(cells):
                yield effect, RowModel(rows, effect, cells, basis, rules, space.columns.get(effect), some)
            tick()


def _others(
    moments: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    found: Evidence,
    model: RowModel,
    log_p: FloatArray,
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """(cells, ln p, gain) of strong cells that the model of an effect had no room for."""
    effect, seen = model.effect, {tuple(cell) for cell in model.cells.tolist()}
    strong = strong_cells(found, effect, strong_level(moments), len(found.cells)).tolist()
    waiting = np.array([cell for cell in strong if tuple(cell) not in seen], dtype=np.int64).reshape(-1, 2)
    return in_turns(
        model.cells,
        log_p,
        waiting,
        most_cells(rows, len(moments.basis)),
        lambda cells: RowModel(
            rows, effect, cells, moments.basis, model.rules, space.columns.get(effect), model.products
        ),
        lambda cells: _required(space.required, effect, cells),
    )


def _required(required: BoolArray | None, effect: int, cells: IntArray) -> BoolArray:
    if required is None:
        return np.zeros(len(cells), dtype=np.bool_)
    return np.asarray(required[cells[:, 0], effect, cells[:, 1]])


def with_factors(cells: IntArray, products: Sequence[Product]) -> IntArray:
    """The cells, and those that are part of a product."""
    known = {tuple(cell) for cell in cells.tolist()}
    more = {cell for one in products for cell in (one.first, one.second)} - known
    return np.array([*cells.tolist(), *sorted(more)], dtype=np.int64).reshape(-1, 2)
