"""causalts' results, from its real searches."""

from __future__ import annotations

from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from grace_plugin import refine
from grace_plugin.exceptions import AdapterError, DataError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, named_edges, require_host

causalts = require_host("causalts")
PartialCorr = require_host("causalts.ci_tests.parcorr").PartialCorr

mpl.use("Agg")

adapter: Any = get_adapter("causalts")


@cache
def series() -> pd.DataFrame:
    """Lag 1 of each variable, A -> B at lag 1, B -> D at lag 2, D -> E at lag 0 and E follows the time."""
    x = np.random.default_rng(0).laplace(size=(300, 4))
    for t in range(2, len(x)):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.6 * x[t - 1, 0]
        x[t, 2] += 0.5 * x[t - 2, 1]
        x[t, 3] += 0.8 * x[t, 2] + 0.01 * t
    return pd.DataFrame(x, columns=list("ABDE"))


@cache
def cdnots(**options: Any) -> Any:
    if "lag_list" in options:
        options["lag_list"] = list(options["lag_list"])
    return causalts.run_cdnots(series(), PartialCorr(), num_lags=2, **options)


def inner_edges(native: Any) -> set[str]:
    return {str(edge) for edge in native.graph.G.get_graph_edges()}


def cells(native: Any) -> set[tuple[str, str, int]]:
    return named_edges(adapter.to_skeleton(native))


class TestCdnots(AdapterContract):
    adapter_name = "causalts"
    names = ("A", "B", "D", "E")
    edges = (("A", "B", 1), ("B", "D", 2), ("D", "E", 0))
    no_edges = (("B", "A", 1), ("A", "B", 2), ("D", "B", 2), ("A", "B", 0))
    carries_data = True

    def make_native(self) -> Any:
        return cdnots(include_C=False)


class TestCdnotsWithTimeIndex(TestCdnots):
    def make_native(self) -> Any:
        return cdnots(include_C=True)


class TestGrace(AdapterContract):
    """Three epochs of training: what is tested is the form of the result."""

    adapter_name = "causalts"
    names = ("A", "B", "D", "E")
    edges = (("A", "B", 1), ("B", "D", 2))
    no_edges = (("B", "A", 1), ("A", "B", 2), ("D", "B", 2))
    carries_data = True
    supports_lag_zero = False

    def make_native(self) -> Any:
        skeleton = np.zeros((4, 4, 3), dtype=np.int8)
        skeleton[[0, 1, 2, 3, 0, 1, 2], [0, 1, 2, 3, 1, 2, 0], [1, 1, 1, 1, 1, 2, 2]] = 1
        return causalts.run_cdnots_gated(
            series(), 2, skeleton=skeleton, max_epochs=3, model_seed=0, device="cpu", verbose=False
        )


class TestCedar(AdapterContract):
    adapter_name = "causalts"
    names = ("A", "B", "D")
    edges = (("A", "B", 1), ("A", "A", 1))
    no_edges = (("B", "A", 1), ("A", "B", 2))
    carries_data = True
    supports_lag_zero = False

    def make_native(self) -> Any:
        required = [("D", "A", 2), ("D", "B", None)]
        data = series()[["A", "B", "D"]].iloc[:150]
        return causalts.run_cedar(
            data, PartialCorr(), 2, required=required, include_C=True, lag_method="pearson"
        )


def test_the_time_index_is_passed_through():
    native = cdnots(include_C=True, alpha=0.15)
    assert native.cg_tig.shape == (5, 5, 3)
    assert native.cg_tig[4].any(), "the example must have an edge of the time index"
    emptied = adapter.from_graph(native, np.zeros((4, 4, 3), dtype=bool))
    assert not emptied.cg_tig[:4, :4].any()
    assert np.array_equal(emptied.cg_tig[4], native.cg_tig[4])


def test_edges_that_cedar_must_keep_are_required():
    skeleton = adapter.to_skeleton(TestCedar().native)
    assert named_edges(skeleton, skeleton.required) == {("D", "A", 2), ("D", "B", 1), ("D", "B", 2)}


def test_a_lag_list_gives_the_lags():
    native = cdnots(lag_list=(1, 3), include_C=False)
    assert native.cg_tig.shape == (4, 4, 3)
    skeleton = adapter.to_skeleton(native)
    assert skeleton.max_lag == 3
    assert not skeleton.mask[:, :, 2].any()
    assert np.array_equal(skeleton.mask[:, :, 3], native.cg_tig[:, :, 2] == 1)
    assert skeleton.mask[:, :, 3].any()
    graph = skeleton.mask.copy()
    graph[:, :, 3] = False
    pruned = adapter.from_graph(native, graph)
    assert not pruned.cg_tig[:, :, 2].any()
    assert np.array_equal(pruned.cg_tig[:, :, :2], native.cg_tig[:, :, :2])


def test_a_result_without_lags_is_contemporaneous():
    native = causalts.run_cdnots(series(), PartialCorr(), num_lags=0, include_C=False)
    assert adapter.to_skeleton(native).max_lag == 0
    assert cells(refine(native)) == {("D", "E", 0), ("E", "D", 0)}


def test_the_inner_graph_follows_with_its_time_shifted_copies():
    native = cdnots(include_C=False)
    graph = adapter.to_skeleton(native).mask.copy()
    graph[0, 1, 1] = False
    pruned = adapter.from_graph(native, graph)
    assert inner_edges(native) - inner_edges(pruned) == {"X4 --> X1", "X8 --> X5"}
    graph[2, 3, 0] = graph[3, 2, 0] = False
    again = adapter.from_graph(native, graph)
    assert {"X2 --- X3", "X6 --- X7", "X10 --- X11"} <= inner_edges(native) - inner_edges(again)


def test_the_gates_of_grace_are_scores_and_stay():
    native = TestGrace().native
    skeleton = adapter.to_skeleton(native)
    assert np.allclose(skeleton.scores, native.gate_values)
    emptied = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    assert np.array_equal(emptied.gate_values, native.gate_values)
    assert not emptied.cg_tig.any()
    assert emptied.cg_tig.dtype == native.cg_tig.dtype


def test_fitted_models_of_the_old_graph_are_forgotten():
    native = adapter.from_graph(cdnots(include_C=False), adapter.to_skeleton(cdnots(include_C=False)).mask)
    native._scm_cache["linear"] = "a model"
    same = adapter.from_graph(native, adapter.to_skeleton(native).mask)
    pruned = adapter.from_graph(native, np.zeros((4, 4, 3), dtype=bool))
    assert same._scm_cache == {"linear": "a model"}
    assert pruned._scm_cache == {}
    assert native._scm_cache == {"linear": "a model"}


@pytest.mark.filterwarnings("ignore:Graphviz layout unavailable")
def test_the_pruned_object_keeps_its_plots():
    for native in (cdnots(include_C=True), TestGrace().native):
        graph = adapter.to_skeleton(native).mask.copy()
        graph[0, 1, 1] = False
        pruned = adapter.from_graph(native, graph)
        figure = pruned.plot()[0]
        assert figure.axes
        figure.clear()


def test_refine_prunes_the_false_edges_with_the_data_of_the_result():
    native = cdnots(include_C=False, alpha=0.3)
    true = {(name, name, 1) for name in "ABDE"} | {("A", "B", 1), ("B", "D", 2), ("D", "E", 0), ("E", "D", 0)}
    before, after = cells(native), cells(refine(native))
    assert before - true, "the example must hold false edges"
    assert len(after - true) < len(before - true)
    assert before & true <= after


def test_columns_are_matched_by_name():
    native = cdnots(include_C=False)
    assert cells(refine(native, series()[["E", "A", "D", "B"]])) >= {("A", "B", 1), ("B", "D", 2)}
    with pytest.raises(DataError, match="different variables"):
        refine(native, series().rename(columns={"A": "Z"}))
    with pytest.raises(DataError, match="4 variables"):
        refine(native, series()[["A", "B"]])


@pytest.mark.parametrize(
    ("field", "value"), [("lag_list", [1, 2, 3]), ("lag_list", [1, 1]), ("var_names", list("ABCDEF"))]
)
def test_a_result_that_contradicts_itself_is_refused(field, value):
    native = adapter.from_graph(cdnots(include_C=False), adapter.to_skeleton(cdnots(include_C=False)).mask)
    setattr(native, field, value)
    with pytest.raises(AdapterError, match="belong together"):
        adapter.to_skeleton(native)


@pytest.mark.parametrize(
    "other", [None, np.zeros((2, 2, 2)), {"cg_tig": np.zeros((2, 2, 2))}, causalts.GraceResult]
)
def test_other_objects_are_not_recognised(other):
    assert not adapter.is_native(other)
