"""Old homes of modules that other people's code imports: each warns and hands on what it was asked for.

`grace_plugin.__path__` ends with this folder, so that `grace_plugin.skeleton` is found here though no such
module lies at the root.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module


def door(old: str, *new: str) -> Callable[[str], object]:
    """A module's `__getattr__` that looks a name up in the modules `new`."""

    def lookup(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        for place in new:
            module = import_module(place)
            if hasattr(module, name):
                msg = f"grace_plugin.{old} is now {place}; import {name} from there."
                warnings.warn(msg, DeprecationWarning, stacklevel=2)
                return getattr(module, name)
        msg = f"module 'grace_plugin.{old}' has no attribute {name!r}"
        raise AttributeError(msg)

    return lookup
