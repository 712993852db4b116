"""Three lagged values that act on an effect only together, where candidates are few.

Products of two are looked for everywhere (`products.py`); of three there are too many for that, and whoever
finds one still needs a model that can hold it. The neural engine has one, but gates that start nearly closed
hide from it what only three open ones show (exclusive or of three among five values, 10,000 rows: recall
.00). So all products of three candidates are held against what the additive model of the effect leaves, as
those of two are, at a level that counts all of them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import erfc

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.features import CLIP
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.products import FAMILY_LEVEL, LEAST_ROWS, Cell, residual_of

MOST_CANDIDATES = 60  # of one effect: some thirty thousand triples
_ROWS_PER_COLUMN = 5


def acting_in_threes(
    rows: LaggedRows, effect: int, cells: IntArray, basis: tuple[str, ...], effects: int
) -> dict[Cell, float]:
    """(cause, lag) of the values that act in threes -> p-value, triples counted; mostly nothing.

    Args:
        rows: the data.
        effect: whose causes are looked for.
        cells: [K, 2], its candidates.
        basis: features of the additive model.
        effects: how many are looked at, which the level counts.
    """
    count = len(cells)
    fits = count * len(basis) * _ROWS_PER_COLUMN <= rows.count
    if not 3 <= count <= MOST_CANDIDATES or rows.count < LEAST_ROWS or not fits:
        return {}
    residual = residual_of(rows.target(effect), rows.features(cells.tolist(), basis))
    values = np.stack([np.clip(rows.past(*cell), -CLIP, CLIP) for cell in cells.tolist()], axis=1)
    places = np.array(list(combinations(range(count), 3)))
    p_value = np.minimum(1.0, _p_values(values, residual, places) * len(places))
    found: dict[Cell, float] = {}
    for place in np.flatnonzero(p_value < FAMILY_LEVEL / effects):
        for one in places[place].tolist():
            cell = int(cells[one, 0]), int(cells[one, 1])
            found[cell] = min(found.get(cell, 1.0), float(p_value[place]))
    return found


def _p_values(values: FloatArray, residual: FloatArray, places: IntArray) -> FloatArray:
    """Of each product by itself: the larger of the plain and the one that believes the size of each row."""
    square, left = np.square(values), np.square(residual)
    mean = float(left.mean())
    z = np.zeros(len(places))
    for first in np.unique(places[:, 0]):
        mine = places[:, 0] == first
        second, third = places[mine, 1], places[mine, 2]
        score = ((values[:, first] * residual)[:, None] * values).T @ values
        plain = mean * ((square[:, first, None] * square).T @ square)
        rough = ((square[:, first] * left)[:, None] * square).T @ square
        size = np.maximum(np.maximum(plain, rough), 1e-300)
        z[mine] = (np.abs(score) / np.sqrt(size))[second, third]
    return np.asarray(erfc(z / np.sqrt(2.0)))
