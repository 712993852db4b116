"""A hidden cause of several variables, told apart from effects within the step.

A cause that nobody measured, or noise that all share, correlates residuals as loadings do:
r_ij = l_i l_j for every pair. A graph of effects does so only where one variable acts on all others, and then
that variable is the factor itself: its loading is 1, and given it the others are independent.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.rules import connected

LEAST_VARIABLES = 4  # a factor fits any correlations of three
# Of the fourth strongest variable: hidden causes have .25 or more (16 tuning seeds), three variables that act
# on one another beside a fourth that hardly moves with them .10 to .22.
_LEAST_LOADING = 0.235  # halfway between
_ROUNDS = 100
_SETTLED = 1e-9  # a share of variance that no test here could tell from none
_STANDING_OUT = 4.0  # standard errors, as in the question whether to look at all
_NOTICED = 2.5  # the same, of pairs that a weak factor touches
_MOST_PAIRS = 0.6  # share of the pairs that a factor must touch; a single pair is a perfect factor too
_MISFIT = (
    0.1  # of all dependence; hidden causes leave at most .07, chains and full graphs nearly all .2 to .6
)
_CLOSE = 0.03  # a misfit of this size counts as none however many rows see it
_BEYOND_CHANCE = 3.0  # times what chance leaves: hidden causes have .1 to 2.9, chains of 500 rows 5 and more
FACTOR_ITSELF = 0.9  # communality of a variable that is the common cause, and is measured
_MAY_BE_CHANCE = 0.01  # a hidden cause of four with loadings of .6 leaves 1e-9 at 300 rows
_NEARLY_ONE = 0.995  # loadings beyond it leave no covariance that can be inverted


def loadings(correlation: FloatArray) -> FloatArray:
    """[d]: the loadings of the one factor that fits the off-diagonal correlations best.

    >>> truth = np.array([0.8, 0.7, 0.6, 0.5])
    >>> bool(np.allclose(np.abs(loadings(np.outer(truth, truth))), truth, atol=1e-3))
    True
    """
    matrix = correlation.copy()
    size = np.abs(matrix - np.diag(matrix.diagonal())).max(axis=0)
    found = np.zeros(len(matrix))
    for _ in range(_ROUNDS):
        np.fill_diagonal(matrix, size)
        values, vectors = np.linalg.eigh(matrix)
        found = vectors[:, -1] * np.sqrt(max(float(values[-1]), 0.0))
        before, size = size, np.minimum(np.square(found), 1.0)
        if np.abs(size - before).max() < _SETTLED:
            break
    return found


def hidden_pairs(correlation: FloatArray, z: FloatArray, rows: int) -> BoolArray:
    """[d, d]: the pairs that one unmeasured factor of their group of variables explains.

    Groups are sought among pairs that stand out, then among those that are noticed: a weak factor of many
    shows in few pairs by itself, and in nearly all of them at once.
    """
    found: BoolArray = np.zeros(z.shape, dtype=np.bool_)
    for bound in (_STANDING_OUT, _NOTICED):
        standing = (np.abs(z) > bound) & ~found
        for members in connected(standing):
            square = np.ix_(members, members)
            if one_factor(correlation[square], standing[square], rows):
                found[square] = ~np.eye(len(members), dtype=np.bool_)
    return found


def one_factor(correlation: FloatArray, standing: BoolArray, rows: int) -> bool:
    """Whether one unmeasured factor explains residuals that move together nearly everywhere."""
    d = len(correlation)
    if d < LEAST_VARIABLES or standing[np.triu_indices(d, 1)].mean() < _MOST_PAIRS:
        return False
    factor = loadings(correlation)
    if np.sort(np.abs(factor))[-LEAST_VARIABLES] < _LEAST_LOADING:
        return False
    if np.square(factor).max() > FACTOR_ITSELF or one_is_the_factor(correlation, rows):
        return False
    share = misfit(correlation, factor, rows)
    left_by_chance = _left(correlation, factor) <= _BEYOND_CHANCE * _chance(d, rows)
    return bool(share <= _CLOSE or (share <= _MISFIT and left_by_chance))


def one_is_the_factor(correlation: FloatArray, rows: int) -> bool:
    """Whether all others may be independent given some one variable, by the chi-square of what is left.

    >>> hub = np.outer([0.9, 0.8, 0.7, 1.0], [0.9, 0.8, 0.7, 1.0])
    >>> one_is_the_factor(hub, 500), one_is_the_factor(0.8 * hub, 500)
    (True, False)
    """
    d = len(correlation)
    others = (d - 1) * (d - 2) // 2
    return any(
        float(chdtrc(others, _dependence_given(correlation, one, rows))) > _MAY_BE_CHANCE for one in range(d)
    )


def _dependence_given(correlation: FloatArray, one: int, rows: int) -> float:
    """The squared z of all partial correlations given one variable, added up."""
    rest = np.arange(len(correlation)) != one
    column = correlation[rest, one]
    scale = 1.0 / np.sqrt(np.maximum(1.0 - np.square(column), 1e-12))
    partial = (correlation[np.ix_(rest, rest)] - np.outer(column, column)) * scale[:, None] * scale
    upper = partial[np.triu_indices(len(partial), 1)]
    return float(np.square(np.arctanh(np.clip(upper, -0.999999, 0.999999))).sum()) * max(rows - 4, 1)


def misfit(correlation: FloatArray, factor: FloatArray, rows: int) -> float:
    """The share of all dependence (nats) that is left beside the factor and chance."""
    unit = correlation.copy()
    np.fill_diagonal(unit, 1.0)
    total = -0.5 * float(np.linalg.slogdet(unit)[1])
    beside = _left(correlation, factor) - _chance(len(correlation), rows)
    return max(0.0, beside) / max(total, 1e-12)


def _left(correlation: FloatArray, factor: FloatArray) -> float:
    """The dependence beside the factor, in nats per row."""
    factor = np.clip(factor, -_NEARLY_ONE, _NEARLY_ONE)
    unit, model = correlation.copy(), np.outer(factor, factor)
    np.fill_diagonal(unit, 1.0)
    np.fill_diagonal(model, 1.0)
    ratio = np.linalg.solve(model, unit)
    return 0.5 * (float(np.trace(ratio)) - float(np.linalg.slogdet(ratio)[1]) - len(unit))


def _chance(d: int, rows: int) -> float:
    """What chance leaves: half a nat for each of the d (d - 3) / 2 correlations that a factor leaves free."""
    return 0.25 * d * (d - 3) / rows
