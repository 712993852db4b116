"""tigramite's larger results: several datasets, regimes, bootstraps; and who takes the pruned dict."""

from __future__ import annotations

import contextlib
import io
from functools import cache

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterError, DataError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.protocols import CompositeAdapter
from grace_plugin.series.panel import Panel
from grace_plugin.testing.contract import AdapterContract, difference, named_edges, outcome_for, require_host

PCMCI = require_host("tigramite.pcmci").PCMCI
ParCorr = require_host("tigramite.independence_tests.parcorr").ParCorr
DataFrame = require_host("tigramite.data_processing").DataFrame

adapter = get_adapter("tigramite")


def pair(length=150, seed=0):
    """A -> B at lag 1 and A - B - C together at lag 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(length, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[:, 2] += x[:, 1]
    return x


@cache
def pcmci():
    host = PCMCI(DataFrame(pair(), var_names=["A", "B", "C"]), ParCorr(), verbosity=0)
    host.run_pcmciplus(tau_max=2, pc_alpha=0.2)
    return host


@cache
def bootstrapped():
    host = PCMCI(DataFrame(pair()), ParCorr(), verbosity=0)
    return host.run_bootstrap_of("run_pcmciplus", {"tau_max": 2, "pc_alpha": 0.05}, boot_samples=3, seed=1)


class TestBootstrap(AdapterContract):
    adapter_name = "tigramite"
    names = ("x0", "x1", "x2")
    edges = (("x0", "x1", 1), ("x1", "x2", 0))
    no_edges = (("x1", "x0", 1), ("x0", "x1", 2))

    def make_native(self):
        return bootstrapped()


class TestSlidingWindow(TestBootstrap):
    def make_native(self):
        host = PCMCI(DataFrame(pair()), ParCorr(), verbosity=0)
        options = {"tau_max": 2, "pc_alpha": 0.01}
        return host.run_sliding_window_of("run_pcmci", options, window_step=50, window_length=100)


def test_a_bootstrap_summary_agrees_with_its_pruned_graph():
    native = bootstrapped()
    skeleton = adapter.to_skeleton(native)
    graph = skeleton.mask.copy()
    graph[0, 1, 1] = False
    pruned = adapter.from_graph(native, graph, outcome=outcome_for(skeleton, graph))
    summary = pruned["summary_results"]
    assert summary["most_frequent_links"][0, 1, 1] == ""
    assert summary["val_matrix_mean"][0, 1, 1] == 0
    assert summary["link_frequency"][0, 1, 1] == 0  # no bootstrap sample was without this link
    assert summary["gates"].shape == graph.shape
    assert difference(pruned["boot_results"], native["boot_results"]) is None
    alone = adapter.from_graph({"summary_results": native["summary_results"]}, graph)["summary_results"]
    assert alone["most_frequent_links"][0, 1, 1] == ""
    np.testing.assert_array_equal(alone["link_frequency"], native["summary_results"]["link_frequency"])


# J-PCMCI+ ------------------------------------------------------------------------------------------


@cache
def joint():
    """A -> B at lag 1; A feels a context in time (tc) and one in space (sc); two dummies."""
    rng = np.random.default_rng(1)
    length, places = 60, 4
    driver = rng.normal(size=length)
    data = {}
    for place in range(places):
        height = rng.normal()
        y = rng.laplace(size=(length, 2))
        y[:, 0] += driver + height
        y[1:, 1] += 0.6 * y[:-1, 0]
        here = np.tile(np.eye(places)[place], (length, 1))
        data[place] = np.column_stack([y, driver, np.full(length, height), np.eye(length), here])
    columns = {node: [(node, 0)] for node in range(4)}
    columns[4] = [(4 + time, 0) for time in range(length)]
    columns[5] = [(4 + length + place, 0) for place in range(places)]
    names = ["A", "B", "tc", "sc", "when", "where"]
    frame = DataFrame(data, analysis_mode="multiple", vector_vars=columns, var_names=names)
    kinds = ["system", "system", "time_context", "space_context", "time_dummy", "space_dummy"]
    host = require_host("tigramite.jpcmciplus").JPCMCIplus(
        node_classification=dict(enumerate(kinds)),
        dataframe=frame,
        cond_ind_test=require_host("tigramite.independence_tests.parcorr_mult").ParCorrMult(),
        verbosity=0,
    )
    host.run_jpcmciplus(tau_max=1, pc_alpha=0.05)
    return host


class TestJpcmciPlus(AdapterContract):
    adapter_name = "tigramite"
    names = ("A", "B", "tc", "sc", "when", "where")
    edges = (("A", "B", 1), ("tc", "A", 0))
    no_edges = (("B", "A", 1), ("A", "tc", 0), ("A", "B", 0))
    options = {"names": names, "context": ["tc", "sc"]}  # noqa: RUF012

    def make_native(self):
        return joint().results


def test_context_is_required_and_dummies_are_no_candidates():
    results = joint().results
    results["graph"][5, 1, 0], results["graph"][1, 5, 0] = "-->", "<--"
    try:
        skeleton = adapter.to_skeleton(joint())
        assert skeleton.required is not None
        required = named_edges(skeleton, skeleton.required)
        assert required == {("tc", "A", 0), ("sc", "A", 0)}
        assert ("A", "B", 1) in named_edges(skeleton)
        assert not skeleton.mask[4:].any()
        pruned = adapter.from_graph(joint(), skeleton.required)
        assert pruned["graph"][5, 1, 0] == "-->"
        assert pruned["graph"][2, 0, 0] == "-->"
        assert pruned["graph"][0, 1, 1] == ""
    finally:
        results["graph"][5, 1, 0] = results["graph"][1, 5, 0] = ""


def test_the_data_of_a_joint_run_have_one_column_per_node():
    panel = adapter.data_of(joint())
    assert isinstance(panel, Panel)
    assert panel.n_variables == 6
    assert panel.names == ("A", "B", "tc", "sc", "when", "where")
    assert [one.values.shape for one in panel.series] == [(60, 6)] * 4
    third = panel.series[2].values
    np.testing.assert_array_equal(third[:, :4], joint().dataframe.values[2][:, :4])
    np.testing.assert_array_equal(third[:, 4], np.arange(60))
    np.testing.assert_array_equal(third[:, 5], 2)
    with pytest.raises(DataError, match=r"vector_vars.*'when', 'where'.*refine\(jpcmciplus\)"):
        adapter.to_panel(joint().dataframe)
    with pytest.raises(DataError, match=r"the nodes \['where'\] are made"):
        adapter.to_panel(joint().dataframe, dummies=["when"])


@pytest.mark.filterwarnings("ignore:.*when.* may have a unit root:grace_plugin.exceptions.DataWarning")
@pytest.mark.parametrize("dummies", [["when", "where"], [4, 5]])
def test_the_dict_of_a_joint_run_with_the_frame_it_ran_on(dummies):
    names = joint().dataframe.var_names
    native = {key: value for key, value in joint().results.items() if key != "dataframe"}
    refined = gp.refine(
        native, joint().dataframe, names=names, context=["tc", "sc"], dummies=dummies, alpha=1e-200
    )
    assert np.argwhere(refined["graph"] == "-->").tolist() == [[2, 0, 0], [3, 0, 0]]


# Time itself, as a context variable, has a trend.
@pytest.mark.filterwarnings(
    "ignore:.*when.* may have a unit root:grace_plugin.pipeline.data_warnings.DataWarning"
)
def test_context_survives_where_everything_else_is_pruned():
    for results in (
        gp.refine(joint(), alpha=1e-200),
        gp.wrap(joint(), alpha=1e-200).run_jpcmciplus(tau_max=1, pc_alpha=0.05),
    ):
        assert np.argwhere(results["graph"] == "-->").tolist() == [[2, 0, 0], [3, 0, 0]]


# RPCMCI --------------------------------------------------------------------------------------------


@cache
def regimes():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(100, 2))
    for t in range(1, len(y)):
        sign = 0.9 if (t // 40) % 2 == 0 else -0.9
        y[t] += [sign * y[t - 1, 0], -sign * y[t - 1, 0]]
    host = require_host("tigramite.rpcmci").RPCMCI(
        dataframe=DataFrame(y, var_names=["A", "B"]), cond_ind_test=ParCorr(), seed=1, verbosity=-1
    )
    with contextlib.redirect_stdout(io.StringIO()):
        search = {"max_transitions": 3, "num_iterations": 3, "max_anneal": 1, "n_jobs": 1}
        found = host.run_rpcmci(num_regimes=2, tau_max=1, pc_alpha=0.05, **search)
    assert found is not None
    return host, found


def masked_run(values, blocked):
    """What RPCMCI does for one regime: PCMCI on its times as targets."""
    mask = np.repeat(blocked[:, None], values.shape[1], axis=1)
    host = PCMCI(DataFrame(values, mask=mask), ParCorr(mask_type="y"), verbosity=0)
    return host.run_pcmci(tau_min=1, tau_max=1, pc_alpha=0.05)


def test_regimes_are_split_and_joined():
    host, native = regimes()
    assert isinstance(adapter, CompositeAdapter)
    assert adapter.is_native(native)
    parts = adapter.split(native)
    assert parts is not None
    assert list(parts) == ["regime 0", "regime 1"]
    for row, part in enumerate(parts.values()):
        assert part.native is native["causal_results"][row]
        assert part.samples is not None
        np.testing.assert_array_equal(part.samples, native["regimes"][row] == 1)
        again = masked_run(host.dataframe.values[0], ~part.samples)
        # RPCMCI updates the regimes once more after its last graphs, so the values need not be equal;
        # but the two regimes have opposite signs.
        np.testing.assert_allclose(again["val_matrix"], part.native["val_matrix"], atol=0.4)
        assert abs(part.native["val_matrix"][0, 0, 1]) > 0.5
    signs = [np.sign(part.native["val_matrix"][0, 0, 1]) for part in parts.values()]
    assert sum(signs) == 0
    skeletons = {key: adapter.to_skeleton(part.native) for key, part in parts.items()}
    for skeleton in skeletons.values():
        assert list(skeleton) == [(0, 0, 1), (0, 1, 1)]
    kept = {key: adapter.from_graph(part.native, skeletons[key].mask) for key, part in parts.items()}
    assert difference(adapter.join(native, kept), native) is None
    empty = adapter.from_graph(parts["regime 0"].native, np.zeros((2, 2, 2), dtype=bool))
    joined = adapter.join(native, kept | {"regime 0": empty})
    assert joined["causal_results"][0] is empty
    assert joined["causal_results"][1] is kept["regime 1"]
    assert (native["causal_results"][0]["graph"] != "").any()


@pytest.mark.filterwarnings("ignore:.*rows are few")
def test_regimes_are_refined_on_their_own_times():
    host, native = regimes()
    refined = gp.refine(native, adapter.data_of(host))
    for key in (0, 1):
        assert refined["causal_results"][key]["graph"][0, 1, 1] == "-->"
        assert refined["causal_results"][key]["gates"][0, 1, 1] > 0.5


def test_a_single_result_is_not_split():
    assert isinstance(adapter, CompositeAdapter)
    assert adapter.split(pcmci().results) is None
    assert adapter.split(pcmci()) is None


def test_the_mask_that_rpcmci_leaves_behind_is_not_used():
    host, native = regimes()
    assert host.dataframe.mask is not None
    panel = adapter.data_of(host)
    assert isinstance(panel, Panel)
    assert panel.series[0].as_target is None
    with pytest.raises(AdapterError, match="pass the dict that run_rpcmci returned"):
        adapter.to_skeleton(host)
    with pytest.raises(AdapterError, match="one graph per regime"):
        adapter.to_skeleton(native)
    with pytest.raises(DataError, match="after RPCMCI"):
        adapter.to_panel(host.dataframe)


# Who takes the pruned dict -------------------------------------------------------------------------


@cache
def pruned():
    """Two edges gone, one of them at lag 0."""
    skeleton = adapter.to_skeleton(pcmci())
    graph = skeleton.mask.copy()
    assert graph[0, 1, 1]
    assert graph[1, 2, 0]
    graph[1, 2, 0] = graph[2, 1, 0] = False
    return adapter.from_graph(pcmci(), graph, outcome=outcome_for(skeleton, graph))


def test_tigramite_prints_the_pruned_dict(capsys):
    results = pruned()
    pcmci().print_results(results, alpha_level=0.05)
    pcmci().print_significant_links(
        p_matrix=results["p_matrix"],
        val_matrix=results["val_matrix"],
        graph=results["graph"],
        alpha_level=0.05,
    )
    printed = capsys.readouterr().out
    assert printed.count("(A -1)") == 2
    assert "(B  0)" not in printed
    assert "(C  0)" not in printed


@pytest.mark.parametrize("plot", ["plot_graph", "plot_time_series_graph"])
def test_tigramite_plots_the_pruned_dict(plot):
    plotting = require_host("tigramite.plotting")
    pyplot = require_host("matplotlib.pyplot")
    results = pruned()
    figure, _ = getattr(plotting, plot)(
        graph=results["graph"], val_matrix=results["val_matrix"], var_names=["A", "B", "C"]
    )
    pyplot.close(figure)


def test_tigramite_estimates_effects_on_the_pruned_dict():
    effects = require_host("tigramite.causal_effects").CausalEffects(
        graph=pruned()["graph"], graph_type="stationary_dag", X=[(0, -1)], Y=[(1, 0)]
    )
    regression = require_host("sklearn.linear_model").LinearRegression()
    effects.fit_total_effect(dataframe=pcmci().dataframe, estimator=regression)
    high, low = effects.predict_total_effect(intervention_data=np.array([[1.0], [0.0]]))
    assert high - low == pytest.approx(0.8, abs=0.2)
