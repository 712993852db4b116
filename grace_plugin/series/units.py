"""Several units in one table (stations, patients, countries), and the level of each.

A lagged row never crosses two units: each is a series of its own. Units differ in level for reasons that have
nothing to do with what follows what, so each variable is taken about its mean in that unit, as regressions
with fixed effects do; `pool="levels"` leaves the levels in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError
from grace_plugin.series.rows import Panel, Series

if TYPE_CHECKING:
    import pandas as pd

_LONG_ENOUGH = 50  # rows: genes in series of 25, F1 .51 about their own means and .62 with their levels


def split_units(
    frame: pd.DataFrame, unit: str | list[str] | None, time: str | None
) -> Iterator[tuple[Hashable, pd.DataFrame]]:
    """(unit, its rows indexed by time); a table of one unit has the unit None.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"who": ["a", "b", "a", "b"], "day": [1, 1, 2, 2], "x": [1.0, 5.0, 2.0, 6.0]})
    >>> [(label, rows.x.tolist()) for label, rows in split_units(table, "who", "day")]
    [('a', [1.0, 2.0]), ('b', [5.0, 6.0])]
    """
    levels = _levels(frame)
    units = [] if unit is None else [unit] if isinstance(unit, str) else list(unit)
    _refuse_absent(frame, levels, [*units, *([] if time is None else [time])])
    if time is None:
        time = _time_of(frame, levels, units)
    if not units:
        units = [name for name in levels if name != time] if len(levels) > 1 else []
    index = frame.index if time is None else _parsed(_values(frame, levels, time))
    keys = [_values(frame, levels, name) for name in units]
    taken = units if time is None else [*units, time]
    rest = frame.drop(columns=[name for name in taken if name in frame.columns]) if taken else frame
    rest = rest if time is None else rest.set_axis(index, axis=0)
    if not keys:
        yield None, rest
        return
    yield from _groups(rest, keys, units, plain=time is None and len(levels) == 1)


def _groups(rest: Any, keys: list[Any], units: list[str], plain: bool) -> Iterator[tuple[Any, Any]]:
    import pandas as pd

    table = pd.MultiIndex.from_arrays(keys)
    codes, labels = pd.factorize(table) if len(keys) > 1 else pd.factorize(pd.Index(keys[0]))
    if (codes < 0).any():
        msg = f"{units} is lacking in row {int(np.argmax(codes < 0))}; every row needs its unit."
        raise DataError(msg)
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    for label, rows in zip(labels, np.split(order, cuts), strict=True):
        part = rest.iloc[rows]
        counted = plain and not hasattr(rest.index, "asi8")  # numbers of rows tell no time within a unit
        yield label, part.reset_index(drop=True) if counted else part


def _levels(frame: Any) -> list[Any]:
    """Names of the index's levels; those without one are called by their number."""
    return [number if name is None else name for number, name in enumerate(frame.index.names)]


def _values(frame: Any, levels: list[Any], name: Any) -> Any:
    return frame[name] if name in frame.columns else frame.index.get_level_values(levels.index(name))


def _parsed(values: Any) -> Any:
    import pandas as pd

    index = pd.Index(values)
    if pd.api.types.is_numeric_dtype(index.dtype) or hasattr(index, "asi8"):
        return index
    try:
        return pd.DatetimeIndex(pd.to_datetime(index))
    except (ValueError, TypeError, OverflowError) as error:
        msg = f"{index.name!r} does not hold times: {str(error).splitlines()[0]}"
        raise DataError(msg) from error


def _refuse_absent(frame: Any, levels: list[Any], names: list[Any]) -> None:
    absent = [name for name in names if name not in frame.columns and name not in levels]
    if absent:
        msg = f"The table has no column or level {absent}; it has {[*frame.columns, *levels]}."
        raise DataError(msg)


def _time_of(frame: Any, levels: list[Any], units: list[Any]) -> Any:
    """The level or the only column that holds times; None where the index is all there is."""
    import pandas as pd

    if len(levels) > 1:
        left = [name for name in levels if name not in units]
        dated = [name for name in left if hasattr(frame.index.get_level_values(levels.index(name)), "asi8")]
        return dated[0] if len(dated) == 1 else left[-1] if left else None
    columns = [
        name
        for name, kind in frame.dtypes.items()
        if pd.api.types.is_datetime64_any_dtype(kind) or _is_period(kind)
    ]
    return columns[0] if len(columns) == 1 and isinstance(frame.index, pd.RangeIndex) else None


def _is_period(kind: Any) -> bool:
    import pandas as pd

    return isinstance(kind, pd.PeriodDtype)


def centred(panel: Panel) -> Panel:
    """Each of several series about the mean that all of them have; a single one as it is.

    >>> both = centred(Panel((Series(np.array([[1.0], [3.0]])), Series(np.array([[11.0], [13.0]])))))
    >>> [one.values.ravel().tolist() for one in both.series]
    [[6.0, 8.0], [6.0, 8.0]]
    """
    if panel.centred or panel.stream is not None:
        return panel
    if len(panel.series) < 2:
        return replace(panel, centred=True)
    means = np.array([_mean(one) for one in panel.series])
    counts = np.array([(~np.isnan(_floats(one))).sum(axis=0) for one in panel.series])
    common = (means * counts).sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    # What never moves within a unit is a property of the unit; taken about its mean it would be nothing.
    moves = np.any([_moves(one) for one in panel.series], axis=0)
    away = np.where(moves, means - common, 0.0)
    series = tuple(
        replace(one, values=_floats(one) - shift) for one, shift in zip(panel.series, away, strict=True)
    )
    note = f"{len(series)} series, each taken about its own mean (pool='levels' leaves their levels in)."
    return replace(panel, series=series, centred=True, notes=(*panel.notes, note))


def too_short_to_centre(panel: Panel) -> Iterator[str]:
    """What is said where series are so short that their own means take away part of what they tell."""
    rows = float(np.mean([len(one.values) for one in panel.series])) if panel.series else 0.0
    if panel.centred and len(panel.series) > 1 and rows < _LONG_ENOUGH:
        yield (
            f"{len(panel.series)} series of {rows:.0f} rows in the mean are each taken about their own mean, "
            "which takes away part of what such short ones tell; pool='levels' leaves it in where they share "
            "a level."
        )


def _floats(one: Series) -> FloatArray:
    return np.asarray(one.values, dtype=np.float64)


def _moves(one: Series) -> BoolArray:
    values = _floats(one)
    low = np.where(np.isnan(values), np.inf, values).min(axis=0)
    return np.asarray(np.where(np.isnan(values), -np.inf, values).max(axis=0) > low)


def _mean(one: Series) -> FloatArray:
    values = _floats(one)
    seen = ~np.isnan(values)
    first = np.where(seen.any(axis=0), values[seen.argmax(axis=0), np.arange(values.shape[1])], 0.0)
    away = np.where(seen, values - first, 0.0)  # so that large levels cost no digits
    return np.asarray(first + away.sum(axis=0) / np.maximum(seen.sum(axis=0), 1))
