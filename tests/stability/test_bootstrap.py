from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from grace_plugin.exceptions import DataError, OptionError, UnknownResultError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.discovery import discover
from grace_plugin.pipeline.verbs import analyze
from grace_plugin.series.panel import as_panel
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.plan import make_plan
from grace_plugin.stability.shared_sums import shared_sums
from grace_plugin.stability.window_runner import WindowRunner, cut, linear_signs
from grace_plugin.stability.windows import Timeline, draw_windows

Array = npt.NDArray[np.float64]


def chain(rows: int = 600, seed: int = 0) -> Array:
    """a -> b at lag 1 (positive), b -> c at lag 2 (negative)."""
    x = np.random.default_rng(seed).normal(size=(rows, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[2:, 2] -= 0.8 * x[:-2, 1]
    return x


def framed(values: Array, start: str = "2024-01-01") -> pd.DataFrame:
    index = pd.date_range(start, periods=len(values), freq="D")
    return pd.DataFrame(values, index=index, columns=list("abc"))


TRUE_CELLS = [[0, 1, 1], [1, 2, 2]]


def full_graph() -> nx.DiGraph:
    nodes = "abc"
    return nx.DiGraph([((c, -lag), (e, 0)) for c in nodes for e in nodes for lag in (1, 2)])


def test_every_run_is_what_discover_finds_in_its_window() -> None:
    x = chain()
    found = bootstrap("basis", x, max_lag=2, window=150, runs=4, seed=5)
    for row, window in enumerate(found.windows):
        (span,) = window.spans
        alone = discover(x[span.first : span.stop], max_lag=2)
        np.testing.assert_array_equal(found.presence[row], alone.graph)
        np.testing.assert_allclose(found.records[row].gates, alone.gates[alone.gates > 0], rtol=1e-9)


def test_the_stable_graph_is_the_true_one_with_signs_and_lags() -> None:
    found = bootstrap("basis", framed(chain()), max_lag=3, window=200, runs=12)
    assert np.argwhere(found.graph).tolist() == TRUE_CELLS
    assert found.pair_frequency[0, 1] == found.frequency[0, 1, 1] == 1.0
    kept = found.edges[found.edges.kept].set_index(["cause", "effect"])
    assert kept.loc[("a", "b"), ["lag", "median_lag", "sign", "sign_consistency"]].tolist() == [1, 1, "+", 1]
    assert kept.loc[("b", "c"), ["lag", "median_lag", "sign", "lag_spread"]].tolist() == [2, 2, "-", 0]
    assert kept.gate.between(0.9, 1.0).all()
    assert isinstance(found.native, Skeleton)
    assert found.native.names == ("a", "b", "c")


def test_a_hosts_result_is_reused_in_every_window_and_comes_back_as_its_own_kind() -> None:
    graph = full_graph()
    before = set(graph.edges)
    found = bootstrap(graph, framed(chain()), window=200, runs=8)
    assert isinstance(found.native, nx.DiGraph)
    assert set(found.native.edges) == {(("a", -1), ("b", 0)), (("b", -2), ("c", 0))}
    assert set(graph.edges) == before


@pytest.mark.host
def test_a_tigramite_result_with_its_own_data_needs_none() -> None:
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    frame = DataFrame(chain(), var_names=["a", "b", "c"])
    results = PCMCI(frame, ParCorr()).run_pcmci(tau_max=2, pc_alpha=0.2, alpha_level=0.5)
    found = bootstrap(results, frame, window=200, runs=6)
    assert (results["graph"] != "").sum() > 2
    assert np.argwhere(found.native["graph"] == "-->").tolist() == TRUE_CELLS
    assert set(results) <= set(found.native)


def test_a_function_is_called_with_the_rows_of_each_window() -> None:
    seen: list[pd.DataFrame] = []

    def run(rows: pd.DataFrame) -> nx.DiGraph:
        seen.append(rows)
        return full_graph()

    data = framed(chain())
    found = bootstrap(run, data, window="150D", runs=5)
    assert [len(rows) for rows in seen] == [150] * 5
    for rows in seen:
        pd.testing.assert_frame_equal(rows, data.loc[rows.index], check_freq=False)
    assert np.argwhere(found.graph).tolist() == TRUE_CELLS
    assert set(found.native.edges) == {(("a", -1), ("b", 0)), (("b", -2), ("c", 0))}


def test_a_function_may_name_the_variables_in_another_order() -> None:
    def run(rows: Any) -> Any:
        return analyze(Skeleton(np.ones((3, 3, 2)) * [0, 1], names=["c", "b", "a"]), rows)

    found = bootstrap(run, framed(chain()), window=200, runs=3)
    assert np.argwhere(found.graph).tolist() == [[0, 1, 1]]


def test_windows_by_time_are_windows_by_rows_where_rows_are_regular() -> None:
    data = framed(chain())
    by_rows = bootstrap("basis", data, max_lag=2, window=180, runs=4)
    by_time = bootstrap("basis", data, max_lag=2, window="180D", runs=4)
    assert by_rows.windows == by_time.windows
    np.testing.assert_array_equal(by_rows.gates, by_time.gates)
    first = by_time.runs.loc[0, "first"]
    assert by_time.runs.loc[0, "last"] - first == pd.Timedelta("179D")


def test_several_datasets() -> None:
    found = bootstrap(
        "basis", {"one": framed(chain(300)), "two": framed(chain(400, 1))}, max_lag=2, window=150, runs=10
    )
    assert set(found.runs.series) == {0, 1}
    assert np.argwhere(found.graph).tolist() == TRUE_CELLS


@pytest.mark.parametrize("scheme", ["blocks", "resampled", "pairs"])
def test_other_schemes_find_the_same_edges(scheme: str) -> None:
    found = bootstrap("basis", chain(), max_lag=2, window=60, runs=10, scheme=scheme)
    assert np.argwhere(found.graph).tolist() == TRUE_CELLS
    assert len(found.runs) == 10
    assert (found.expected_false_edges is not None) == (scheme == "pairs")


def test_the_bound_on_false_edges_is_that_of_stability_selection() -> None:
    found = bootstrap("basis", chain(), max_lag=2, window=60, runs=10, scheme="pairs", level="lag")
    selected = found.presence.sum() / 10
    assert found.expected_false_edges == pytest.approx(selected**2 / ((2 * 0.7 - 1) * 9 * 2))
    assert found.at(0.9).expected_false_edges == pytest.approx(selected**2 / (0.8 * 18))
    assert found.at(0.5).expected_false_edges is None
    assert "expected to be false" in found.summary()


def test_shared_moments_find_the_same_edges() -> None:
    x = chain()
    apart = bootstrap("basis", x, max_lag=2, window=250, runs=6, share_moments=False)
    shared = bootstrap("basis", x, max_lag=2, window=250, runs=6, share_moments=True)
    np.testing.assert_array_equal(apart.graph, shared.graph)
    assert [r.rows_used for r in apart.records] == [r.rows_used for r in shared.records]
    np.testing.assert_allclose(apart.frequency, shared.frequency, atol=0.2)


def test_shared_moments_add_up_to_those_of_the_window() -> None:
    plan = make_plan(Skeleton(np.ones((3, 3, 3)) * [0, 1, 1]), chain(), None, {"control_lag": 2})
    windows = draw_windows([Timeline(600)], 250, 6, "moving", 2, seed=0)
    shared = shared_sums(plan, plan.config, windows, "moving", wanted=True)
    assert shared is not None
    runner = WindowRunner(plan.panel, plan.rule, plan.config, plan.frames, shared)
    for window in windows:
        added = runner.moments(window, shared)
        direct = Moments.of(cut(plan.panel, window), 2, added.basis, reference=shared.reference)
        assert added.rows == direct.rows == 248
        np.testing.assert_allclose(added.second, direct.second, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(added.first, direct.first, rtol=1e-9, atol=1e-9)


def test_sharing_is_chosen_where_windows_overlap_much() -> None:
    x = np.random.default_rng(0).normal(size=(20_000, 3))
    plan = make_plan(Skeleton(np.ones((3, 3, 3)) * [0, 1, 1]), x, None, {})
    for rows, runs, pays in ((300, 10, False), (9_000, 50, True)):
        windows = draw_windows([Timeline(20_000)], rows, runs, "moving", 2, seed=0)
        assert (shared_sums(plan, plan.config, windows, "moving", wanted=False) is not None) is pays


def test_another_threshold_needs_no_new_run() -> None:
    found = bootstrap("basis", chain(), max_lag=2, window=100, runs=6, entry=0.3, alpha=0.3)
    low, high = found.at(0.0), found.at(0.99)
    assert low.records is found.records
    assert low.graph.sum() > high.graph.sum()
    np.testing.assert_array_equal(low.graph, found.frequency > 0.0)
    assert high.threshold == 0.99
    assert found.threshold == 0.7


def test_a_lag_that_moves_is_one_pair_but_no_one_lag() -> None:
    x = np.random.default_rng(0).normal(size=(600, 2))
    for third, lag in enumerate((1, 2, 3)):
        rows = np.arange(max(200 * third, 3), 200 * (third + 1))
        x[rows, 1] += 0.9 * x[rows - lag, 0]
    found = bootstrap("basis", x, max_lag=3, window=100, runs=40, seed=1)
    assert found.pair_frequency[0, 1] == 1.0
    assert found.frequency[0, 1].max() < 0.7
    assert found.graph.sum() == 1
    assert found.at(level="lag").graph.sum() == 0
    table = found.over_time()
    assert table.index.tolist() == [("x0", "x1")]
    lags = table.to_numpy()[0]
    assert (np.diff(lags) >= 0).mean() > 0.9  # the heat map shows it grow
    assert found.edges.loc[0, "lag_spread"] >= 1


@pytest.mark.filterwarnings("ignore:.*unit root:UserWarning")
def test_windows_that_fail_are_counted_and_not_fatal() -> None:
    x = chain()
    x[:250, 1] = 7.0  # a sensor that hung
    with pytest.warns(UserWarning, match="windows failed and do not count: DataError: x1 constant"):
        found = bootstrap("basis", x, max_lag=2, window=100, runs=20)
    failed = found.runs[found.runs.failure != ""]
    assert 0 < len(failed) < 20
    assert failed["last"].max() < 250
    assert found.frequency[0, 1, 1] > 0.7  # shares are of the runs that count
    assert f"{len(failed)} windows failed" in repr(found)


def test_hosts_that_fail_are_counted_too() -> None:
    def run(rows: Array) -> Any:
        if rows[0, 0] > 0:
            raise ZeroDivisionError
        return Skeleton(np.ones((3, 3, 2)) * [0, 1])

    with pytest.warns(UserWarning, match="ZeroDivisionError"):
        found = bootstrap(run, chain(), window=100, runs=10)
    assert len(found.succeeded) < 10


def test_if_all_fail_the_reasons_are_told() -> None:
    x = chain()
    x[:, 2] = 0.0
    with pytest.raises(DataError, match=r"All 3 windows failed: DataError: x2 constant"):
        bootstrap("basis", x, max_lag=2, window=100, runs=3)


def test_gaps_are_left_out() -> None:
    x = chain()
    x[::40, 0] = np.nan
    found = bootstrap("basis", x, max_lag=2, window=200, runs=6)
    assert np.argwhere(found.graph).tolist() == TRUE_CELLS
    assert all(record.rows_used < 198 for record in found.records)


def test_the_data_are_not_changed() -> None:
    data = framed(chain())
    before = data.copy()
    bootstrap("basis", data, max_lag=2, window=200, runs=2)
    pd.testing.assert_frame_equal(data, before)


def test_two_processes_give_the_same_to_the_bit() -> None:
    alone = bootstrap("basis", chain(), max_lag=2, window=150, runs=6)
    both = bootstrap("basis", chain(), max_lag=2, window=150, runs=6, n_jobs=2)
    np.testing.assert_array_equal(alone.gates, both.gates)
    np.testing.assert_array_equal(alone.presence, both.presence)


def test_edges_to_be_kept_are_in_every_run() -> None:
    found = bootstrap("basis", framed(chain()), max_lag=2, window=150, runs=3, keep=[("c", "a", 1)])
    assert found.frequency[2, 0, 1] == 1.0


def test_signs_are_those_of_least_squares() -> None:
    x = chain()
    graph = np.zeros((3, 3, 3), dtype=bool)
    graph[0, 2, 1] = graph[1, 2, 2] = True
    lagged = np.column_stack([x[1:-1, 0], x[:-2, 1], np.ones(598)])
    weights = np.linalg.lstsq(lagged, x[2:, 2], rcond=None)[0]
    signs = linear_signs(Moments.of(as_panel(x), 2, ("linear",)), graph)
    assert [signs[0, 2, 1], signs[1, 2, 2]] == np.sign(weights[:2]).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_lag": None}, "max_lag is needed"),
        ({"threshold": 1.0}, "threshold=1.0"),
        ({"level": "lags"}, "level='lags'"),
        ({"scheme": "random"}, "scheme='random'"),
        ({"entri": 0.1}, "Did you mean 'entry'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bootstrap("basis", chain(200), **{"max_lag": 2, "window": 100, "runs": 2, **options})


def test_what_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownResultError):
        bootstrap(object(), chain(200))
    with pytest.raises(OptionError, match="There is no skeleton called 'bases'"):
        bootstrap("bases", chain(200), max_lag=2)
    with pytest.raises(DataError, match="holds no data"):
        bootstrap("basis", max_lag=2)


def test_a_skeletons_name_asks_no_adapter_whether_it_is_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    from grace_plugin.stability import plan

    def refused(native: object) -> None:
        raise AssertionError(native)

    monkeypatch.setattr(plan, "find_adapter", refused)
    assert bootstrap("basis", chain(), max_lag=2, window=200, runs=2).graph[0, 1, 1]
