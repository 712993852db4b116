"""statsmodels' vector autoregressions: the result comes back refitted on the pruned graph."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import AdapterError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton

from ._statsmodels_restricted import RestrictedFit, coefficient_tests, fit_restricted, information_criteria

_REFUSED = {
    "SVARResults": "its structural matrices were estimated from the unrestricted fit",
    "VARMAXResults": "it is a state-space model whose coefficients are estimated by maximum likelihood",
    "VECMResults": "its lags are lags of differences beside a cointegration term, not edges",
}


class StatsmodelsAdapter:
    """Takes the result of `VAR(...).fit(...)`; every coefficient that is not zero is an edge.

    The refined result is refitted by least squares, each equation on its surviving lags and on all
    deterministic and exogenous terms, so that forecasts, impulse responses and standard errors are
    those of the pruned model. Pruned coefficients are exactly 0 with standard error 0 and p-value NaN.
    """

    name = "statsmodels"
    accepts = "the result of statsmodels' VAR(...).fit(...) (it holds its own data)"

    def is_native(self, obj: object) -> bool:
        """Whether `obj` is a VARResults, wrapped or not, or a relative that is refused with a reason."""
        return _results_class(obj) is not None

    def to_skeleton(self, native: Any) -> Skeleton:
        """The coefficients that are not zero, absolute values as scores; there is no lag 0."""
        coefficients = np.asarray(_inner(native).coefs)  # [lag - 1, effect, cause]
        now = np.zeros((1, *coefficients.shape[1:]))
        stack = np.concatenate([now, coefficients]).transpose(2, 1, 0)
        return Skeleton(stack != 0, _inner(native).names, np.abs(stack))

    def from_graph(self, native: Any, graph: BoolArray, *, outcome: Outcome | None = None) -> Any:
        """A result of the same type, refitted by least squares on the edges of `graph`."""
        del outcome
        inner = _inner(native)
        result = copy.copy(inner)
        if hasattr(inner, "_cache"):
            result._cache = dict(inner._cache)
        if (self.to_skeleton(native).mask & ~graph).any():
            _refit(result, _kept_regressors(inner, graph))
        return result if inner is native else _wrapped(type(native), result)

    def data_of(self, native: Any) -> Any:
        """The series that the model was fitted to, as the caller gave them."""
        inner = _inner(native)
        original = inner.model.data.orig_endog
        return inner.endog if original is None or len(original) != len(inner.endog) else original


def _results_class(obj: object) -> str | None:
    for kind in type(obj).__mro__:
        name = kind.__name__.removesuffix("Wrapper")
        if kind.__module__.startswith("statsmodels.") and name in {"VARResults", *_REFUSED}:
            return name
    return None


def _inner(native: Any) -> Any:
    """The results object itself, without statsmodels' wrapper around it."""
    name = _results_class(native)
    if name in _REFUSED:
        msg = (
            f"A {name} cannot be refined: {_REFUSED[name]}. Fit a plain vector autoregression, "
            "statsmodels.tsa.api.VAR(data).fit(maxlags), and refine its result."
        )
        raise AdapterError(msg)
    return getattr(native, "_results", native)


def _kept_regressors(inner: Any, graph: BoolArray) -> BoolArray:
    """[regressor, equation]: deterministic and exogenous terms first, then (lag, cause)."""
    lagged = graph[:, :, 1:].transpose(2, 0, 1).reshape(-1, inner.neqs)
    always = np.ones((inner.k_exog, inner.neqs), dtype=np.bool_)
    return np.concatenate([always, lagged])


def _wrapped(wrapper: type, result: Any) -> Any:
    made = wrapper(result)
    if "cov_params" in vars(result):  # statsmodels' wrapper would call the method of the class instead
        made.cov_params = partial(_labelled_covariance, result)
    return made


def _labelled_covariance(result: Any) -> Any:
    return result.model.data.wrap_output(result.cov_params(), "cov")


def _refit(result: Any, kept: BoolArray) -> None:
    """Make `result`, a fresh copy, that of the restricted model."""
    targets: FloatArray = np.asarray(result.endog, dtype=np.float64)[result.k_ar :]
    fit = fit_restricted(np.asarray(result.endog_lagged, dtype=np.float64), targets, kept)
    lagged = fit.params[result.k_exog :].reshape(result.k_ar, result.neqs, result.neqs)
    result.params = fit.params
    result.coefs = lagged.swapaxes(1, 2).copy()
    result.coefs_exog = fit.params[: result.k_exog].T
    if result.k_trend:
        result.intercept = result.coefs_exog[:, 0]
    result.sigma_u = fit.sigma_u
    # statsmodels derives these from the unrestricted fit; an attribute of the object is found before
    # the method of its class, and a filled cache before the computation.
    result.cov_params = partial(np.copy, fit.cov_params)
    result._cache = _derived(fit, kept, result.k_exog)


def _derived(fit: RestrictedFit, kept: BoolArray, k_exog: int) -> dict[str, npt.NDArray[Any] | Any]:
    tests = coefficient_tests(fit, kept)
    parts = {
        f"{name}_{part}": tests[name][rows]
        for name in ("stderr", "tvalues", "pvalues")
        for part, rows in (("endog_lagged", slice(k_exog, None)), ("dt", slice(None, k_exog)))
    }
    return {
        **tests,
        **parts,
        "resid": fit.residuals,
        "sigma_u_mle": fit.sigma_u_mle,
        "info_criteria": information_criteria(fit),
    }
