"""The evidence of blocks of effects among many variables: search, products, rows, as `regression/judge.py`.

What a block needs is the rows and nothing else, so blocks may be judged in any order and anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray, Single
from grace_plugin.moments.row_products import RowProducts
from grace_plugin.regression.beside import Columns
from grace_plugin.regression.evidence import MOST_LIBERAL
from grace_plugin.regression.in_turns import in_turns
from grace_plugin.regression.judge import KEPT, most_cells, strong_level_of, with_factors
from grace_plugin.regression.lack_of_fit import small_beside_others
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.product_paths import Path, ProductPaths
from grace_plugin.regression.products import FAMILY_LEVEL, Product
from grace_plugin.regression.row_elimination import eliminate
from grace_plugin.regression.row_model import RowModel, RowRules
from grace_plugin.regression.wide.screen import LEVELS, Screen
from grace_plugin.regression.wide.search import EffectEvidence, WideSearch

Cell = tuple[int, int]  # (cause, lag)


@dataclass(frozen=True, eq=False)
class WideEvidence:
    """The evidence of many effects: cells that count one by one, and how many others there are.

    Args:
        cells: [E, 3], (cause, effect, lag) of the cells that entered.
        log_p: [E], ln of the level at which each leaves.
        gain: [E], nats per sample.
        listed: [F, 3], further cells whose evidence is known one by one.
        listed_log_p: [F].
        counts: [levels + 1], how many cells of reported lags are at each of `LEVELS`.
        small: [E], cells that are too small beside the others of their effect (`lack_of_fit.py`).
        left: effect -> [n], what its strong cells leave of it.
        paths: effect -> products that might act on it.
    """

    cells: IntArray
    log_p: FloatArray
    gain: FloatArray
    listed: IntArray
    listed_log_p: FloatArray
    counts: IntArray
    small: BoolArray
    left: Mapping[int, Single]
    paths: Mapping[int, Path] = field(default_factory=dict)

    @property
    def unlisted(self) -> tuple[FloatArray, IntArray]:
        """Ln p of the cells that are only counted, and how many there are of each."""
        return LEVELS, self.counts[:-1]

    def without(self, effects: IntArray) -> WideEvidence:
        """The same without the cells of some effects; their counts stay."""
        stays, listed = ~np.isin(self.cells[:, 1], effects), ~np.isin(self.listed[:, 1], effects)
        return replace(
            self,
            cells=self.cells[stays],
            log_p=self.log_p[stays],
            gain=self.gain[stays],
            small=self.small[stays],
            left={effect: one for effect, one in self.left.items() if effect not in set(effects.tolist())},
            listed=self.listed[listed],
            listed_log_p=self.listed_log_p[listed],
        )


def joined_evidence(parts: Sequence[WideEvidence]) -> WideEvidence:
    """The evidence of several blocks, sorted by cell."""
    cells = np.concatenate([one.cells for one in parts])
    order = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0]))
    return WideEvidence(
        cells[order],
        np.concatenate([one.log_p for one in parts])[order],
        np.concatenate([one.gain for one in parts])[order],
        np.concatenate([one.listed for one in parts]),
        np.concatenate([one.listed_log_p for one in parts]),
        np.sum([one.counts for one in parts], axis=0),
        np.concatenate([one.small for one in parts])[order],
        {effect: left for one in parts for effect, left in one.left.items()},
        {effect: path for one in parts for effect, path in one.paths.items()},
    )


@dataclass(frozen=True, eq=False)
class WideJudge:
    """Judges blocks of effects.

    Args:
        products: the rows.
        series: [n], the number of the series of every row.
        reported: the largest lag whose cells are counted.
        columns: effect -> [n, m], what it is judged beside.
        rules: how strong cells are tested on the rows.
        interactions: whether products are looked for.
        required: [R, 3], cells that never leave.
        allowed: [cause, effect, lag], which cells may enter; None allows all.
        seen: [N, d], which values were not filled in; None where all were there.
    """

    products: RowProducts
    series: IntArray
    reported: int
    columns: Columns = field(default_factory=dict)
    rules: RowRules = field(default_factory=RowRules)
    interactions: bool = True
    required: IntArray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    allowed: BoolArray | None = None
    seen: BoolArray | None = None

    def __getstate__(self) -> dict[str, object]:
        """What travels; the rest is made anew where it is needed."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def rows(self) -> LaggedRows:
        """The lagged rows; values of one variable lie together."""
        products = self.products
        return LaggedRows(products.values.T, products.times, products.max_lag, self.series, self.seen)

    @cached_property
    def _search(self) -> WideSearch:
        required = self._needed if len(self.required) else None
        allowed = self.allowed
        return WideSearch(
            Screen(self.products),
            self.reported,
            required,
            None if allowed is None else lambda effect: allowed[:, effect],
        )

    @cached_property
    def _paths(self) -> ProductPaths:
        return ProductPaths(self.rows)

    def _needed(self, effect: int) -> IntArray:
        """[R, 2]: (cause, lag) of an effect's required cells."""
        return np.asarray(self.required[self.required[:, 1] == effect][:, [0, 2]])

    def judged(self, effects: IntArray) -> WideEvidence:
        """A block of effects by their additive causes, and the paths of their products."""
        found = self._search.run(effects, self.columns)
        strong = {effect: self._strong(one) for effect, one in zip(effects.tolist(), found, strict=True)}
        parts = [
            self._on_rows(effect, one, strong[effect], ())
            for effect, one in zip(effects.tolist(), found, strict=True)
        ]
        return replace(joined_evidence(parts), paths=self.paths(strong))

    def paths(self, strong: Mapping[int, IntArray], share: float | None = None) -> dict[int, Path]:
        """The products of effects with strong cells [K, 2], at a level of each; by default that of one."""
        if not self.interactions:
            return {}
        models = {effect: self._model(effect, cells) for effect, cells in strong.items()}
        share = FAMILY_LEVEL / len(self.products.values) if share is None else share
        return self._paths.of(models, strong, self.allowed, share)

    def beside_products(self, products: Mapping[int, Sequence[Product]]) -> WideEvidence:
        """Effects that have products, searched anew beside them."""
        columns = dict(self.columns)
        for effect, some in products.items():
            parts = [one.column(self.rows)[:, None] for one in some]
            parts += [columns[effect]] if effect in columns else []
            columns[effect] = np.concatenate(parts, axis=1)
        effects = np.array(sorted(products))
        found = self._search.run(effects, columns)
        made = []
        for effect, one in zip(effects.tolist(), found, strict=True):
            some = products[effect]
            made.append(self._on_rows(effect, one, with_factors(self._strong(one), some), some))
        nothing = np.zeros(len(LEVELS) + 1, dtype=np.int64)  # they were counted before
        return replace(joined_evidence(made), counts=nothing)

    def _strong(self, one: EffectEvidence, most: int | None = None) -> IntArray:
        """[K, 2]: (cause, lag) of the strong cells, the strongest first, by default as many as rows carry."""
        d, lags = len(self.products.values), self.products.max_lag
        strong = np.flatnonzero(one.log_p < np.log(strong_level_of(d * lags)))
        order = strong[np.argsort(one.log_p[strong], kind="stable")]
        most = most_cells(self.rows, len(self.products.basis)) if most is None else most
        return one.entered[order][:most]

    def _model(self, effect: int, cells: IntArray) -> FloatArray:
        """[n, q]: the columns of an effect's additive causes and controls."""
        columns = self.rows.features(cells.tolist(), self.products.basis)
        controls = self.columns.get(effect)
        return columns if controls is None else np.column_stack([columns, controls])

    def _on_rows(
        self, effect: int, one: EffectEvidence, cells: IntArray, products: Sequence[Product]
    ) -> WideEvidence:
        """The evidence of one effect, that of strong cells and of factors of products from the rows."""
        by_rows, left = self._looked_at(effect, one, cells, products)
        known = list(map(tuple, one.entered.tolist()))
        more = sorted(set(by_rows) - set(known))  # cells of products, which had not entered
        plain = zip(one.log_p.tolist(), one.gain.tolist(), strict=True)
        beside = dict(zip(known, ((*both, False) for both in plain), strict=True)) | by_rows
        log_p, gain, small = np.array([beside[cell] for cell in (*known, *more)]).reshape(-1, 3).T
        stays = np.array([tuple(cell) not in by_rows for cell in one.listed.tolist()], dtype=np.bool_)
        return WideEvidence(
            _of(effect, np.array([*known, *more], dtype=np.int64)),
            log_p,
            gain,
            _of(effect, one.listed[stays]),
            one.listed_log_p[stays],
            one.counts,
            small > 0.0,
            {effect: left.astype(np.float32)},
        )

    def _looked_at(
        self, effect: int, one: EffectEvidence, cells: IntArray, products: Sequence[Product]
    ) -> tuple[dict[Cell, tuple[float, float, bool]], FloatArray]:
        """Cell -> ln p, gain and whether it is too small, from the rows; [n], what is left of the effect."""
        model = self._row_model(effect, cells, products)
        log_p, gain = eliminate(model, self._is_needed(effect, cells))
        left = model.residual(log_p < KEPT)
        small = small_beside_others(model, log_p, gain)
        found = _by_cell(cells, np.where(small, np.log(MOST_LIBERAL), log_p), gain, small)
        if model.plain:
            return found, left
        most = most_cells(self.rows, len(self.products.basis))
        waiting = [cell for cell in self._strong(one, len(one.entered)).tolist() if tuple(cell) not in found]
        turns = in_turns(
            cells,
            log_p,
            np.array(waiting, dtype=np.int64).reshape(-1, 2),
            most,
            lambda some: self._row_model(effect, some, products),
            lambda some: self._is_needed(effect, some),
        )
        for some, later, nats in turns:
            found |= _by_cell(some, later, nats, np.zeros(len(some), dtype=np.bool_))
        return found, left

    def _row_model(self, effect: int, cells: IntArray, products: Sequence[Product]) -> RowModel:
        columns = self.columns.get(effect)
        return RowModel(self.rows, effect, cells, self.products.basis, self.rules, columns, products)

    def _is_needed(self, effect: int, cells: IntArray) -> BoolArray:
        needed = set(map(tuple, self._needed(effect).tolist()))
        return np.array([tuple(cell) in needed for cell in cells.tolist()], dtype=np.bool_)


def _by_cell(
    cells: IntArray, log_p: FloatArray, gain: FloatArray, small: BoolArray
) -> dict[Cell, tuple[float, float, bool]]:
    columns = zip(log_p.tolist(), gain.tolist(), small.tolist(), strict=True)
    return dict(zip(map(tuple, cells.tolist()), columns, strict=True))


def _of(effect: int, cells: IntArray) -> IntArray:
    """[..., 3]: (cause, effect, lag) of (cause, lag)."""
    cells = cells.reshape(-1, 2)
    return np.stack([cells[:, 0], np.full(len(cells), effect), cells[:, 1]], axis=1)
