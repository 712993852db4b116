"""tigramite's results: every method, every mark, and what tigramite does with the pruned dict."""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
import pytest

from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract, difference, named_edges, outcome_for, require_host

PCMCI = require_host("tigramite.pcmci").PCMCI
LPCMCI = require_host("tigramite.lpcmci").LPCMCI
ParCorr = require_host("tigramite.independence_tests.parcorr").ParCorr
DataFrame = require_host("tigramite.data_processing").DataFrame

NAMES = ("A", "B", "C", "D")
LAGGED = (("x0", "x1", 1), ("x1", "x2", 2), ("x3", "x0", 2))
NO_EDGES = (("x1", "x0", 1), ("x0", "x1", 2), ("x2", "x1", 2), ("x0", "x3", 2), ("x1", "x2", 1))
CONTEMPORANEOUS = ("x2", "x3", 0)

adapter = get_adapter("tigramite")


def river(length=300):
    """A -> B at lag 1, B -> C at lag 2, D -> A at lag 2, C -> D at lag 0, and a memory of each."""
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(length, 4))
    for t in range(2, length):
        x[t, 0] += 0.3 * x[t - 1, 0] + 0.5 * x[t - 2, 3]
        x[t, 1] += 0.3 * x[t - 1, 1] + 0.5 * x[t - 1, 0]
        x[t, 2] += 0.3 * x[t - 1, 2] + 0.5 * x[t - 2, 1]
        x[t, 3] += 0.3 * x[t - 1, 3] + 0.6 * x[t, 2]
    return x


def host(kind=PCMCI, **test):
    return kind(DataFrame(river(), var_names=list(NAMES)), ParCorr(**test), verbosity=0)


@cache
def result_of(method, **options):
    """A fresh run; the cached dict is never handed out to be changed."""
    kind = LPCMCI if method == "run_lpcmci" else PCMCI
    test = {"confidence": "analytic"} if method == "run_pcmci" else {}
    return getattr(host(kind, **test), method)(tau_max=2, **options)


def marked(marks):
    """A result dict with the given marks; lag-0 marks are mirrored as tigramite does."""
    graph = np.full((3, 3, 2), "", dtype="<U3")
    for (cause, effect, lag), mark in marks.items():
        graph[cause, effect, lag] = mark
        if lag == 0:
            graph[effect, cause, 0] = mark[::-1].translate(str.maketrans("<>", "><"))
    return {"graph": graph, "p_matrix": np.ones(graph.shape), "val_matrix": np.zeros(graph.shape)}


class TigramiteContract(AdapterContract):
    adapter_name = "tigramite"
    names = ("x0", "x1", "x2", "x3")
    edges = (*LAGGED, CONTEMPORANEOUS)
    no_edges = NO_EDGES

    def marks(self, native):
        graph = native if isinstance(native, np.ndarray) else native["graph"]
        return {(f"x{c}", f"x{e}", int(lag)): str(graph[c, e, lag]) for c, e, lag in np.argwhere(graph != "")}


class TestPcmci(TigramiteContract):
    def make_native(self):
        return result_of("run_pcmci", pc_alpha=0.05)


class TestPcmciPlus(TigramiteContract):
    no_edges = (*NO_EDGES, ("x3", "x2", 0))

    def make_native(self):
        return result_of("run_pcmciplus", pc_alpha=0.01)


class TestLpcmci(TigramiteContract):
    no_edges = (*NO_EDGES, ("x0", "x0", 0))

    def make_native(self):
        return result_of("run_lpcmci", pc_alpha=0.01)


class TestPcAlg(TigramiteContract):
    def make_native(self):
        return result_of("run_pcalg", pc_alpha=0.01)


class TestFullCi(TigramiteContract):
    def make_native(self):
        return result_of("run_fullci", alpha_level=0.01)


class TestBivCi(TigramiteContract):
    no_edges = (*NO_EDGES, ("x1", "x2", 0))

    def make_native(self):
        return result_of("run_bivci", alpha_level=1e-6)


class TestGraphArray(TigramiteContract):
    def make_native(self):
        return result_of("run_pcmciplus", pc_alpha=0.01)["graph"]


class TestWithData(TigramiteContract):
    names = NAMES
    edges = (("A", "B", 1), ("C", "D", 0))
    no_edges = (("B", "A", 1), ("A", "B", 2), ("D", "C", 0))
    carries_data = True

    def make_native(self):
        return result_of("run_pcmciplus", pc_alpha=0.01) | {"dataframe": host().dataframe}

    def marks(self, native):
        return {("A", "B", 1): native["graph"][0, 1, 1]}


@pytest.mark.parametrize(
    "mark", ["-->", "o->", "<->", "o-o", "x-x", "x->", "+->", "---", "<--", "--o", "o-x"]
)
def test_every_mark_at_a_lag_is_a_candidate(mark):
    native = marked({(0, 1, 1): mark, (1, 2, 1): "-->"})
    skeleton = adapter.to_skeleton(native)
    assert list(skeleton) == [(0, 1, 1), (1, 2, 1)]
    graph = skeleton.mask.copy()
    graph[0, 1, 1] = False
    assert difference(adapter.from_graph(native, graph), marked({(1, 2, 1): "-->"})) is None


@pytest.mark.parametrize("mark", ["-->", "o->", "x->", "+->"])
def test_one_arrowhead_at_lag_zero_is_a_direction(mark):
    skeleton = adapter.to_skeleton(marked({(0, 1, 0): mark}))
    assert np.argwhere(skeleton.mask).tolist() == [[0, 1, 0]]
    skeleton = adapter.to_skeleton(marked({(2, 0, 0): mark}))
    assert np.argwhere(skeleton.mask).tolist() == [[2, 0, 0]]


@pytest.mark.parametrize("mark", ["o-o", "x-x", "---", "<->", "o--", "x-o", "--x"])
def test_other_marks_at_lag_zero_are_one_unoriented_pair(mark):
    native = marked({(0, 1, 0): mark, (1, 2, 0): "-->"})
    skeleton = adapter.to_skeleton(native)
    assert list(skeleton) == [(0, 1, 0), (1, 2, 0)]
    assert np.argwhere(skeleton.unoriented).tolist() == [[0, 1], [1, 0]]
    graph = skeleton.mask.copy()
    graph[0, 1, 0] = graph[1, 0, 0] = False
    assert difference(adapter.from_graph(native, graph), marked({(1, 2, 0): "-->"})) is None


def test_unknown_marks_and_loops_are_passed_through():
    native = marked(
        {(0, 1, 1): "~~>", (1, 0, 1): "o?>", (0, 2, 0): "~-~", (1, 1, 0): "-->", (2, 1, 1): "-->"}
    )
    skeleton = adapter.to_skeleton(native)
    assert list(skeleton) == [(2, 1, 1)]
    pruned = adapter.from_graph(native, np.zeros_like(skeleton.mask))
    expected = native["graph"].copy()
    expected[2, 1, 1] = ""
    assert (pruned["graph"] == expected).all()


def test_matrices_agree_with_the_pruned_graph():
    native = result_of("run_pcmci", pc_alpha=0.05)
    skeleton = adapter.to_skeleton(native)
    graph = skeleton.mask.copy()
    gone = [(0, 1, 1), (2, 3, 0), (3, 2, 0)]
    for cell in gone:
        graph[cell] = False
    pruned = adapter.from_graph(native, graph, outcome=outcome_for(skeleton, graph))
    for cell in gone:
        assert (pruned["graph"][cell], pruned["p_matrix"][cell], pruned["val_matrix"][cell]) == ("", 1.0, 0.0)
        assert (pruned["conf_matrix"][cell] == 0).all()
    left = np.ones(graph.shape, dtype=bool)
    for cell in gone:
        left[cell] = False
    for key in ("graph", "p_matrix", "val_matrix", "conf_matrix"):
        assert (pruned[key][left] == native[key][left]).all()
        assert pruned[key].dtype == native[key].dtype
    assert pruned["gates"][1, 2, 2] == 1.0
    assert pruned["grace_gain"].shape == pruned["grace_p_value"].shape == graph.shape


def test_scores_are_absolute_test_statistics():
    native = result_of("run_pcmci", pc_alpha=0.05)
    np.testing.assert_array_equal(adapter.to_skeleton(native).scores, np.abs(native["val_matrix"]))


def test_forced_links_are_required():
    assumptions = {j: {(i, -lag): "o?>" for i in range(4) for lag in (1, 2)} for j in range(4)}
    assumptions[1][3, -1] = "-->"
    for method in ("run_pcmci", "run_pcmciplus"):
        native = getattr(host(), method)(tau_max=2, pc_alpha=0.05, link_assumptions=assumptions)
        skeleton = adapter.to_skeleton(native)
        assert skeleton.required is not None
        assert np.argwhere(skeleton.required).tolist() == [[3, 1, 1]]


def test_an_object_stands_for_its_results():
    pcmci = host()
    results = pcmci.run_pcmciplus(tau_max=2, pc_alpha=0.01)
    before = copy.deepcopy(results)
    skeleton = adapter.to_skeleton(pcmci)
    assert skeleton.names == NAMES
    assert adapter.is_native(pcmci)
    assert ("A", "B", 1) in named_edges(skeleton)
    pruned = adapter.from_graph(pcmci, np.zeros_like(skeleton.mask))
    assert type(pruned) is dict
    assert not (pruned["graph"] != "").any()
    assert pruned.keys() == results.keys()
    assert difference(pcmci.results, before) is None
    assert adapter.data_of(pcmci) is pcmci.dataframe


def test_an_lpcmci_object_stands_for_its_arrays():
    lpcmci = host(LPCMCI)
    with pytest.raises(AdapterError, match="LPCMCI object has no results yet"):
        adapter.to_skeleton(lpcmci)
    results = lpcmci.run_lpcmci(tau_max=2, pc_alpha=0.01)
    kept = adapter.from_graph(lpcmci, adapter.to_skeleton(lpcmci).mask)
    assert difference(kept, results) is None


def test_an_object_before_its_run_is_refused():
    with pytest.raises(AdapterError, match=r"PCMCI object has no results yet; call one of its run_\*"):
        adapter.to_skeleton(host())


def test_a_result_without_graph_is_refused():
    native = host().get_lagged_dependencies(tau_max=2, val_only=True)
    assert adapter.is_native(native)
    with pytest.raises(AdapterError, match=r"no graph, only .*val_only=True"):
        adapter.to_skeleton(native)


@pytest.mark.parametrize(
    "graph", [np.ones((2, 2, 2), dtype=bool), np.full((2, 2), ""), np.full((0, 0, 2), "")]
)
def test_a_graph_of_another_kind_is_refused(graph):
    with pytest.raises(AdapterError, match="edge marks as an array of strings"):
        adapter.to_skeleton({"graph": graph})


def test_results_of_data_without_time_have_lag_zero_only():
    native = host().run_pcalg_non_timeseries_data(pc_alpha=0.01)
    skeleton = adapter.to_skeleton(native)
    assert skeleton.max_lag == 0
    assert len(skeleton) > 0


def test_names_and_context_can_be_given():
    native = marked({(0, 1, 0): "-->", (1, 2, 1): "-->", (1, 1, 1): "-->"})
    skeleton = adapter.to_skeleton(native, names=["sun", "rain", "flow"], context=["sun"])
    assert skeleton.names == ("sun", "rain", "flow")
    assert skeleton.required is not None
    assert np.argwhere(skeleton.required).tolist() == [[0, 1, 0]]
    assert adapter.to_skeleton(native, context=[0]).required is not None
    for wrong in (["moon"], [3], [-1]):
        with pytest.raises(OptionError, match="context= names"):
            adapter.to_skeleton(native, context=wrong)
