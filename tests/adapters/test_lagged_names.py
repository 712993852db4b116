"""Node names that carry a lag."""

from __future__ import annotations

from importlib import import_module

import pytest

from grace_plugin.exceptions import AdapterError

names = import_module("grace_plugin.adapters._lagged_names")
STYLES = list(names.LagStyle)


@pytest.mark.parametrize("style", STYLES[:3])
def test_what_is_made_is_read_back(style):
    nodes = [names.lagged_name(name, lag, style) for name in ("rain", "a_lag3") for lag in (0, 1, 12)]
    read = names.read_lagged_names(nodes)
    assert read.style is style
    assert read.names == ("rain", "a_lag3")
    assert read.max_lag == 12
    assert [read.place[node] for node in nodes] == [(v, lag) for v in (0, 1) for lag in (0, 1, 12)]
    assert read.node_at[1, 12] == nodes[5]


def test_the_sign_is_read_from_all_nodes():
    assert names.read_lagged_names([("a", 0), ("b", 2)]).place == {("a", 0): (0, 0), ("b", 2): (1, 2)}
    assert names.read_lagged_names([("a", 0), ("b", -2)]).place == {("a", 0): (0, 0), ("b", -2): (1, 2)}


def test_only_the_last_suffix_is_a_lag():
    assert names.split_suffix("x_lag1_lag0") == ("x_lag1", 0)
    assert names.split_suffix("_lag1") is None
    assert names.split_suffix("x_lag-1") is None


def test_a_bare_name_beside_suffixed_ones_is_lag_zero():
    read = names.read_lagged_names(["flow", "flow_lag1"])
    assert read.place == {"flow": (0, 0), "flow_lag1": (0, 1)}


def test_plain_nodes_may_be_anything():
    read = names.read_lagged_names([0, "b", ("c", "d")])
    assert read.style is names.LagStyle.PLAIN
    assert read.max_lag == 0
    assert read.variables == (0, "b", ("c", "d"))


def test_a_plain_name_has_no_lag():
    assert names.lagged_name("a", 0, names.LagStyle.PLAIN) == "a"
    with pytest.raises(AdapterError, match="cannot say lag 2"):
        names.lagged_name("a", 2, names.LagStyle.PLAIN)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([("a", -1), ("b", 1)], "one sign"),
        ([("a", -1), "b"], "'b' is not"),
        (["a_lag1", 3], "3 is no string"),
        (["a", "a_lag0", "a_lag1"], "same variable at the same lag"),
        ([(1, -1), ("1", -1)], "look the same"),
    ],
)
def test_contradictions_are_refused(nodes, message):
    with pytest.raises(AdapterError, match=message):
        names.read_lagged_names(nodes)
