"""A common cause that nobody measured, told from what all lags leave of the variables.

What variables are now beside all of their lags correlates, where a hidden cause hits several of them, as
r_ij = l_i l_j: one factor, which touches nearly every pair of them. Effects within the step touch neighbours,
and a variable that acts on all others is the factor itself (its loading is near 1). At 500 rows it is seen in
all of 40 worlds with a hidden cause or shared noise in one step, in 3 of 40 where it is slow or acts at many
lags, and by mistake in 11 of 140 with effects within the step or slow sampling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.ask import STANDING_OUT
from grace_plugin.lag0.common_factor import FACTOR_ITSELF, LEAST_VARIABLES, loadings, misfit
from grace_plugin.moments.sums import Moments

_MOST_PAIRS = 0.9  # share of the pairs of the variables concerned that must stand out
_MISFIT = 0.1  # of their dependence that a factor may leave
_ROWS_PER_COLUMN = 5
_MOST_COLUMNS = 2000
_RIDGE = 1e-8


@dataclass(frozen=True, eq=False)
class HiddenCause:
    """The variables that seem to share a cause that is not in the data, and the pairs that show it."""

    part: BoolArray  # [d]
    pairs: int


def hidden_cause(moments: Moments) -> HiddenCause | None:
    """What the lagged values leave of the variables, if one factor explains why it moves together."""
    found = _residual_correlation(moments)
    if found is None:
        return None
    correlation, dof = found
    z = np.arctanh(np.clip(correlation, -1.0 + 1e-12, 1.0 - 1e-12)) * np.sqrt(dof)
    np.fill_diagonal(z, 0.0)
    part = _touched(np.abs(z) > STANDING_OUT)
    if part.sum() < LEAST_VARIABLES:
        return None
    inner = correlation[np.ix_(part, part)]
    factor = loadings(inner - np.diag(inner.diagonal()))
    if np.square(factor).max() > FACTOR_ITSELF or misfit(inner, factor, int(dof)) > _MISFIT:
        return None
    return HiddenCause(part, int((np.abs(z[np.ix_(part, part)]) > STANDING_OUT).sum()) // 2)


def _touched(standing: BoolArray) -> BoolArray:
    """[d]: the variable with fewest partners goes, again and again, until nearly all pairs of the rest do."""
    part: BoolArray = np.asarray(standing.any(axis=1))
    while part.sum() >= LEAST_VARIABLES:
        partners = np.where(part, standing[:, part].sum(axis=1), len(part))
        count = int(part.sum())
        if partners[part].sum() >= _MOST_PAIRS * count * (count - 1):
            break
        part[int(np.argmin(partners))] = False
    return part


def _residual_correlation(moments: Moments) -> tuple[FloatArray, float] | None:
    """Of all variables now beside as many of their lags as the rows can carry."""
    d, width = moments.n_variables, len(moments.basis)
    lags = min(moments.max_lag, moments.rows // (_ROWS_PER_COLUMN * d), _MOST_COLUMNS // d)
    if lags < 1 or d < LEAST_VARIABLES:
        return None
    columns = (np.arange((lags + 1) * d) * width)[None, :]
    covariance = moments.covariance(columns, columns)[0]
    now, past = slice(None, d), slice(d, None)
    gram = covariance[past, past]
    gram = gram + _RIDGE * np.diag(gram.diagonal() + 1e-300)
    left = covariance[now, now] - covariance[now, past] @ np.linalg.solve(gram, covariance[past, now])
    size = np.sqrt(np.maximum(left.diagonal(), 0.0))
    alive = size > 1e-6 * np.sqrt(np.maximum(covariance[now, now].diagonal(), 0.0))
    if not alive.all():
        return None
    return left / np.outer(size, size), float(max(moments.rows - lags * d - 4, 1))
