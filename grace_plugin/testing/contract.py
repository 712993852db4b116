"""The conformance suite: tests without data that any adapter's own tests subclass.

    class TestMyHost(AdapterContract):
        adapter_name = "my-host"
        names = ("A", "B", "C")
        edges = (("A", "B", 1), ("B", "C", 0))
        no_edges = (("B", "A", 1), ("A", "B", 2))

        def make_native(self):
            return my_host.run(data)  # the real host, small data with a known graph

A cell is always (cause, effect, lag), told by names. Where a host is special, set the switches below
the examples or override one of the hooks; nothing is ever skipped.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import UnknownAdapterError
from grace_plugin.graph.outcome import Outcome, Reason
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import available_adapters, get_adapter
from grace_plugin.protocols import Adapter, OrientingAdapter
from grace_plugin.testing.comparison import difference

__all__ = ["AdapterContract", "Edge", "difference", "named_edges", "outcome_for", "require_host"]

Edge = tuple[str, str, int]


class AdapterContract:
    """What every adapter must do, as pytest tests; subclass it and describe one real native object.

    Attributes:
        adapter_name: the registry key.
        names: the variables' names, in the order of the skeleton's axes.
        edges: cells that must be candidates, at least one of them cross-variable and with its
            mirror image in `no_edges`; one at a lag > 0 and one at lag 0 where the host has such.
        no_edges: cells that must not be candidates.
        options: host options, passed to `to_skeleton` and `from_graph`.
        supports_lags: False for a host that knows no lags > 0.
        supports_lag_zero: False for a host that knows no contemporaneous edges.
        told_by_scores: True for a host in which every cell is a candidate: then `edges` must have
            higher scores than `no_edges` instead of being the only candidates.
        keeps_names: False where a variable that has lost its last edge cannot be read back.
        carries_data: True where `data_of` must find data in the native object.
        open_edges: cells at lag 0 among `edges` whose direction the host leaves open; an adapter that can
            orient must be able to set each of them, this way and the other.
    """

    adapter_name: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    edges: ClassVar[Sequence[Edge]]
    no_edges: ClassVar[Sequence[Edge]]
    options: ClassVar[Mapping[str, Any]] = {}
    supports_lags: ClassVar[bool] = True
    supports_lag_zero: ClassVar[bool] = True
    told_by_scores: ClassVar[bool] = False
    keeps_names: ClassVar[bool] = True
    carries_data: ClassVar[bool] = False
    open_edges: ClassVar[Sequence[Edge]] = ()

    # Hooks ---------------------------------------------------------------------------------------

    def make_native(self) -> Any:
        """A result of the real host; made once per class."""
        msg = f"{type(self).__name__} must define make_native()."
        raise NotImplementedError(msg)

    def dropped_with(self, skeleton: Skeleton, edge: Edge) -> BoolArray:
        """The cells that fall together with `edge`: itself, and its mirror if it is unoriented."""
        cell = _cell(skeleton, edge)
        cells = np.zeros_like(skeleton.mask)
        cells[cell] = True
        if edge[2] == 0 and skeleton.unoriented[cell[:2]]:
            cells[cell[1], cell[0], 0] = True
        return cells

    def marks(self, native: Any) -> Mapping[Edge, Any]:
        """What the host says of each edge (a mark, a weight); survivors must keep it."""
        skeleton = self._read(native)
        if skeleton.scores is None:
            return {}
        scores = skeleton.scores
        return {edge: float(scores[_cell(skeleton, edge)]) for edge in named_edges(skeleton)}

    def snapshot(self, native: Any) -> Any:
        """A deep copy to compare with later."""
        return copy.deepcopy(native)

    def difference(self, one: Any, other: Any) -> str | None:
        """Where two native objects differ in content, or None."""
        return difference(one, other)

    # What the tests share ------------------------------------------------------------------------

    @property
    def adapter(self) -> Adapter:
        return get_adapter(self.adapter_name)

    @property
    def native(self) -> Any:
        return self._made()[0]

    def _made(self) -> tuple[Any, Any]:
        """The native object and a snapshot of it, made before any test has used it."""
        made: tuple[Any, Any] | None = type(self).__dict__.get("_once")
        if made is None:
            native = self.make_native()
            made = (native, self.snapshot(native))
            type(self)._once = made  # type: ignore[attr-defined]
        return made

    def _read(self, native: Any) -> Skeleton:
        return self.adapter.to_skeleton(native, **self.options)

    def _write(self, native: Any, graph: BoolArray, outcome: Outcome | None = None) -> Any:
        return self.adapter.from_graph(native, graph, outcome=outcome, **self.options)

    def _first(self, lagged: bool) -> Edge:
        found = [edge for edge in self.edges if (edge[2] > 0) is lagged]
        assert found, f"`edges` must name one at {'a lag > 0' if lagged else 'lag 0'}, or the switch be False"
        return found[0]

    def _check_dropping(self, edge: Edge) -> None:
        before = self._read(self.native)
        graph = before.mask & ~self.dropped_with(before, edge)
        wanted = named_edges(before, graph)
        assert edge not in wanted
        result = self._write(self.native, graph)
        assert named_edges(self._read(result)) == wanted, f"dropping {edge} must remove it and nothing else"
        old, new = self.marks(self.native), self.marks(result)
        for survivor in wanted & set(old):
            unequal = difference(old[survivor], new[survivor])
            assert unequal is None, f"{survivor} changed although only {edge} was dropped: {unequal}"

    # The tests -----------------------------------------------------------------------------------

    def test_the_adapter_is_found_by_its_name(self) -> None:
        assert isinstance(self.adapter, Adapter)
        assert self.adapter.name == self.adapter_name
        assert self.adapter.accepts.strip()
        assert self.adapter_name in available_adapters()

    def test_only_this_adapter_recognises_the_object(self) -> None:
        claims = [adapter.name for adapter in _loadable_adapters() if adapter.is_native(self.native)]
        assert claims == [self.adapter_name]

    def test_names_are_read(self) -> None:
        assert self._read(self.native).names == self.names

    def test_the_example_tells_cause_from_effect_and_lag_from_lag(self) -> None:
        mirrors = {(effect, cause, lag) for cause, effect, lag in self.edges if cause != effect}
        assert mirrors & set(self.no_edges), "`no_edges` must hold the mirror image of one of `edges`"
        if self.supports_lags:
            pairs = {edge[:2] for edge in self.edges}
            shifted = [edge for edge in self.no_edges if edge[:2] in pairs]
            assert shifted, "`no_edges` must hold one of `edges` at another lag"

    def test_edges_are_at_their_absolute_positions(self) -> None:
        skeleton = self._read(self.native)
        at = {edge: _cell(skeleton, edge, self.names) for edge in (*self.edges, *self.no_edges)}
        for edge in self.edges:
            assert skeleton.mask[at[edge]], f"{edge} must be a candidate"
        if not self.told_by_scores:
            for edge in self.no_edges:
                assert not skeleton.mask[at[edge]], f"{edge} must not be a candidate"
            return
        assert skeleton.scores is not None, "told_by_scores needs scores"
        weakest = min(skeleton.scores[at[edge]] for edge in self.edges)
        for edge in self.no_edges:
            assert skeleton.scores[at[edge]] < weakest, f"{edge} must score lower than each of `edges`"

    def test_dropping_a_lagged_edge_removes_exactly_it(self) -> None:
        if self.supports_lags:
            self._check_dropping(self._first(lagged=True))
        else:
            assert not self._read(self.native).mask[:, :, 1:].any(), (
                "supports_lags is False, yet there are lags"
            )

    def test_dropping_a_lag_zero_edge_removes_exactly_it(self) -> None:
        if self.supports_lag_zero:
            self._check_dropping(self._first(lagged=False))
        else:
            assert not self._read(self.native).mask[:, :, 0].any(), (
                "supports_lag_zero is False, yet lag 0 is used"
            )

    def test_everything_kept_gives_an_equal_object(self) -> None:
        result = self._write(self.native, self._read(self.native).mask)
        assert result is not self.native, "a new object is wanted, not the input"
        assert self.difference(self.native, result) is None

    def test_everything_removed_reads_as_an_empty_skeleton(self) -> None:
        before = self._read(self.native)
        after = self._read(self._write(self.native, np.zeros_like(before.mask)))
        assert len(after) == 0
        if self.keeps_names:
            assert after.names == self.names
            assert after.mask.shape == before.mask.shape

    def test_the_input_is_not_changed(self) -> None:
        before = self._made()[1]
        skeleton = self._read(self.native)
        self.adapter.data_of(self.native)
        for graph in (skeleton.mask, np.zeros_like(skeleton.mask)):
            self._write(self.native, graph, outcome_for(skeleton, graph))
            assert self.difference(before, self.native) is None

    def test_the_same_type_comes_out(self) -> None:
        skeleton = self._read(self.native)
        for graph in (skeleton.mask, np.zeros_like(skeleton.mask)):
            assert type(self._write(self.native, graph)) is type(self.native)

    def test_writing_twice_is_writing_once(self) -> None:
        skeleton = self._read(self.native)
        graph = skeleton.mask & ~self.dropped_with(skeleton, self.edges[0])
        once = self._write(self.native, graph)
        assert self.difference(once, self._write(self.native, graph)) is None
        assert self.difference(once, self._write(once, self._read(once).mask)) is None

    def test_an_outcome_does_not_change_which_edges_are_left(self) -> None:
        skeleton = self._read(self.native)
        graph = skeleton.mask & ~self.dropped_with(skeleton, self.edges[0])
        result = self._write(self.native, graph, outcome_for(skeleton, graph))
        assert named_edges(self._read(result)) == named_edges(skeleton, graph)

    def test_orienting_gives_open_edges_at_lag_zero_a_direction(self) -> None:
        """Only for adapters that can; the open edges of the example, one way and the other."""
        if not isinstance(self.adapter, OrientingAdapter):
            return
        before = self._read(self.native)
        for directions in (np.triu(before.unoriented), np.tril(before.unoriented)):
            result = self.adapter.orient(self.native, directions, **self.options)
            after = self._read(result)
            assert type(result) is type(self._write(self.native, before.mask))
            left = before.mask.copy()
            left[:, :, 0] &= ~directions.T | after.mask[:, :, 0]  # an edge may stay open, never turn
            assert named_edges(after) == named_edges(before, left)
            if not directions.any():
                assert self.difference(self._write(self.native, before.mask), result) is None

    def test_orienting_sets_the_open_edges_of_the_example_both_ways(self) -> None:
        if not isinstance(self.adapter, OrientingAdapter):
            return
        before = self._read(self.native)
        for edge in self.open_edges:
            cause, effect, _ = _cell(before, edge)
            assert before.unoriented[cause, effect], f"{edge} must be open"
            for one, other in ((cause, effect), (effect, cause)):
                directions = np.zeros_like(before.unoriented)
                directions[one, other] = True
                left = before.mask.copy()
                left[other, one, 0] = False
                result = self.adapter.orient(self.native, directions, **self.options)
                assert named_edges(self._read(result)) == named_edges(before, left)

    def test_orienting_never_turns_an_edge_round(self) -> None:
        if not isinstance(self.adapter, OrientingAdapter):
            return
        before = self._read(self.native)
        against = before.directed[:, :, 0].T.copy()
        result = self.adapter.orient(self.native, against, **self.options)
        assert named_edges(self._read(result)) == named_edges(before)
        assert self.difference(self._made()[1], self.native) is None

    def test_data_are_found_where_the_object_holds_them(self) -> None:
        assert (self.adapter.data_of(self.native) is not None) is self.carries_data


def named_edges(skeleton: Skeleton, graph: BoolArray | None = None) -> set[Edge]:
    """Every set cell of the skeleton (or of `graph`, in its axes) by names."""
    cells = np.argwhere(skeleton.mask if graph is None else graph)
    return {(skeleton.names[c], skeleton.names[e], int(lag)) for c, e, lag in cells}


def outcome_for(skeleton: Skeleton, graph: BoolArray) -> Outcome:
    """An outcome as an engine would give it: kept edges wide open, the others closed."""
    unknown = np.where(skeleton.mask, 0.25, np.nan)
    reason = np.where(skeleton.mask, Reason.GATE, Reason.SKELETON).astype(np.int8)
    return Outcome.of_arrays(
        graph.astype(float),
        graph.copy(),
        unknown,
        unknown / 2,
        reason,
        penalty=0.01,
        alpha=1e-3,
        rows_used=90,
        rows_given=100,
    )


def require_host(module: str) -> Any:
    """Import a host's module for a test; where it is not installed, skip the test.

    With the environment variable CI or GRACE_REQUIRE_ALL_HOSTS set, a missing host is a failure, so
    that nothing is skipped unseen.
    """
    import pytest  # a test tool, not needed to use the library

    try:
        return import_module(module)
    except ImportError as error:
        if os.environ.get("CI") or os.environ.get("GRACE_REQUIRE_ALL_HOSTS"):
            raise
        pytest.skip(f"{module} is not installed: {error}", allow_module_level=True)


def _loadable_adapters() -> list[Adapter]:
    found = []
    for name in available_adapters():
        try:
            found.append(get_adapter(name))
        except UnknownAdapterError:  # one that cannot be loaded claims nothing
            continue
    return found


def _cell(skeleton: Skeleton, edge: Edge, names: Sequence[str] | None = None) -> tuple[int, int, int]:
    known = list(names or skeleton.names)
    cause, effect, lag = edge
    return known.index(cause), known.index(effect), lag
