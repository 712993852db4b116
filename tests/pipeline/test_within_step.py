"""Effects within one step through the verbs: discover, refine, bootstrap."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning, OptionError
from tests.lag0.step_worlds import chain, simulate

PASTS = np.diag([0.6] * 4)


def told(x: np.ndarray, **options: object) -> tuple[gp.Refinement, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = gp.discover(x, 2, **options)
    return found, [str(one.message) for one in caught if issubclass(one.category, DataWarning)]


def lagged(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {edge for edge in found.native if edge[2]}


def now(found: gp.Refinement) -> set[tuple[int, ...]]:
    return {tuple(int(i) for i in edge) for edge in np.argwhere(found.graph[:, :, 0])}


OWN = {(i, i, 1) for i in range(4)}


def test_by_default_effects_within_the_step_are_found_oriented_and_told() -> None:
    found, said = told(simulate(chain(4), PASTS, 700, seed=1))
    assert now(found) == {(0, 1), (1, 2), (2, 3)}
    assert lagged(found) == OWN
    table = found.edges.query("lag == 0 and kept")
    assert table["oriented"].all()
    assert (table["direction"] > 0.99).all()
    assert found.edges.query("lag > 0")["direction"].isna().all()
    (sentence,) = said
    assert "of 6 pairs moves together within one step" in sentence
    assert "contemporaneous=False leaves them out" in sentence


def test_left_out_they_come_back_as_false_lagged_edges_and_it_is_told() -> None:
    found, said = told(simulate(chain(4), PASTS, 700, seed=1), contemporaneous=False)
    assert not now(found)
    assert lagged(found) > OWN
    assert "Edges at later lags may stand in for" in said[0]


def test_who_asks_for_them_is_not_told() -> None:
    found, said = told(simulate(chain(4), PASTS, 700, seed=1), contemporaneous=True)
    assert now(found) == {(0, 1), (1, 2), (2, 3)}
    assert not said


@pytest.mark.parametrize("seed", range(3))
def test_without_such_effects_nothing_changes(seed: int) -> None:
    mixed = PASTS.copy()
    mixed[0, 1], mixed[2, 3] = 0.4, -0.4
    x = simulate(np.zeros((4, 4)), mixed, 500, seed)
    auto, off = gp.discover(x, 2), gp.discover(x, 2, contemporaneous=False)
    for name in ("graph", "gates", "gain", "p_value"):
        np.testing.assert_array_equal(getattr(auto.outcome, name), getattr(off.outcome, name))


def test_one_hidden_cause_of_all_is_told_and_not_taken_for_effects() -> None:
    x = simulate(np.zeros((6, 6)), np.diag([0.5] * 6), 600, seed=2, hidden=1.0)
    found, said = told(x)
    assert not now(found)
    assert "15 of 15 pairs" in said[0]
    assert "hidden common cause" in said[0]
    assert "hidden common cause" in told(x, contemporaneous=True)[1][0]


def test_an_edge_of_unknown_direction_is_open() -> None:
    x = simulate(chain(2), np.zeros((2, 2)), 800, seed=3)
    found = gp.discover(x, 2, contemporaneous=True)
    assert now(found) == {(0, 1), (1, 0)}
    assert len(found.native) == 1
    (row,) = found.edges[found.edges.kept].itertuples()
    assert not row.oriented
    assert 0.2 < row.direction < 0.8
    assert found.to_tigramite()["graph"][0, 1, 0] == "o-o"
    assert found.to_networkx().number_of_edges() == 2
    assert found.outcome.gain[0, 1, 0] == found.outcome.gain[1, 0, 0] > 0.1
    assert gp.read_json(found.to_json()).edges.equals(found.edges)


def test_exports_show_directions() -> None:
    found = gp.discover(simulate(chain(4), PASTS, 700, seed=1), 2, contemporaneous=True)
    marks = found.to_tigramite()["graph"]
    assert (marks[0, 1, 0], marks[1, 0, 0]) == ("-->", "<--")
    assert found.to_networkx().has_edge(("x0", 0), ("x1", 0))
    assert not found.to_networkx().has_edge(("x1", 0), ("x0", 0))
    assert '"x0(t)" -> "x1(t)"' in found.to_dot().replace("x0 (t)", "x0(t)") or "->" in found.to_dot()


def test_known_edges_bind_within_the_step() -> None:
    x = simulate(chain(4), PASTS, 700, seed=1)
    found = gp.discover(x, 2, keep=[(1, 0, 0)], contemporaneous=True)
    assert found.graph[1, 0, 0]
    assert not found.graph[0, 1, 0]
    with pytest.raises(OptionError, match="form a cycle"):
        gp.discover(x, 2, keep=[(1, 0, 0), (0, 1, 0)], contemporaneous=True)


def open_graph() -> nx.DiGraph:
    graph = nx.DiGraph()
    for i in range(4):
        graph.add_edge((f"x{i}", -1), (f"x{i}", 0))
    for i, j in ((0, 1), (1, 2), (2, 3)):
        graph.add_edges_from([((f"x{i}", 0), (f"x{j}", 0)), ((f"x{j}", 0), (f"x{i}", 0))])
    return graph


def test_a_hosts_open_edges_stay_open_unless_asked() -> None:
    x = simulate(chain(4), PASTS, 700, seed=1)
    assert set(gp.refine(open_graph(), x).edges) == set(open_graph().edges)
    oriented = gp.analyze(open_graph(), x, orient=True)
    directed = {edge for edge in oriented.native.edges if edge[0][1] == 0}
    assert directed == {((f"x{i}", 0), (f"x{i + 1}", 0)) for i in range(3)}
    assert now(oriented) == {(0, 1), (1, 2), (2, 3)}
    assert oriented.edges.query("lag == 0")["oriented"].all()


def test_tigramite_marks_are_oriented_and_set_ones_stay() -> None:
    x = simulate(chain(4), PASTS, 700, seed=1)
    graph = np.full((4, 4, 2), "", dtype="<U3")
    for i in range(4):
        graph[i, i, 1] = "-->"
    for i, mark in ((0, "o-o"), (1, "x-x")):
        graph[i, i + 1, 0] = graph[i + 1, i, 0] = mark
    graph[2, 3, 0], graph[3, 2, 0] = "-->", "<--"
    refined = gp.refine({"graph": graph}, x, orient=True)["graph"]
    for i in range(3):
        assert (refined[i, i + 1, 0], refined[i + 1, i, 0]) == ("-->", "<--")
    assert gp.refine({"graph": graph}, x)["graph"][0, 1, 0] == "o-o"
    graph[2, 3, 0], graph[3, 2, 0] = "<--", "-->"  # against the data, but the host has set it
    assert gp.refine({"graph": graph}, x, orient=True)["graph"][3, 2, 0] == "-->"


def test_no_orientation_closes_a_cycle_with_what_the_host_has_set() -> None:
    x = simulate(chain(3, 0.8), np.diag([0.6] * 3), 700, seed=4)
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[range(3), range(3), 1] = True
    mask[2, 1, 0] = mask[1, 0, 0] = True  # 2 -> 1 -> 0, against the truth
    mask[0, 2, 0] = mask[2, 0, 0] = True  # open; 0 -> 2 would close a cycle
    found = gp.analyze(gp.Skeleton(mask), x, orient=True)
    assert not (found.graph[0, 2, 0] and not found.graph[2, 0, 0])


def test_a_bootstrap_counts_directions() -> None:
    x = simulate(chain(3), np.diag([0.6] * 3), 900, seed=1)
    with pytest.warns(DataWarning, match="moves together within one step"):
        stable = gp.bootstrap("basis", x, max_lag=1, window=300, runs=10)
    assert stable.frequency[0, 1, 0] > 0.7 > 0.3 > stable.frequency[1, 0, 0]
    assert stable.frequency[1, 2, 0] > 0.7 > 0.3 > stable.frequency[2, 1, 0]
    assert stable.graph[0, 1, 0]
    assert not stable.graph[1, 0, 0]
    assert not gp.bootstrap("basis", x, 1, 300, 5, contemporaneous=False).frequency[:, :, 0].any()


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(OptionError, match="contemporaneous"):
        gp.discover(np.random.default_rng(0).normal(size=(100, 2)), 1, contemporaneous=value)


def seasons(rows: int, columns: int) -> np.ndarray:
    """[rows, columns]: a wave of 350 steps that comes a little later in each column."""
    phase = 2 * np.pi * np.arange(rows)[:, None] / 350
    return np.sin(phase + 0.3 * np.arange(columns))


def test_a_season_does_not_hide_what_acts_within_the_step() -> None:
    plain = simulate(chain(4), PASTS, 700, seed=3)
    found, _ = told(plain + 5 * plain.std() * seasons(700, 4))
    assert now(found) == {(0, 1), (1, 2), (2, 3)}
    assert lagged(found) == OWN


def test_under_a_season_noise_of_near_places_is_no_effect() -> None:
    rng, places = np.random.default_rng(1), np.arange(8)
    near = np.linalg.cholesky(0.5 ** np.abs(np.subtract.outer(places, places)))
    x = np.zeros((780, 8))
    for t in range(1, 780):
        x[t] = 0.4 * x[t - 1] + near @ rng.normal(size=8)
        x[t, 1:] += 0.35 * x[t - 1, :-1]
    found, said = told(x[50:] + 5 * seasons(730, 8))
    assert not now(found)
    assert {edge for edge in lagged(found) if edge[0] != edge[1]} == {(i, i + 1, 1) for i in range(7)}
    assert any("noise" in sentence for sentence in said)
