"""Effects that act together: products of two lagged values, looked for in what an additive model leaves.

With r the residual of an effect beside its additive causes and Z [n, p] all lagged values, standardised and
clipped, the scores of all products are one matrix product, Z' diag(r) Z, and their norms, the same for every
effect, (Z*Z)'(Z*Z). Those that stand out are tested beside the model, by the smaller of two statistics: one
that takes all rows for equally noisy and one with a variance from the squared residuals. The level counts all
products of all effects: with N of them and R found (beside even noise), one stays while p <= .05 R / N. So a
graph without products has a false one with probability .05, and one with many finds the weaker ones too
(chaotic systems, recall .61 to .82 at 250 rows). The best enters, the residual is taken anew, and so on.
Where lagged values are many one factor comes from the effect's strongest candidates.

A product of three that no pair shows (an exclusive or of three, say) is out of reach here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri
from scipy.special import stdtr

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray, Single
from grace_plugin.moments.features import CLIP
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.noise_weights import row_weights

FAMILY_LEVEL = 0.05  # chance of any false product in a graph that has none
_MOST_PRODUCTS = 12  # of one effect
MOST_LENIENT = 100  # products found by which the level grows at most
ALL_PAIRS = 400  # lagged values up to which every pair is looked at
_FACTORS = 10  # candidates of an effect that are multiplied with everything beyond that
_TESTED = 40  # products that stand out most and are tested beside the model, in every round
_STANDS_OUT = (150, 6.0, 2.0)  # beside the model a statistic grows as its norm shrinks: at most sixfold, and
# rarely more than twofold, which is enough beyond 150 lagged values
_T_LESS = 4.0  # t^2 of a small p is below -2 ln p by about so much
_STRIPS = 5  # in which the upper half of all pairs is made
_LEAST_NORM = np.float32(1e-6)
LEAST_ROWS = 60
_RIDGE = 1e-6
_WELL_APART = 1e4  # |L^-1|^2 of columns that are far from adding up to one another
_NOTHING = 1e-10  # share of the variance that rounding leaves of an effect that others fix exactly

Cell = tuple[int, int]  # cause, lag
Pairs = list[tuple[int, int]]  # places of two factors


@dataclass(frozen=True, eq=False)
class Product:
    """Two lagged values that act on an effect together.

    Args:
        first: (cause, lag).
        second: (cause, lag).
        log_p: ln p when it entered, not counting how many were looked at.
        searched: how many products of one lagged value were looked at: what its p-value must be multiplied
            with to be one of a cell.
    """

    first: Cell
    second: Cell
    log_p: float
    searched: int

    def column(self, rows: LaggedRows) -> FloatArray:
        """[n]: the product of the clipped values."""
        one, other = (np.clip(rows.past(*cell), -CLIP, CLIP) for cell in (self.first, self.second))
        return np.asarray(one * other)

    def partner(self, cell: Cell) -> Cell | None:
        """The other factor; None where the cell is not part of it."""
        if cell not in (self.first, self.second):
            return None
        return self.second if cell == self.first else self.first


def find_products(
    rows: LaggedRows,
    models: Mapping[int, FloatArray],
    factors: Mapping[int, IntArray],
    allowed: BoolArray | None = None,
    level: float = FAMILY_LEVEL,
) -> dict[int, list[Product]]:
    """The products of every effect that has some.

    Args:
        rows: the data.
        models: effect -> [n, q], the columns of its additive causes and controls.
        factors: effect -> [K, 2], (cause, lag) of its strongest candidates, the strongest first.
        allowed: [cause, effect, lag], which cells may be factors; None allows all.
        level: of the false among all that are found; family-wise where nothing acts together.
    """
    if rows.count < LEAST_ROWS or rows.n_variables * rows.max_lag < 2:
        return {}
    table = ProductTable(rows)
    number = 0
    while True:
        found = {}
        for effect, columns in models.items():
            may = None if allowed is None else table.among(allowed[:, effect])
            share = level * max(number, 1) / len(models)
            mine = EffectSearch(table, factors[effect], may, share).run(rows.target(effect), columns)
            if mine:
                found[effect] = mine
        steady = [mine for effect, mine in found.items() if is_steady(rows, effect, models[effect], mine)]
        before, number = number, min(sum(map(len, steady)), MOST_LENIENT)
        if number <= max(before, 1):
            return found


def is_steady(rows: LaggedRows, effect: int, columns: FloatArray, products: list[Product]) -> bool:
    """Whether the noise that is left is even: where it comes in spells, one false product brings the next."""
    table = np.column_stack([np.ones(rows.count), columns, *(one.column(rows) for one in products)])
    target = rows.target(effect)
    return row_weights(target - table @ np.linalg.lstsq(table, target, rcond=None)[0]) is None


class ProductTable:
    """All lagged values side by side, clipped; single precision is enough to see what stands out."""

    def __init__(self, rows: LaggedRows) -> None:
        d, lags = rows.n_variables, rows.max_lag
        self.values: Single = np.empty((rows.count, d * lags), dtype=np.float32)
        for lag, past in rows.all_past():
            self.values[:, (lag - 1) * d : lag * d] = np.clip(past, -CLIP, CLIP, out=past)
        self.cells: list[Cell] = [(cause, lag) for lag in range(1, lags + 1) for cause in range(d)]
        self.place = {cell: place for place, cell in enumerate(self.cells)}
        self.square = np.square(self.values)
        small = len(self.cells) <= ALL_PAIRS
        self.norms: Single | None = None
        if small:
            norms = np.maximum(self.square.T @ self.square, _LEAST_NORM)
            norms[np.tril_indices(len(norms))] = np.inf  # every pair once, no squares
            self.norms = norms

    def among(self, allowed: BoolArray) -> BoolArray:
        """[p] of [cause, lag]."""
        return np.ascontiguousarray(allowed[:, 1 : 1 + len(self.cells) // len(allowed)].T).ravel()

    def norms_of(self, first: IntArray) -> Single:
        """[first, p]: of the products of some values with all; inf where a product does not count."""
        if self.norms is not None:
            return self.norms if len(first) == len(self.cells) else self.norms[first]
        norms: Single = np.maximum(self.square[:, first].T @ self.square, _LEAST_NORM)
        norms[np.arange(len(first)), first] = np.inf
        return norms


class EffectSearch:
    """The products of one effect."""

    def __init__(self, table: ProductTable, strongest: IntArray, may: BoolArray | None, level: float) -> None:
        self.table = table
        self.may = None if may is None or may.all() else may
        places: IntArray = np.arange(len(table.cells))
        if table.norms is None:
            wanted = [table.place[cell] for cell in map(tuple, strongest.tolist()) if cell in table.place]
            places = np.array(wanted[:_FACTORS], dtype=np.int64)
        self.first: IntArray = places if self.may is None else places[self.may[places]]
        count = len(table.cells) if self.may is None else int(self.may.sum())
        self.pairs = len(self.first) * count / (2.0 if table.norms is not None else 1.0)
        self.log_level = np.log(level / max(self.pairs, 1.0))
        self.count = count

    def run(self, target: FloatArray, columns: FloatArray, standing: Pairs | None = None) -> list[Product]:
        """Enter the best product while it is significant, at a level that counts all of them.

        `standing` are those that stand out at first, where they are known.
        """
        found: list[Product] = []
        if not len(self.first) or (standing is not None and not standing):
            return found
        cells, values = self.table.cells, self.table.values
        model = _Model(target, columns)
        for _ in range(_MOST_PRODUCTS):
            if np.square(model.residual).mean() < _NOTHING * np.square(target).mean():
                break
            known = {(one.first, one.second) for one in found}
            pairs = self._standing_out(model.residual) if standing is None else standing
            standing = None
            pairs = [(a, b) for a, b in pairs if (cells[a], cells[b]) not in known]
            if not pairs:
                break
            products = (values[:, [a for a, _ in pairs]] * values[:, [b for _, b in pairs]]).astype(
                np.float64
            )
            log_p = model.log_p(products, self.log_level)
            best = int(np.argmin(log_p))
            if log_p[best] > self.log_level:
                break
            one, other = pairs[best]
            found.append(Product(cells[one], cells[other], float(log_p[best]), self.count))
            model.enter(products[:, [best]])
        return found

    def _standing_out(self, residual: FloatArray) -> Pairs:
        """The products that go most with the residual; none where all are far from the level."""
        table, first, unit = self.table, self.first, unit_residual(residual)[:, None]
        if len(first) < len(table.cells):
            ratio = _ratios(table.values[:, first] * unit, table.values, table.norms_of(first))
            return self.strongest(ratio)[0]
        norms, ratio = table.norms_of(first), np.zeros((len(first), len(first)), dtype=np.float32)
        weighted = table.values * unit
        step = -(-len(first) // _STRIPS)
        for start in range(0, len(first), step):  # every pair once: what is below the diagonal is not made
            strip, rest = slice(start, start + step), slice(start, None)
            ratio[strip, rest] = _ratios(weighted[:, strip], table.values[:, rest], norms[strip, rest])
        return self.strongest(ratio)[0]

    def strongest(self, ratio: Single) -> tuple[Pairs, float]:
        """The products of first factors with all that are worth a test, and the largest statistic."""
        if self.may is not None:
            ratio[:, ~self.may] = 0.0
        flat = np.flatnonzero(ratio.ravel() >= worth_a_test(self.log_level, len(self.table.cells)))
        best = flat[np.argsort(-ratio.ravel()[flat], kind="stable")][:_TESTED]
        one, other = np.divmod(best, ratio.shape[1])
        pairs = list(zip(self.first[one].tolist(), other.tolist(), strict=True))
        return pairs, float(ratio.max(initial=0.0))


def worth_a_test(log_level: float, cells: int) -> float:
    """The statistic by itself from which a product may be significant beside the model."""
    few, most, usual = _STANDS_OUT
    return (-2.0 * log_level - _T_LESS) / (most if cells <= few else usual)


def unit_residual(residual: FloatArray) -> Single:
    """The same with unit variance, in single precision."""
    return np.asarray(residual / max(float(np.sqrt(np.square(residual).mean())), 1e-300), dtype=np.float32)


def _ratios(weighted: Single, values: Single, norms: Single) -> Single:
    """The statistics of products, by themselves."""
    scores = weighted.T @ values
    return np.asarray(np.divide(np.square(scores, out=scores), norms, out=scores))


class _Model:
    """The regression of one effect, by orthonormal columns."""

    def __init__(self, target: FloatArray, columns: FloatArray) -> None:
        self.basis = _orthonormal(np.concatenate([np.ones((len(target), 1)), columns], axis=1))
        self.residual = target - self.basis @ (self.basis.T @ target)

    def log_p(self, values: FloatArray, level: float = 0.0) -> FloatArray:
        """Of each column alone, beside the model: the larger p-value of the plain and the robust test.

        Where the plain test alone is above `level`, nothing else is looked at.
        """
        left = values - self.basis @ (self.basis.T @ values)
        norm = np.einsum("np,np->p", left, left)
        alive = norm > 1e-6 * np.maximum(np.einsum("np,np->p", values, values), 1e-300)
        norm = np.where(alive, norm, 1.0)
        dof = len(values) - self.basis.shape[1] - 1
        score = self.residual @ left
        total = float(self.residual @ self.residual)
        plain = np.square(score) / norm / np.maximum((total - np.square(score) / norm) / dof, 1e-300)
        found = _log_two_sided(np.sqrt(np.where(alive, plain, 0.0)), np.full(len(plain), float(dof)))
        due = np.flatnonzero(found <= level)
        left, norm, score = left[:, due], norm[due], score[due]
        # What the product leaves, by which its variance is judged: a strong one must not count as noise.
        after = self.residual[:, None] - left * (score / norm)
        spread = np.square(left * after).sum(axis=0) * (len(values) / dof)
        robust = np.square(score) / np.maximum(spread, 1e-300)
        statistic = np.where(alive[due], np.minimum(plain[due], robust), 0.0)
        # As many rows as the product really lives on: rare events have few.
        lived = np.square(norm) / np.maximum(np.square(np.square(left)).sum(axis=0), 1e-300)
        found[due] = _log_two_sided(np.sqrt(statistic), np.minimum(2.0 * lived, dof))
        return found

    def enter(self, column: FloatArray) -> None:
        left = column - self.basis @ (self.basis.T @ column)
        self.basis = np.column_stack([self.basis, left / np.sqrt(np.square(left).sum())])
        self.residual = self.residual - self.basis[:, -1] * float(self.basis[:, -1] @ self.residual)


def residual_of(target: FloatArray, columns: FloatArray) -> FloatArray:
    """What columns leave of the target, good enough to see what stands out."""
    centred = columns - columns.mean(axis=0)
    around = target - target.mean()
    gram = centred.T @ centred
    gram[np.diag_indices(len(gram))] += _RIDGE * len(target)
    return np.asarray(around - centred @ np.linalg.solve(gram, centred.T @ around))


def _orthonormal(columns: FloatArray) -> FloatArray:
    size = np.sqrt(np.square(columns).sum(axis=0))
    scaled = columns[:, size > 0.0] / size[size > 0.0]
    factor, failed = dpotrf(scaled.T @ scaled, lower=True)
    inverse, singular = dtrtri(factor, lower=True) if not failed else (factor, failed)
    # At least the smallest eigenvalue is 1 / |L^-1|^2; far from zero, L^-1 is as good as the dearer QR.
    if not (failed or singular) and float(np.square(inverse).sum()) < _WELL_APART:
        return np.asarray(scaled @ inverse.T)
    vectors, triangle = np.linalg.qr(scaled)
    return np.asarray(vectors[:, np.abs(triangle.diagonal()) > 1e-6])


def _log_two_sided(statistic: FloatArray, dof: FloatArray) -> FloatArray:
    """Ln of the two-sided p-value of Student's t; by its leading term where a float cannot hold it."""
    tail = 2.0 * stdtr(dof, -statistic)
    deep = -0.5 * (dof + 1.0) * np.log1p(np.square(statistic) / dof)
    return np.where(tail > 1e-290, np.log(np.maximum(tail, 1e-300)), np.minimum(deep, np.log(1e-290)))
