"""What hosts and files hold as background knowledge, read, written, and obeyed by the hosts themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.exceptions import OptionError

NAMES = ["sun", "wind", "sea"]
SHAPE = (3, 3, 3)
places = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
cells = places.filter(lambda cell: cell[0] != cell[1] or cell[2] > 0)


def series(rows: int = 300) -> np.ndarray:
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.8 * x[t, 1] + 0.4 * x[t - 2, 0]
    return x


def edges_of(known: gp.Knowledge, what: str) -> set[tuple[int, int, int]]:
    tensor = getattr(known.on(NAMES, 2), what)
    return {(int(c), int(e), int(lag)) for c, e, lag in np.argwhere(tensor)}


def test_link_assumptions_are_read_cell_by_cell() -> None:
    links = {
        0: {(0, -1): "o?>", (1, 0): "<?-"},
        1: {(0, -1): "-->", (1, -2): "o?>", (0, 0): "-?>", (2, 0): "o?o"},
        2: {(2, -1): "-->", (1, 0): "o?o", (0, -2): ""},
    }
    known = gp.read_knowledge(links, NAMES)
    may = {(0, 0, 1), (0, 1, 1), (1, 1, 2), (0, 1, 0), (2, 1, 0), (2, 2, 1), (1, 2, 0)}
    everything = {(c, e, lag) for c in range(3) for e in range(3) for lag in range(3) if c != e or lag}
    assert edges_of(known, "required") == {(0, 1, 1), (2, 2, 1)}
    assert edges_of(known, "forbidden") == everything - may
    assert ("sun", "wind", 1) in known.required
    assert gp.read_knowledge(links).required == ((0, 1, 1), (2, 2, 1))


@pytest.mark.host
def test_tigramite_obeys_what_is_written() -> None:
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    known = gp.Knowledge(required=[("sea", "sun", 2)], forbidden=[("sun", "wind")], exogenous=["wind"])
    links = gp.write_knowledge(known, "tigramite", NAMES, max_lag=2)
    assert links[0][2, -2] == "-->"
    assert all(cause == 1 for cause, lag in links[1] if lag < 0)
    found = PCMCI(DataFrame(series()), ParCorr()).run_pcmciplus(tau_max=2, link_assumptions=links)["graph"]
    assert found[2, 0, 2] == "-->"
    assert (found[0, 1] == "").all()
    assert found[1, 2, 0] == "-->"  # the wind is exogenous, so that only this direction is left


@pytest.mark.host
def test_causal_learn_obeys_what_is_written_and_is_read() -> None:
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.search.ConstraintBased.PC import pc

    known = gp.Knowledge(forbidden=[("sun", "wind", 1)], required=[("wind", "sea", 0)])
    rules = gp.write_knowledge(known, "causal-learn", NAMES, max_lag=2)
    for shift in (0, 1):
        assert rules.is_forbidden(GraphNode(f"sun_lag{1 + shift}"), GraphNode(f"wind_lag{shift}"))
    assert rules.is_forbidden(GraphNode("sun_lag0"), GraphNode("wind_lag1"))  # time runs forward
    assert not rules.is_forbidden(GraphNode("sun_lag2"), GraphNode("wind_lag0"))
    again = gp.read_knowledge(rules)
    assert edges_of(again, "forbidden") == {(0, 1, 1)}
    assert edges_of(again, "required") == {(1, 2, 0)}
    table = gp.lag_expand(series(), 1).to_numpy()
    nodes = [f"{name}_lag{lag}" for lag in (0, 1) for name in NAMES]
    short = gp.write_knowledge(known, "causal-learn", NAMES, max_lag=1)
    graph = pc(table, 0.05, node_names=nodes, background_knowledge=short, show_progress=False)
    found = gp.convert(graph, to="edges")
    assert not ((found.cause == "sun") & (found.effect == "wind") & (found.lag == 1)).any()


@pytest.mark.host
def test_rules_of_causal_learn_without_lags_speak_of_all_of_them() -> None:
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

    rules = BackgroundKnowledge()
    rules.add_forbidden_by_node(GraphNode("sea"), GraphNode("sun"))
    known = gp.read_knowledge(rules, NAMES, max_lag=2)
    assert edges_of(known, "forbidden") == {(2, 0, lag) for lag in range(3)}
    patterns = BackgroundKnowledge()
    patterns.add_required_by_pattern("sun_lag2", "sea_lag0")
    assert edges_of(gp.read_knowledge(patterns, NAMES, 2), "required") == {(0, 2, 2)}
    with pytest.raises(OptionError, match="names no nodes"):
        gp.read_knowledge(patterns)


@pytest.mark.host
def test_lingam_obeys_what_is_written_and_is_read() -> None:
    from lingam import DirectLiNGAM, VARLiNGAM
    from lingam.utils import make_prior_knowledge

    known = gp.Knowledge(forbidden=[("wind", "sea", 0), ("sun", "*", 0), ("*", "sun", 0)])
    prior = gp.write_knowledge(known, "lingam", NAMES, max_lag=2)
    assert prior.tolist() == [[-1, 0, 0], [0, -1, -1], [0, 0, -1]]
    model = VARLiNGAM(lags=2, lingam_model=DirectLiNGAM(prior_knowledge=prior)).fit(series())
    assert model.adjacency_matrices_[0][2, 1] == 0.0
    assert model.adjacency_matrices_[0][1, 2] != 0.0
    made = make_prior_knowledge(3, exogenous_variables=[0], paths=[[1, 2]])
    assert edges_of(gp.read_knowledge(made, NAMES), "forbidden") == {(1, 0, 0), (2, 0, 0), (2, 1, 0)}


def test_a_path_around_a_forbidden_edge_is_left_open() -> None:
    known = gp.Knowledge(forbidden=[("sun", "sea", 0), ("sea", "*", 0), ("wind", "sun", 0)])
    assert gp.write_knowledge(known, "lingam", NAMES, 0).tolist() == [[-1, 0, 0], [-1, -1, 0], [-1, -1, -1]]


@given(st.sets(cells), st.sets(cells))
@settings(max_examples=40)
def test_written_and_read_again_every_cell_is_where_it_was(
    forbidden: set[tuple[int, int, int]], required: set[tuple[int, int, int]]
) -> None:
    required = {(c, e, lag) for c, e, lag in required if lag or (e, c, 0) not in required}
    forbidden = forbidden - required
    implied = {(e, c, 0) for c, e, lag in required if lag == 0}  # tigramite's marks have one direction
    known = gp.Knowledge(required=sorted(required), forbidden=sorted(forbidden | implied))
    again = gp.read_knowledge(gp.write_knowledge(known, "tigramite", NAMES, 2), NAMES, max_lag=2)
    assert edges_of(again, "required") == required
    assert edges_of(again, "forbidden") == forbidden | implied


@pytest.mark.host
@given(st.sets(cells, max_size=5), st.sets(cells, max_size=5))
@settings(max_examples=10, deadline=None)
def test_so_it_is_with_causal_learn(
    forbidden: set[tuple[int, int, int]], required: set[tuple[int, int, int]]
) -> None:
    known = gp.Knowledge(required=sorted(required), forbidden=sorted(forbidden - required))
    again = gp.read_knowledge(gp.write_knowledge(known, "causal-learn", NAMES, 2), NAMES, max_lag=2)
    assert edges_of(again, "required") == required
    assert edges_of(again, "forbidden") == forbidden - required


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_files_hold_all_of_it(tmp_path: Path, ending: str) -> None:
    known = gp.Knowledge(
        required=[("sun", "sea", 1)],
        forbidden=[("*", "sun"), ("wind", "sea", "*")],
        tiers=[["sun"], ["wind", "sea"]],
        tier_lags="now",
        exogenous=["sun"],
        likely={("wind", "sea", 2): 10.0, ("s*", "wind"): 0.5},
    )
    path = gp.write_knowledge(known, tmp_path / f"known.{ending}", NAMES, 2)
    assert gp.read_knowledge(path) == known
    assert gp.read_knowledge(str(path)) == known


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("required: [[sun, sea]]\nforbiden: []", "Did you mean 'forbidden'"),
        ("- sun", "written as names with lists"),
        ("likely: [[sun, sea, 3]]", "give a list of {edge"),
        ("required: [", "is no YAML"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "known.yaml").write_text(text)
    with pytest.raises(OptionError, match=told):
        gp.read_knowledge(tmp_path / "known.yaml")


@pytest.mark.parametrize("wrong", [3, np.eye(3), [("a", "b")]])
def test_what_is_no_knowledge_is_told(wrong: Any) -> None:
    with pytest.raises(OptionError, match="no knowledge that can be read"):
        gp.read_knowledge(wrong)
    with pytest.raises(OptionError, match="has no form for knowledge"):
        gp.write_knowledge(gp.Knowledge(), "networkx", NAMES, 1)
