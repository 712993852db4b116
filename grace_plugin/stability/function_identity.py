"""What tells one function from another in a later process: the key of a cached bootstrap.

A function is its code, its defaults, what its closure holds and the globals that its code names; a partial
its function and arguments; a bound method its function and the state of its object; a class its
methods; a module of the user's own its file. Values count by content, installed packages by name and
version. What cannot be told by content (an open file, a lock, a network connection) is refused, so that
no other function's result ever comes back.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grace_plugin.exceptions import OptionError
from grace_plugin.protocols import HostResult

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))
_STANDARD = frozenset(sys.stdlib_module_names) | {"builtins"}


def identity_of(function: Callable[..., HostResult]) -> str:
    """A digest that another function, or the same with other values around it, does not have.

    Raises:
        OptionError: where the function depends on something whose content cannot be told.

    >>> identity_of(functools.partial(max, 1)) == identity_of(functools.partial(max, 2))
    False
    """
    digest = hashlib.sha256()
    for part in _Teller(getattr(function, "__qualname__", repr(type(function)))).parts(function):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()


@dataclass
class _Teller:
    """Walks through all that a function depends on; `seen` ends the walk of what names itself."""

    whose: str
    seen: dict[int, tuple[int, Any]] = field(
        default_factory=dict
    )  # id -> (number, the object, to keep its id)

    def parts(self, value: Any, path: str = "") -> Iterator[bytes]:
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__}:{value!r}".encode("utf-8", "surrogatepass")
        elif id(value) in self.seen:
            yield f"again:{self.seen[id(value)][0]}".encode()
        else:
            self.seen[id(value)] = (len(self.seen), value)
            yield from self._parts(value, path)

    def _parts(self, value: Any, path: str) -> Iterator[bytes]:
        if isinstance(value, functools.partial):
            yield from self._all(path, func=value.func, args=value.args, keywords=value.keywords)
        elif isinstance(value, types.MethodType):
            yield from self._all(path, function=value.__func__, object=value.__self__)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value, path)
        elif isinstance(value, types.CodeType):
            yield from self._code(value, path)
        elif isinstance(value, types.ModuleType):
            yield from self._module(value, path)
        elif isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType)):
            yield f"built-in:{value.__module__}.{value.__qualname__}".encode()
            yield from self.parts(getattr(value, "__self__", None), path)
        elif isinstance(value, type):
            yield from self._class(value, path)
        elif isinstance(value, Mapping):
            yield type(value).__qualname__.encode()
            for key, inner in value.items():
                yield from self.parts(key, path)
                yield from self.parts(inner, f"{path}[{key!r}]")
        elif isinstance(value, (tuple, list)):
            yield f"{type(value).__qualname__}:{len(value)}".encode()
            for number, inner in enumerate(value):
                yield from self.parts(inner, f"{path}[{number}]")
        elif isinstance(value, (set, frozenset)):
            digests = sorted(b"".join(_Teller(self.whose).parts(one, path)) for one in value)
            yield from (type(value).__qualname__.encode(), *digests)
        else:
            yield from self._object(value, path)

    def _module(self, module: types.ModuleType, path: str) -> Iterator[bytes]:
        yield f"module:{module.__name__}:{getattr(module, '__version__', '')}".encode()
        file = getattr(module, "__file__", None)
        if not _is_library(module.__name__) and file is not None and Path(file).is_file():
            yield Path(file).read_bytes()
            for name, inner in sorted(vars(module).items()):
                if isinstance(inner, types.ModuleType):
                    yield from self.parts(inner, f"{path}.{name}")

    def _all(self, path: str, **inner: Any) -> Iterator[bytes]:
        for name, value in inner.items():
            yield name.encode()
            yield from self.parts(value, f"{path}.{name}" if path else name)

    def _function(self, function: types.FunctionType, path: str) -> Iterator[bytes]:
        yield f"function:{function.__module__}.{function.__qualname__}".encode()
        if _is_library(function.__module__):
            yield _version_of(function.__module__)
            return
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        closure = dict(zip(function.__code__.co_freevars, cells, strict=False))
        named = {n: function.__globals__[n] for n in _names(function.__code__) if n in function.__globals__}
        defaults = (function.__defaults__, function.__kwdefaults__)
        yield from self._all(path, code=function.__code__, defaults=defaults, closure=closure, globals=named)

    def _code(self, code: types.CodeType, path: str) -> Iterator[bytes]:
        yield code.co_code
        yield from self._all(path, names=code.co_names, constants=code.co_consts)

    def _class(self, kind: type, path: str) -> Iterator[bytes]:
        yield f"class:{kind.__module__}.{kind.__qualname__}".encode()
        if _is_library(kind.__module__):
            yield _version_of(kind.__module__)
            return
        yield from self._all(path, bases=kind.__bases__)
        skipped = (
            "__dict__",
            "__weakref__",
            "__doc__",
            "__module__",
            "__annotations__",
            "__abstractmethods__",
        )
        for name, member in vars(kind).items():
            if name not in skipped and not name.startswith("_abc"):
                yield name.encode()
                yield from self.parts(_plain_member(member), f"{path}.{name}")

    def _object(self, value: Any, path: str) -> Iterator[bytes]:
        yield from self.parts(type(value), path)
        if isinstance(value, Path):
            yield str(value).encode()
            return
        if hasattr(value, "__wrapped__"):  # functools.lru_cache and other wrappers
            yield from self.parts(value.__wrapped__, f"{path}.__wrapped__")
            return
        if not _is_library(type(value).__module__) and hasattr(value, "__dict__"):
            yield from self._all(path, state=vars(value))
            return
        try:
            yield _pickled(value, self)
        except OptionError:
            raise
        except Exception as error:
            where = path or "itself"
            msg = (
                f"cache= cannot tell what {self.whose} depends on: {where} is an object of type "
                f"{type(value).__name__}, whose content cannot be stored ({error}). Pass cache_key= with a "
                "text that you change whenever the function does, or leave cache= out."
            )
            raise OptionError(msg) from error


class _Pickler(pickle.Pickler):
    """Writes functions and classes of the user's own by what they do, not by their names."""

    def __init__(self, file: io.BytesIO, teller: _Teller) -> None:
        super().__init__(file, protocol=4)
        self.teller = teller

    def reducer_override(self, obj: Any) -> Any:
        own = isinstance(obj, (types.FunctionType, type)) and not _is_library(obj.__module__)
        return (bytes, (b"\0".join(self.teller.parts(obj)),)) if own else NotImplemented


def _pickled(value: Any, teller: _Teller) -> bytes:
    file = io.BytesIO()
    _Pickler(file, teller).dump(value)
    return file.getvalue()


def _names(code: types.CodeType) -> list[str]:
    """The global names of a code object and of those inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return sorted({*code.co_names, *(name for one in inner for name in _names(one))})


def _is_filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:  # a function that is still being defined
        return False
    return True


def _plain_member(member: Any) -> Any:
    """The function behind a property, a static or a class method."""
    if isinstance(member, property):
        return (member.fget, member.fset)
    return getattr(member, "__func__", member)


def _is_library(module: str | None) -> bool:
    """Whether a module is installed, not the user's own: its name and version tell its code."""
    top = (module or "").partition(".")[0]
    if top in _STANDARD or top == __name__.partition(".")[0]:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _version_of(module: str) -> bytes:
    version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
    return str(version).encode()
