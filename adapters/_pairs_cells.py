"""Which cells [cause, effect, lag] each entry of a two-dimensional matrix speaks of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import checked_shape

from ._edges_lags import checked_max_lag, covering_max_lag, lags_of_a_pair
from ._lagged_names import LagStyle, read_lagged_names

IntArray = npt.NDArray[np.intp]
LAYOUTS = ("cause,effect", "effect,cause", "effect,lag*cause")


@dataclass(frozen=True, eq=False)
class Cells:
    """`cause` and `effect` are [row, column, 1], `lag` is [row, column, lags of this entry]."""

    cause: IntArray
    effect: IntArray
    lag: IntArray
    shape: tuple[int, int, int]  # of the skeleton
    names: tuple[str, ...] | None = None
    tells_lags: bool = True

    def spread(self, entries: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The entries at their cells, zero elsewhere; of several for one cell the largest."""
        result = np.zeros(self.shape, dtype=entries.dtype)
        np.maximum.at(result, (self.cause, self.effect, self.lag), entries[:, :, None])
        return result

    def gather(self, cells: BoolArray) -> BoolArray:
        """Whether any cell of each entry is set."""
        return np.asarray(cells[self.cause, self.effect, self.lag].any(axis=2))


def cells_of(
    shape: tuple[int, ...],
    labels: Sequence[Hashable] | None,
    layout: str | None,
    max_lag: int | None,
    include_lag0: bool,
) -> Cells:
    """Understand a matrix of this shape; `labels` name its columns, with lags or without."""
    if layout is not None and layout not in LAYOUTS:
        msg = f"layout={layout!r} is not known; pass one of {list(LAYOUTS)}."
        raise OptionError(msg)
    max_lag = checked_max_lag(max_lag)
    if layout == "effect,lag*cause":
        return _lag_blocks(shape, max_lag)
    if shape[0] != shape[1]:
        msg = (
            f"A matrix of shape {shape} is no pair matrix [cause, effect], which is square. For the matrix "
            '(d, d * max_lag) of granger_lasso pass layout="effect,lag*cause"; data are the second argument.'
        )
        raise OptionError(msg)
    if labels is not None and len(labels) != shape[0]:
        msg = f"{len(labels)} names were given for a matrix of shape {shape}; give one per row."
        raise OptionError(msg)
    if layout is None and labels is not None and read_lagged_names(labels).style is not LagStyle.PLAIN:
        return _lagged_columns(labels, max_lag)
    return _pairs(shape[0], max_lag, include_lag0, transposed=layout == "effect,cause")


def _pairs(d: int, max_lag: int | None, include_lag0: bool, transposed: bool) -> Cells:
    checked_shape(d, max_lag or 0)
    lags = np.array(lags_of_a_pair(max_lag, include_lag0))
    rows, columns = np.indices((d, d))[:, :, :, None]
    cause, effect = (columns, rows) if transposed else (rows, columns)
    lag = np.broadcast_to(lags, (d, d, len(lags)))
    return Cells(cause, effect, lag, (d, d, int(lags[-1]) + 1), tells_lags=False)


def _lag_blocks(shape: tuple[int, ...], max_lag: int | None) -> Cells:
    d = shape[0]
    lags = shape[1] // d
    if shape[1] != lags * d:
        msg = (
            f'A matrix of shape {shape} is not laid out as "effect,lag*cause": {shape[1]} columns are not a '
            f"multiple of {d} rows, one per variable."
        )
        raise OptionError(msg)
    rows, columns = np.indices(shape)[:, :, :, None]
    return Cells(columns % d, rows, columns // d + 1, checked_shape(d, covering_max_lag(lags, max_lag)))


def _lagged_columns(labels: Sequence[Hashable], max_lag: int | None) -> Cells:
    """Columns that are lagged copies: time tells the direction, and copies are one edge."""
    nodes = read_lagged_names(labels)
    variable, lag = np.array([nodes.place[label] for label in labels]).T
    gap = lag[:, None] - lag[None, :]
    forward = gap >= 0
    cause = np.where(forward, variable[:, None], variable[None, :])
    effect = np.where(forward, variable[None, :], variable[:, None])
    d = len(nodes.variables)
    shape = checked_shape(d, covering_max_lag(nodes.max_lag, max_lag))
    return Cells(cause[:, :, None], effect[:, :, None], np.abs(gap)[:, :, None], shape, nodes.names)
