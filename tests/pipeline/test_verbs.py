"""refine, analyze and wrap on real tigramite output, and what they say when something is off."""

from __future__ import annotations

import copy
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from tigramite import data_processing as pp
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

import grace_plugin as gp
from grace_plugin.exceptions import DataError, OptionError, UnknownAdapterError

mpl.use("Agg")
TRUE = {(0, 1, 1), (1, 2, 2), (3, 0, 2), *((i, i, 1) for i in range(4))}


def series(rows: int = 500, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.5 * x[t - 1, 0]
        x[t, 2] += 0.5 * x[t - 2, 1]
        x[t, 0] += 0.5 * x[t - 2, 3]
    return x


@pytest.fixture
def dataframe() -> pp.DataFrame:
    return pp.DataFrame(series(), var_names=["a", "b", "c", "d"])


@pytest.fixture
def pcmci(dataframe: pp.DataFrame) -> PCMCI:
    return PCMCI(dataframe=dataframe, cond_ind_test=ParCorr(), verbosity=0)


def edges(result: dict[str, Any]) -> set[tuple[int, int, int]]:
    return {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(result["graph"] == "-->")}


def plots(result: dict[str, Any]) -> None:
    from matplotlib import pyplot as plt
    from tigramite import plotting

    figure, _ = plotting.plot_graph(graph=result["graph"], val_matrix=result["val_matrix"])
    plt.close(figure)


def test_the_three_ways_agree_and_tigramite_plots_them(pcmci: PCMCI, dataframe: pp.DataFrame) -> None:
    results = pcmci.run_pcmci(tau_max=5, pc_alpha=0.2, alpha_level=0.1)
    untouched = copy.deepcopy(results)
    with_data = gp.refine(results, dataframe)
    from_object = gp.refine(pcmci)
    wrapped = gp.wrap(pcmci).run_pcmci(tau_max=5, pc_alpha=0.2, alpha_level=0.1)
    assert edges(results) > TRUE
    assert edges(with_data) == edges(from_object) == edges(wrapped) == TRUE
    for result in (with_data, from_object, wrapped):
        assert isinstance(result, dict)
        plots(result)
    for key, value in untouched.items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(results[key], value, equal_nan=value.dtype.kind == "f")


def test_a_wrapped_result_holds_its_data(pcmci: PCMCI) -> None:
    wrapped = gp.wrap(pcmci)
    result = wrapped.run_pcmci(tau_max=3)
    assert edges(gp.refine(result)) == edges(result)
    assert wrapped.N == pcmci.N
    assert "run_pcmci" in dir(wrapped)
    assert "wrap(" in repr(wrapped)
    wrapped.verbosity = 0
    assert pcmci.verbosity == 0


def test_wrap_takes_options(pcmci: PCMCI) -> None:
    assert not edges(gp.wrap(pcmci, penalty=50.0).run_pcmci(tau_max=2))


def test_analyze_tells_all(pcmci: PCMCI, dataframe: pp.DataFrame) -> None:
    refinement = gp.analyze(pcmci.run_pcmci(tau_max=3), dataframe)
    assert list(refinement.edges.columns[:8]) == [
        "cause", "effect", "lag", "gate", "gain", "p_value", "q_value", "probability",
    ]  # fmt: skip
    assert set(refinement.edges.reason) <= {"gate", "certificate", "keep"}
    assert refinement.names == ("a", "b", "c", "d")
    assert refinement.graph[0, 1, 1]
    graph = refinement.to_networkx()
    assert graph.has_edge(("a", -1), ("b", 0))
    assert not graph.has_edge(("b", -1), ("a", 0))
    native = refinement.to_tigramite()
    assert native["graph"][1, 2, 2] == "-->"
    plots(native)


def test_columns_are_matched_by_name(pcmci: PCMCI) -> None:
    results = pcmci.run_pcmci(tau_max=3)
    named = gp.get_adapter("networkx")
    graph = gp.analyze(results, series()).to_networkx()
    renamed = {"x0": "a", "x1": "b", "x2": "c", "x3": "d"}
    import networkx as nx

    graph = nx.relabel_nodes(graph, {node: (renamed[node[0]], node[1]) for node in graph})
    frame = pd.DataFrame(series(), columns=list("abcd"))[["d", "b", "a", "c"]]
    assert named.is_native(graph)
    refined = gp.refine(graph, frame)
    assert refined.has_edge(("a", -1), ("b", 0))
    with pytest.raises(OptionError, match="name different variables"):
        gp.refine(graph, frame.rename(columns={"a": "z"}))


def test_missing_data_and_wrong_sizes_get_a_sentence(pcmci: PCMCI) -> None:
    results = pcmci.run_pcmci(tau_max=2)
    with pytest.raises(DataError, match="does not hold its own data"):
        gp.refine(results)
    with pytest.raises(DataError, match="4 variables"):
        gp.refine(results, series()[:, :3])
    with pytest.raises(DataError, match="holds no data"):
        gp.analyze(gp.Skeleton(np.zeros((2, 2, 2), bool)))


def test_unknown_options_are_refused(pcmci: PCMCI) -> None:
    results = pcmci.run_pcmci(tau_max=2)
    with pytest.raises(OptionError, match="Did you mean 'alpha'"):
        gp.refine(results, series(), alhpa=0.1)
    with pytest.raises(UnknownAdapterError, match="no adapter called"):
        gp.refine(results, series(), adapter="nonsense")


def test_streams_lists_and_dicts_of_data_agree(pcmci: PCMCI) -> None:
    results = pcmci.run_pcmci(tau_max=3)
    x = series(900)
    whole = gp.analyze(results, x)
    streamed = gp.analyze(results, (x[start : start + 100] for start in range(0, 900, 100)))
    assert streamed.outcome.rows_used == whole.outcome.rows_used == 900 - 5
    assert np.array_equal(streamed.graph, whole.graph)
    several = gp.analyze(results, {"one": x[:450], "two": x[450:]})
    assert several.outcome.rows_used == 900 - 2 * 5
    assert np.array_equal(several.graph, gp.analyze(results, [x[:450], x[450:]]).graph)


def test_missing_values_leave_out_their_windows(pcmci: PCMCI) -> None:
    x = series()
    x[100, 2] = np.nan
    refinement = gp.analyze(pcmci.run_pcmci(tau_max=3), x)
    assert refinement.outcome.rows_used == 500 - 5 - 6  # five lags are looked at
    assert edges(refinement.native) >= TRUE


def test_refine_is_idempotent(pcmci: PCMCI, dataframe: pp.DataFrame) -> None:
    once = gp.refine(pcmci.run_pcmci(tau_max=3), dataframe)
    assert edges(gp.refine(once, dataframe)) == edges(once)


def test_an_edge_list_need_not_name_variables_without_edges() -> None:
    frame = pd.DataFrame(series(), columns=list("abcd"))
    kept = gp.refine([("a", "b", 1), ("b", "a", 1)], frame)
    assert kept == [("a", "b", 1)]
    with pytest.raises(OptionError, match=r"the graph speaks of \['z'\]"):
        gp.refine([("a", "z", 1)], frame)


def test_the_summary_says_which_causes_act_together() -> None:
    x = np.random.default_rng(0).normal(size=(600, 3))
    x[2:, 2] += x[:-2, 0] * x[1:-1, 1]
    found = gp.discover(x, 2, progress=False)
    assert set(found.native) == {(0, 2, 2), (1, 2, 1)}
    together = (
        "at lag 1 acts together with x0 at lag 2 on x2.",
        "at lag 2 acts together with x1 at lag 1 on x2.",
    )
    assert any(words in found.summary() for words in together)
