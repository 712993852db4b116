"""Edge lists of every kind keep the contract; cdans is the real one, see `edge_lists` for pywhy-graphs."""

from __future__ import annotations

from typing import ClassVar

import edge_lists
import networkx as nx
import numpy as np
import pytest
from cdans import CDANs
from cdans.graph import TimeSeriesGraph
from edge_lists import EDGES, LIST, NAMES, NO_EDGES, data, number, table

from grace_plugin.testing.contract import AdapterContract

# pydot 4.0.1 calls pyparsing by its older names
pytestmark = pytest.mark.filterwarnings("ignore:.* deprecated - use .*:DeprecationWarning")


class TestTable(AdapterContract):
    adapter_name = "edges"
    names = tuple(NAMES)
    edges = EDGES
    no_edges = NO_EDGES
    options: ClassVar = {"names": NAMES, "max_lag": 2}

    def make_native(self):
        return table()


class TestTableWithSynonyms(TestTable):
    def make_native(self):
        return table().rename(columns={"cause": "Source", "effect": "Target", "lag": "delay"})


class TestListOfTuples(TestTable):
    def make_native(self):
        return [(*edge, 0.5 + place) for place, edge in enumerate(LIST)]


class TestSet(TestTable):
    def make_native(self):
        return set(LIST)


class TestTupleOfNumbers(TestTable):
    def make_native(self):
        return tuple((np.int64(number(cause)), number(effect), lag) for cause, effect, lag in LIST)


class TestPairsOfNodes(TestTable):
    def make_native(self):
        return [((cause, -lag), (effect, 0)) for cause, effect, lag in LIST]


class TestPairsOfSuffixedNames(TestTable):
    def make_native(self):
        return frozenset((f"{cause}_lag{lag}", f"{effect}_lag0") for cause, effect, lag in LIST)


class TestTcdfDelays(TestTable):
    """`alldelays` of TCDF: {(effect, cause): delay}, columns by number."""

    def make_native(self):
        return {(number(effect), number(cause)): lag for cause, effect, lag in LIST}


class TestTigramiteParents(TestTable):
    def make_native(self):
        parents: dict[int, list] = {0: [(0, -1)], 1: [(0, -1)], 2: [(1, -2)], 3: [(2, 0)]}
        return parents


class TestCdansGraph(TestTable):
    options: ClassVar = {}

    def difference(self, one, other):  # cdans' own comparison cannot compare arrays
        return super().difference(vars(one), vars(other))

    def make_native(self):
        graph = TimeSeriesGraph(n_vars=4, tau_max=2, var_names=list(NAMES))
        graph.lagged_edges |= {(0, 1, 1), (1, 2, 2), (0, 0, 1)}
        graph.contemp_adj[2, 3] = 1
        graph.contemp_adj[0, 3] = graph.contemp_adj[3, 0] = 1  # unoriented
        graph.changing_modules.add(1)
        return graph


class TestCdansResult(TestTable):
    options: ClassVar = {}

    def difference(self, one, other):
        return super().difference(
            {**vars(one), "graph": vars(one.graph)}, {**vars(other), "graph": vars(other.graph)}
        )

    edges = (("A", "B", 1), ("B", "C", 2), ("A", "A", 1), ("C", "D", 0))

    def make_native(self):
        found = CDANs(tau_max=2, use_independent_change=False).fit(data(300).to_numpy(), var_names=NAMES)
        found.graph.contemp_adj[:] = 0
        found.graph.contemp_adj[2, 3] = 1  # its own orientation of C - D depends on the version
        return found


class TestPywhyGraph(TestTable):
    options: ClassVar = {}

    def make_native(self):
        return edge_lists.pywhy_graph()


class TestPywhyMixedGraph(TestTable):
    options: ClassVar = {}
    edges = (*EDGES, ("A", "D", 0), ("D", "A", 0), ("D", "B", 1))

    def make_native(self):
        return edge_lists.pywhy_mixed_graph()


class TextContract(TestTable):
    def test_everything_kept_gives_an_equal_object(self):  # text cannot change, so the same may come back
        assert self._write(self.native, self._read(self.native).mask) == self.native


class TestGml(TextContract):
    def make_native(self):
        graph = nx.DiGraph(name="learned")
        graph.add_nodes_from(f"{name}_lag{lag}" for name in NAMES for lag in range(3))
        graph.add_weighted_edges_from((f"{c}_lag{lag}", f"{e}_lag0", 0.5 + lag) for c, e, lag in LIST)
        return "\n".join(nx.generate_gml(graph))


class TestGmlOfTuples(TextContract):
    def make_native(self):
        graph = nx.DiGraph([((cause, -lag), (effect, 0)) for cause, effect, lag in LIST])
        return "\n".join(nx.generate_gml(graph, stringizer=str))


class TestDot(TextContract):
    def make_native(self):
        return edge_lists.dot_text()
