"""The engines that decide which candidate edges stay, loaded by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from grace_plugin._common.config import Options, RefineConfig
from grace_plugin.exceptions import MissingPackageError, OptionError

if TYPE_CHECKING:
    from grace_plugin.graph.outcome import Outcome
    from grace_plugin.graph.skeleton import Skeleton
    from grace_plugin.moments.sums import Moments
    from grace_plugin.series.panel import Panel

_BUILT_IN: dict[str, str] = {
    "additive": "grace_plugin.engines.additive.engine:AdditiveEngine",
    "neural": "grace_plugin.engines.neural.engine:NeuralEngine",
}


class Engine(Protocol):
    """What decides: see `grace_plugin.engines`."""

    @property
    def options(self) -> tuple[str, ...]:
        """The names of its own options."""

    def refine(self, skeleton: Skeleton, panel: Panel, config: RefineConfig) -> Outcome:
        """Decide about every candidate."""


@runtime_checkable
class MomentsEngine(Engine, Protocol):
    """An engine that needs no more than moments."""

    def refine_moments(
        self, skeleton: Skeleton, moments: Moments, config: RefineConfig, panel: Panel | None = None
    ) -> Outcome:
        """Decide about every candidate; `panel` holds the rows if they can be read again."""


def engine_of(options: Options) -> Engine:
    """The engine that plain keyword options ask for."""
    return load_engine(options.get("engine", "additive"))


def load_engine(name: str) -> Engine:
    """The engine called `name`; the neural one imports torch here, not before."""
    if not isinstance(name, str) or name not in _BUILT_IN:
        msg = f"engine={name!r} is not one of {sorted(_BUILT_IN)}."
        raise OptionError(msg)
    module, _, attribute = _BUILT_IN[name].partition(":")
    try:
        engine: Engine = getattr(import_module(module), attribute)()
    except ImportError as error:
        if error.name != "torch":
            raise
        msg = f'engine={name!r} needs torch, which is not installed: pip install "grace-plugin[neural]".'
        raise MissingPackageError(msg, name=error.name) from error
    return engine
