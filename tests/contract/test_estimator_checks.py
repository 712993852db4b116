"""scikit-learn's own checks of estimators; those that cannot pass are named with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import grace_plugin as gp

_FEW = "its data have fewer than 20 rows with a past"
_WORDS = "the data are refused, in words of this library"
EXPECTED_FAILURES = {
    "check_dont_overwrite_parameters": _FEW,
    "check_n_features_in_after_fitting": _FEW,
    "check_estimators_dtypes": _FEW,
    "check_f_contiguous_array_estimator": _FEW,
    "check_methods_subset_invariance": _FEW,
    "check_dict_unchanged": _FEW,
    "check_fit2d_predict1d": _FEW,
    "check_methods_sample_order_invariance": "rows are times, and their order is what is learned from",
    "check_complex_data": _WORDS,
    "check_estimators_empty_data_messages": _WORDS,
    "check_fit2d_1sample": _WORDS,
    "check_fit2d_1feature": _WORDS,
    "check_dtype_object": "objects are no numbers; categories come as pandas categoricals",
    "check_array_api_input": "runs only where scipy's switch for other arrays is set",
}


@pytest.mark.filterwarnings("ignore")  # data of the checks are odd on purpose
@pytest.mark.parametrize(
    ("made", "check"),
    [
        pytest.param(made, check, id=getattr(check, "func", check).__name__)
        for made, check in estimator_checks_generator(gp.GraceDiscovery(max_lag=1))
    ],
)
def test_checks_of_scikit_learn(made: Any, check: Any) -> None:
    name = getattr(check, "func", check).__name__
    if name not in EXPECTED_FAILURES:
        check(made)
        return
    with pytest.raises(BaseException) as failure:  # noqa: PT011
        check(made)
    assert not isinstance(failure.value, KeyboardInterrupt)
