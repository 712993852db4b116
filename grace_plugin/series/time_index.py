"""The time of a table's rows: it must increase, and it may leave rows out.

A lag counts rows, so a row must stand for one step of time. An index that is regular but for holes is laid
on its own calendar: months (and quarters, years) by month, weekdays by business day, everything else by its
usual step, in absolute time first and by the clock on the wall then, so that neither days nor hours are lost
where clocks change. Each row gets a place on that calendar; a place without a row is a row of missing values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 0.1  # of a step: a day of 23 hours is .04 off, a logger's jitter rarely more than .01
_LONGEST_HOLE = 1000  # rows: no lag reaches across, so longer holes are shortened to this
_MOST_STRETCH = 10  # places per row beyond which a calendar is not the data's own
_DAY = 86_400 * 10**9
_SORT = "Sort the rows: data.sort_index()."


@dataclass(frozen=True, eq=False)
class TimeIndex:
    """Where every row stands.

    Args:
        index: the time of every place, those of the holes included.
        places: [rows]; None where the rows are the places.
        note: what a reader should know, or "".
        irregular: whether the rows fit no calendar and are taken one after the other.
        holes: how many times have no row.
    """

    index: pd.Index
    places: IntArray | None = None
    note: str = ""
    irregular: bool = False
    holes: int = 0

    def laid(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """`values` [rows, ...] with a row of missing values in every hole."""
        if self.places is None:
            return values
        found = np.full((len(self.index), *values.shape[1:]), np.nan)
        found[self.places] = values
        return found


def read_times(index: pd.Index, subject: str = "The index") -> TimeIndex | None:
    """Where the rows of a table with this index stand in time; None where the index tells no time.

    Raises:
        DataError: where times decrease, repeat, are out of order or are lacking.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-05"])
    >>> read_times(days).places.tolist()
    [0, 1, 3, 4]
    """
    import pandas as pd

    if isinstance(index, pd.RangeIndex) and index.step > 0:
        return TimeIndex(index)
    times = _as_times(index)
    if times is None or len(times) < 2:
        return None
    _refuse_disorder(times, index, subject)
    if getattr(times, "freq", None) is not None and not isinstance(times, pd.PeriodIndex):
        return TimeIndex(times)
    return _on_calendar(times, subject)


def joined_times(before: pd.Index | None, index: pd.Index, subject: str) -> TimeIndex | None:
    """As `read_times` for a chunk of rows behind one whose last time is `before`.

    The holes between both come first. A chunk that counts its rows from 0 again tells no time.
    """
    import pandas as pd

    counted = isinstance(index, pd.RangeIndex) and index.step == 1
    if before is None or counted:
        return read_times(index, subject)
    found = read_times(before.append(index), subject)
    if found is None:
        return None
    places = None if found.places is None else found.places[1:] - 1
    return TimeIndex(found.index[1:], places, found.note, found.irregular)


def _as_times(index: Any) -> Any:
    """`index` as times or numbers; None for labels."""
    import pandas as pd

    if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex, pd.TimedeltaIndex)):
        return index
    if isinstance(index, pd.MultiIndex) or isinstance(index.dtype, pd.CategoricalDtype):
        return None
    if pd.api.types.is_bool_dtype(index.dtype) or pd.api.types.is_complex_dtype(index.dtype):
        return None
    if pd.api.types.is_numeric_dtype(index.dtype):
        return index
    if index.inferred_type not in ("date", "datetime", "datetime64", "string"):
        return None
    try:  # dates as objects or as text, as a file has them whose index nobody parsed
        return pd.DatetimeIndex(pd.to_datetime(index, format="ISO8601"))
    except (ValueError, TypeError, OverflowError):
        return None


def _refuse_disorder(times: Any, index: Any, subject: str) -> None:
    lacking = np.flatnonzero(times.isna())
    if lacking.size:
        msg = (
            f"{subject} has no time in row {lacking[0]} ({lacking.size} of {len(times)} rows lack it); drop "
            "such rows: data[data.index.notna()]."
        )
        raise DataError(msg)
    if times.is_monotonic_increasing and times.is_unique:
        return
    numbers = "" if hasattr(times, "asi8") else " Or, if the rows are in order: data.reset_index(drop=True)."
    if not times.is_unique:
        again = times.duplicated()
        msg = (
            f"{subject} repeats times: {index[int(np.argmax(again))]} stands in several rows ({again.sum()} "
            f"of {len(times)} rows repeat a time). Keep one row each: data[~data.index.duplicated()]; if "
            f"they are of several units, give these as a dict of tables.{numbers}"
        )
    elif times.is_monotonic_decreasing:
        msg = (
            f"{subject} runs backwards, from {index[0]} to {index[-1]}: every effect would stand before its "
            f"cause. {_SORT}{numbers}"
        )
    else:
        row = int(np.argmax(_numbers(times)[1:] < _numbers(times)[:-1])) + 1
        msg = (
            f"{subject} is not in order: row {row} ({index[row]}) lies before row {row - 1} "
            f"({index[row - 1]}). {_SORT}{numbers}"
        )
    raise DataError(msg)


def _numbers(times: Any) -> npt.NDArray[Any]:
    """Nanoseconds, ordinals of periods, or the numbers themselves."""
    import pandas as pd

    if isinstance(times, pd.PeriodIndex):
        return np.asarray(times.asi8)
    if isinstance(times, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        return np.asarray(times.as_unit("ns").asi8)
    return np.asarray(times.to_numpy(dtype=np.int64 if times.dtype.kind in "iu" else np.float64))


def _on_calendar(times: Any, subject: str) -> TimeIndex:
    numbers = _numbers(times)
    for places, unit in _calendars(times, numbers):
        if places is None:
            continue
        shortened = _shortened(places)
        if shortened[-1] + 1 > _MOST_STRETCH * len(times):
            continue
        holes = int(places[-1]) + 1 - len(places)
        if not holes:
            return TimeIndex(times)
        note = (
            f"{subject} leaves out {holes} of {places[-1] + 1} times ({unit}): they count as missing values."
        )
        return TimeIndex(_filled(times, numbers, shortened), shortened, note, holes=holes)
    return TimeIndex(times, None, _how_irregular(times, numbers, subject), irregular=True)


def _calendars(times: Any, numbers: Any) -> Iterator[tuple[IntArray | None, str]]:
    """The rows' places on every calendar that could be theirs, and the calendar's name."""
    import pandas as pd

    if isinstance(times, pd.PeriodIndex):
        steps = numbers - numbers[0]
        yield steps // np.gcd.reduce(steps), f"periods of {times.freqstr}"
        return
    if not isinstance(times, pd.DatetimeIndex):
        yield from _steps(numbers, lambda step: f"a step of {_words(times, step)}")
        return
    wall = times if times.tz is None else times.tz_localize(None)
    yield _months(wall), "one row a month, or every so many months"
    yield _business_days(wall), "business days"
    for clock in (numbers, _numbers(wall)):
        yield from _steps(clock, lambda step: f"a step of {_words(times, step)}")


def _steps(numbers: Any, words: Callable[[Any], str]) -> Iterator[tuple[IntArray | None, str]]:
    """Places at a fixed step: the most common one, or the usual one where steps tremble."""
    apart = np.diff(numbers)
    values, counts = np.unique(apart, return_counts=True)
    for step in (values[np.argmax(counts)], np.median(apart), np.quantile(apart, 0.1)):
        yield _placed(apart, step), words(step)


def _placed(apart: Any, step: Any) -> IntArray | None:
    if step <= 0:
        return None
    ratio = apart / step
    whole = np.rint(ratio)
    if (whole < 1).any() or (np.abs(ratio - whole) > _TOLERANCE).any():
        return None
    return np.concatenate([[0], np.cumsum(whole.astype(np.int64))])


def _months(wall: pd.DatetimeIndex) -> IntArray | None:
    """Places where rows stand on the same day of their months, or on the business day beside it."""
    numbers = _numbers(wall)
    if len(np.unique(numbers % _DAY)) > 1 or np.diff(numbers).min() < 27 * _DAY:
        return None
    days, lengths = np.asarray(wall.day), np.asarray(wall.days_in_month)
    dates = wall.to_numpy().astype("datetime64[D]")
    usual = dates + (np.minimum(days.max(), lengths) - days).astype("timedelta64[D]")
    before, after = (np.busday_offset(usual, 0, roll) for roll in ("backward", "forward"))
    if not ((dates == usual) | (dates == before) | (dates == after)).all():
        return None
    count = np.asarray(wall.year) * 12 + np.asarray(wall.month)
    apart = np.diff(count)
    return None if (apart < 1).any() else np.asarray((count - count[0]) // np.gcd.reduce(apart))


def _business_days(wall: pd.DatetimeIndex) -> IntArray | None:
    """Places where every row is a weekday at the same hour, and weekends lie between."""
    numbers = _numbers(wall)
    dates = wall.to_numpy().astype("datetime64[D]")
    if len(np.unique(numbers % _DAY)) > 1 or not np.is_busday(dates).all():
        return None
    apart = np.busday_count(dates[:-1], dates[1:])
    weekends = (np.diff(dates).astype(np.int64) > apart).any()
    if not weekends or (apart > 1).mean() > 0.5:  # rows of single weekdays have a longer step
        return None
    return np.concatenate([[0], np.cumsum(apart)])


def _shortened(places: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.minimum(np.diff(places), _LONGEST_HOLE + 1))])


def _filled(times: Any, numbers: Any, places: IntArray) -> Any:
    """The times of all places; those of holes lie evenly between their neighbours."""
    import pandas as pd

    every = numbers[0] + np.interp(
        np.arange(places[-1] + 1), places, (numbers - numbers[0]).astype(np.float64)
    )
    if numbers.dtype.kind == "f":
        return pd.Index(every, name=times.name)
    whole = np.rint(every).astype(np.int64)
    whole[places] = numbers
    if isinstance(times, pd.PeriodIndex):
        return pd.PeriodIndex.from_ordinals(whole, freq=times.freq, name=times.name)
    if isinstance(times, pd.DatetimeIndex):
        found = pd.DatetimeIndex(whole.astype("datetime64[ns]"), name=times.name)
        return found if times.tz is None else found.tz_localize("UTC").tz_convert(times.tz)
    if isinstance(times, pd.TimedeltaIndex):
        return pd.TimedeltaIndex(whole.astype("timedelta64[ns]"), name=times.name)
    return pd.Index(whole, name=times.name)


def _how_irregular(times: Any, numbers: FloatArray, subject: str) -> str:
    apart = np.diff(numbers)
    usual = np.median(apart)
    near = np.mean(np.abs(apart - usual) <= _TOLERANCE * usual)
    words = [_words(times, step) for step in (apart.min(), apart.max(), usual)]
    return (
        f"{subject} is irregular: steps run from {words[0]} to {words[1]}, and {near:.0%} of them are about "
        f"{words[2]}. Rows are taken one after the other and a lag counts rows; bring them to a regular step "
        "first, for instance with data.resample(...).mean()."
    )


def _words(times: Any, step: Any) -> str:
    import pandas as pd

    if isinstance(times, (pd.DatetimeIndex, pd.TimedeltaIndex)):
        return str(pd.Timedelta(int(step), "ns")).replace(" 00:00:00", "").replace("0 days ", "")
    return f"{step:.6g}"
