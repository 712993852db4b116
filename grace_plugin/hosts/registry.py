"""Which adapters there are, and which one takes an object.

The built-in ones are a literal table of strings, resolved on first use: listing or missing a host
imports nothing. Other packages add theirs through the entry-point group "grace_plugin.adapters".

Who is asked whether an object is theirs: first those that were registered in this process, then the
built-in ones to whose packages the object's type belongs, then those of other packages. One that is not
built in may fail in any way: it is left out, and a warning names it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from grace_plugin._common.checks import shown
from grace_plugin._common.telling import tell
from grace_plugin.exceptions import AdapterWarning, UnknownAdapterError, UnknownResultError
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

# The packages of the types that a built-in adapter takes; None where it tells its objects by their structure.
_PACKAGES: dict[str, tuple[str, ...] | None] = {
    "causal-learn": ("causallearn", "builtins"),
    "causalts": None,
    "dynotears": ("causalnex", "networkx", "builtins"),
    "edges": ("pandas", "cdans", "pywhy_graphs", "builtins"),
    "lingam": ("lingam", "causallearn"),
    "networkx": ("networkx",),
    "numpy": ("numpy",),
    "pairs": ("numpy",),
    "statsmodels": ("statsmodels",),
    "tigramite": ("tigramite", "numpy", "builtins"),
}

_loaded: dict[str, Adapter] = {}
_left_out: set[str] = set()  # adapters of other packages that a warning has named
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
    """The one adapter that recognises `native`; registered ones are asked first, built-in ones next."""
    failures: list[str] = []
    for name in _asked(native):
        adapter = _available(name, failures)
        if adapter is not None and _says(name, adapter.is_native, native):
            return adapter
    raise UnknownResultError(_unrecognised(native, failures))


def find_data_reader(data: object) -> DataReader | None:
    """The adapter whose host's own data container `data` is, if any."""
    for name in _asked(data):
        adapter = _available(name, [])
        if isinstance(adapter, DataReader) and _says(name, adapter.is_data, data):
            return adapter
    return None


def _asked(obj: object) -> list[str]:
    packages = {kind.__module__.partition(".")[0] for kind in type(obj).__mro__ if kind is not object}
    ours = [name for name, homes in _PACKAGES.items() if homes is None or packages & set(homes)]
    others = [name for name in _entry_points() if name not in _registered]
    return [*_registered, *(name for name in ours if name not in _registered), *others]


def _available(name: str, failures: list[str]) -> Adapter | None:
    """The adapter, if it can be loaded; a stranger that claims whatever there is is left out."""
    try:
        adapter = get_adapter(name)
    except UnknownAdapterError as error:
        failures.append(str(error))
        _leave_out(name, str(error))
        return None
    if name in _entry_points() and name not in _registered and _claims_everything(name, adapter):
        return None
    return adapter


def _claims_everything(name: str, adapter: Adapter) -> bool:
    class Nobodys:
        """An object that no adapter can know."""

    questions = [adapter.is_native, *([adapter.is_data] if isinstance(adapter, DataReader) else [])]
    claims = any(_says(name, question, Nobodys()) for question in questions)
    if claims:
        _leave_out(name, f"The adapter {name!r} ({_origin(name)}) claims every object there is.")
    return claims


def _says(name: str, question: Callable[[object], bool], obj: object) -> bool:
    """The answer of an adapter; a built-in one may raise, others are left out with a warning."""
    if name in _BUILT_IN and name not in _registered:
        return question(obj)
    try:
        return bool(question(obj))
    except (Exception, SystemExit) as error:
        first = (str(error).splitlines() or [""])[0]
        reason = f"{type(error).__name__}: {first}"
        _leave_out(name, f"The adapter {name!r} ({_origin(name)}) failed to look at an object ({reason}).")
        return False


def _origin(name: str) -> str:
    return _entry_points().get(name) or f"registered {type(_registered.get(name)).__qualname__}"


def _leave_out(name: str, sentence: str) -> None:
    """Tell it once in a process."""
    if name not in _left_out:
        _left_out.add(name)
        tell(f"{sentence} It is left out; update or uninstall the package that brings it.", AdapterWarning)


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
    except (Exception, SystemExit) as error:  # a stranger's module may fail in any way, or try to end it all
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
        with suppress(Exception):  # a stranger's; `failures` has those that could not be loaded
            accepted.append(f"  {name}: {get_adapter(name).accepts}")
    lines = [f"No adapter recognises an object of type {kind}. Accepted are:", *accepted]
    if failures:
        lines += ["These adapters could not be loaded:", *(f"  {failure}" for failure in failures)]
    lines.append("Pass adapter='name' to choose one, or add your own with register_adapter().")
    return "\n".join(lines)
