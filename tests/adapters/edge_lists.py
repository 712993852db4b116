"""Edge lists that the tests share.

pywhy-graphs 0.1.0 asks for numpy < 2 and does not install beside the other hosts, so small classes below
stand in for its time-series graphs: nodes (name, -lag), and copies of an edge shifted in time that come
and go together. The adapter was checked once against the real package on Python 3.10
(StationaryTimeSeriesDiGraph, -Graph, -CPDAG and -PAG).
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd

NAMES = ["A", "B", "C", "D"]
LIST = [("A", "B", 1), ("B", "C", 2), ("C", "D", 0), ("A", "A", 1)]
EDGES = tuple(LIST)
NO_EDGES = (("B", "A", 1), ("A", "B", 2), ("D", "C", 0), ("C", "B", 2))
FALSE = [("B", "A", 1), ("D", "B", 2), ("A", "D", 2)]


def number(name: str) -> int:
    return NAMES.index(name)


def data(rows=600) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.laplace(size=(rows, 4))
    for t in range(2, rows):
        x[t, 0] += 0.5 * x[t - 1, 0]
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.6 * x[t - 2, 1]
        x[t, 3] += 0.6 * x[t, 2]
    return pd.DataFrame(x, columns=NAMES)


def table(edges=EDGES) -> pd.DataFrame:
    frame = pd.DataFrame(list(edges), columns=["cause", "effect", "lag"])
    frame["score"] = np.arange(len(frame)) + 1.0
    frame["note"] = [f"line {line}" for line in range(len(frame))]
    frame.index = [f"e{10 - line}" for line in range(len(frame))]
    return frame


class BaseTimeSeriesGraph:
    """pywhy-graphs' mark of a time-series graph."""

    max_lag = 2


BaseTimeSeriesGraph.__module__ = "pywhy_graphs.classes.timeseries.base"


class Stationary(BaseTimeSeriesGraph, nx.DiGraph):
    """As StationaryTimeSeriesDiGraph: copies shifted in time come and go with an edge."""

    def add_edge(self, cause, effect):
        for shift in range(self.max_lag + 1 + cause[1]):
            super().add_edge((cause[0], cause[1] - shift), (effect[0], effect[1] - shift))

    def remove_edge(self, cause, effect):
        gap = cause[1] - effect[1]
        for one, other in list(self.edges):
            if (one[0], other[0], one[1] - other[1]) == (cause[0], effect[0], gap):
                super().remove_edge(one, other)


class MixedEdges(BaseTimeSeriesGraph):
    """As StationaryTimeSeriesCPDAG or -PAG: one networkx graph per kind of edge."""

    def __init__(self):
        self.kinds = {
            "directed": nx.DiGraph(),
            "undirected": nx.Graph(),
            "circle": nx.DiGraph(),
            "bidirected": nx.Graph(),
        }

    @property
    def nodes(self):
        return [(name, -lag) for name in NAMES for lag in range(3)]

    def edges(self):
        return {kind: graph.edges for kind, graph in self.kinds.items()}

    def add_edge(self, cause, effect, kind):
        self.kinds[kind].add_edge(cause, effect)

    def has_edge(self, cause, effect, kind):
        return self.kinds[kind].has_edge(cause, effect)

    def remove_edge(self, cause, effect, kind):
        self.kinds[kind].remove_edge(cause, effect)


def pywhy_graph():
    graph = Stationary()
    graph.add_nodes_from((name, -lag) for name in NAMES for lag in range(3))
    for cause, effect, lag in LIST:
        graph.add_edge((cause, -lag), (effect, 0))
    return graph


def pywhy_mixed_graph():
    graph = MixedEdges()
    for cause, effect, lag in LIST:
        graph.add_edge((cause, -lag), (effect, 0), "directed")
    graph.add_edge(("A", 0), ("D", 0), "undirected")
    graph.add_edge(("B", 0), ("D", -1), "circle")  # D o-> B: a circle at the older end
    graph.add_edge(("D", -1), ("B", 0), "directed")
    graph.add_edge(("B", 0), ("C", 0), "bidirected")
    return graph


def dot_text():
    return (
        'digraph learned { rankdir=LR; node [shape=box]; "A_lag1" -> B_lag0 [weight=2, color=red]; '
        "B_lag2 -> C_lag0 -> D_lag0 [weight=1]; A_lag1 -> A_lag0; }"
    )
