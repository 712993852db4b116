r"""Trends that own past stands in for: a variable that seems to wander, but is steady about a bent line.

Beside three own lags a large smooth trend gains next to nothing, because the last value tells where it is.
What tells it from a walk is how soon a push is forgotten once the line is known: in

    x(t) - x(t-1) = a + trend(t) + g x(t-1) + h1 (x(t-1) - x(t-2)) + h2 (x(t-2) - x(t-3)) + e(t)

a walk has g = 0, and its t-value lies below -4.4 in one of a hundred (Dickey and Fuller, 1979; with a bend).
The line is a trend and three quarters of a cycle over all rows, at first the trend alone.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.prepare.own_past import OWN_LAGS, largest_root, own_past
from grace_plugin.prepare.persistence import LONG
from grace_plugin.prepare.terms import Term

_FORGETS = -5.5  # t-value: one walk in 500 or so
_BEND = 0.75  # cycles over all rows
_FEWEST_ROWS = 50


def steady_trends(values: FloatArray) -> list[list[Term]]:
    """The terms about which each column of `values` [T, d] is steady, of those that seem to wander.

    >>> rng, time = np.random.default_rng(0), np.linspace(-1, 1, 300)
    >>> walk, steady = np.cumsum(rng.normal(size=300)), 9 * time**2 + rng.normal(size=300)
    >>> [[term.kind for term in one] for one in steady_trends(np.stack([walk, steady], axis=1))]
    [[], ['trends', 'cycles']]
    """
    rows = len(values)
    found: list[list[Term]] = [[] for _ in values.T]
    if rows < _FEWEST_ROWS:
        return found
    lines = [Term("trends", p_value=0.0)], [Term("trends", p_value=0.0), Term("cycles", _BEND / rows, 0.0)]
    for place in np.flatnonzero(rows * (1.0 - largest_root(own_past(values).weights)) < LONG).tolist():
        for terms in lines:
            table = np.concatenate([term.columns(rows) for term in terms], axis=1)
            if _t_value(values[:, place], table) < _FORGETS:
                found[place] = list(terms)
                break
    return found


def _t_value(values: FloatArray, table: FloatArray) -> float:
    """Of the last value beside a line and the last two changes; 0 where rows are too few."""
    lags = [values[OWN_LAGS - lag : len(values) - lag] for lag in range(OWN_LAGS + 1)]
    now, *changes = (earlier - later for earlier, later in pairwise(lags))
    inputs = np.column_stack([lags[1], *changes, table[OWN_LAGS:], np.ones(len(now))])
    there = np.isfinite(inputs).all(axis=1) & np.isfinite(now)
    inputs, now = inputs[there], now[there]
    dof = len(now) - inputs.shape[1]
    if dof < _FEWEST_ROWS // 2:
        return 0.0
    inverse = np.linalg.pinv(inputs.T @ inputs)
    weights = inverse @ (inputs.T @ now)
    left = float(np.square(now - inputs @ weights).sum()) / dof
    return float(weights[0] / np.sqrt(max(left * inverse[0, 0], 1e-300)))
