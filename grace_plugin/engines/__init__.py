"""The engines that decide which candidate edges stay, loaded by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from grace_plugin.config import ENGINES, RefineConfig
from grace_plugin.exceptions import OptionError

if TYPE_CHECKING:
    from grace_plugin.outcome import Outcome
    from grace_plugin.panel import Panel
    from grace_plugin.skeleton import Skeleton


class Engine(Protocol):
    """What decides: see `grace_plugin.engines`."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its own options."""

    def refine(self, skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
        """Decide about every candidate."""


def decide(skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
    """Run the chosen engine."""
    return load_engine(config.engine).refine(skeleton, panel, config)


def engine_of(options: Mapping[str, Any]) -> Engine:
    """The engine that plain keyword options ask for."""
    return load_engine(options.get("engine", "additive"))


def load_engine(name: object) -> Engine:
    """The engine called `name`; torch is imported here, not before."""
    if not isinstance(name, str) or name not in ENGINES:
        msg = f"engine={name!r} is not one of {sorted(ENGINES)}."
        raise OptionError(msg)
    module, _, attribute = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), attribute)()
    return engine
