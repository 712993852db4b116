"""Skeletons for those who bring none: functions from data to candidate edges, chosen by name.

The built-in ones are a literal table of strings, resolved on first use.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import import_module

from grace_plugin._common.checks import shown
from grace_plugin._common.config import COMMON_OPTIONS
from grace_plugin._common.signatures import keyword_only
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.skeletons.source import Source

__all__ = ["SkeletonFunction", "Source", "available_skeletons", "get_skeleton", "register_skeleton"]

SkeletonFunction = Callable[..., Skeleton]

_BUILT_IN: dict[str, str] = {
    "basis": "grace_plugin.skeletons.basis:basis_skeleton",
    "cdnots": "grace_plugin.skeletons.cdnots:cdnots_skeleton",
    "full": "grace_plugin.skeletons.full:full_skeleton",
    "lasso": "grace_plugin.skeletons.lasso:lasso_skeleton",
    "pcmci": "grace_plugin.skeletons.hosted:pcmci_skeleton",
    "pcmciplus": "grace_plugin.skeletons.hosted:pcmciplus_skeleton",
}

_registered: dict[str, SkeletonFunction] = {}


def available_skeletons() -> list[str]:
    """The names that `discover(skeleton=...)` takes.

    >>> available_skeletons()
    ['basis', 'cdnots', 'full', 'lasso', 'pcmci', 'pcmciplus']
    """
    return sorted({*_BUILT_IN, *_registered})


def get_skeleton(name: str) -> SkeletonFunction:
    """The skeleton function called `name`.

    >>> get_skeleton("full").__name__
    'full_skeleton'
    """
    if isinstance(name, str) and name in _registered:
        return _registered[name]
    if not isinstance(name, str) or name not in _BUILT_IN:
        known = available_skeletons()
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        msg = f"There is no skeleton called {shown(name)}; known are {known}.{hint}"
        raise OptionError(msg)
    module, _, attribute = _BUILT_IN[name].partition(":")
    function: SkeletonFunction = getattr(import_module(module), attribute)
    return function


def register_skeleton(name: str, function: SkeletonFunction, clobber: bool = False) -> None:
    """Make `function(source, *, options...) -> Skeleton` known to `discover` under `name`.

    Its keyword-only parameters become options of `discover`. A name that is taken is refused unless
    `clobber` is set, and so is an option that the refiner has already.

    >>> def own_past_only(source):
    ...     import numpy as np
    ...
    ...     itself = np.eye(source.n_variables, dtype=bool)[:, :, None]
    ...     return source.skeleton(itself & (np.arange(source.max_lag + 1) > 0))
    >>> register_skeleton("own past", own_past_only)
    >>> "own past" in available_skeletons()
    True
    >>> _ = _registered.pop("own past")
    """
    if not isinstance(name, str) or not callable(function):
        msg = f"register_skeleton({shown(name)}, {shown(function)}): give a name and a function."
        raise OptionError(msg)
    if name in available_skeletons() and not clobber and _registered.get(name) is not function:
        msg = f"A skeleton called {name!r} exists already; choose another name or pass clobber=True."
        raise OptionError(msg)
    taken = sorted(keyword_only(function) & set(COMMON_OPTIONS))
    if taken:
        msg = f"The skeleton {name!r} has options {taken}, which the refiner has too; rename them."
        raise OptionError(msg)
    _registered[name] = function
