"""What each node of a causal-learn graph stands for, and the data behind the nodes as series again."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import AdapterError, DataError
from grace_plugin.series.panel import Panel, Series

from ._lagged_names import read_lagged_names, split_suffix

_DEFAULT_NAME = re.compile(r"X[1-9][0-9]*")  # what causal-learn calls nodes itself, in the columns' order

Naming = Callable[[str], "tuple[Hashable, int] | None"]


@dataclass(frozen=True)
class Places:
    """`where[i]` is node i's (index of the variable, lag), or None for a node outside time."""

    names: tuple[str, ...]
    where: tuple[tuple[int, int] | None, ...]

    @property
    def max_lag(self) -> int:
        return max((place[1] for place in self.where if place is not None), default=0)


def places_of(nodes: Sequence[str], naming: Naming | None, time_index: int | None) -> Places:
    """Understand the node names, by `naming` if it is given, else by the suffix `_lag{k}`.

    `time_index` is the position of a node known to hold the time index: it has no place, unless
    its name bears a lag.
    """
    if naming is not None:
        labels: list[Hashable | None] = [_told(naming, node) for node in nodes]
    else:
        labels = list(nodes)
        if time_index is not None and split_suffix(nodes[time_index]) is None:
            labels[time_index] = None
    known = [label for label in labels if label is not None]
    if not known:
        msg = f"No node of {list(nodes)} stands for a variable; naming= must give some a (variable, lag)."
        raise AdapterError(msg)
    if len(set(known)) < len(known):
        double = next(label for label in known if known.count(label) > 1)
        msg = f"naming= gave {double!r} for more than one node; each (variable, lag) may occur once."
        raise AdapterError(msg)
    read = read_lagged_names(known)
    return Places(read.names, tuple(None if label is None else read.place[label] for label in labels))


def _told(naming: Naming, node: str) -> Hashable | None:
    told = naming(node)
    if told is None:
        return None
    pair = isinstance(told, tuple) and len(told) == 2 and isinstance(told[1], Integral)
    if not pair or told[1] < 0:
        msg = (
            f"naming= gave {told!r} for the node {node!r}; it must give (variable, lag) with a lag from "
            "0 up, or None for a node that stands for no variable."
        )
        raise AdapterError(msg)
    return told[0], -int(told[1])


def evenly_spaced_last_column(data: object) -> int | None:
    """The last column's index if it counts steadily up or down, as a time index does."""
    if not isinstance(data, np.ndarray) or data.ndim != 2 or len(data) < 3 or data.dtype.kind not in "iuf":
        return None
    steps = np.diff(data[:, -1].astype(np.float64))
    steady = steps[0] != 0 and np.allclose(steps, steps[0], rtol=1e-6, atol=0)
    return data.shape[1] - 1 if steady else None


def columns_of_nodes(nodes: Sequence[str], places: Places, panel: Panel) -> list[int] | None:
    """Which column of `panel` is each node, if it is a table of lagged columns; None where it holds series.

    Nodes are columns by name, or in the host's own order where the table or the graph has none.
    """
    if places.max_lag == 0:
        return None
    if panel.n_variables == len(places.names):
        _refuse_no_order(places, panel)
        return None
    if any(one.as_target is not None or one.as_input is not None for one in panel.series):
        return None
    if panel.names is not None and set(nodes) <= set(panel.names):
        return [panel.names.index(node) for node in nodes]
    unnamed = panel.names is None or all(_DEFAULT_NAME.fullmatch(node) for node in nodes)
    return list(range(len(nodes))) if unnamed and panel.n_variables == len(nodes) else None


def _refuse_no_order(places: Places, panel: Panel) -> None:
    """Columns without names stand in the order of the nodes, if these keep one order at every lag."""
    if panel.names is not None:
        return
    by_lag: dict[int, list[int]] = {}
    for place in places.where:
        if place is not None:
            by_lag.setdefault(place[1], []).append(place[0])
    if any(order != sorted(order) for order in by_lag.values()):
        msg = (
            f"The graph's variables {list(places.names)} stand in another order at one lag than at another, "
            "and the columns of the data have no names: which is which? Pass the data as a pandas DataFrame."
        )
        raise DataError(msg)


def series_of(data: npt.NDArray[Any], places: Places) -> Panel:
    """The series that a table of lagged columns was made from.

    Row t of the table holds x(t), x(t-1), ..., x(t-max_lag), so the first row also tells what came
    before it. Where the lagged columns do not repeat the row above (another realisation begins,
    rows were left out), a new series begins.
    """
    window = _window(data, places)
    breaks = np.flatnonzero(~_continues(window)) + 1
    bounds = [0, *breaks.tolist(), len(data)]
    parts = (window[start:end] for start, end in pairwise(bounds))
    series = tuple(Series(_unrolled(part)) for part in parts)
    return Panel(series, places.names, n_variables=len(places.names))


def _window(data: npt.NDArray[Any], places: Places) -> FloatArray:
    """The table as [row, lag, variable], NaN where there is no such column."""
    window = np.full((len(data), places.max_lag + 1, len(places.names)), np.nan)
    for column, place in enumerate(places.where):
        if place is not None:
            variable, lag = place
            window[:, lag, variable] = data[:, column]
    return window


def _continues(window: FloatArray) -> BoolArray:
    """[row - 1]: whether a row's past is the row before it."""
    past, before = window[1:, 1:], window[:-1, :-1]
    present: BoolArray = np.asarray(
        ~np.isnan(window).all(axis=0)
    )  # a column that does not exist cannot contradict
    comparable = present[1:] & present[:-1]
    same = (past == before) | (np.isnan(past) & np.isnan(before)) | ~comparable
    return np.asarray(same.all(axis=(1, 2)))


def _unrolled(window: FloatArray) -> FloatArray:
    rows, lags, variables = window.shape
    values = np.full((rows + lags - 1, variables), np.nan)
    for lag in range(lags):
        shifted = values[lags - 1 - lag : lags - 1 - lag + rows]
        np.copyto(shifted, window[:, lag], where=np.isnan(shifted))
    return values
