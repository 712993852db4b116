"""Least squares of a vector autoregression in which each equation has regressors of its own.

Everything statsmodels derives from the unrestricted fit (standard errors, information criteria) is
recomputed for the restricted one; numpy only, so that it can be checked without the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class RestrictedFit:
    """One fit: arrays [regressor, equation] and what follows from them.

    `cov_params` is ordered like statsmodels' own: index regressor * n_equations + equation. Its rows
    and columns of excluded coefficients are 0, for these are known and not estimated.
    """

    params: FloatArray
    residuals: FloatArray
    sigma_u: FloatArray
    sigma_u_mle: FloatArray
    cov_params: FloatArray
    n_free: npt.NDArray[np.int64]  # [equation]


def fit_restricted(regressors: FloatArray, targets: FloatArray, kept: BoolArray) -> RestrictedFit:
    """Fit every equation by ordinary least squares on its own `kept[:, equation]` regressors."""
    params = np.zeros(kept.shape)
    inverses = np.zeros((kept.shape[1], kept.shape[0], kept.shape[0]))
    gram = regressors.T @ regressors
    for equation in range(kept.shape[1]):
        own = np.flatnonzero(kept[:, equation])
        if own.size:
            solution = np.linalg.lstsq(regressors[:, own], targets[:, equation], rcond=1e-15)
            params[own, equation] = solution[0]
            inverses[equation][np.ix_(own, own)] = np.linalg.inv(gram[np.ix_(own, own)])
    residuals = targets - regressors @ params
    n_free = kept.sum(axis=0)
    products = residuals.T @ residuals
    # Each equation has its own degrees of freedom; the geometric mean of two keeps the matrix
    # positive definite and is statsmodels' own divisor where nothing is excluded.
    freedom = np.sqrt(np.outer(len(targets) - n_free, len(targets) - n_free))
    sigma_u = products / freedom
    return RestrictedFit(
        params, residuals, sigma_u, products / len(targets), _covariance(inverses, gram, sigma_u), n_free
    )


def _covariance(inverses: FloatArray, gram: FloatArray, sigma_u: FloatArray) -> FloatArray:
    """Cov(b_i, b_j) = sigma_ij (Zi'Zi)^-1 Zi'Zj (Zj'Zj)^-1 for every pair of equations i, j."""
    n_equations, n_regressors, _ = inverses.shape
    half = inverses @ gram
    blocks = np.einsum("irs,jst->ijrt", half, inverses) * sigma_u[:, :, None, None]
    side = n_equations * n_regressors
    covariance: FloatArray = blocks.transpose(2, 0, 3, 1).reshape(side, side)
    return covariance


def information_criteria(fit: RestrictedFit) -> dict[str, float]:
    """Statsmodels' four criteria, counting only the coefficients that were estimated."""
    rows, equations = fit.residuals.shape
    _, log_det = np.linalg.slogdet(fit.sigma_u_mle)
    free = int(fit.n_free.sum())
    per_equation = free / equations
    return {
        "aic": log_det + 2.0 / rows * free,
        "bic": log_det + np.log(rows) / rows * free,
        "hqic": log_det + 2.0 * np.log(np.log(rows)) / rows * free,
        "fpe": ((rows + per_equation) / (rows - per_equation)) ** equations * np.exp(log_det),
    }


def coefficient_tests(fit: RestrictedFit, kept: BoolArray) -> dict[str, Any]:
    """Standard errors, t and p values [regressor, equation]; NaN where nothing was estimated."""
    from scipy import stats

    errors = np.sqrt(fit.cov_params.diagonal()).reshape(kept.shape)
    t_values = np.full(kept.shape, np.nan)
    np.divide(fit.params, errors, out=t_values, where=kept)
    return {
        "stderr": errors,
        "bse": errors,
        "tvalues": t_values,
        "pvalues": 2 * stats.norm.sf(np.abs(t_values)),
    }
