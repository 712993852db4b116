r"""What all other lagged values foretell of each one, where sparse models seem to leave something out.

A sparse model believes that nothing is left out of it. Where a slow cause is hidden, or noise is shared,
every value that knows of it seems to act, and only the model of all lagged values at once, each of which
knows a part, sees through them. Let O be a candidate and u what all other lagged values foretell of it,

    u_c = -sum_{j != c} Omega_cj / Omega_cc x_j,   Omega the inverse correlation of all lagged values.

Beside u, O has the coefficient that it has in the full model. That costs power (.07 of F1 on linear worlds),
so it is asked for only where what the sparse models leave of the variables moves together within the step,
though effects within it were looked for: there something is missing. With a slow hidden cause F1 rises from
.70 to .87, with shared noise from .44 to .72 (tuning seeds 1000 and 1001, 6 variables, 500 rows). Finely
sampled systems, whose residuals are misfit, are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import chdtrc, ndtri

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.tolerances import COLLINEAR

_ROWS_PER_VALUE = 10  # the rule was measured with 16; at 5 the flood of the Elbe lost every edge
_MOST_VALUES = 1500  # their inverse takes seconds
_RIDGE = 1e-8
_TOGETHER = 1e-4  # level of the test that no two residuals move together
_COPY = 1e-3  # smallest eigenvalue of the residuals' correlations: below it two are nearly copies
_SUM = 1e-8  # the same of values, of which one is exactly a sum of others
_EXPLAINED = 0.9  # of values, and
_FORESEEN = 0.8  # of changes, beyond which steps are fine (as in `lag0/ask.py`)

Foretold = Mapping[tuple[int, int], FloatArray]  # (cause, lag) -> [n]


def affords(moments: Moments) -> bool:
    """Whether the rows can carry all lagged values at once."""
    count = moments.n_variables * moments.max_lag
    return 1 < count <= _MOST_VALUES and count * _ROWS_PER_VALUE <= moments.rows


def leaves_out(rows: LaggedRows, residuals: FloatArray, effects: IntArray) -> bool:
    """Whether residuals [n, effect] move together though steps are not fine."""
    left = np.square(residuals).mean(axis=0)
    unforeseen = left > COLLINEAR  # of what follows exactly from the past only rounding is left
    residuals, effects, left = residuals[:, unforeseen], effects[unforeseen], left[unforeseen]
    if len(effects) < 2:
        return False
    now = np.stack([rows.target(effect) for effect in effects.tolist()], axis=1)
    changes = now - np.stack([rows.past(effect, 1) for effect in effects.tolist()], axis=1)
    unseen = left / np.maximum(changes.var(axis=0), 1e-300)
    fine = 1.0 - left.mean() >= _EXPLAINED and 1.0 - unseen.mean() >= _FORESEEN
    if fine or not move_together(residuals):
        return False
    # A copy or a sum of others is redundant: nothing is left out of such data.
    return _smallest_share(residuals) > _COPY and _smallest_share(now - now.mean(axis=0)) > _SUM


def _smallest_share(values: FloatArray) -> float:
    """The smallest eigenvalue of the correlations of columns."""
    scale = np.sqrt(np.maximum(np.square(values).sum(axis=0), 1e-300))
    return float(np.linalg.eigvalsh((values.T @ values) / np.outer(scale, scale))[0])


def move_together(residuals: FloatArray) -> bool:
    """Whether residuals [n, d] of one time correlate (Breusch and Pagan, 1980), whatever their size does.

    Their ranks speak, as normal scores: of independent sparse events single coincidences would.

    >>> noise = np.random.default_rng(0).normal(size=(500, 5))
    >>> move_together(noise), move_together(noise + 0.5 * noise[:, :1])
    (False, True)
    """
    d = residuals.shape[1]
    scores = np.stack([_normal_scores(column) for column in residuals.T], axis=1)
    square = np.square(scores)
    size = np.outer(square.sum(axis=0), square.mean(axis=0))  # of products, if no size depends on the other
    z = np.square(scores.T @ scores) / np.maximum(np.maximum(square.T @ square, size), 1e-300)
    total = float(z[np.triu_indices(d, 1)].sum())
    return bool(chdtrc(0.5 * d * (d - 1), total) < _TOGETHER) if d > 1 else False


def _normal_scores(values: FloatArray) -> FloatArray:
    """About their mean; equal values have equal scores, or their order in time would seem to be shared."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - 0.5 * counts
    scores = ndtri(middle[which] / len(values))
    return np.asarray(scores - scores.mean())


def foretold(moments: Moments, rows: LaggedRows, cells: set[tuple[int, int]]) -> Foretold:
    """(cause, lag) of `cells` -> what all other lagged values foretell of it, about its mean."""
    d, count, width = moments.n_variables, moments.n_variables * moments.max_lag, len(moments.basis)
    columns = (d + np.arange(count)) * width  # lag after lag, from 1 on
    covariance = moments.covariance(columns, columns)
    scale = np.sqrt(np.maximum(covariance.diagonal(), 1e-300))
    inverse = np.linalg.inv(covariance / np.outer(scale, scale) + _RIDGE * np.eye(count))
    order = sorted(cells)
    places = np.array([(lag - 1) * d + cause for cause, lag in order], dtype=np.int64)
    weights = -inverse[:, places] / inverse[places, places]
    weights[places, np.arange(len(places))] = 0.0
    weights *= scale[places] / scale[:, None]
    found = np.zeros((rows.count, len(order)))
    for lag, past in rows.all_past():
        found += past @ weights[(lag - 1) * d : lag * d]
    found -= found.mean(axis=0)
    return {cell: found[:, place] for place, cell in enumerate(order)}
