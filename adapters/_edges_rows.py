"""Rows of an edge list, and which cells [cause, effect, lag] each one speaks of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError, OptionError
from grace_plugin.graph.skeleton import Skeleton, checked_shape

from ._columns import Columns, columns_of, is_number
from ._edges_lags import checked_max_lag, covering_max_lag, lags_of_a_pair, refuse_half_told, sign_of
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

    `names` are those of variables that the rows give by number. `lagged_labels` says that labels may carry
    lags although the rows tell theirs.
    """

    rows: Sequence[Row]
    labels: Sequence[Hashable] | None = None
    max_lag: int = 0
    names: Sequence[Any] | None = None
    lagged_labels: bool = False


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
    rows, labels, reached = _with_lags_from_labels(listing, options.names)
    variables = _columns(rows, labels, listing.names if options.names is None else options.names)
    told = [row.lag for row in rows if row.lag is not None]
    refuse_half_told(len(told), len(rows))
    if told or not rows:
        sign = sign_of(told)
        lags = [[sign * lag] for lag in told]
        last = covering_max_lag(max([reached, *(sign * lag for lag in told)]), max_lag)
    else:
        every = list(lags_of_a_pair(max_lag, options.include_lag0))
        lags, last = [every] * len(rows), every[-1]
    cells = [_cells(row, own, variables) for row, own in zip(rows, lags, strict=True)]
    knows_own_past = bool(told) and any(cause == effect for own in cells for cause, effect, _ in own)
    own_lags = options.own_lags and bool(rows) and not knows_own_past
    return EdgeCells(cells, _skeleton(cells, rows, variables, last, own_lags))


def _with_lags_from_labels(
    listing: Listing, names: Sequence[Any] | None
) -> tuple[Sequence[Row], Sequence[Hashable] | None, int]:
    """Labels such as ("flow", -1) or flow_lag1 taken apart.

    Rows that tell lags of their own have plain labels, but for those of a text that writes both: there
    labels and lags must agree.
    """
    rows = listing.rows
    if any(row.lag is not None for row in rows) and not listing.lagged_labels:
        return rows, listing.labels, listing.max_lag
    ends = [*(listing.labels or ()), *(end for row in rows for end in (row.cause, row.effect))]
    nodes = read_lagged_names(ends, names)
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
        if row.lag is not None and abs(row.lag) != abs(before - after):
            msg = (
                f"The edge {row.cause!r} -> {row.effect!r} spans {abs(before - after)} steps by its nodes, "
                f"but tells the lag {row.lag}; leave one of the two."
            )
            raise AdapterError(msg)
        pair = nodes.variables[cause], nodes.variables[effect]
        parsed.append(Row(*pair, abs(before - after), row.score, row.unoriented and before == after))
    return parsed, nodes.variables, max(nodes.max_lag, listing.max_lag)


def _columns(rows: Sequence[Row], labels: Sequence[Hashable] | None, names: Sequence[Any] | None) -> Columns:
    ends = [*(labels or ()), *(end for row in rows for end in (row.cause, row.effect))]
    if len({is_number(label) for label in ends}) == 2:
        msg = "Some variables are given by number and others by name; use one of the two for all."
        raise AdapterError(msg)
    if not ends and not names:
        msg = "The edge list is empty and names no variables; pass names= with all of them."
        raise OptionError(msg)
    return columns_of(ends, names)


def _cells(row: Row, lags: list[int], variables: Columns) -> list[Cell]:
    cause, effect = variables.place[row.cause], variables.place[row.effect]
    if cause == effect and lags == [0]:
        msg = f"The edge {row.cause!r} -> {row.effect!r} at lag 0 is one to itself; its lag must be 1 or up."
        raise AdapterError(msg)
    cells = [(cause, effect, lag) for lag in lags if lag or cause != effect]
    if row.unoriented:
        cells += [(effect, cause, lag) for lag in lags if cause != effect]
    return cells


def _skeleton(
    cells: list[list[Cell]], rows: Sequence[Row], variables: Columns, max_lag: int, own_lags: bool
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
