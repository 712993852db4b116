"""Rows of an edge list, and which cells [cause, effect, lag] each one speaks of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._edges_lags import checked_max_lag, covering_max_lag, lags_of_a_pair
from ._lagged_names import LagStyle, read_lagged_names

Cell = tuple[int, int, int]


@dataclass(frozen=True)
class Row:
    """One line of an edge list; `lag` is None where the labels tell it or nothing does."""

    cause: Hashable
    effect: Hashable
    lag: int | None = None
    score: float | None = None
    unoriented: bool = False


@dataclass(frozen=True)
class Listing:
    """All that a host says: its rows, and its variables (or nodes with lags) where it lists them.

    `names` are those of variables that the rows give by number.
    """

    rows: Sequence[Row]
    labels: Sequence[Hashable] | None = None
    max_lag: int = 0
    names: Sequence[Any] | None = None


class Form(Protocol):
    """One kind of edge list."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is of this kind; imports nothing and raises nothing."""

    def read(self, native: Any) -> Listing:
        """Its rows, in an order that depends on the content alone."""

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """A new object of the same type with only the kept ones of `read`'s rows."""


@dataclass(frozen=True)
class EdgeOptions:
    """The host options of an edge list."""

    max_lag: int | None = None
    names: Sequence[Any] | None = None
    include_lag0: bool = False
    own_lags: bool = True


@dataclass(frozen=True, eq=False)
class EdgeCells:
    """Every row with its cells: one where a lag is told, several where none is."""

    cells: list[list[Cell]]
    skeleton: Skeleton

    def surviving(self, graph: BoolArray) -> list[bool]:
        """Per row, whether any of its cells is left; rows that speak of no candidate stay."""
        return [not cells or any(graph[cell] for cell in cells) for cells in self.cells]


def cells_of(listing: Listing, options: EdgeOptions) -> EdgeCells:
    """Understand the labels and lags of all rows."""
    max_lag = checked_max_lag(options.max_lag)
    rows, labels, reached = _with_lags_from_labels(listing)
    variables = _Variables(rows, labels, listing.names if options.names is None else options.names)
    told = [row.lag for row in rows if row.lag is not None]
    if told and len(told) < len(rows):
        msg = f"{len(rows) - len(told)} of {len(rows)} edges have no lag; give every edge a lag or none."
        raise AdapterError(msg)
    if told or not rows:
        sign = _sign_of(told)
        lags = [[sign * lag] for lag in told]
        last = covering_max_lag(max([reached, *(sign * lag for lag in told)]), max_lag)
    else:
        every = list(lags_of_a_pair(max_lag, options.include_lag0))
        lags, last = [every] * len(rows), every[-1]
    cells = [_cells(row, own, variables) for row, own in zip(rows, lags, strict=True)]
    knows_own_past = bool(told) and any(cause == effect for own in cells for cause, effect, _ in own)
    own_lags = options.own_lags and bool(rows) and not knows_own_past
    return EdgeCells(cells, _skeleton(cells, rows, variables, last, own_lags))


def _with_lags_from_labels(listing: Listing) -> tuple[Sequence[Row], Sequence[Hashable] | None, int]:
    """Labels such as ("flow", -1) or flow_lag1 taken apart, where no row tells a lag of its own."""
    rows = listing.rows
    if any(row.lag is not None for row in rows):
        return rows, listing.labels, listing.max_lag
    nodes = read_lagged_names([*(listing.labels or ()), *(end for r in rows for end in (r.cause, r.effect))])
    if nodes.style is LagStyle.PLAIN:
        return rows, listing.labels, listing.max_lag
    parsed = []
    for row in rows:
        (cause, before), (effect, after) = nodes.place[row.cause], nodes.place[row.effect]
        if before < after and not row.unoriented:
            msg = f"The edge {row.cause!r} -> {row.effect!r} points back in time; remove it first."
            raise AdapterError(msg)
        if before < after:  # time gives an unoriented edge its direction
            cause, effect = effect, cause
        ends = nodes.variables[cause], nodes.variables[effect]
        parsed.append(Row(*ends, abs(before - after), row.score, row.unoriented and before == after))
    return parsed, nodes.variables, max(nodes.max_lag, listing.max_lag)


class _Variables:
    """Labels to positions: whole numbers are columns, everything else is a name."""

    def __init__(
        self, rows: Sequence[Row], labels: Sequence[Hashable] | None, names: Sequence[Any] | None
    ) -> None:
        ends = [_plain(label) for label in (*(labels or ()), *(e for r in rows for e in (r.cause, r.effect)))]
        numbered = {isinstance(label, int) for label in ends}
        if len(numbered) == 2:
            msg = "Some variables are given by number and others by name; use one of the two for all."
            raise AdapterError(msg)
        self.by_number = numbered == {True}
        self.names = self._listed(ends, names)
        self.place = {name: index for index, name in enumerate(self.names or ())}

    def _listed(self, ends: list[int | str], names: Sequence[Any] | None) -> list[str] | None:
        if self.by_number:
            numbers = [int(end) for end in ends]
            self.count = max(numbers) + 1 if names is None else len(names)
            if min(numbers) < 0 or max(numbers) >= self.count:
                msg = f"The edges number variables {min(numbers)} to {max(numbers)}; there are {self.count}."
                raise AdapterError(msg)
            return None if names is None else [str(name) for name in names]
        found = list(dict.fromkeys(str(end) for end in ends))
        listed = found if names is None else [str(name) for name in names]
        unknown = [name for name in found if name not in listed]
        if unknown:
            msg = f"The edges speak of {unknown}, which names={listed} does not list."
            raise OptionError(msg)
        if not listed:
            msg = "The edge list is empty and names no variables; pass names= with all of them."
            raise OptionError(msg)
        self.count = len(listed)
        return listed

    def __getitem__(self, label: Hashable) -> int:
        plain = _plain(label)
        return plain if isinstance(plain, int) else self.place[plain]


def _plain(label: Hashable) -> int | str:
    return int(label) if isinstance(label, Integral) and not isinstance(label, bool) else str(label)


def _sign_of(lags: Sequence[int]) -> int:
    """-1 where lags are counted downwards, as tigramite does."""
    if lags and min(lags) < 0 < max(lags):
        msg = f"The lags run from {min(lags)} to {max(lags)}; give the past one sign throughout."
        raise AdapterError(msg)
    return -1 if lags and min(lags) < 0 else 1


def _cells(row: Row, lags: list[int], variables: _Variables) -> list[Cell]:
    cause, effect = variables[row.cause], variables[row.effect]
    if cause == effect and lags == [0]:
        msg = f"The edge {row.cause!r} -> {row.effect!r} at lag 0 is one to itself; its lag must be 1 or up."
        raise AdapterError(msg)
    cells = [(cause, effect, lag) for lag in lags if lag or cause != effect]
    if row.unoriented:
        cells += [(effect, cause, lag) for lag in lags if cause != effect]
    return cells


def _skeleton(
    cells: list[list[Cell]], rows: Sequence[Row], variables: _Variables, max_lag: int, own_lags: bool
) -> Skeleton:
    shape = checked_shape(variables.count, max_lag)
    mask, scores = np.zeros(shape, dtype=np.bool_), np.zeros(shape)
    for row, own in zip(rows, cells, strict=True):
        for cell in own:
            mask[cell] = True
            scores[cell] = max(scores[cell], abs(row.score or 0.0))
    if own_lags:
        diagonal = np.arange(variables.count)
        mask[diagonal, diagonal, 1:] = True
    scored = any(row.score is not None for row in rows)
    return Skeleton(mask, variables.names, scores if scored else None)
