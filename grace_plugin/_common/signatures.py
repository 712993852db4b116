"""What a function takes, as users may pass it on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def keyword_only(function: Callable[..., Any]) -> set[str]:
    """The names of the keyword-only parameters of `function`: what users may pass on to it."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
