"""A wrapped host can be copied, pickled and sent to workers, and keeps no graph that was not refined."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.testing.contract import require_host

PCMCI = require_host("tigramite.pcmci").PCMCI
ParCorr = require_host("tigramite.independence_tests.parcorr").ParCorr
DataFrame = require_host("tigramite.data_processing").DataFrame


def host():
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    return PCMCI(DataFrame(x), ParCorr(), verbosity=0)


def edges(results):
    return np.argwhere(results["graph"] == "-->").tolist()


def run(wrapped):
    return edges(wrapped.run_pcmci(tau_max=2, pc_alpha=0.4, alpha_level=0.4))


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))],
    ids=["copy", "deep", "pickle"],
)
def test_a_wrapper_is_copied_with_its_options_and_results(copied):
    wrapped = gp.wrap(host(), alpha=1e-4)
    run(wrapped)
    again = copied(wrapped)
    assert edges(again.results) == edges(wrapped.results) == [[0, 1, 1]]
    assert run(again) == [[0, 1, 1]]
    assert repr(again).startswith("grace_plugin.wrap(")


def test_a_wrapper_serves_in_workers_of_joblib():
    wrapped = gp.wrap(host())
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(run)(wrapped) for _ in range(2))
    assert found == [[[0, 1, 1]]] * 2


def test_the_results_that_the_host_keeps_are_shown_refined():
    inner = host()
    wrapped = gp.wrap(inner)
    returned = wrapped.run_pcmci(tau_max=2, pc_alpha=0.4, alpha_level=0.4)
    assert wrapped.results is returned
    assert len(edges(inner.results)) > len(edges(returned)) == 1  # the host itself is left as it is
    inner.run_pcmci(tau_max=1, pc_alpha=0.4, alpha_level=0.4)  # someone else's run: nothing of it was refined
    assert wrapped.results is inner.results


def test_a_name_that_the_host_lacks_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = gp.wrap(host()).no_such_thing
