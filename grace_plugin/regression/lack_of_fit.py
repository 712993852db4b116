"""What a model of an effect misses, and edges that are too small beside it.

With many rows every misfit is significant: in a chaotic system sampled in steps, values that are nobody's
cause stand in for what sums and products of two causes leave out. The causes themselves give that away: where
all pairs of the strongest of them and products of three still explain what the model leaves, it misses

    m = 1/2 ln(unexplained without them / with them), both per degree of freedom,

nats a row. An edge whose gain is below m, and far below that of the strongest edge from another variable,
cannot be told from that. Where nothing is missed nothing is closed, however weak it is beside others.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.moments.features import CLIP
from grace_plugin.regression.row_model import RowModel

# Share of the strongest gain. A chain of Henon maps has F1 .42 without, .78 with it and .84 with .10, which
# costs coupled Roessler systems .05; false edges of Lorenz-96 (50 variables, 1000 rows) have .03 to .05.
SMALL = 0.07
_STRONGEST = 5  # edges whose products are looked at: 10 pairs and 30 of three
_LEVEL = 1e-6  # of the F-test of all of them: noise that is not normal must not look like misfit
_KEPT = float(np.log(1e-3))
_ROWS_LEFT = 20
_NOTHING = 1e-12


def small_beside_others(model: RowModel, log_p: FloatArray, gain: FloatArray) -> BoolArray:
    """Which edges of an effect cannot be told from what its model misses."""
    kept = log_p < _KEPT
    cross = kept & (model.cells[:, 0] != model.effect)
    small = cross & (gain < SMALL * gain[cross].max(initial=0.0))
    if small.any():
        small &= gain < missed(model, kept, gain)
    return np.asarray(small)


def missed(model: RowModel, kept: BoolArray, gain: FloatArray) -> float:
    """Nats a row that products of the strongest edges add to the model of those that are kept."""
    places = np.flatnonzero(kept)
    places = places[np.argsort(-gain[places], kind="stable")][:_STRONGEST]
    values = [np.clip(model.rows.past(*model.cells[place]), -CLIP, CLIP) for place in places]
    many = [some for some in combinations_with_replacement(range(len(values)), 3) if len(set(some)) > 1]
    pairs = combinations(range(len(values)), 2)
    terms = [np.prod([values[one] for one in some], axis=0) for some in (*pairs, *many)]
    if not terms:
        return 0.0
    before, rank, explained, count = model.beside(np.column_stack(terms), kept)
    left, after = model.rows.count - rank - count, max(before - explained, _NOTHING * before)
    if not count or left < _ROWS_LEFT:
        return 0.0
    if fdtrc(count, left, explained / count / (after / left)) > _LEVEL:
        return 0.0
    return max(0.0, float(0.5 * np.log(before / (left + count) / (after / left))))
