"""Several hosts under one certificate: the union judged once, and who said what."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError, OptionError

NAMES = ["sun", "wind", "sea"]


def series(rows: int = 500) -> pd.DataFrame:
    """Effects sun -> wind at lag 1 and wind -> sea at lag 2."""
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(rows, 3))
    for t in range(2, rows):
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
    return pd.DataFrame(x, columns=NAMES)


def skeleton(*edges: tuple[str, str, int], max_lag: int = 2, order: list[str] | None = None) -> gp.Skeleton:
    names = order or NAMES
    mask = np.zeros((3, 3, max_lag + 1), dtype=bool)
    for cause, effect, lag in edges:
        mask[names.index(cause), names.index(effect), lag] = True
    return gp.Skeleton(mask, names)


def cross(found: gp.Consensus) -> set[tuple[str, str, int]]:
    return {(NAMES[c], NAMES[e], int(lag)) for c, e, lag in np.argwhere(found.graph) if c != e}


A = skeleton(("sun", "wind", 1), ("sea", "sun", 1), max_lag=1)
B = skeleton(("sun", "wind", 1), ("wind", "sea", 2), order=["sea", "sun", "wind"])
TRUE = {("sun", "wind", 1), ("wind", "sea", 2)}


def test_edges_of_all_hosts_are_judged_and_told_apart() -> None:
    found = gp.consensus({"one": A, "other": B}, series())
    assert cross(found) == TRUE
    table = found.edges.set_index(["cause", "effect", "lag"])
    assert table.hosts.to_dict() == {
        ("sun", "wind", 1): "one, other",
        ("wind", "sea", 2): "other",
        ("sea", "sun", 1): "one",
    }
    assert table.votes.to_dict() == {("sun", "wind", 1): 2, ("wind", "sea", 2): 1, ("sea", "sun", 1): 1}
    assert table.probability[("sun", "wind", 1)] > 0.9 > 0.5 > table.probability[("sea", "sun", 1)]
    assert table.support[("sun", "wind", 1)] == pytest.approx(1.0)


def test_a_host_is_weighed_by_its_other_edges() -> None:
    found = gp.consensus({"one": A, "other": B}, series())
    weights = found.weights.set_index("host")
    assert weights.edges.to_dict() == {"one": 2, "other": 2}
    assert weights.kept.to_dict() == {"one": 1, "other": 2}
    assert weights.weight["other"] > weights.weight["one"]
    table = found.edges.set_index(["cause", "effect", "lag"])
    chance = table.probability
    # Of the edge that only `one` has, its other edge speaks for it, and both of `other` against it.
    alone = (chance[("sun", "wind", 1)] + 0.5) / 2.0
    against = (chance[("sun", "wind", 1)] + chance[("wind", "sea", 2)] + 0.5) / 3.0
    assert table.support[("sea", "sun", 1)] == pytest.approx(alone / (alone + against))


@pytest.mark.host
def test_the_graph_in_the_form_of_any_host() -> None:
    found = gp.consensus([A, B], series(), to="tigramite")
    assert np.argwhere(found.native["graph"] == "-->").tolist() == [[0, 1, 1], [1, 2, 2]]
    assert set(found.to("networkx").edges) == {(("sun", -1), ("wind", 0)), (("wind", -2), ("sea", 0))}
    assert found.to("lingam").adjacency_matrices_[1][1, 0] == 1.0
    assert isinstance(gp.consensus([A, B], series()).native, gp.Skeleton)
    assert list(found.proposals) == ["skeleton", "skeleton (2)"]


@pytest.mark.host
def test_real_hosts_side_by_side() -> None:
    from causallearn.search.ConstraintBased.PC import pc
    from lingam import VARLiNGAM
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    data = series()
    pcmci = PCMCI(DataFrame(data.to_numpy(), var_names=NAMES), ParCorr()).run_pcmci(tau_max=2, pc_alpha=0.2)
    model = VARLiNGAM(lags=2, criterion=None, prune=False).fit(data)
    table = gp.lag_expand(data, 2)
    forward = gp.lagged_knowledge(NAMES, 2)
    cg = pc(table.to_numpy(), 0.1, node_names=list(table), background_knowledge=forward, show_progress=False)
    found = gp.consensus([pcmci, model, cg], data)
    assert list(found.proposals) == ["tigramite", "lingam", "causal-learn"]
    assert cross(found) == TRUE
    both = found.edges.set_index(["cause", "effect", "lag"]).votes
    assert both[("sun", "wind", 1)] == both[("wind", "sea", 2)] == 3
    assert found.edges.votes.max() == 3
    assert "3 hosts" in repr(found)


def test_a_matrix_without_lags_gets_those_of_the_others() -> None:
    pairs = np.zeros((3, 3))
    pairs[0, 1] = pairs[1, 2] = 1.0
    found = gp.consensus([B, pairs], series())
    assert found.proposals["pairs"][0, 1].tolist() == [False, True, True]
    assert cross(found) == TRUE
    assert gp.consensus([pairs], series(), max_lag=3).graph.shape == (3, 3, 4)
    with pytest.raises(OptionError, match="max_lag"):
        gp.consensus([pairs], series())


@pytest.mark.host
def test_a_refinement_and_a_graph_that_holds_its_own_data() -> None:
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    host = PCMCI(DataFrame(series().to_numpy(), var_names=NAMES), ParCorr())
    host.run_pcmci(tau_max=2)
    found = gp.consensus([gp.discover(series(), 2), host])
    assert list(found.proposals) == ["discover", "tigramite"]
    assert cross(found) == TRUE


@pytest.mark.filterwarnings("ignore:What lagged causes leave:grace_plugin.exceptions.DataWarning")
def test_effects_within_one_step_are_asked_of_the_data() -> None:
    lagged = skeleton(("sun", "wind", 1), ("wind", "sea", 2), ("sun", "wind", 0), ("wind", "sun", 0))
    found = gp.consensus([lagged, B], series())
    assert not found.graph[:, :, 0].any()
    row = found.edges[found.edges.lag == 0]
    assert (row.cause.item(), row.effect.item(), row.reason.item()) == ("sun", "wind", "step")
    assert not row.kept.item()
    table = series()
    table["sea"] += 0.8 * table["wind"]
    pointing = skeleton(("wind", "sea", 0), ("sun", "wind", 1))
    against = skeleton(("sea", "wind", 0), ("sun", "wind", 1))
    both = gp.consensus([pointing, against], table)
    assert both.graph[1, 2, 0]
    assert not both.graph[2, 1, 0]
    assert both.edges[both.edges.lag == 0].votes.item() == 2


def test_options_are_those_of_refine() -> None:
    found = gp.consensus([A, B], series(), keep=[("sea", "sun", 1)], forbid=[("wind", "sea")])
    assert cross(found) == {("sun", "wind", 1), ("sea", "sun", 1)}
    known = gp.Knowledge(forbidden=[("sun", "*")])
    assert cross(gp.consensus([A, B], series(), knowledge=known)) == {("wind", "sea", 2)}
    assert cross(gp.consensus([A, B], series(), effects=["sea"])) == {("wind", "sea", 2)}
    with pytest.raises(OptionError, match="Did you mean 'alpha'"):
        gp.consensus([A, B], series(), alhpa=0.1)


@pytest.mark.parametrize(
    ("wrong", "kind", "told"),
    [
        ([], OptionError, "no results"),
        ("graph", OptionError, "a list of results"),
        ([A], DataError, "holds its own data"),
        ([nx.DiGraph([(("sun", -1), ("moon", 0))])], OptionError, "different variables"),
    ],
)
def test_what_cannot_be_is_told(wrong: Any, kind: type[Exception], told: str) -> None:
    data = None if kind is DataError else series()
    with pytest.raises(kind, match=told):
        gp.consensus(wrong, data)
