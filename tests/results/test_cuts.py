"""One column of evidence, read at any cut: the same to the bit as a run with that cut."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import OptionError


def _world(rows: int = 400, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, 4))
    for t in range(2, rows):
        x[t, 0] += 0.5 * x[t - 1, 0]
        x[t, 1] += -0.6 * x[t - 1, 0]
        x[t, 2] += 0.2 * x[t - 2, 1]
    return x


@pytest.fixture(scope="module")
def found() -> gp.Refinement:
    return gp.discover(_world(), 3, progress=False)


@pytest.mark.parametrize("alpha", [1e-8, 1e-3, 0.02, 0.3])
def test_a_level_is_the_same_cut_in_a_new_run(found: gp.Refinement, alpha: float) -> None:
    np.testing.assert_array_equal(found.at(alpha=alpha).graph, gp.discover(_world(), 3, alpha=alpha).graph)


@pytest.mark.parametrize("fdr", [0.01, 0.1, 0.4])
def test_a_rate_is_the_same_cut_in_a_new_run(found: gp.Refinement, fdr: float) -> None:
    np.testing.assert_array_equal(found.at(fdr=fdr).graph, gp.discover(_world(), 3, fdr=fdr).graph)


def test_the_default_is_the_cut_at_one_half(found: gp.Refinement) -> None:
    np.testing.assert_array_equal(found.at(probability=0.5).graph, found.graph)
    kept = found.edges[found.edges["kept"]]
    assert (kept["probability"] > 0.5).all()
    assert (found.edges[~found.edges["kept"]]["probability"] <= 0.5).all()


def test_graphs_are_nested_along_the_path(found: gp.Refinement) -> None:
    before = np.zeros_like(found.graph)
    for alpha in 10.0 ** np.arange(-12.0, 0.0):
        graph = found.at(alpha=alpha).graph
        assert not (before & ~graph).any()
        before = graph
    path = found.path
    assert (np.diff(path["level"]) >= 0).all()
    assert (np.diff(path["fdr"]) >= -1e-12).all()
    assert path["kept"].tolist() == list(range(1, 4 * 4 * 3 + 1))


def test_scores_rank_every_possible_edge_as_the_graph_does(found: gp.Refinement) -> None:
    assert found.scores.shape == (4, 4, 4)
    assert (found.scores[:, :, 0] == 0.0).all()
    assert (found.scores[:, :, 1:] > 0.0).all()
    assert found.scores[found.graph].min() > found.scores[~found.graph].max()
    assert found.pair_scores[0, 1] == found.scores[0, 1].max()
    assert found.pairs.loc[0, ["cause", "effect", "lag"]].tolist() == ["x0", "x1", 1]
    assert found.pairs["q_value"].is_monotonic_increasing


def test_effects_have_signs_units_and_intervals(found: gp.Refinement) -> None:
    row = found.edges.set_index(["cause", "effect", "lag"]).loc[("x0", "x1", 1)]
    assert row["low"] < row["effect_size"] < row["high"] < 0.0
    assert row["effect_raw"] == pytest.approx(-0.6, abs=0.1)
    assert found.to_tigramite()["val_matrix"][0, 1, 1] < 0.0


@pytest.mark.filterwarnings("ignore:Tests of edges that nothing")
def test_intervals_cover_what_they_should() -> None:
    covered = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(200, 2))
        x[1:, 1] = (0.5 + 0.5 * np.abs(x[:-1, 0])) * x[1:, 1] + 0.4 * x[:-1, 0]  # noise that changes
        mask = np.zeros((2, 2, 2), bool)
        mask[0, 1, 1] = True
        options = {"keep": [(0, 1, 1)], "control_lag": 0, "prepare": "none", "interactions": False}
        row = gp.analyze(gp.Skeleton(mask), x, **options).edges.iloc[0]
        raw = row["effect_raw"] / row["effect_size"]
        covered.append(row["low"] * raw < 0.4 < row["high"] * raw)
    assert np.mean(covered) >= 0.88


def test_a_host_sees_only_its_own_candidates() -> None:
    mask = np.zeros((4, 4, 4), bool)
    mask[0, 1, 1] = mask[3, 0, 2] = True
    found = gp.analyze(gp.Skeleton(mask), _world())
    wide = found.at(alpha=0.9)
    assert not (wide.graph & ~mask).any()
    assert found.scores[0, 0, 1] > found.scores[3, 0, 2]  # evidence of cells that it did not report


def test_the_smallest_effect_shrinks_with_rows(found: gp.Refinement) -> None:
    assert 0.0 < gp.discover(_world(1600), 3).detectable() < found.detectable() < 0.5


def test_two_ways_to_cut_are_refused(found: gp.Refinement) -> None:
    with pytest.raises(OptionError, match="two ways to cut"):
        gp.discover(_world(), 3, alpha=0.01, fdr=0.1)
    with pytest.raises(OptionError, match="takes one of"):
        found.at(alpha=0.1, fdr=0.1)
    with pytest.raises(OptionError, match="takes one of"):
        found.at()
    with pytest.raises(OptionError, match="needs the evidence of every possible edge"):
        gp.discover(_world(), 3, penalty=0.01, fdr=0.1)
    with pytest.raises(OptionError, match="does not hold the evidence"):
        _ = gp.discover(_world(), 3, alpha="level").scores


def test_the_summary_says_how_many_are_expected_to_be_false(found: gp.Refinement) -> None:
    assert "hardly any of them false" in found.summary()
    assert "of them false" in found.at(alpha=0.5).summary()


def test_a_graph_without_edges_stays_empty() -> None:
    false = sum(
        int(gp.discover(np.random.default_rng(seed).normal(size=(300, 5)), 3, progress=False).graph.sum())
        for seed in range(8)
    )
    assert false <= 3
