"""Deep comparison of objects of any library, for the conformance suite."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

_COMPARED_AS_THEY_ARE = (type, FunctionType, BuiltinFunctionType)


def difference(one: Any, other: Any) -> str | None:
    """The first place at which two objects differ in type or content, in words, or None.

    Arrays are compared with their dtype, NaN equals NaN, objects that do not define equality
    by their attributes.

    >>> difference({"a": [1, 2]}, {"a": [1, 3]})
    "it['a'][1]: 2 is not 3"
    """
    return _difference(one, other, "it", set())


def _difference(one: Any, other: Any, where: str, seen: set[tuple[int, int]]) -> str | None:
    if one is other or (id(one), id(other)) in seen:
        return None
    seen.add((id(one), id(other)))  # objects may refer to each other in circles
    if type(one) is not type(other):
        return f"{where}: {type(one).__name__} is not {type(other).__name__}"
    if isinstance(one, np.ndarray) and one.dtype != object:
        same = one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
        return None if same else f"{where}: the arrays differ"
    if isinstance(one, Mapping):
        return _of_parts(one, other, f"{where}[", "]", seen)
    if isinstance(one, (list, tuple, np.ndarray)):
        return _of_parts(dict(enumerate(one)), dict(enumerate(other)), f"{where}[", "]", seen)
    if type(one).__module__.split(".")[0] == "pandas" and hasattr(one, "equals"):  # an Index too
        return None if one.equals(other) else f"{where}: the tables differ"
    if _has_no_equality(one):
        return _of_parts(_attributes(one), _attributes(other), f"{where} attribute ", "", seen)
    same = bool(one == other) or bool(one != one and other != other)
    return None if same else f"{where}: {one!r} is not {other!r}"


def _of_parts(
    one: Mapping[Any, Any], other: Mapping[Any, Any], before: str, after: str, seen: set[tuple[int, int]]
) -> str | None:
    odd = one.keys() ^ other.keys()
    if odd:
        return f"{before}{next(iter(odd))!r}{after} is in only one of the two"
    found = (_difference(one[key], other[key], f"{before}{key!r}{after}", seen) for key in one)
    return next((words for words in found if words is not None), None)


def _has_no_equality(obj: Any) -> bool:
    if isinstance(obj, _COMPARED_AS_THEY_ARE):
        return False
    by_identity = getattr(type(obj), "__eq__", None) is getattr(object, "__eq__", None)
    return by_identity and (hasattr(obj, "__dict__") or hasattr(obj, "__slots__"))


def _attributes(obj: Any) -> dict[str, Any]:
    slots = [name for kind in type(obj).__mro__ for name in getattr(kind, "__slots__", ())]
    values = {name: getattr(obj, name) for name in slots if hasattr(obj, name)}
    values |= getattr(obj, "__dict__", {})
    return {name: value for name, value in values.items() if not _is_cache(type(obj), name)}


def _is_cache(kind: type, name: str) -> bool:
    return name.startswith("__") or isinstance(getattr(kind, name, None), cached_property)
