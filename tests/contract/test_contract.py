"""What holds for all adapters together; what holds for each is in grace_plugin.testing.contract."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import available_adapters, get_adapter
from grace_plugin.protocols import Adapter
from grace_plugin.testing.contract import AdapterContract, difference, outcome_for, require_host

ROOT = Path(__file__).resolve().parents[2]
BUILT_IN = [
    "causal-learn",
    "causalts",
    "dynotears",
    "edges",
    "lingam",
    "networkx",
    "numpy",
    "pairs",
    "statsmodels",
    "tigramite",
]


class Hostile:
    """An object that objects to being looked at."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None

    def __len__(self):
        raise RuntimeError


STRANGERS = {
    "none": None,
    "number": 3,
    "text": "graph",
    "settings": {"graph": "ring", "val_matrix": None},
    "four axes": np.zeros((2, 2, 2, 2)),
    "one axis": np.zeros(4),
    "table": pd.DataFrame({"a": [1.0, 2.0]}),
    "class": dict,
    "function": len,
    "hostile": Hostile(),
}


def test_the_built_in_adapters_are_listed():
    assert set(BUILT_IN) <= set(available_adapters())


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_adapter_loads(name):
    adapter = get_adapter(name)
    assert isinstance(adapter, Adapter)
    assert adapter.name == name
    assert len(adapter.accepts) > 10
    assert "\n" not in adapter.accepts


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_no_adapter_claims_a_stranger(name, stranger):
    obj = STRANGERS[stranger]
    assert not get_adapter(name).is_native(obj)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_adapter_has_a_contract(name):
    """Read from the sources, so that running one file alone tells the same."""
    named = set()
    for path in (ROOT / "tests" / "adapters").glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "adapter_name":
                named.add(ast.literal_eval(node.value))
    assert name in named


def test_loading_all_adapters_imports_no_host():
    hosts = ["tigramite", "causallearn", "lingam", "statsmodels", "castle", "causalnex", "causalts", "torch"]
    code = (
        "import sys\n"
        "from grace_plugin.hosts.registry import available_adapters, get_adapter\n"
        "for name in available_adapters():\n"
        "    adapter = get_adapter(name)\n"
        "    adapter.is_native({}); adapter.is_native(object())\n"
        f"print([host for host in {hosts} if host in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class _Stack(AdapterContract):
    """A contract whose adapter is wrong in ways that the suite must notice."""

    adapter_name = "numpy"
    names = ("x0", "x1")
    edges = (("x0", "x1", 1), ("x1", "x0", 0))
    no_edges = (("x1", "x0", 1), ("x0", "x1", 0))
    options = {"layout": "cause,effect,lag"}  # noqa: RUF012
    wrong: type | None = None

    @property
    def adapter(self):
        return super().adapter if self.wrong is None else self.wrong()

    def make_native(self):
        stack = np.zeros((2, 2, 2))
        stack[0, 1, 1] = stack[1, 0, 0] = 0.5
        return stack


Numpy = type(get_adapter("numpy"))


class Transposed(Numpy):
    def to_skeleton(self, native, **options):
        return super().to_skeleton(native.transpose(1, 0, 2), **options)

    def from_graph(self, native, graph, **options):
        return super().from_graph(native.transpose(1, 0, 2), graph, **options).transpose(1, 0, 2)


class Shifted(Numpy):
    def to_skeleton(self, native, **options):
        return Skeleton(super().to_skeleton(native, **options).mask[:, :, ::-1])

    def from_graph(self, native, graph, **options):
        return super().from_graph(native, graph[:, :, ::-1], **options)


class Careless(Numpy):
    def from_graph(self, native, graph, **options):
        native[...] = super().from_graph(native, graph, **options)
        return native.copy()


class Forgetful(Numpy):
    def from_graph(self, native, graph, **options):
        return super().from_graph(native, np.ones_like(graph), **options)


class Greedy(Numpy):
    def from_graph(self, native, graph, **options):
        graph = graph if graph[0, 1, 1] else np.zeros_like(graph)
        return super().from_graph(native, graph, **options)


class Rounding(Numpy):
    def from_graph(self, native, graph, **options):
        return np.round(super().from_graph(native, graph, **options) + 0.1)


class Listing(Numpy):
    def from_graph(self, native, graph, **options):
        return super().from_graph(native, graph, **options).view(np.recarray)


def failures_of(wrong):
    case = type("Case", (_Stack,), {"wrong": wrong})()
    failed = []
    for name in (name for name in dir(case) if name.startswith("test_")):
        try:
            getattr(case, name)()
        except Exception:  # an adapter that is wrong may fail in any way
            failed.append(name)
    return failed


def test_the_suite_passes_a_right_adapter():
    assert failures_of(None) == []


@pytest.mark.parametrize(
    ("wrong", "noticed"),
    [
        (Transposed, "test_edges_are_at_their_absolute_positions"),
        (Shifted, "test_edges_are_at_their_absolute_positions"),
        (Careless, "test_the_input_is_not_changed"),
        (Forgetful, "test_dropping_a_lagged_edge_removes_exactly_it"),
        (Greedy, "test_dropping_a_lagged_edge_removes_exactly_it"),
        (Rounding, "test_everything_kept_gives_an_equal_object"),
        (Listing, "test_the_same_type_comes_out"),
    ],
)
def test_the_suite_notices_a_wrong_adapter(wrong, noticed):
    assert noticed in failures_of(wrong)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), None),
        (np.zeros(2), np.zeros(2, dtype=int), "arrays differ"),
        (float("nan"), float("nan"), None),
        ({"a": 1}, {"b": 1}, "only one of the two"),
        ([1], (1,), "list is not tuple"),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]}), "tables differ"),
        (np.array([None, "a"]), np.array([None, "b"]), "'a' is not 'b'"),
        (len, max, "is not"),
    ],
)
def test_differences_are_found(one, other, words):
    found = difference(one, other)
    assert found is None if words is None else words in found


def test_objects_are_compared_by_their_attributes():
    class Slotted:
        __slots__ = ("other", "value")

    class Free:
        pass

    def pair(value):
        slotted, free = Slotted(), Free()
        slotted.other, slotted.value, free.other = free, value, slotted
        return slotted

    assert difference(pair(1), pair(1)) is None
    assert difference(pair(1), pair(2)) == "it attribute 'value': 1 is not 2"


def test_a_missing_host_skips_at_home_and_fails_in_ci(monkeypatch):
    assert require_host("json").__name__ == "json"
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("GRACE_REQUIRE_ALL_HOSTS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_host is not installed"):
        require_host("no_such_host")
    monkeypatch.setenv("GRACE_REQUIRE_ALL_HOSTS", "1")
    with pytest.raises(ImportError):
        require_host("no_such_host")


def test_an_outcome_for_tests_agrees_with_its_skeleton():
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 1] = True
    outcome = outcome_for(Skeleton(mask), mask)
    assert outcome.gates[0, 1, 1] == 1.0
    assert np.isnan(outcome.gain[~mask]).all()
