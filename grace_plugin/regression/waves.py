r"""Whether some effect bends in a way that values, squares and absolute values do not follow, as waves do.

With r what all lagged values leave of an effect by least squares (its own, where rows are few) and b what the
bump x exp(-x^2 / 2) of a lagged value has beyond the usual features of the same value,

    z = sum_t b_t r_t / sqrt(sum_t b_t^2 r_t^2),

which believes the products, so that noise that changes its size does not count. The fourth feature is asked
for where the largest z of all cells is beyond what chance shows in one graph of a hundred.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from grace_plugin._common.arrays import FloatArray
from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS, expand
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.span import Span

_CHANCE = 0.01
_ROWS_PER_VALUE = 3  # of the least squares beside all lagged values
_FEWEST_ROWS = 60
_LEAST = 1e-12
_SINGULAR = 1e-12  # of a Gram matrix: features of a variable with few values are collinear
_AT_ONCE = 10_000_000  # tests of cells held together
_VARIABLES_AT_ONCE = 1000  # whose features are


def asks_for_waves(rows: LaggedRows) -> bool:
    """Whether some lagged value acts on some variable by a curve that the fourth feature sees.

    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> wave, times = x[:, 0] - 4.0 * x[:, 0] * np.exp(-np.square(x[:, 0]) / 2.0), np.arange(1, 300)
    >>> values = np.column_stack([x[:, 0], np.roll(wave, 1) + x[:, 1]])
    >>> asks_for_waves(LaggedRows(values, times, 1)), asks_for_waves(LaggedRows(x, times, 1))
    (True, False)
    """
    if rows.count < _FEWEST_ROWS or rows.max_lag < 1:
        return False
    left = _left(rows)
    tests = left.shape[1] * rows.n_variables * rows.max_lag
    bound, step = -float(ndtri(0.5 * _CHANCE / tests)), max(1, _AT_ONCE // rows.n_variables)
    for _, past in rows.all_past():
        bent = _beyond_usual(past)
        for start in range(0, rows.n_variables, step):
            some = left[:, start : start + step]
            size = np.sqrt(np.maximum(np.square(bent).T @ np.square(some), _LEAST))
            if (np.abs(bent.T @ some) > bound * size).any():
                return True
    return False


def _left(rows: LaggedRows) -> FloatArray:
    """[n, d]: what lagged values leave of every variable."""
    d, lags = rows.n_variables, rows.max_lag
    now = np.column_stack([rows.target(effect) for effect in range(d)])
    one = np.ones((rows.count, 1))
    if rows.count >= _ROWS_PER_VALUE * (d * lags + 1):
        past = np.stack([values for _, values in rows.all_past()], axis=2)  # [n, d, lags]
        return _beside(np.concatenate([one, past.reshape(rows.count, -1)], axis=1), now)
    for at in range(d):
        own = np.column_stack([one, *(rows.past(at, lag) for lag in range(1, lags + 1))])
        now[:, [at]] = _beside(own, now[:, [at]])
    return now


def _beyond_usual(past: FloatArray) -> FloatArray:
    """[n, d]: of every variable, what the bump of its value has beyond its other features."""
    d, usual = past.shape[1], len(DEFAULT_BASIS)
    if d > _VARIABLES_AT_ONCE:
        parts = np.array_split(past, -(-d // _VARIABLES_AT_ONCE), axis=1)
        return np.concatenate([_beyond_usual(part) for part in parts], axis=1)
    features = expand(past, RICH_BASIS).reshape(len(past), d, len(RICH_BASIS)).transpose(1, 2, 0)
    beside = np.ones((d, 1 + usual, len(past)))
    beside[:, 1:] = features[:, :usual]
    inverse = np.linalg.pinv(beside @ beside.transpose(0, 2, 1), rcond=_SINGULAR, hermitian=True)
    left = features[:, usual:] - (features[:, usual:] @ beside.transpose(0, 2, 1) @ inverse) @ beside
    return np.asarray(left.reshape(-1, len(past)).T)


def _beside(columns: FloatArray, targets: FloatArray) -> FloatArray:
    """What columns leave of targets."""
    return Span.of(columns).left_of(targets)
