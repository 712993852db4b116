from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import AdapterWarning, UnknownAdapterError, UnknownResultError
from grace_plugin.hosts import registry


class Plain:
    name = "plain"
    accepts = "Plain objects"

    def is_native(self, obj: object) -> bool:
        return obj == "plain"

    def to_skeleton(self, native: Any) -> gp.Skeleton:
        return gp.Skeleton(np.zeros((2, 2, 2), bool))

    def from_graph(self, native: Any, graph: Any, *, outcome: Any = None) -> Any:
        return native

    def data_of(self, native: Any) -> Any:
        return None


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    monkeypatch.setattr(registry, "_left_out", set())
    return


def test_every_built_in_adapter_loads_under_its_own_name() -> None:
    for name in registry._BUILT_IN:
        assert gp.get_adapter(name).name == name


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownAdapterError, match="Did you mean 'tigramite'"):
        gp.get_adapter("tigramit")


def test_names_are_not_overwritten_silently() -> None:
    adapter = Plain()
    gp.register_adapter(adapter)
    gp.register_adapter(adapter)
    assert gp.get_adapter("plain") is adapter
    with pytest.raises(UnknownAdapterError, match="exists already"):
        gp.register_adapter(Plain())
    other = Plain()
    gp.register_adapter(other, clobber=True)
    assert gp.get_adapter("plain") is other


def test_built_in_names_are_taken() -> None:
    adapter = Plain()
    adapter.name = "numpy"
    with pytest.raises(UnknownAdapterError, match="exists already"):
        gp.register_adapter(adapter)


def test_what_is_not_an_adapter_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(UnknownAdapterError, match="to_skeleton"):
        gp.register_adapter(object())  # type: ignore[arg-type]


def test_an_unknown_object_gets_the_list_of_what_is_accepted() -> None:
    with pytest.raises(UnknownResultError, match=r"(?s)builtins.int.*tigramite: .*register_adapter"):
        gp.refine(7, np.zeros((5, 2)))


def test_a_broken_plugin_breaks_nothing_else_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entry_points", lambda: {"broken": "no_such_module:Adapter"})
    assert "broken" in gp.available_adapters()
    assert gp.get_adapter("numpy").name == "numpy"
    assert registry.find_adapter(np.zeros((2, 2, 2))).name == "numpy"
    with pytest.raises(UnknownAdapterError, match="no_such_module"):
        gp.get_adapter("broken")
    with (
        pytest.warns(AdapterWarning, match="no_such_module"),
        pytest.raises(UnknownResultError, match="could not be loaded"),
    ):
        registry.find_adapter(Plain())


def test_entry_points_cannot_take_a_built_in_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "numpy"
        value = "evil:Adapter"

    registry._entry_points.cache_clear()
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    try:
        assert registry._entry_points() == {}
    finally:
        registry._entry_points.cache_clear()


def module(monkeypatch: pytest.MonkeyPatch, **parts: Any) -> None:
    """An installed package whose adapter is `Plain` with these parts."""
    made = types.ModuleType("grace_stranger")
    made.Adapter = type("Adapter", (Plain,), {"name": "aaa", **parts})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "grace_stranger", made)
    monkeypatch.setattr(registry, "_entry_points", lambda: {"aaa": "grace_stranger:Adapter"})


def _raises(self: Any, obj: object) -> bool:
    msg = "boom"
    raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("is_native", "words"),
    [
        (_raises, "RuntimeError: boom"),
        (lambda self, obj: sys.exit(3), "SystemExit: 3"),
        (lambda self, obj: np.zeros(3) == 0, "ValueError"),
        (lambda self, obj: True, "claims every object"),
    ],
)
def test_a_stranger_that_misbehaves_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, is_native: Any, words: str
) -> None:
    module(monkeypatch, is_native=is_native)
    assert registry.find_adapter(np.zeros((2, 2, 2))).name == "numpy"  # built-in ones are asked first
    assert registry.find_adapter([("a", "b", 1)]).name == "edges"
    with (
        pytest.warns(AdapterWarning, match=rf"'aaa' \(grace_stranger:Adapter\).*{words}"),
        pytest.raises(UnknownResultError),
    ):
        registry.find_adapter(Plain())
    with pytest.raises(UnknownResultError):  # told once
        registry.find_adapter(Plain())


def test_a_stranger_cannot_end_the_process_while_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, __init__=lambda self: sys.exit("goodbye"))
    with pytest.warns(AdapterWarning, match="goodbye"), pytest.raises(UnknownResultError, match="goodbye"):
        registry.find_adapter(Plain())
    with pytest.raises(UnknownAdapterError, match="SystemExit: goodbye"):
        gp.get_adapter("aaa")


def test_strangers_cannot_take_data_or_break_the_verbs(monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, is_data=_raises, to_panel=_raises, is_native=lambda self, obj: True)
    with pytest.warns(AdapterWarning, match="aaa"):
        assert registry.find_data_reader(np.zeros((4, 2))) is None
    x = np.random.default_rng(0).normal(size=(300, 2))
    x[1:, 1] += 0.9 * x[:-1, 0]
    assert gp.refine([("x0", "x1", 1), ("x1", "x0", 1)], x) == [("x0", "x1", 1)]


def test_a_good_stranger_is_asked_after_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, is_native=lambda self, obj: isinstance(obj, (Plain, np.ndarray)))
    assert registry.find_adapter(Plain()).name == "aaa"
    assert registry.find_adapter(np.zeros((2, 2, 2))).name == "numpy"


def test_the_type_of_an_object_decides_who_is_asked() -> None:
    assert registry._asked(np.zeros((2, 2))) == ["causalts", "numpy", "pairs", "tigramite"]
    assert "tigramite" not in registry._asked(nx.DiGraph())
    assert registry._asked(Plain()) == ["causalts"]
    assert set(registry._PACKAGES) == set(registry._BUILT_IN)


def test_a_registered_adapter_that_fails_is_told_too() -> None:
    broken = type("Broken", (Plain,), {"name": "broken", "is_native": _raises})()
    gp.register_adapter(broken)
    with pytest.warns(AdapterWarning, match="'broken'"):
        assert registry.find_adapter(np.zeros((2, 2, 2))).name == "numpy"
