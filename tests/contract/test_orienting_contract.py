"""The contract on results with an open edge at lag 0, of every host that can orient; adapters that cannot."""

from __future__ import annotations

from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.hosts import registry
from grace_plugin.hosts.registry import available_adapters, get_adapter
from grace_plugin.protocols import OrientingAdapter
from grace_plugin.testing.contract import AdapterContract, require_host
from tests.lag0.step_worlds import chain, simulate

pytestmark = pytest.mark.host

# A acts on B a step later; C and D have no past, so that nothing tells which of them acts on the other.
NAMES = ("A", "B", "C", "D")
EDGES = (("A", "B", 1), ("C", "D", 0), ("D", "C", 0))
NO_EDGES = (("B", "A", 1), ("A", "B", 0))
OPEN = (("C", "D", 0),)
NUMBERED = ("x0", "x1", "x2", "x3")
NUMBERED_EDGES = (("x0", "x1", 1), ("x2", "x3", 0), ("x3", "x2", 0))


class _Open(AdapterContract):
    names = NAMES
    edges = EDGES
    no_edges = NO_EDGES
    open_edges = OPEN


class TestTigramite(_Open):
    adapter_name = "tigramite"
    names = NUMBERED
    edges = NUMBERED_EDGES
    no_edges = (("x1", "x0", 1), ("x0", "x1", 0))
    open_edges = (("x2", "x3", 0),)

    def make_native(self) -> Any:
        require_host("tigramite")
        from tigramite import data_processing as pp
        from tigramite.independence_tests.parcorr import ParCorr
        from tigramite.pcmci import PCMCI

        host = PCMCI(dataframe=pp.DataFrame(rows()), cond_ind_test=ParCorr(), verbosity=0)
        return host.run_pcmciplus(tau_max=1, pc_alpha=0.001)


class TestCausalLearn(_Open):
    """Rows without a past: X1 -> X3 <- X2, and X4 and X5 apart."""

    adapter_name = "causal-learn"
    names = ("X1", "X2", "X3", "X4", "X5")
    edges = (("X1", "X3", 0), ("X4", "X5", 0), ("X5", "X4", 0))
    no_edges = (("X3", "X1", 0), ("X1", "X2", 0))
    open_edges = (("X4", "X5", 0),)
    supports_lags = False
    carries_data = True

    def make_native(self) -> Any:
        require_host("causallearn")
        from causallearn.search.ConstraintBased.PC import pc

        x = np.random.default_rng(1).normal(size=(400, 5))
        x[:, 2] += x[:, 0] + x[:, 1]
        x[:, 4] += x[:, 3]
        return pc(x, alpha=0.001, show_progress=False)


class TestNetworkx(_Open):
    adapter_name = "networkx"

    def make_native(self) -> Any:
        graph = nx.DiGraph()
        graph.add_nodes_from((name, 0) for name in NAMES)
        graph.add_edges_from(((cause, -lag), (effect, 0)) for cause, effect, lag in EDGES)
        return graph


class TestEdges(_Open):
    adapter_name = "edges"
    options: ClassVar = {"names": list(NAMES), "max_lag": 1}

    def make_native(self) -> Any:
        return list(EDGES)


class TestNumpy(_Open):
    adapter_name = "numpy"
    names = NUMBERED
    edges = NUMBERED_EDGES
    no_edges = (("x1", "x0", 1), ("x0", "x1", 0))
    open_edges = (("x2", "x3", 0),)
    options: ClassVar = {"layout": "cause,effect,lag"}

    def make_native(self) -> Any:
        mask = np.zeros((4, 4, 2), dtype=bool)
        mask[0, 1, 1] = mask[2, 3, 0] = mask[3, 2, 0] = True
        return mask


def rows() -> np.ndarray:
    """Rows of the example."""
    lagged = np.zeros((4, 4))
    lagged[0, 1] = 0.8
    now = np.zeros((4, 4))
    now[2, 3] = 0.8
    return simulate(now, lagged, 500, seed=0)


def test_every_adapter_that_can_orient_is_looked_at() -> None:
    able = {name for name in available_adapters() if isinstance(get_adapter(name), OrientingAdapter)}
    looked_at = {case.adapter_name for case in _Open.__subclasses__()}
    assert able == looked_at


Numpy = type(get_adapter("numpy"))


class Idle(Numpy):
    """Leaves every edge open."""

    def orient(self, native: Any, directions: Any, **options: Any) -> Any:
        return native.copy()


class Turning(Numpy):
    """Turns directed edges round too."""

    def orient(self, native: Any, directions: Any, **options: Any) -> Any:
        made = native.copy()
        made[:, :, 0] = np.where(directions | directions.T, directions, made[:, :, 0])
        return made


class Careless(Numpy):
    """Writes into what it was given."""

    def orient(self, native: Any, directions: Any, **options: Any) -> Any:
        native[:, :, 0] &= ~directions.T
        return native


@pytest.mark.parametrize(
    ("wrong", "noticed"),
    [
        (Idle, "test_orienting_sets_the_open_edges_of_the_example_both_ways"),
        (Turning, "test_orienting_never_turns_an_edge_round"),
        (Careless, "test_orienting_sets_the_open_edges_of_the_example_both_ways"),
    ],
)
def test_the_contract_notices_an_adapter_that_orients_wrongly(wrong: type, noticed: str) -> None:
    class Case(TestNumpy):
        edges = (*TestNumpy.edges, ("x0", "x2", 0))

        @property
        def adapter(self) -> Any:
            return wrong()

        def make_native(self) -> Any:
            mask = super().make_native()
            mask[0, 2, 0] = True
            return mask

    with pytest.raises(AssertionError):
        getattr(Case(), noticed)()


class Book:
    """The result of a host whose adapter was written before there was an `orient`."""

    def __init__(self, mask: np.ndarray) -> None:
        self.mask = mask


class BookAdapter:
    name = "book"
    accepts = "a Book, for this test alone"

    def is_native(self, obj: Any) -> bool:
        return isinstance(obj, Book)

    def to_skeleton(self, native: Any) -> gp.Skeleton:
        return gp.Skeleton(native.mask)

    def from_graph(self, native: Any, graph: Any, *, outcome: Any = None) -> Any:
        return Book(graph.copy())

    def data_of(self, native: Any) -> Any:
        return None


def test_a_strangers_adapter_that_cannot_orient_goes_on_working(monkeypatch: pytest.MonkeyPatch) -> None:
    x = simulate(chain(3), np.diag([0.6] * 3), 600, seed=1)
    mask = np.zeros((3, 3, 2), dtype=bool)
    mask[:, :, 1] = np.eye(3, dtype=bool)
    mask[0, 1, 0] = mask[1, 0, 0] = mask[1, 2, 0] = mask[2, 1, 0] = True
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    gp.register_adapter(BookAdapter())
    assert not isinstance(get_adapter("book"), OrientingAdapter)
    refined = gp.refine(Book(mask), x, orient=True)
    assert isinstance(refined, Book)
    assert np.array_equal(refined.mask[:, :, 0] | refined.mask[:, :, 0].T, mask[:, :, 0])
    learned = gp.analyze(Book(mask), x, orient=True)
    told = learned.edges[(learned.edges.lag == 0) & learned.edges.kept]
    assert {(row.cause, row.effect) for row in told.itertuples()} == {("x0", "x1"), ("x1", "x2")}
