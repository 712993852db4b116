"""Products among many variables: one factor from each effect's strong cells, blocks of effects at once.

The first look of all effects of a block is one matrix product; only effects with something that stands out
are searched one by one. The level depends on how many products the graph has (`products.py`), which is not
known meanwhile: whoever could have more at a more lenient level is searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import (
    ALL_PAIRS,
    FAMILY_LEVEL,
    LEAST_ROWS,
    MOST_LENIENT,
    EffectSearch,
    Pairs,
    Product,
    ProductTable,
    find_products,
    is_steady,
    residual_of,
    unit_residual,
    worth_a_test,
)

_AT_ONCE = 10_000_000  # statistics held together


@dataclass(frozen=True, eq=False)
class Path:
    """Products of an effect.

    Args:
        products: in the order in which they enter.
        steady: whether the noise that they leave is even.
        most: the statistic of the product that stood out most.
        pairs: how many were looked at.
        factors: [K, 2], (cause, lag) of the strong cells that were multiplied.
    """

    products: tuple[Product, ...]
    steady: bool
    most: float
    pairs: float
    factors: IntArray

    def may_have_more(self, share: float, cells: int) -> bool:
        """Whether a level of each effect could let in others."""
        return self.most >= worth_a_test(float(np.log(share / max(self.pairs, 1.0))), cells)


def settled(
    paths: Mapping[int, Path],
    effects: int,
    cells: int,
    again: Callable[[list[int], float], Mapping[int, Path]],
    level: float = FAMILY_LEVEL,
) -> dict[int, list[Product]]:
    """The products of every effect that has some, at the level of as many as there are.

    Args:
        paths: of all effects at the level of one product.
        effects: how many there are.
        cells: lagged values that were multiplied.
        again: searches some effects at another share of the level.
        level: of the false among all that are found.
    """
    known, number = dict(paths), 1
    while True:
        counted = sum(len(path.products) for path in known.values() if path.steady)
        if min(counted, MOST_LENIENT) <= number:
            return {effect: list(path.products) for effect, path in known.items() if path.products}
        number = min(counted, MOST_LENIENT)
        share = level * number / effects
        known.update(again([e for e, path in known.items() if path.may_have_more(share, cells)], share))


def products_of(
    rows: LaggedRows,
    models: Mapping[int, FloatArray],
    factors: Mapping[int, IntArray],
    allowed: BoolArray | None = None,
) -> dict[int, list[Product]]:
    """As `find_products`; in blocks of effects where lagged values are many."""
    if rows.n_variables * rows.max_lag <= ALL_PAIRS:
        return find_products(rows, models, factors, allowed)
    paths = ProductPaths(rows)

    def again(effects: list[int], share: float) -> Mapping[int, Path]:
        return paths.of({effect: models[effect] for effect in effects}, factors, allowed, share)

    share = FAMILY_LEVEL / max(len(models), 1)
    return settled(
        paths.of(models, factors, allowed, share), len(models), rows.n_variables * rows.max_lag, again
    )


class ProductPaths:
    """The same for many variables, effect by effect: how many the graph has is not known meanwhile."""

    def __init__(self, rows: LaggedRows) -> None:
        self.rows = rows
        enough = rows.count >= LEAST_ROWS and rows.n_variables * rows.max_lag >= 2
        self._table = ProductTable(rows) if enough else None

    def of(
        self,
        models: Mapping[int, FloatArray],
        factors: Mapping[int, IntArray],
        allowed: BoolArray | None,
        share: float,
    ) -> dict[int, Path]:
        """The paths of a block of effects at a level of each; the arguments as in `find_products`."""
        if self._table is None:
            return {}
        searches = {}
        for effect in models:
            may = None if allowed is None else self._table.among(allowed[:, effect])
            searches[effect] = EffectSearch(self._table, factors[effect], may, share)
        found = {}
        for effect, (pairs, most) in self._standing_out(searches, models).items():
            mine = searches[effect].run(self.rows.target(effect), models[effect], pairs) if pairs else []
            steady = not mine or is_steady(self.rows, effect, models[effect], mine)
            found[effect] = Path(tuple(mine), steady, most, searches[effect].pairs, factors[effect])
        return found

    def _standing_out(
        self, searches: Mapping[int, EffectSearch], models: Mapping[int, FloatArray]
    ) -> dict[int, tuple[Pairs, float]]:
        """The first look of every search, by one matrix product for all of them."""
        assert self._table is not None
        looks = {effect: one.first for effect, one in searches.items() if len(one.first)}
        found: dict[int, tuple[Pairs, float]] = {}
        size = max(1, _AT_ONCE // (len(self._table.cells) * max(map(len, looks.values()), default=1)))
        effects = list(looks)
        for start in range(0, len(effects), size):
            some = {effect: looks[effect] for effect in effects[start : start + size]}
            found.update(self._looked_at(some, searches, models))
        return found

    def _looked_at(
        self,
        looks: Mapping[int, IntArray],
        searches: Mapping[int, EffectSearch],
        models: Mapping[int, FloatArray],
    ) -> dict[int, tuple[Pairs, float]]:
        assert self._table is not None
        first = np.concatenate(list(looks.values()))
        sizes = [len(places) for places in looks.values()]
        residuals = np.stack(
            [unit_residual(residual_of(self.rows.target(effect), models[effect])) for effect in looks]
        )
        chosen = self._table.values[:, first].T
        scores = (chosen * np.repeat(residuals, sizes, axis=0)) @ self._table.values
        ratio = np.square(scores, out=scores)
        ratio /= self._table.norms_of(first)
        ends = np.cumsum(sizes)
        return {
            effect: searches[effect].strongest(ratio[stop - size : stop])
            for effect, size, stop in zip(looks, sizes, ends, strict=True)
        }
