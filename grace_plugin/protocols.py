"""What an adapter is: the contract between a host library and the core, stated once.

Every array that crosses this border is ordered [cause, effect, lag] with lag 0 first. An adapter
translates; nothing else ever transposes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from grace_plugin._common.arrays import BoolArray
from grace_plugin.graph.background import Knowledge, KnownCells
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.series.panel import Panel

HostResult: TypeAlias = Any  # an object of a host that has no types


@runtime_checkable
class Adapter(Protocol):
    """Translates one host's results to a `Skeleton` and back.

    Keyword-only parameters of `to_skeleton` beyond `native` are host options: users pass them to
    `refine(..., option=value)` and both `to_skeleton` and `from_graph` receive them.
    """

    @property
    def name(self) -> str:
        """The registry key, which is also the pip extra: "tigramite"."""

    @property
    def accepts(self) -> str:
        """One line for error messages: which objects this adapter takes."""

    def is_native(self, obj: object) -> bool:
        """Whether this adapter takes `obj`. Must not import the host, raise, or be slow."""

    def to_skeleton(self, native: Any, **options: Any) -> Skeleton:
        """The candidate edges of `native`, with names, scores and required edges where it has them."""

    def from_graph(
        self, native: Any, graph: BoolArray, *, outcome: Outcome | None = None, **options: Any
    ) -> Any:
        """A new object like `native` in which only the edges of `graph` are left.

        `graph` is a subset of the skeleton's mask. Whatever the skeleton does not speak of
        (marks that are not understood, context nodes, attributes) is passed through.
        """

    def data_of(self, native: Any) -> Any | None:
        """The data that `native` carries, in any form `refine` takes, or None."""


@dataclass(frozen=True)
class Part:
    """One of several graphs inside a native object, with the data rows it was learned from."""

    native: Any
    samples: BoolArray | None = None  # [T]: the times that may serve as targets


@runtime_checkable
class CompositeAdapter(Adapter, Protocol):
    """An adapter some of whose native objects hold several graphs (one per regime, say)."""

    def split(self, native: Any) -> Mapping[str, Part] | None:
        """The parts by name, or None where `native` is a single graph."""

    def join(self, native: Any, parts: Mapping[str, Any]) -> Any:
        """A new composite with the refined `parts` in place of the old ones."""


@runtime_checkable
class OrientingAdapter(Adapter, Protocol):
    """An adapter that can give an unoriented edge at lag 0 a direction, in its host's own marks.

    Optional: where an adapter lacks it, such edges stay as the host has left them.
    """

    def orient(self, native: Any, directions: BoolArray, **options: Any) -> Any:
        """A new object like `native` in which unoriented edges at lag 0 point as `directions` say.

        `directions` is [cause, effect]; it holds at most one direction of a pair. Only marks that the host
        has left open change: an end that it has set stays, and so does an edge of which one end would have
        to be turned against it.
        """


@runtime_checkable
class MakingAdapter(Adapter, Protocol):
    """An adapter that can make an object of its host from nothing but edges; `gp.convert` asks for it."""

    def from_skeleton(self, skeleton: Skeleton) -> Any:
        """A new object of the host with these edges; scores are its weights, or 1 where there are none."""


@runtime_checkable
class KnowingAdapter(Protocol):
    """An adapter whose host has a form of its own for background knowledge; see `gp.read_knowledge`."""

    def is_knowledge(self, obj: object) -> bool:
        """Whether `obj` is in that form; same rules as `Adapter.is_native`."""

    def read_knowledge(self, known: Any, names: Sequence[str] | None, max_lag: int | None) -> Knowledge:
        """What it says, by name where `names` are given, else by position."""

    def write_knowledge(self, known: KnownCells, names: Sequence[str]) -> Any:
        """The host's own form of what is known of every cell."""


@runtime_checkable
class DataReader(Protocol):
    """An adapter whose host has a data container of its own."""

    def is_data(self, obj: object) -> bool:
        """Whether `to_panel` takes `obj`; same rules as `Adapter.is_native`."""

    def to_panel(self, data: Any, **options: Any) -> Panel:
        """The host's data container as a `Panel`."""


@runtime_checkable
class LabelledAdapter(Adapter, Protocol):
    """An adapter some of whose native objects call variables by labels that stand in no order.

    Its `to_skeleton` and `from_graph` take `names=`: all variables, in the order of the data's columns.
    """

    def needs_names(self, native: Any) -> bool:
        """Whether only the data's own names can say which column a label of `native` means."""


@runtime_checkable
class TableAdapter(Adapter, Protocol):
    """An adapter whose host runs on tables of lagged columns, one column for each node."""

    def series_in(self, native: Any, panel: Panel, **options: Any) -> Panel | None:
        """The series behind `panel` where it is the table that `native` was learned from, else None."""
