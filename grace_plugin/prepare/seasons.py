"""Whether what acts is foretold better by values without their trends, steps and cycles.

A season comes from outside, and squares and products of values that hold it tell nothing. An oscillator's
rhythm (a predator and its prey, a chaotic circuit) is the system itself: without it nothing is foretold. Both
are tried: the last values of all variables, their squares and products, foretell some of the variables beside
each one's own terms, by ridge regression with the generalised cross-validation of its best penalty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray

_LAGS = 3
_MOST_COLUMNS = 300  # with products: 21 variables; without: 75, of more the answer would take minutes
_MOST_EFFECTS = 8
_MOST_ROWS = 2000
_BETTER = 0.01  # nats a row
_PENALTIES = np.logspace(-4, 2, 13)
_CLIP = 3.0


def better_without(whole: FloatArray, left: FloatArray, controls: Sequence[FloatArray | None]) -> bool:
    """Whether `left` [T, d], without terms, foretells more than the values with them; of many variables, no.

    Args:
        whole: the values of all variables.
        left: the same without terms, where they would be taken out.
        controls: of each variable, the columns of its terms or None.
    """
    if (_LAGS + 1) * whole.shape[1] > _MOST_COLUMNS:
        return False
    there: BoolArray = np.asarray(np.isfinite(whole).all(axis=1))
    seen = there.copy()
    there[:_LAGS] = False
    for lag in range(1, _LAGS + 1):
        there[lag:] &= seen[:-lag]
    times = np.flatnonzero(there)
    if len(times) < 2 * _LAGS * whole.shape[1]:
        return False
    times = times[np.linspace(0, len(times) - 1, min(len(times), _MOST_ROWS)).astype(np.int64)]
    effects = np.unique(np.linspace(0, whole.shape[1] - 1, _MOST_EFFECTS).astype(np.int64))
    errors = []
    for values in (whole, left):
        table = _features(values, times)
        errors.append(
            np.mean([_log_error(table, left[times, one], _of(controls[one], times)) for one in effects])
        )
    return bool(0.5 * (errors[0] - errors[1]) > _BETTER)


def _features(values: FloatArray, times: IntArray) -> FloatArray:
    """[n, p]: lagged values; of the last ones squares and, of few variables, products too."""
    last = values[times - 1]
    usual = (last - last.mean(axis=0)) / np.maximum(last.std(axis=0), 1e-300)
    bent = np.clip(usual, -_CLIP, _CLIP)
    d = values.shape[1]
    one, other = np.triu_indices(d) if d * (d + 1) // 2 + _LAGS * d <= _MOST_COLUMNS else (np.arange(d),) * 2
    return np.column_stack(
        [*(values[times - lag] for lag in range(1, _LAGS + 1)), bent[:, one] * bent[:, other]]
    )


def _of(control: FloatArray | None, times: IntArray) -> FloatArray:
    ones = np.ones((len(times), 1))
    return ones if control is None else np.column_stack([ones, control[times]])


def _log_error(table: FloatArray, target: FloatArray, beside: FloatArray) -> float:
    """Ln of the cross-validated error of the best penalty, beside columns that are not penalised."""
    basis = np.linalg.qr(beside)[0]
    table = table - basis @ (basis.T @ table)
    target = target - basis @ (basis.T @ target)
    table = table / np.maximum(np.sqrt(np.square(table).mean(axis=0)), 1e-12)
    rows, free = len(target), len(target) - basis.shape[1]
    values, vectors = np.linalg.eigh(table.T @ table / rows)
    values, along = np.maximum(values, 0.0), vectors.T @ (table.T @ target) / rows
    shrunk = values[:, None] + _PENALTIES
    told = (np.square(along)[:, None] * (shrunk + _PENALTIES) / np.square(shrunk)).sum(axis=0)
    left = np.maximum(float(target @ target) / rows - told, 1e-300)
    dof = np.maximum(free - (values[:, None] / shrunk).sum(axis=0), 1.0)
    return float(np.log(left / np.square(dof / rows)).min())
