"""What pictures and the report need of a result, whatever made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import RefineConfig, Variable
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.series.forms import Data


class Curve(Protocol):
    """How an effect answers to a cause."""

    @property
    def cause(self) -> FloatArray:
        """Values of the cause."""

    @property
    def effect(self) -> FloatArray:
        """What each of them adds to the effect."""

    @property
    def usual(self) -> tuple[float, float]:
        """Where most values of the cause lie."""

    @property
    def low(self) -> FloatArray:
        """The lower end of the interval of `effect`."""

    @property
    def high(self) -> FloatArray:
        """The upper end."""

    @property
    def values(self) -> FloatArray:
        """Some values of the cause in the data, or none."""


class Surface(Protocol):
    """How an effect answers to two causes that act together."""

    @property
    def partner(self) -> str:
        """The other cause."""

    @property
    def partner_lag(self) -> int:
        """Its lag."""

    @property
    def causes(self) -> FloatArray:
        """Values of the cause."""

    @property
    def partners(self) -> FloatArray:
        """Values of the other cause."""

    @property
    def effects(self) -> FloatArray:
        """[cause, partner]: what both add to the effect."""


class Explained(Protocol):
    """Why one edge stayed or went."""

    @property
    def cause(self) -> str: ...
    @property
    def effect(self) -> str: ...
    @property
    def lag(self) -> int: ...
    @property
    def kept(self) -> bool: ...
    @property
    def curve(self) -> Curve | None: ...
    @property
    def surface(self) -> Surface | None: ...
    @property
    def no_curve(self) -> str: ...


class Drawn(Protocol):
    """A graph with what was learned of its edges: a `Refinement`, say."""

    @property
    def path(self) -> pd.DataFrame: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def graph(self) -> BoolArray: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def config(self) -> RefineConfig: ...
    @property
    def edges(self) -> pd.DataFrame: ...
    @property
    def penalty(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def adapter(self) -> str: ...
    @property
    def parts(self) -> Mapping[str, Drawn]: ...
    def summary(self) -> str: ...
    def explain(self, cause: Variable, effect: Variable, lag: int, data: Data | None = None) -> Explained: ...


def pruned_by(table: pd.DataFrame) -> dict[str, int]:
    """How many candidates there were, stayed, and went by their gate or by the certificate."""
    gone = table[~table.kept]
    return {
        "candidates": len(table),
        "kept": int(table.kept.sum()),
        "gate": int((gone.reason == "gate").sum()),
        "certificate": int(gone.reason.isin(("certificate", "small")).sum()),
    }
