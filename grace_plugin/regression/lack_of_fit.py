"""What a model of an effect misses, and edges that are too small beside it.

With many rows every misfit is significant: in a chaotic system sampled in steps, values that are nobody's
cause stand in for what sums and products of two causes leave out. The causes themselves give that away: where
all pairs of the strongest of them and products of three still explain what the model leaves, it misses

    m = 1/2 ln(unexplained without them / with them), both per degree of freedom,

nats a row. An edge whose gain is below m, and far below that of the strongest edge from another variable,
cannot be told from that. Where nothing is missed nothing is closed, however weak it is beside others.

A variable's own past gives misfit away too. Values that are measured with noise, rounded, filled in or
averaged have a long past in which each value tells a little more, and so do their causes: what own values
beyond the last one still explain, where it is little beside the strongest edge, is how much the model misses.
An edge from another variable that explains less than most of those, and little beside the strongest from
another variable, cannot be told from that; nor can one at a further lag of a pair that explains little beside
the pair's strongest, its echo. With 6000 rows of the worlds (tuning seeds) F1 is .931 with this and .898
without, with 2000 .939 and .928, with 500 .896 and .894; on the paper's generator nothing is closed.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.moments.features import CLIP
from grace_plugin.regression.row_model import RowModel

# Share of the strongest gain. A chain of Henon maps has F1 .42 without, .78 with it and .84 with .10, which
# costs coupled Roessler systems .05; false edges of Lorenz-96 (50 variables, 1000 rows) have .03 to .05.
SMALL = 0.07
# Own past with a smaller share of the strongest gain shows misfit; a true second lag has more.
_LITTLE_OF_OWN = 0.2
_LITTLE_OF_OTHERS = 0.3  # edges with a larger share of the strongest from another variable stay
_ECHO = 0.3  # further lags of a pair with a smaller share of its strongest gain
_MOST_OF_OWN = 0.75  # quantile of such gains over the variables; the largest may be an edge of its own
_VARIABLES = 0.1  # share of the variables that must show it
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


def small_beside_own_past(cells: IntArray, log_p: FloatArray, gain: FloatArray) -> BoolArray:
    """Which cells (cause, effect, lag) of a whole graph cannot be told from misfit that own past shows.

    >>> cells = np.array([[0, 0, 1], [0, 0, 2], [1, 0, 1], [1, 0, 2]])
    >>> small_beside_own_past(cells, np.full(4, -50.0), np.array([0.3, 0.01, 0.1, 0.005]))
    array([False, False, False,  True])
    """
    cause, effect, lag = cells.T
    lagged = (log_p < _KEPT) & (lag > 0)
    own = lagged & (cause == effect)
    cross = lagged & ~own
    showing = own & (lag > 1) & (gain < _LITTLE_OF_OWN * _strongest(lagged, effect, gain)[effect])
    shown = _strongest(showing, effect, gain)
    if not showing.any() or (shown > 0).sum() < _VARIABLES * len(np.unique(effect)):
        return np.zeros(len(cells), dtype=np.bool_)
    misfit = float(np.quantile(shown[shown > 0], _MOST_OF_OWN))
    little = gain < _LITTLE_OF_OTHERS * _strongest(cross, effect, gain)[effect]
    pair = np.unique(cells[:, :2], axis=0, return_inverse=True)[1].reshape(-1)
    echo = gain < _ECHO * _strongest(cross, pair, gain)[pair]
    return np.asarray(cross & (little & (gain < misfit) | echo))


def _strongest(chosen: BoolArray, group: IntArray, gain: FloatArray) -> FloatArray:
    """[group]: the largest gain among the chosen cells."""
    found = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(found, group[chosen], gain[chosen])
    return found


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
