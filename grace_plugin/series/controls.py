"""Controls: columns that every effect is judged beside, and that are no nodes of the graph.

Words, and whole numbers of which there are few (a month, a weekday, a holiday), count level by level; other
numbers by their value, its square and its size, as a cause would. A missing word is a level of its own; of a
missing number the mean is taken, and a column says where. So a control loses no row.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.checks import shown
from grace_plugin._common.config import Variable, names_columns
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.series.categories import RARE
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import as_panel
from grace_plugin.series.rows import Panel, Series

_MOST_LEVELS = 31  # of whole numbers: days of a month; more of them measure something
_FAR = 3.0  # deviations beyond which a control's square is not followed
_ROWS_PER_COLUMN = 10  # fewer cannot pay for the lags of controls
_LEAST_ROWS_PER_COLUMN = 3
_LARGEST_ROOT = 0.995


def with_controls(panel: Panel, controls: Iterable[Variable] | Data | None) -> Panel:
    """The same panel without the columns that are controls, and with what they say beside each row.

    Args:
        panel: the data.
        controls: names or positions of its columns, or a table (array, pandas, a dict of them) with the same
            rows: matched by their index where both have one, by their order otherwise.

    >>> table = np.column_stack([np.arange(60.0), np.arange(60) % 2])
    >>> found = with_controls(as_panel(table), [1])
    >>> found.n_variables, found.series[0].controls.shape
    (1, (60, 1))
    """
    if controls is None or has_controls(panel) or (names_columns(controls) and not len(controls)):
        return panel
    panel = panel.loaded()
    if names_columns(controls):
        places = [_place(one, panel) for one in controls]
        beside = _columns(panel, places)
        panel = _without(panel, places)
    else:
        beside = _aligned(as_panel(controls), panel)
    design = _design(beside)
    ends = np.cumsum([len(one.values) for one in panel.series])[:-1]
    parts = np.split(design, ends)
    series = (replace(one, controls=part) for one, part in zip(panel.series, parts, strict=True))
    return replace(panel, series=tuple(series))


def control_columns(panel: Panel, times: IntArray, max_lag: int) -> FloatArray | None:
    """[n, m]: the controls at the given positions of all series, and at lags before them where rows suffice.

    Positions count the rows of all series one behind the other; a lag stops at the first row of a series.
    """
    if not has_controls(panel):
        return None
    whole = np.concatenate([_of(one) for one in panel.series])
    first = np.repeat(
        np.cumsum([0, *(len(one.values) for one in panel.series[:-1])]),
        [len(one.values) for one in panel.series],
    )
    width = whole.shape[1]
    if width * _LEAST_ROWS_PER_COLUMN > len(times):
        msg = (
            f"The controls make {width} columns, too many for {len(times)} rows; give fewer, or words with "
            "fewer levels."
        )
        raise DataError(msg)
    lags = max_lag if width * (max_lag + 1) * _ROWS_PER_COLUMN <= len(times) else 0
    return np.column_stack([whole[np.maximum(times - lag, first[times])] for lag in range(lags + 1)])


def without_controlled_part(panel: Panel, max_lag: int) -> Panel:
    """The same panel with what the controls did to every variable taken out, its mean left in.

    A vector autoregression with the controls as inputs tells their part: what they do at a time, and what of
    that the variables carry on. Leaving out the second would leave the controls in every slow variable.
    """
    lengths = [len(one.values) for one in panel.series]
    inputs = control_columns(panel, np.arange(sum(lengths)), max_lag)
    if inputs is None:
        return panel
    values = np.concatenate([np.asarray(one.values, dtype=np.float64) for one in panel.series])
    seen = np.isfinite(values)
    mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    starts = np.cumsum([0, *lengths[:-1]])
    weights, direct = _response(np.where(seen, values - mean, 0.0), seen, inputs, starts, max_lag)
    pushes = inputs @ direct
    parts = [
        values[start : start + length] - _carried(weights, pushes[start : start + length])
        for start, length in zip(starts, lengths, strict=True)
    ]
    series = (replace(one, values=part) for one, part in zip(panel.series, parts, strict=True))
    return replace(panel, series=tuple(series))


def _response(
    values: FloatArray, seen: BoolArray, inputs: FloatArray, starts: IntArray, max_lag: int
) -> tuple[FloatArray, FloatArray]:
    """Weights [lag, cause, effect] of an autoregression, and those of its inputs [column, effect].

    As many lags of all variables as the rows can carry; where not even one, the own last value alone.
    """
    rows, d = values.shape
    lags = min(max_lag, (rows // _ROWS_PER_COLUMN - inputs.shape[1]) // d)
    first = np.zeros(rows, dtype=np.bool_)
    for start in starts:
        first[start : start + max(lags, 1)] = True
    times = np.flatnonzero(~first)
    weights, direct = np.zeros((max(lags, 1), d, d)), np.zeros((inputs.shape[1], d))
    past = np.column_stack([values[times - lag] for lag in range(1, lags + 1)] or [np.empty((len(times), 0))])
    for effect in range(d):
        own = past if lags > 0 else values[times - 1, effect][:, None]
        there = seen[times, effect]
        table = np.column_stack([own, inputs[times], np.ones(len(times))])[there]
        found = np.linalg.lstsq(table, values[times, effect][there], rcond=None)[0]
        if lags > 0:
            weights[:, :, effect] = found[: own.shape[1]].reshape(lags, d)
        else:
            weights[0, effect, effect] = found[0]
        direct[:, effect] = found[own.shape[1] : -1]
    return _stable(weights), direct


def _stable(weights: FloatArray) -> FloatArray:
    """The same, made to forget where it would grow."""
    lags, d, _ = weights.shape
    whole = np.zeros((lags * d, lags * d))
    whole[:d] = np.concatenate(list(weights.transpose(0, 2, 1)), axis=1)
    whole[d:, :-d] = np.eye((lags - 1) * d)
    radius = float(np.abs(np.linalg.eigvals(whole)).max())
    shrink = min(1.0, _LARGEST_ROOT / max(radius, 1e-300))
    return np.asarray(weights * (shrink ** np.arange(1, lags + 1))[:, None, None])


def _carried(weights: FloatArray, pushes: FloatArray) -> FloatArray:
    """[row, variable]: what the pushes of all times up to a row make of it."""
    found = pushes.copy()
    for row in range(1, len(found)):
        for lag in range(1, min(len(weights), row) + 1):
            found[row] += found[row - lag] @ weights[lag - 1]
    return found


def has_controls(panel: Panel) -> bool:
    """Whether effects are to be judged beside anything."""
    return any(one.controls is not None for one in panel.series)


def _of(one: Series) -> FloatArray:
    assert one.controls is not None
    return one.controls


def _place(which: Variable, panel: Panel) -> int:
    names = panel.names or ()
    if isinstance(which, int) and 0 <= which < panel.n_variables:
        return which
    if which in names:
        return names.index(str(which))
    close = difflib.get_close_matches(str(which), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    msg = f"controls name the column {shown(which)}, which the data do not have.{hint}"
    raise OptionError(msg)


def _columns(panel: Panel, places: Sequence[int]) -> Panel:
    """The chosen columns alone."""
    series = tuple(Series(one.values[:, list(places)]) for one in panel.series)
    levels = None if panel.levels is None else tuple(panel.levels[place] for place in places)
    return Panel(series, n_variables=len(places), levels=levels)


def _without(panel: Panel, places: Sequence[int]) -> Panel:
    left = [place for place in range(panel.n_variables) if place not in set(places)]
    if not left:
        msg = "controls name every column of the data; at least one must be left to be explained."
        raise OptionError(msg)
    names = None if panel.names is None else tuple(panel.names[place] for place in left)
    levels = None if panel.levels is None else tuple(panel.levels[place] for place in left)
    levels = levels if levels is not None and any(one is not None for one in levels) else None
    series = tuple(replace(one, values=one.values[:, left]) for one in panel.series)
    return replace(panel, series=series, names=names, levels=levels, n_variables=len(left))


def _aligned(table: Panel, panel: Panel) -> Panel:
    """The rows of a table of controls in the order of the data's."""
    table = table.loaded()
    given = table.series * len(panel.series) if len(table.series) == 1 else table.series
    if len(given) != len(panel.series):
        msg = f"controls hold {len(given)} series, the data {len(panel.series)}; give one of each, or one."
        raise DataError(msg)
    by_unit = {one.unit: one for one in given}
    if len(by_unit) == len(given) and all(one.unit in by_unit for one in panel.series):
        given = tuple(by_unit[one.unit] for one in panel.series)
    pairs = zip(given, panel.series, strict=True)
    return replace(table, series=tuple(Series(_rows(one, beside)) for one, beside in pairs))


def _rows(one: Series, beside: Series) -> FloatArray:
    import pandas as pd

    values = np.asarray(one.values, dtype=np.float64)
    dated = one.index is not None and beside.index is not None
    if dated and not (isinstance(beside.index, pd.RangeIndex) and len(values) == len(beside.values)):
        found = np.asarray(pd.DataFrame(values, index=one.index).reindex(beside.index), dtype=np.float64)
        if np.isfinite(found).any():
            return found
    if len(values) != len(beside.values):
        msg = (
            f"controls have {len(values)} rows, the data {len(beside.values)}; give a table with the same "
            "rows, or both with an index of times."
        )
        raise DataError(msg)
    return values


def _design(beside: Panel) -> FloatArray:
    """[N, m]: the columns that stand for all controls, each of mean 0 and variance 1."""
    values = np.concatenate([np.asarray(one.values, dtype=np.float64) for one in beside.series])
    if np.isinf(values).any():
        msg = "controls hold infinite values; replace or drop them."
        raise DataError(msg)
    parts: list[FloatArray] = [np.empty((len(values), 0))]
    for place in range(values.shape[1]):
        levels = None if beside.levels is None else beside.levels[place]
        parts.append(_encoded(values[:, place], levels is not None))
    design = np.column_stack(parts)
    spread = design.std(axis=0)
    return np.asarray((design - design.mean(axis=0))[:, spread > 0.0] / spread[spread > 0.0])


def _encoded(column: FloatArray, words: bool) -> FloatArray:
    seen = np.isfinite(column)
    found = np.unique(column[seen])
    if words or (len(found) <= _MOST_LEVELS and bool((found == np.rint(found)).all())):
        codes = np.where(seen, column, np.inf)
        labels, counts = np.unique(codes, return_counts=True)
        usual = labels[counts.argmax()]
        return np.column_stack(
            [codes == label for label in labels[counts >= RARE] if label != usual]
            or [np.empty((len(column), 0))]
        ).astype(np.float64)
    mean, spread = column[seen].mean(), max(float(column[seen].std()), 1e-300)
    scaled = np.where(seen, (np.where(seen, column, mean) - mean) / spread, 0.0)
    near = np.clip(scaled, -_FAR, _FAR)
    return np.column_stack([scaled, near**2, np.abs(near), ~seen])
