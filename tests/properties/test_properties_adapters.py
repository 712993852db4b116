"""Round trips of random graphs through every host: what is kept comes back, what is pruned does not."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import grace_plugin as gp
from grace_plugin.testing.contract import difference
from tests.support.property_cases import examples, random_mask, random_part, seeds

pytestmark = pytest.mark.host
NAMES = ("a", "b", "c", "d")
D, MAX_LAG = 4, 2


def edge_list(mask: Any) -> list[tuple[str, str, int]]:
    return [(NAMES[c], NAMES[e], int(lag)) for c, e, lag in np.argwhere(mask)]


def tigramite(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    marks = np.where(mask, "-->", "").astype("<U3")
    now = mask[:, :, 0]
    marks[:, :, 0] = np.where(now & now.T, "o-o", np.where(now, "-->", np.where(now.T, "<--", "")))
    value = np.random.default_rng(seed).random(mask.shape) * 0.9
    return {"graph": marks, "p_matrix": 1.0 - value, "val_matrix": value, "new in a later version": [1]}, {}


def stack(layout: str) -> Any:
    def make(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
        weights = np.where(mask, np.random.default_rng(seed).normal(size=mask.shape) + 3.0, 0.0)
        array = weights if layout == "cause,effect,lag" else weights.transpose(2, 1, 0)
        return np.ascontiguousarray(array), {"layout": layout}

    return make


def later_lags(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    array, _ = stack("lag,effect,cause")(mask, seed)
    return array[1:], {"layout": "lag-1,effect,cause"}


def tuples(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    return edge_list(mask), {"names": NAMES, "own_lags": False}


def table(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    frame = pd.DataFrame(edge_list(mask), columns=["cause", "effect", "lag"]).assign(extra=seed)
    return frame, {"names": NAMES, "own_lags": False}


def parents(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    listed = {name: [(c, -lag) for c, e, lag in edge_list(mask) if e == name] for name in NAMES}
    return listed, {"names": NAMES, "own_lags": False}


def networkx(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    graph = nx.DiGraph()
    graph.add_nodes_from((name, -lag) for lag in range(MAX_LAG + 1) for name in NAMES)
    graph.add_edges_from(((c, -lag), (e, 0)) for c, e, lag in edge_list(mask))
    return graph, {}


def suffixes(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    graph, _ = networkx(mask, seed)
    return nx.relabel_nodes(graph, {node: f"{node[0]}_lag{-node[1]}" for node in graph}), {}


def weights(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    by_lag = np.where(mask, 0.5, 0.0).transpose(2, 0, 1)
    return (by_lag[0].copy(), by_lag[1:].reshape(-1, D).copy()), {"names": NAMES}


class CausaltsResult:
    """Known by its attributes alone, as the adapter knows the real ones."""

    def __init__(self, cg_tig: Any) -> None:
        self.cg_tig, self.var_names = cg_tig, list(NAMES)


def causalts(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    return CausaltsResult(mask.astype(int)), {}


def causal_learn(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = {(n, lag): GraphNode(f"{n}_lag{lag}") for lag in range(MAX_LAG + 1) for n in NAMES}
    graph = GeneralGraph(list(nodes.values()))
    for cause, effect, lag in edge_list(mask):
        graph.add_edge(Edge(nodes[cause, lag], nodes[effect, 0], Endpoint.TAIL, Endpoint.ARROW))
    return graph, {}


def lingam(mask: Any, seed: int) -> tuple[Any, dict[str, Any]]:
    from lingam import VARLiNGAM

    model = VARLiNGAM(lags=MAX_LAG)
    model._adjacency_matrices = np.where(mask, 0.5, 0.0).transpose(2, 1, 0).copy()
    return model, {}


HOSTS = {
    "tigramite": tigramite,
    "numpy, cause first": stack("cause,effect,lag"),
    "numpy, lag first": stack("lag,effect,cause"),
    "edge tuples": tuples,
    "edge table": table,
    "parents": parents,
    "networkx": networkx,
    "networkx, suffixes": suffixes,
    "dynotears": weights,
    "causalts": causalts,
    "causal-learn": causal_learn,
    "lingam": lingam,
}


def read(native: Any, options: dict[str, Any]) -> Any:
    return gp.get_adapter(_name(native)).to_skeleton(native, **options).mask


def _name(native: Any) -> str:
    from grace_plugin.hosts.registry import find_adapter

    return find_adapter(native).name


@pytest.mark.parametrize("host", HOSTS)
@examples(6)
@given(seed=seeds)
def test_p26_every_edge_is_read_at_its_place(host: str, seed: int) -> None:
    mask = random_mask(seed)
    native, options = HOSTS[host](mask, seed)
    assert np.array_equal(read(native, options), mask)


@pytest.mark.parametrize("host", HOSTS)
@examples(6)
@given(seed=seeds)
def test_p27_what_is_pruned_is_gone_and_the_rest_is_left(host: str, seed: int) -> None:
    mask = random_mask(seed)
    native, options = HOSTS[host](mask, seed)
    kept = random_part(mask, seed)
    pruned = gp.get_adapter(_name(native)).from_graph(native, kept, **options)
    assert np.array_equal(read(pruned, options), kept)
    assert np.array_equal(read(native, options), mask)  # the input is as it was
    assert type(pruned) is type(native)


@pytest.mark.parametrize("host", HOSTS)
@examples(3)
@given(seed=seeds)
def test_p28_keeping_everything_gives_an_equal_object(host: str, seed: int) -> None:
    mask = random_mask(seed)
    native, options = HOSTS[host](mask, seed)
    again = gp.get_adapter(_name(native)).from_graph(native, mask, **options)
    if isinstance(native, nx.Graph):
        assert nx.utils.graphs_equal(native, again)
    else:
        assert difference(native, again) is None


@examples(6)
@given(seed=seeds)
def test_p29_lags_from_1_on_are_read_in_their_own_layout(seed: int) -> None:
    mask = random_mask(seed, now=False)
    native, options = later_lags(mask, seed)
    assert np.array_equal(read(native, options), mask)


@examples(10)
@given(seed=seeds, max_lag=st.integers(1, 3))
def test_p30_a_pair_survives_if_any_of_its_lags_does(seed: int, max_lag: int) -> None:
    pairs = np.random.default_rng(seed).random((D, D)) < 0.5
    adapter = gp.get_adapter("pairs")
    mask = adapter.to_skeleton(pairs, max_lag=max_lag, own_lags=False).mask
    kept = mask & (np.random.default_rng(seed + 1).random(mask.shape) < 0.5)
    assert np.array_equal(adapter.from_graph(pairs, kept, max_lag=max_lag, own_lags=False), kept.any(axis=2))


@examples(20)
@given(seed=seeds)
def test_p31_a_skeleton_lists_each_of_its_edges_once(seed: int) -> None:
    skeleton = gp.Skeleton(random_mask(seed))
    assert len(skeleton) == len(list(skeleton)) == skeleton.mask.sum()
    assert np.array_equal(skeleton.directed, skeleton.mask)
