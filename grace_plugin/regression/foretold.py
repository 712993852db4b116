r"""What all other lagged values foretell of each one, where sparse models seem to leave something out.

A sparse model believes that nothing is left out of it. Where a slow cause is hidden, or noise is shared,
every value that knows of it seems to act, and only the model of all lagged values at once, each of which
knows a part, sees through them. Let O be a candidate and u what all other lagged values foretell of it,

    u_c = -sum_{j != c} Omega_cj / Omega_cc x_j,   Omega the inverse correlation of all lagged values.

Beside u, O has the coefficient that it has in the full model. The values before and after one of a smooth
cause (a river's gauge by the hour) leave nothing of it, whatever it does: there u is what the lagged values
of all other variables foretell (25 graphs of five gauges of the Elbe: F1 .16 to .38).

That costs power (.07 of F1 on linear worlds), so it is asked for only where something is missing: what the
sparse models leave of the variables moves together within the step, though effects within it were looked for,
or over ten rows; or own past reaches back (`long_past.py`). With a slow hidden cause F1 rises from .70 to
.87, with shared noise from .44 to .72 (tuning seeds 1000 and 1001, 6 variables, 500 rows). The signs of
something slow find it in more of these data sets (.78 to .96 in those), noise with a memory (.83 to .94) and
level shifts that were missed (.89 to .94), and cost .15 in 2 of 8 with white noise as large as the values; on
worlds without anything of the kind they spoke in 1 of 322 (tuning seeds 1006 to 1019). Finely sampled
systems, whose residuals are misfit, are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import numpy as np
from scipy.special import chdtrc, ndtri

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.long_past import reaches_back
from grace_plugin.regression.tolerances import COLLINEAR

_ROWS_PER_VALUE = 10  # the rule was measured with 16; at 5 the flood of the Elbe lost every edge
_MOST_VALUES = 1500  # their inverse takes seconds
_SMOOTH = 0.01  # share of a value that all others leave, below which its cause's own lags do not foretell it
_RIDGE = 1e-8
_TOGETHER = 1e-4  # level of the test that no two residuals move together
_SPAN = 10  # rows over which something slow shows; over 20 weak effects that were missed seem to be such
_COPY = 1e-3  # smallest eigenvalue of the residuals' correlations: below it two are nearly copies
_SUM = 1e-8  # the same of values, of which one is exactly a sum of others
_EXPLAINED = 0.9  # of values, and
_FORESEEN = 0.8  # of changes, beyond which steps are fine: noise with a memory has .6


class Missing(Enum):
    """What seems not to be in the data."""

    SHARED = "residuals move together within one step"
    SLOW = "residuals move together over ten rows, or own past reaches back over many lags with one sign"


Foretold = Mapping[tuple[int, int], FloatArray]  # (cause, lag) -> [n]


def affords(moments: Moments) -> bool:
    """Whether the rows can carry all lagged values at once."""
    count = moments.n_variables * moments.max_lag
    return 1 < count <= _MOST_VALUES and count * _ROWS_PER_VALUE <= moments.rows


def missing(
    moments: Moments, rows: LaggedRows, residuals: FloatArray, effects: IntArray, steady: IntArray | None
) -> Missing | None:
    """What seems to be left out, told by the residuals [n, effect] of sparse models; nothing of fine steps.

    `steady` are effects without trends, steps or cycles, which explain a long memory; None where causes were
    forbidden, whose effects would look like something slow.
    """
    left = np.square(residuals).mean(axis=0)
    unforeseen = left > COLLINEAR  # of what follows exactly from the past only rounding is left
    residuals, effects, left = residuals[:, unforeseen], effects[unforeseen], left[unforeseen]
    if len(effects) < 2:
        return None
    now = np.stack([rows.target(effect) for effect in effects.tolist()], axis=1)
    changes = now - np.stack([rows.past(effect, 1) for effect in effects.tolist()], axis=1)
    unseen = left / np.maximum(changes.var(axis=0), 1e-300)
    fine = 1.0 - left.mean() >= _EXPLAINED and 1.0 - unseen.mean() >= _FORESEEN
    # A copy or a sum of others is redundant: nothing is left out of such data.
    if fine or _smallest_share(residuals) <= _COPY or _smallest_share(now - now.mean(axis=0)) <= _SUM:
        return None
    if move_together(residuals):
        return Missing.SHARED
    # What is filled in moves slowly itself.
    if steady is None or any(rows.seen(effect) is not None for effect in effects.tolist()):
        return None
    slow = move_together(residuals, _SPAN) or reaches_back(moments, np.intersect1d(steady, effects))
    return Missing.SLOW if slow else None


def _smallest_share(values: FloatArray) -> float:
    """The smallest eigenvalue of the correlations of columns."""
    scale = np.sqrt(np.maximum(np.square(values).sum(axis=0), 1e-300))
    return float(np.linalg.eigvalsh((values.T @ values) / np.outer(scale, scale))[0])


def move_together(residuals: FloatArray, span: int = 1) -> bool:
    """Whether sums of residuals [n, d] over `span` rows correlate (Breusch and Pagan, 1980).

    The product of two such sums is sum_k (1 - |k| / span) sum_t x_i(t + k) x_j(t), judged whatever their
    sizes do in time. A weak effect that was missed shows where k has one sign, what both share on both
    sides: the weaker side of a pair counts, for both. Without that, missed effects passed for something slow
    (11 seeds each: haemodynamic delays at 10 nodes F1 .20 instead of .31, latencies of services .81 instead
    of .86). Ranks speak, as normal scores: of independent sparse events single coincidences would.

    >>> noise = np.random.default_rng(0).normal(size=(500, 5))
    >>> move_together(noise), move_together(noise + 0.5 * noise[:, :1])
    (False, True)
    """
    if residuals.shape[1] < 2:
        return False
    scores = _normal_scores(residuals)
    n, d = scores.shape
    square = np.square(scores)
    mean = np.outer(square.mean(axis=0), square.mean(axis=0))
    product, size = np.zeros((d, d)), np.zeros((d, d))  # of a variable's values and earlier ones of another
    for shift in range(span):
        weight = (1.0 - shift / span) * (1.0 if shift else 0.5)
        later, earlier = slice(shift, n), slice(0, n - shift)
        product += weight * (scores[later].T @ scores[earlier])
        here = np.maximum(square[later].T @ square[earlier], (n - shift) * mean)
        size += weight**2 * here  # the second where no size depends on the other
    z = product / np.sqrt(np.maximum(size, 1e-300))
    both = np.where(z * z.T > 0.0, np.minimum(np.abs(z), np.abs(z.T)), 0.0)
    sides = 1.0 if span == 1 else 2.0
    found = sides * float(np.square(both)[np.triu_indices(d, 1)].sum())
    return bool(chdtrc(0.5 * d * (d - 1), found) < _TOGETHER)


def _normal_scores(values: FloatArray) -> FloatArray:
    """Of each column, about their mean."""
    order = np.argsort(values, axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    if not (ordered[1:] > ordered[:-1]).all():
        return np.stack([_scores_of_equal(column) for column in values.T], axis=1)
    scores = np.empty(values.shape)
    usual = ndtri((np.arange(len(values)) + 0.5) / len(values))
    np.put_along_axis(scores, order, (usual - usual.mean())[:, None], axis=0)
    return scores


def _scores_of_equal(values: FloatArray) -> FloatArray:
    """Equal values have equal scores, or their order in time would seem to be shared."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - 0.5 * counts
    scores = ndtri(middle[which] / len(values))
    return np.asarray(scores - scores.mean())


def foretold(moments: Moments, rows: LaggedRows, cells: set[tuple[int, int]]) -> Foretold:
    """(cause, lag) of `cells` -> what all other lagged values foretell of it, about its mean."""
    if not cells:
        return {}
    d, count, width = moments.n_variables, moments.n_variables * moments.max_lag, len(moments.basis)
    columns = (d + np.arange(count)) * width  # lag after lag, from 1 on
    covariance = moments.covariance(columns, columns)
    scale = np.sqrt(np.maximum(covariance.diagonal(), 1e-300))
    correlation = covariance / np.outer(scale, scale) + _RIDGE * np.eye(count)
    inverse = np.asarray(np.linalg.inv(correlation), dtype=np.float64)
    order = sorted(cells)
    places = np.array([(lag - 1) * d + cause for cause, lag in order], dtype=np.int64)
    weights = np.stack([_shares(inverse, place, d) for place in places.tolist()], axis=1)
    weights *= scale[places] / scale[:, None]
    found = np.zeros((rows.count, len(order)))
    for lag, past in rows.all_past():
        found += past @ weights[(lag - 1) * d : lag * d]
    found -= found.mean(axis=0)
    return {cell: found[:, place] for place, cell in enumerate(order)}


def _shares(inverse: FloatArray, place: int, d: int) -> FloatArray:
    """[count]: the weights by which the other values foretell one."""
    smooth = 1.0 / inverse[place, place] < _SMOOTH
    block = np.arange(place % d, len(inverse), d) if smooth else np.array([place])
    inner = inverse[np.ix_(block, block)]
    weights = -np.linalg.solve(inner, (block == place).astype(np.float64)) @ inverse[block]
    weights[block] = 0.0
    return np.asarray(weights)
