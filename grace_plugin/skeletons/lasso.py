"""L1-penalised vector autoregression, its penalty cross-validated for each effect."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import job_count, whole
from grace_plugin.exceptions import DataError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.series.standardise import refuse_infinite
from grace_plugin.skeletons.source import Source

_filters = threading.Lock()  # the filters of warnings belong to the whole process
_PATH_END = 1e-2  # smallest penalty tried, as a share of the one that leaves nothing


def lasso_skeleton(source: Source, *, folds: int = 5, n_jobs: int = 1) -> Skeleton:
    """Lagged edges with a coefficient other than zero; the scores are the absolute coefficients.

    Args:
        source: the data.
        folds: of the cross-validation, each a stretch of consecutive rows.
        n_jobs: effects fitted at once, as in joblib; -1 takes every core.
    """
    from joblib import Parallel, delayed

    whole("folds", folds, 2)
    job_count(n_jobs)
    now, past = _windows(source)
    if len(now) < 2 * folds:
        msg = f"{len(now)} complete windows are too few for {folds} folds; give more rows or fewer lags."
        raise DataError(msg)
    tasks = (delayed(_coefficients)(past, now[:, effect], folds) for effect in range(now.shape[1]))
    weights = np.abs(np.array(Parallel(n_jobs=n_jobs)(tasks)))
    d = source.n_variables
    scores = np.zeros((d, d, source.max_lag + 1))
    scores[:, :, 1:] = weights.reshape(d, source.max_lag, d).transpose(2, 0, 1)
    return source.skeleton(scores > 0.0, scores)


def _windows(source: Source) -> tuple[FloatArray, FloatArray]:
    """Standardised targets [rows, d] and pasts [rows, max_lag * d] of all complete windows."""
    targets, pasts = [], []
    for one in source.panel.series:
        values = np.asarray(one.values, dtype=np.float64)
        refuse_infinite(values, source.panel)
        times = np.flatnonzero(complete_windows(one, source.max_lag))
        targets.append(values[times])
        pasts.append(np.concatenate([values[times - lag] for lag in range(1, source.max_lag + 1)], axis=1))
    return _standardised(np.concatenate(targets)), _standardised(np.concatenate(pasts))


def _standardised(values: FloatArray) -> FloatArray:
    if not len(values):
        return values
    scale = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0))


def _coefficients(past: FloatArray, target: FloatArray, folds: int) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LassoCV

    with _filters, warnings.catch_warnings():
        # The least penalties of a path may not converge; they are hardly ever the chosen ones.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Without a seed it would draw one from numpy's global generator, whose state is the caller's.
        return LassoCV(eps=_PATH_END, cv=folds, random_state=0).fit(past, target).coef_
