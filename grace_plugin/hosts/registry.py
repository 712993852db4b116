"""Which adapters there are, and which one takes an object.

The built-in ones are a literal table of strings, resolved on first use: listing or missing a host
imports nothing. Other packages add theirs through the entry-point group "grace_plugin.adapters".
"""

from __future__ import annotations

import difflib
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from grace_plugin._common.checks import shown
from grace_plugin.exceptions import UnknownAdapterError, UnknownResultError
from grace_plugin.protocols import Adapter, DataReader

ENTRY_POINT_GROUP = "grace_plugin.adapters"

_BUILT_IN: dict[str, str] = {
    "causal-learn": "grace_plugin.adapters.causal_learn:CausalLearnAdapter",
    "causalts": "grace_plugin.adapters.causalts:CausaltsAdapter",
    "dynotears": "grace_plugin.adapters.dynotears:DynotearsAdapter",
    "edges": "grace_plugin.adapters.edges:EdgeListAdapter",
    "lingam": "grace_plugin.adapters.lingam:LingamAdapter",
    "networkx": "grace_plugin.adapters.networkx:NetworkxAdapter",
    "numpy": "grace_plugin.adapters.numpy:NumpyAdapter",
    "pairs": "grace_plugin.adapters.pairs:PairsAdapter",
    "statsmodels": "grace_plugin.adapters.statsmodels:StatsmodelsAdapter",
    "tigramite": "grace_plugin.adapters.tigramite:TigramiteAdapter",
}

_loaded: dict[str, Adapter] = {}
_registered: dict[str, Adapter] = {}


def available_adapters() -> list[str]:
    """The names of all adapters, ours and those that other packages registered.

    >>> "tigramite" in available_adapters()
    True
    """
    return sorted({*_BUILT_IN, *_entry_points(), *_registered})


def get_adapter(name: str) -> Adapter:
    """The adapter called `name`, loaded now if it was not yet.

    >>> get_adapter("networkx").name
    'networkx'
    """
    if not isinstance(name, str):
        msg = f"adapter={shown(name)} is no name; known are {available_adapters()}."
        raise UnknownAdapterError(msg)
    if name in _registered:
        return _registered[name]
    if name not in _loaded:
        _loaded[name] = _load(name, _target(name))
    return _loaded[name]


def register_adapter(adapter: Adapter, clobber: bool = False) -> None:
    """Make `adapter` known under its own name for the rest of the process.

    A name that is taken is refused unless `clobber` is set; registering the same object twice is
    harmless.

    >>> adapter = get_adapter("numpy")
    >>> register_adapter(adapter)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    grace_plugin.exceptions.UnknownAdapterError: An adapter called 'numpy' exists already; choose ...
    """
    if not isinstance(adapter, Adapter):
        missing = [part for part in _MEMBERS if not hasattr(adapter, part)]
        msg = f"{type(adapter).__name__} lacks {missing} of an adapter; see grace_plugin.protocols.Adapter."
        raise UnknownAdapterError(msg)
    if adapter.name in available_adapters() and not clobber and _registered.get(adapter.name) is not adapter:
        msg = f"An adapter called {adapter.name!r} exists already; choose another name or pass clobber=True."
        raise UnknownAdapterError(msg)
    _registered[adapter.name] = adapter


def find_adapter(native: object) -> Adapter:
    """The one adapter that recognises `native`; registered ones are asked first."""
    failures: list[str] = []
    for name in [*_registered, *(n for n in available_adapters() if n not in _registered)]:
        try:
            adapter = get_adapter(name)
        except UnknownAdapterError as error:
            failures.append(str(error))
            continue
        if adapter.is_native(native):
            return adapter
    raise UnknownResultError(_unrecognised(native, failures))


def find_data_reader(data: object) -> DataReader | None:
    """The adapter whose host's own data container `data` is, if any."""
    for name in available_adapters():
        try:
            adapter = get_adapter(name)
        except UnknownAdapterError:
            continue
        if isinstance(adapter, DataReader) and adapter.is_data(data):
            return adapter
    return None


_MEMBERS = ("name", "accepts", "is_native", "to_skeleton", "from_graph", "data_of")


@cache
def _entry_points() -> dict[str, str]:
    found: dict[str, str] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name not in _BUILT_IN:  # a built-in name is never silently taken over
            found.setdefault(point.name, point.value)
    return found


def _target(name: str) -> str:
    target = _BUILT_IN.get(name) or _entry_points().get(name)
    if target is None:
        known = available_adapters()
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        msg = f"There is no adapter called {name!r}; known are {known}.{hint}"
        raise UnknownAdapterError(msg)
    return target


def _load(name: str, target: str) -> Adapter:
    module, _, attribute = target.partition(":")
    try:
        made: Any = getattr(import_module(module), attribute)()
    except Exception as error:  # a stranger's module may fail in any way; the others must still work
        msg = f"The adapter {name!r} ({target}) could not be loaded: {type(error).__name__}: {error}"
        raise UnknownAdapterError(msg) from error
    if not isinstance(made, Adapter):
        missing = [part for part in _MEMBERS if not hasattr(made, part)]
        msg = f"The adapter {name!r} ({target}) lacks {missing}; see grace_plugin.protocols.Adapter."
        raise UnknownAdapterError(msg)
    return made


def _unrecognised(native: object, failures: list[str]) -> str:
    kind = f"{type(native).__module__}.{type(native).__qualname__}"
    accepted = []
    for name in available_adapters():
        try:
            accepted.append(f"  {name}: {get_adapter(name).accepts}")
        except UnknownAdapterError:
            continue
    lines = [f"No adapter recognises an object of type {kind}. Accepted are:", *accepted]
    if failures:
        lines += ["These adapters could not be loaded:", *(f"  {failure}" for failure in failures)]
    lines.append("Pass adapter='name' to choose one, or add your own with register_adapter().")
    return "\n".join(lines)
