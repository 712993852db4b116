from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import UnknownAdapterError, UnknownResultError
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
    with pytest.raises(UnknownResultError, match="could not be loaded"):
        registry.find_adapter(object())


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
