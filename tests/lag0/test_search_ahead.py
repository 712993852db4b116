"""What the search makes ahead of time changes nothing, and groups of variables are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from grace_plugin.lag0.node_models import NodeModels
from grace_plugin.lag0.rules import Rules, connected
from grace_plugin.lag0.search import Climb, best_graph
from tests.lag0.step_worlds import chain, random_world, simulate, step_search


@pytest.mark.parametrize("seed", range(5))
def test_scores_made_ahead_change_no_graph(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, _ = random_world(seed)
    ahead, gaps = best_graph(step_search(x).models, Rules.free(x.shape[1]))
    monkeypatch.setattr(Climb, "likely", lambda self: iter(()))
    alone, gaps_alone = best_graph(step_search(x).models, Rules.free(x.shape[1]))
    assert (ahead.graph == alone.graph).all()
    np.testing.assert_allclose(gaps, gaps_alone, rtol=1e-9, atol=1e-9)


def test_scores_of_later_steps_are_made_with_those_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    fitted = NodeModels._fitted

    def counted(self: NodeModels, keys: list) -> list:
        batches.append(len(keys))
        return fitted(self, keys)

    monkeypatch.setattr(NodeModels, "_fitted", counted)
    x = simulate(chain(8), np.diag([0.5] * 8), 600, seed=0)
    best_graph(step_search(x).models, Rules.free(8))
    ahead = len(batches)
    batches.clear()
    monkeypatch.setattr(Climb, "likely", lambda self: iter(()))
    best_graph(step_search(x).models, Rules.free(8))
    assert ahead < len(batches)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = rng.random((12, 12)) < 0.08
    np.fill_diagonal(pairs, False)
    count, group = connected_components(pairs, directed=False)
    parts = [np.flatnonzero(group == number).tolist() for number in range(count)]
    assert sorted(one.tolist() for one in connected(pairs)) == sorted(one for one in parts if len(one) > 1)


def test_nothing_connects_nothing() -> None:
    assert connected(np.zeros((4, 4), dtype=np.bool_)) == []
