"""The search within one step: what it finds, which way, and what it never does."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grace_plugin.lag0.node_models import PRICE, NodeModels
from grace_plugin.lag0.rules import Rules, is_acyclic, reaches
from grace_plugin.lag0.search import best_graph
from grace_plugin.lag0.within_step import WithinStep
from tests.lag0.step_worlds import chain, random_world, simulate, step_search


def edges(graph: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(int(i) for i in edge) for edge in np.argwhere(graph)}


def test_own_pasts_orient_a_chain_of_gaussian_noise() -> None:
    found = step_search(simulate(chain(4), np.diag([0.6] * 4), 600, seed=1)).run()
    assert edges(found.graph) == {(0, 1), (1, 2), (2, 3)}
    assert edges(found.marks) == {(0, 1), (1, 2), (2, 3)}
    assert all(found.direction[edge] > 0.99 for edge in edges(found.graph))


def test_lagged_parents_of_a_cause_within_the_step_are_not_those_of_its_effect() -> None:
    lagged = np.diag([0.5] * 3)
    lagged[0, 1] = 0.6  # 0 -> 1 at lag 1, and 1 -> 2 within the step: no lagged edge 0 -> 2
    now = np.zeros((3, 3))
    now[1, 2] = 0.8
    found = step_search(simulate(now, lagged, 1000, seed=2)).run()
    assert edges(found.graph) == {(1, 2)}
    assert edges(found.lagged) == {(0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 1)}


def test_without_any_past_the_direction_of_gaussian_noise_stays_open() -> None:
    found = step_search(simulate(chain(2), np.zeros((2, 2)), 800, seed=3)).run()
    assert edges(found.marks) == {(0, 1), (1, 0)}
    assert not found.told.any()
    assert 0.2 < found.direction[0, 1] < 0.8
    assert found.direction[0, 1] + found.direction[1, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("noise", ["laplace", "uniform", "exponential"])
def test_without_any_past_the_shape_of_the_noise_tells_the_direction(noise: str) -> None:
    x = simulate(chain(3, 0.9), np.zeros((3, 3)), 1500, seed=4, noise=noise)
    assert edges(step_search(x).run().marks) == {(0, 1), (1, 2)}
    assert not step_search(x, rows=False).run().told.any()  # a stream's moments do not know it


def test_a_bent_effect_is_found_and_points_one_way() -> None:
    x = simulate(np.zeros((3, 3)), np.diag([0.4] * 3), 800, seed=5)
    x[:, 2] += 1.2 * np.abs(x[:, 0])
    assert edges(step_search(x).run().marks) == {(0, 2)}


def test_independent_series_have_no_edge() -> None:
    graphs = [
        step_search(simulate(np.zeros((6, 6)), np.diag([0.7] * 6), 400, seed)).run().graph
        for seed in range(8)
    ]
    assert sum(int(graph.sum()) for graph in graphs) <= 1


def test_required_and_forbidden_edges_bind() -> None:
    x = simulate(chain(4), np.diag([0.6] * 4), 600, seed=1)
    rules = Rules.free(4)
    rules.required[1, 0] = True
    rules.allowed[0, 1] = rules.allowed[2, 3] = False
    found = step_search(x).run(rules)
    assert found.graph[1, 0]
    assert not found.graph[0, 1]
    assert not found.graph[2, 3]
    assert found.direction[1, 0] == 1.0


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_every_graph_is_acyclic_and_keeps_to_the_rules(seed: int) -> None:
    x, _ = random_world(seed)
    rng = np.random.default_rng(seed)
    rules = Rules.free(6)
    required = np.triu(rng.random((6, 6)) < 0.1, 1)
    rules.required[:] = required
    rules.allowed[:] &= (rng.random((6, 6)) < 0.9) | required
    found = step_search(x, 1).run(rules)
    assert is_acyclic(found.graph)
    assert not (required & ~found.graph).any()
    assert not (found.graph & ~rules.allowed).any()
    assert not (found.marks & ~rules.allowed).any()
    both = found.direction + found.direction.T
    assert np.allclose(both[found.graph | found.graph.T], 1.0)


def test_the_same_data_give_the_same_graph_whatever_the_order_of_the_variables() -> None:
    x, truth = random_world(11, rows=800)
    order = np.random.default_rng(0).permutation(6)
    found, turned = step_search(x).run(), step_search(x[:, order]).run()
    assert np.array_equal(found.marks[np.ix_(order, order)], turned.marks)
    assert not (found.told & ~truth).any()
    assert found.told.sum() >= 5


def test_a_score_is_half_n_log_of_what_is_left_and_a_price_for_each_feature() -> None:
    x = simulate(chain(2), np.diag([0.6, 0.6]), 500, seed=6)
    search = step_search(x, 1, rows=False)
    model = NodeModels(search.columns, None).model(1, frozenset({0}))
    lagged, now = x[:-1], x[1:]
    table = np.column_stack([now[:, 0], lagged[:, 1], np.ones(len(now))])
    left = np.linalg.lstsq(table, now[:, 1], rcond=None)[1][0] / (len(now) * now[:, 1].var())
    assert len(model.columns) == 2
    assert model.left == pytest.approx(left, rel=1e-6)
    assert model.score == pytest.approx(0.5 * len(now) * np.log(left) + 2 * PRICE, rel=1e-6)


def test_paths_and_cycles() -> None:
    parents: list[set[int]] = [set(), {0}, {1}]
    assert reaches(parents, 0, 2)
    assert not reaches(parents, 2, 0)
    assert not reaches(parents, 0, 2, skip=(1, 2))
    cycle = np.zeros((3, 3), dtype=bool)
    cycle[0, 1] = cycle[1, 2] = True
    assert is_acyclic(cycle)
    cycle[2, 0] = True
    assert not is_acyclic(cycle)


def best_score_of_all(models: NodeModels, d: int) -> float:
    """Of every acyclic graph: for every order the best causes of each variable among those before it."""
    subsets = [frozenset(some) for size in range(d) for some in combinations(range(d), size)]
    scores = [
        {some: models.score(effect, some) for some in subsets if effect not in some} for effect in range(d)
    ]
    best = [
        {before: min(score for some, score in mine.items() if some <= before) for before in mine}
        for mine in scores
    ]
    return min(
        sum(best[effect][frozenset(order[:place])] for place, effect in enumerate(order))
        for order in permutations(range(d))
    )


def dense_world(seed: int, share: float) -> tuple[np.ndarray, NodeModels]:
    """Many strong effects among five variables, and the models of a search for them."""
    rng = np.random.default_rng(seed)
    now = np.triu(rng.uniform(0.5, 0.9, (5, 5)) * rng.choice([-1.0, 1.0], (5, 5)), 1)
    now *= rng.random((5, 5)) < share
    return now, step_search(simulate(now, np.diag(rng.uniform(0.2, 0.7, 5)), 300, seed), 1).models


def test_the_search_finds_the_best_of_nearly_all_graphs() -> None:
    gaps = []
    for seed in range(20):
        _, models = dense_world(seed, 0.5)
        gaps.append(best_graph(models, Rules.free(5))[0].score - best_score_of_all(models, 5))
    assert min(gaps) > -1e-6
    assert sum(gap > 1e-6 for gap in gaps) <= 1


def test_all_edges_of_a_variable_can_turn_at_once() -> None:
    """One by one they look better the wrong way: without it four cells of this graph are wrong."""
    now, models = dense_world(104, 0.8)
    assert edges(best_graph(models, Rules.free(5))[0].graph) == edges(now != 0)


def doubted(x: np.ndarray, rules: Rules | None = None) -> WithinStep:
    search, rules = step_search(x), rules or Rules.free(x.shape[1])
    return search.without_shared_causes(search.run(rules), rules)


def test_a_shared_cause_of_two_is_told_from_an_effect_by_their_pasts() -> None:
    pasts = np.diag([0.7, 0.7, 0.7])
    shared = simulate(np.zeros((3, 3)), pasts, 800, seed=1)
    shared[:, :2] = simulate(np.zeros((2, 2)), pasts[:2, :2], 800, seed=2, hidden=1.0)
    assert step_search(shared).run().graph[:2, :2].any()
    assert not doubted(shared).graph.any()
    assert edges(doubted(simulate(chain(3), pasts, 800, seed=1)).graph) == {(0, 1), (1, 2)}
    white = simulate(chain(2), np.zeros((2, 2)), 800, seed=3)
    assert edges(doubted(white).marks) == {(0, 1), (1, 0)}  # nothing tells them apart


def test_a_required_edge_is_not_doubted() -> None:
    x = simulate(np.zeros((2, 2)), np.diag([0.7, 0.7]), 800, seed=2, hidden=1.0)
    rules = Rules.free(2)
    rules.required[0, 1] = True
    rules.allowed[1, 0] = False
    assert edges(doubted(x, rules).graph) == {(0, 1)}
