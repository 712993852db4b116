"""Plain stacks of matrices."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from grace_plugin.exceptions import OptionError
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.testing.contract import AdapterContract

EDGES = (("x0", "x1", 1), ("x1", "x2", 2), ("x2", "x0", 0), ("x1", "x1", 1))
NO_EDGES = (("x1", "x0", 1), ("x0", "x1", 2), ("x2", "x1", 2), ("x0", "x2", 0), ("x1", "x2", 1))
LAYOUTS = ["cause,effect,lag", "lag,effect,cause", "lag-1,effect,cause"]


def cause_effect_lag(dtype: type = float) -> np.ndarray:
    stack = np.zeros((3, 3, 3), dtype=dtype)
    stack[0, 1, 1] = 2
    stack[1, 2, 2] = -3 if dtype is float else 1
    stack[2, 0, 0] = 1
    stack[1, 1, 1] = 1
    return stack


class TestCauseEffectLag(AdapterContract):
    adapter_name = "numpy"
    names = ("x0", "x1", "x2")
    edges = EDGES
    no_edges = NO_EDGES
    options: ClassVar = {"layout": "cause,effect,lag"}

    def make_native(self):
        return cause_effect_lag()


class TestLagEffectCause(TestCauseEffectLag):
    options: ClassVar = {"layout": "lag,effect,cause"}

    def make_native(self):
        stack = np.zeros((3, 3, 3))
        stack[1, 1, 0] = 2
        stack[2, 2, 1] = -3
        stack[0, 0, 2] = 1
        stack[1, 1, 1] = 1
        return stack


class TestLagsFromOne(TestCauseEffectLag):
    options: ClassVar = {"layout": "lag-1,effect,cause"}
    edges = (EDGES[0], EDGES[1], EDGES[3])
    supports_lag_zero = False

    def make_native(self):
        stack = np.zeros((2, 3, 3))
        stack[0, 1, 0] = 2
        stack[1, 2, 1] = -3
        stack[0, 1, 1] = 1
        return stack


class TestBooleans(TestCauseEffectLag):
    def make_native(self):
        return cause_effect_lag(bool)


class TestIntegersInFortranOrder(TestCauseEffectLag):
    def make_native(self):
        return np.asfortranarray(cause_effect_lag(int))


adapter = get_adapter("numpy")


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32])
def test_dtype_is_kept_and_pruned_entries_are_zero(dtype):
    native = cause_effect_lag().astype(dtype)
    graph = native != 0
    graph[1, 2, 2] = False
    result = adapter.from_graph(native, graph, layout="cause,effect,lag")
    assert result.dtype == dtype
    assert result[1, 2, 2] == 0
    assert (result != 0).sum() == 3


def test_weights_are_scores_without_their_sign():
    skeleton = adapter.to_skeleton(cause_effect_lag(), layout="cause,effect,lag")
    assert skeleton.scores is not None
    assert skeleton.scores[1, 2, 2] == 3
    assert adapter.to_skeleton(cause_effect_lag(bool), layout="cause,effect,lag").scores is None


def test_a_nan_pair_at_lag_zero_is_one_unoriented_edge():
    stack = np.zeros((2, 3, 3))
    stack[0, 0, 1] = stack[0, 1, 0] = np.nan
    skeleton = adapter.to_skeleton(stack, layout="lag,effect,cause")
    assert list(skeleton) == [(0, 1, 0)]
    assert skeleton.unoriented[0, 1]
    kept = adapter.from_graph(stack, skeleton.mask, layout="lag,effect,cause")
    np.testing.assert_array_equal(kept, stack)
    pruned = adapter.from_graph(stack, np.zeros_like(skeleton.mask), layout="lag,effect,cause")
    assert not pruned.any()


def test_the_diagonal_at_lag_zero_is_no_edge_and_stays():
    stack = np.ones((2, 2, 2))
    skeleton = adapter.to_skeleton(stack, layout="cause,effect,lag")
    assert not skeleton.mask[0, 0, 0]
    pruned = adapter.from_graph(stack, np.zeros_like(skeleton.mask), layout="cause,effect,lag")
    assert np.argwhere(pruned).tolist() == [[0, 0, 0], [1, 1, 0]]


def test_names_are_taken():
    skeleton = adapter.to_skeleton(cause_effect_lag(), layout="cause,effect,lag", names=["a", "b", "c"])
    assert skeleton.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((3, 3, 3), None),
        ((3, 3, 3), "effect,cause,lag"),
        ((2, 3, 3), "cause,effect,lag"),
        ((3, 3, 2), "lag,effect,cause"),
        ((3, 3, 2), "lag-1,effect,cause"),
        ((0, 3, 3), "lag,effect,cause"),
    ],
)
def test_a_wrong_or_missing_layout_is_an_error_that_names_the_three(shape, layout):
    with pytest.raises(OptionError) as caught:
        adapter.to_skeleton(np.zeros(shape), layout=layout)
    assert all(f'layout="{known}"' in str(caught.value) for known in LAYOUTS)
    assert str(shape) in str(caught.value) or "not known" in str(caught.value)


@pytest.mark.parametrize("other", [np.zeros((3, 3)), np.zeros(3), np.full((2, 2, 2), "-->"), [[[1.0]]], None])
def test_other_arrays_are_not_claimed(other):
    assert not adapter.is_native(other)
