"""Data of any accepted form as one value: series of rows, which rows may be used, and names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import has_half_characters, shown
from grace_plugin.exceptions import DataError

_LARGEST_LAG_NUMBERS = 10_000_000_000  # moments of more lags and variables would fill any memory

_ACCEPTED = (
    "a numpy array [time, variable], a pandas DataFrame, a tigramite DataFrame, a list or dict of "
    "arrays (several realisations), or an iterable of row chunks"
)


@dataclass(frozen=True, eq=False)
class Series:
    """One realisation: rows in time order.

    A missing value is NaN. `as_target[t]` and `as_input[t]` say whether row t may be explained and
    whether it may serve as a past of later rows; None means every row may.
    """

    values: npt.NDArray[Any]
    as_target: BoolArray | None = None
    as_input: BoolArray | None = None


@dataclass(frozen=True, eq=False)
class Panel:
    """All the data of one refinement: one or more series over the same variables.

    `stream` is set instead of `series` for data that can be read only once, as row chunks of a
    single long realisation. `lazy` is the Dask array of which the stream reads one chunk after the other;
    moments are summed up where its chunks are.
    """

    series: tuple[Series, ...]
    names: tuple[str, ...] | None = None
    stream: Iterator[FloatArray] | None = None
    n_variables: int = 0
    lazy: Any = None

    def restricted(self, samples: BoolArray) -> Panel:
        """The same panel, in which only the times of `samples` may serve as targets."""
        if len(self.series) != 1 or samples.shape != (len(self.series[0].values),):
            msg = (
                f"A sample selection of shape {samples.shape} needs a single series of as many rows; "
                f"the data hold {len(self.series)} series."
            )
            raise DataError(msg)
        only = self.series[0]
        targets = samples if only.as_target is None else samples & only.as_target
        return replace(self, series=(replace(only, as_target=targets),))

    def ordered(self, names: Sequence[str]) -> Panel:
        """The same panel with its columns in the order of `names`."""
        if self.names is None or self.names == tuple(names):
            return self
        missing = [name for name in names if name not in self.names]
        extra = [name for name in self.names if name not in names]
        if missing or extra:
            msg = (
                f"The data and the graph name different variables: not in the data {missing}, not in the "
                f"graph {extra}. Rename or select the columns so that both have the same names."
            )
            raise DataError(msg)
        order = [self.names.index(name) for name in names]
        series = tuple(replace(one, values=one.values[:, order]) for one in self.series)
        stream = None if self.stream is None else (chunk[:, order] for chunk in self.stream)
        lazy = None if self.lazy is None else self.lazy[:, order]
        return replace(self, series=series, names=tuple(names), stream=stream, lazy=lazy)

    def chunks(self, rows: int) -> Iterator[tuple[Series, bool]]:
        """Blocks of at most `rows` rows as float64, each with whether it starts a new series."""
        if self.stream is not None:
            for number, chunk in enumerate(self.stream):
                for start in range(0, len(chunk), rows):
                    yield Series(_as_float(chunk[start : start + rows])), number == 0 and start == 0
            return
        for one in self.series:
            for start in range(0, len(one.values), rows):
                part = slice(start, start + rows)
                yield (
                    Series(
                        _as_float(one.values[part]),
                        None if one.as_target is None else one.as_target[part],
                        None if one.as_input is None else one.as_input[part],
                    ),
                    start == 0,
                )

    def loaded(self) -> Panel:
        """The same panel with a stream read into memory."""
        if self.stream is None:
            return self
        values = np.concatenate([_as_float(chunk) for chunk in self.stream])
        return replace(self, series=(Series(values),), stream=None, lazy=None)


def as_panel(data: Any) -> Panel:
    """Recognise `data` among the host-free forms; host containers go through their adapter first.

    >>> panel = as_panel(np.zeros((100, 3)))
    >>> panel.n_variables, len(panel.series)
    (3, 1)
    """
    if isinstance(data, Panel):
        return data
    if isinstance(data, Mapping):
        return _panel_of_many(list(data.values()))
    if isinstance(data, (list, tuple)):
        return _panel_of_many(list(data))
    if is_dask(data):
        from grace_plugin.moments.dask_moments import dask_panel

        return dask_panel(data)
    data = _materialised(data)
    if isinstance(data, np.ndarray) or _is_pandas(data) or hasattr(type(data), "__array__"):
        values, names = _matrix(data)
        return Panel((Series(values),), names, n_variables=values.shape[1])
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _panel_of_stream(data)
    msg = f"Data of type {type(data).__name__} cannot be read; give {_ACCEPTED}."
    raise DataError(msg)


def _panel_of_many(items: list[Any]) -> Panel:
    if not items:
        msg = f"The collection of data sets is empty; give {_ACCEPTED}."
        raise DataError(msg)
    if any(_axes(item) < 2 for item in items):
        msg = (
            "A list or dict means several realisations, each an array [time, variable]; it holds "
            "scalars or one-dimensional items. Stack them into one array [time, variable] first."
        )
        raise DataError(msg)
    pairs = [_matrix(item) for item in items]
    names = pairs[0][1]
    width = pairs[0][0].shape[1]
    if any(values.shape[1] != width for values, _ in pairs) or any(other != names for _, other in pairs):
        msg = "The realisations differ in their variables; all must have the same columns in the same order."
        raise DataError(msg)
    return Panel(tuple(Series(values) for values, _ in pairs), names, n_variables=width)


def _panel_of_stream(chunks: Iterable[Any]) -> Panel:
    iterator = iter(chunks)
    first = next(iterator, None)
    if first is None:
        msg = f"The {type(chunks).__name__} is empty: it holds no row chunks. Give {_ACCEPTED}."
        raise DataError(msg)
    if _axes(first) != 2:
        msg = (
            f"A {type(chunks).__name__} is read as row chunks, each an array [time, variable]; its first "
            f"item is {shown(first)}. Give {_ACCEPTED}."
        )
        raise DataError(msg)
    values, names = _matrix(first)

    def rest() -> Iterator[FloatArray]:
        for chunk in iterator:
            if np.shape(chunk)[:1] == (0,):
                continue  # a source may well have nothing to say at times
            matrix, other = _matrix(chunk)
            if matrix.shape[1] != values.shape[1] or other != names:
                msg = "The row chunks differ in their columns; all must have the same variables."
                raise DataError(msg)
            yield matrix

    return Panel((), names, chain([values], rest()), values.shape[1])


def _materialised(data: Any) -> Any:
    """Tables of other libraries (polars, pyarrow) as pandas tables or arrays."""
    if isinstance(data, np.ndarray) or _is_pandas(data):
        return data
    for way in ("to_pandas", "compute"):
        method = getattr(type(data), way, None)
        if callable(method):
            try:
                return method(data)
            except Exception as error:  # a stranger's method may fail in any way
                msg = f"The {way}() of this {type(data).__name__} failed: {error}. Pass its numbers instead."
                raise DataError(msg) from error
    return data


def is_dask(data: object) -> bool:
    """Whether `data` is a Dask array or table; Dask itself is not imported for it."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr")


def _is_pandas(data: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def _matrix(data: Any) -> tuple[npt.NDArray[Any], tuple[str, ...] | None]:
    names = None
    if _is_pandas(data):
        frame = data.to_frame() if data.ndim == 1 else data
        names = tuple(str(column) for column in frame.columns)
        refuse_repeated(names)
        data = _pandas_values(frame)
    array = _as_array(data)
    if array.dtype.names is not None:
        msg = f"A structured array with fields {array.dtype.names} was given; pass pandas.DataFrame(data)."
        raise DataError(msg)
    if array.ndim != 2 or 0 in array.shape:
        msg = f"Data of shape {array.shape} were given; expected two axes [time, variable], neither empty."
        raise DataError(msg)
    if array.dtype.kind not in "biuf":
        msg = (
            f"Data of dtype {array.dtype} were given; expected real numbers. Convert the columns to float "
            "first, with missing values as NaN."
        )
        raise DataError(msg)
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)  # type: ignore[no-untyped-call]
    return array, names


def _as_array(data: Any) -> npt.NDArray[Any]:
    """Anything that numpy takes for an array, masks and all; a refusal becomes a sentence."""
    if isinstance(data, np.ma.MaskedArray):
        return data
    try:
        return np.asarray(data)
    except Exception as error:  # torch, jax and others refuse in ways of their own
        msg = f"A {type(data).__name__} cannot be read as an array of numbers: {str(error).splitlines()[0]}"
        raise DataError(msg) from error


def _axes(item: Any) -> int:
    """How many axes `item` has; 0 for what is no array."""
    try:
        return int(np.ndim(item))
    except (TypeError, ValueError):  # a ragged list
        return 0


def refuse_other_columns(frame: Any) -> None:
    """Refuse a table of which some columns hold no real numbers."""
    wrong = [str(name) for name, dtype in frame.dtypes.items() if getattr(dtype, "kind", "O") not in "biuf"]
    if wrong:
        msg = f"Columns {wrong} do not hold real numbers; convert or drop them."
        raise DataError(msg)


def _pandas_values(frame: Any) -> npt.NDArray[Any]:
    refuse_other_columns(frame)
    values: npt.NDArray[Any] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def refuse_repeated(names: tuple[str, ...]) -> None:
    """Refuse names that no file can hold, and names that occur twice."""
    broken = [name for name in names if has_half_characters(name)]
    if broken:
        msg = f"Column names {broken} hold halves of characters (surrogates), which no file can; rename them."
        raise DataError(msg)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        msg = f"Column names must differ from each other; repeated: {repeated}."
        raise DataError(msg)


def refuse_long_lag(panel: Panel, max_lag: int) -> None:
    """Refuse a `max_lag` that no series can fill, before anything of its size is made."""
    longest = max((len(one.values) for one in panel.series), default=None)
    if longest is not None and max_lag >= longest:
        msg = (
            f"max_lag={max_lag}, but the longest series has {longest} rows: there are 0 complete windows. "
            "Give more rows or fewer lags."
        )
        raise DataError(msg)
    if (max_lag + 1) * panel.n_variables**2 > _LARGEST_LAG_NUMBERS:
        msg = f"max_lag={max_lag} with {panel.n_variables} variables needs too much memory; give fewer lags."
        raise DataError(msg)


def _as_float(block: npt.NDArray[Any]) -> FloatArray:
    with np.errstate(over="ignore"):  # what is too large for float64 becomes infinite, and is refused
        return np.ascontiguousarray(block, dtype=np.float64)
