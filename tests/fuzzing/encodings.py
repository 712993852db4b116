"""One graph in every form that an adapter reads: an encoder is (graph, random) -> (native, options)."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

Encoder = Callable[["Graph", Random], tuple[Any, dict[str, Any]]]


@dataclass(frozen=True)
class Graph:
    """Edges (cause, effect, lag) between positions, and what the variables are called."""

    edges: tuple[tuple[int, int, int], ...]
    labels: tuple[Hashable, ...]
    max_lag: int

    @property
    def d(self) -> int:
        return len(self.labels)

    def named(self, random: Random) -> list[tuple[Any, Any, int]]:
        rows = [(self.labels[cause], self.labels[effect], lag) for cause, effect, lag in self.edges]
        random.shuffle(rows)
        return rows

    def array(self) -> Any:
        mask = np.zeros((self.d, self.d, self.max_lag + 1))
        for number, cell in enumerate(self.edges):
            mask[cell] = 0.25 + number
        return mask


ALONE = {"own_lags": False}  # lists of edges: nothing but what is listed
HEADS = (
    ("cause", "effect", "lag"),
    ("Source", "Sink", "Lag"),
    ("from", "to", "tau"),
    ("node1", "node2", "time_lag"),
    ("Variable i", "Variable j", "Time lag of i"),
    ("target_is_not_me", "effect", "lag", "cause"),
)


def tuples(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    rows: list[Any] = graph.named(random)
    if random.random() < 0.3:
        rows = [(cause, effect, -lag) for cause, effect, lag in rows]
    elif random.random() < 0.3:
        rows = [(*row, random.random()) for row in rows]
    return random.choice((list, tuple, set, frozenset))(rows), ALONE


def node_pairs(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    return [(_node(c, lag, "negative"), _node(e, 0, "negative")) for c, e, lag in graph.named(random)], ALONE


def table(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    head = random.choice(HEADS)
    rows = graph.named(random)
    columns: dict[str, Any] = {}
    for name, values in zip(head, _columns(head, rows), strict=True):
        columns[name] = values
    frame = pd.DataFrame(columns, index=random.sample(range(100), len(rows)))
    order = list(frame.columns)
    random.shuffle(order)
    return frame[order], ALONE


def _columns(head: tuple[str, ...], rows: list[tuple[Any, Any, int]]) -> list[list[Any]]:
    causes, effects, lags = ([row[part] for row in rows] for part in range(3))
    return [causes, effects, lags] if len(head) == 3 else [["note"] * len(rows), effects, lags, causes]


def parents(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    found: dict[Any, list[Any]] = {label: [] for label in random.sample(graph.labels, graph.d)}
    for cause, effect, lag in graph.named(random):
        found[effect].append((cause, -lag))
    return found, ALONE


def delays(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    return {(effect, cause): lag for cause, effect, lag in graph.named(random)}, ALONE


def lagged_nodes(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    return _digraph(graph, random, random.choice(("negative", "positive", "suffix", "text"))), {}


def attributes(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    key = random.choice(("lag", "time_lag", "tau", "Lag"))
    if random.random() < 0.5:
        multi = nx.MultiDiGraph()
        multi.add_edges_from((c, e, {key: lag}) for c, e, lag in graph.named(random))
        return multi, {}
    plain = nx.DiGraph()
    for cause, effect, lag in graph.named(random):
        before = plain.get_edge_data(cause, effect, {key: ()})[key]
        plain.add_edge(cause, effect, **{key: (*before, lag)})
    return plain, {}


def gml(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    native = random.choice((lagged_nodes, attributes))(graph, random)[0]
    return "\n".join(nx.generate_gml(native, stringizer=str)), ALONE


def graphml(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    if random.random() < 0.5:
        return "\n".join(nx.generate_graphml(lagged_nodes(graph, random)[0])), ALONE
    multi, key = nx.MultiDiGraph(), random.choice(("lag", "time_lag", "Tau"))
    multi.add_nodes_from(random.sample(graph.labels, graph.d))
    multi.add_edges_from((c, e, {key: lag, "colour": "red"}) for c, e, lag in graph.named(random))
    return "\n".join(nx.generate_graphml(multi)), ALONE


def dot(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    lines = [f"  {_quoted(c)} -> {_quoted(e)} [lag={lag}];" for c, e, lag in graph.named(random)]
    return "\n".join(["digraph {", *lines, "}"]), ALONE


def stack(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    layout = random.choice(("cause,effect,lag", "lag,effect,cause", "lag-1,effect,cause"))
    array = graph.array()
    if layout != "cause,effect,lag":
        array = array.transpose(2, 1, 0)
    if layout == "lag-1,effect,cause":
        array = array[1:]
    return array.copy(), {"layout": layout, "names": graph.labels}


def tigramite(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    array = graph.array()
    marks = np.where(array != 0, "-->", "").astype("<U3")
    for cause, effect in np.argwhere(array[:, :, 0] != 0):
        marks[effect, cause, 0] = "<--"
    value = array + array.transpose(1, 0, 2) * (np.arange(graph.max_lag + 1) == 0)
    return {"graph": marks, "p_matrix": (array == 0) * 1.0, "val_matrix": value}, {"names": graph.labels}


def weights(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    array = graph.array()
    past = np.moveaxis(array[:, :, 1:], 2, 0)
    stacked = past.reshape(-1, graph.d) if random.random() < 0.5 else past
    return (array[:, :, 0].copy(), stacked.copy()), {"names": graph.labels}


def blocks(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    by_lag = [graph.array()[:, :, lag].T for lag in range(1, graph.max_lag + 1)]
    return np.hstack(by_lag), {"layout": "effect,lag*cause", "names": graph.labels}


def lingam(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    from lingam import VARLiNGAM

    model = VARLiNGAM(lags=graph.max_lag)
    model._adjacency_matrices = graph.array().transpose(2, 1, 0).copy()
    model._causal_order = list(range(graph.d))
    return model, {}


def cdans(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    from cdans.graph import TimeSeriesGraph

    native = TimeSeriesGraph(n_vars=graph.d, tau_max=graph.max_lag, var_names=[str(n) for n in graph.labels])
    for cause, effect, lag in graph.edges:
        if lag:
            native.lagged_edges.add((cause, effect, lag))
        else:
            native.contemp_adj[cause, effect] = 1
    return native, ALONE


def causal_learn(graph: Graph, random: Random) -> tuple[Any, dict[str, Any]]:
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    names = [f"{label}_lag{lag}" for label in graph.labels for lag in range(graph.max_lag + 1)]
    if random.random() < 0.3:
        names.sort(key=lambda name: name.rpartition("_lag")[2])  # all variables at lag 0 first, and so on
    elif random.random() < 0.5:
        present = [name for name in names if name.endswith("_lag0")]
        names = [*present, *(name for name in reversed(names) if name not in present)]  # no order at all
    nodes = {name: GraphNode(name) for name in names}
    native = GeneralGraph(list(nodes.values()))
    for cause, effect, lag in graph.named(random):
        ends = nodes[f"{cause}_lag{lag}"], nodes[f"{effect}_lag0"]
        native.add_edge(Edge(*ends, Endpoint.TAIL, Endpoint.ARROW))
    return native, {}


def _digraph(graph: Graph, random: Random, style: str) -> Any:
    native = nx.DiGraph()
    nodes = [_node(label, lag, style) for label in graph.labels for lag in range(graph.max_lag + 1)]
    random.shuffle(nodes)
    native.add_nodes_from(nodes)
    native.add_edges_from((_node(c, lag, style), _node(e, 0, style)) for c, e, lag in graph.named(random))
    return native


def _node(label: Any, lag: int, style: str) -> Any:
    return {
        "negative": (label, -lag),
        "positive": (label, lag),
        "suffix": f"{label}_lag{lag}",
        "text": str((label, -lag)),
    }[style]


def _quoted(label: Any) -> str:
    plain = str(label).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


BY_LABEL: dict[str, Encoder] = {  # the data say which column a label means
    "tuples": tuples,
    "node pairs": node_pairs,
    "table": table,
    "parents": parents,
    "delays": delays,
    "lagged nodes": lagged_nodes,
    "attributes": attributes,
    "gml": gml,
    "graphml": graphml,
    "dot": dot,
}
BY_POSITION: dict[str, Encoder] = {  # the form itself says it
    "stack": stack,
    "tigramite": tigramite,
    "weights": weights,
    "blocks": blocks,
    "lingam": lingam,
    "cdans": cdans,
    "causal-learn": causal_learn,
}
