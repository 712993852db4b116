"""One value for all data of a refinement: series of rows, which rows may be used, and names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd

HostData: TypeAlias = Any  # a container of a host's own, which has no types: a tigramite DataFrame, say

_LARGEST_LAG_NUMBERS = 10_000_000_000  # moments of more lags and variables would fill any memory


@dataclass(frozen=True, eq=False)
class Series:
    """One realisation: rows in time order.

    A missing value is NaN. `as_target[t]` and `as_input[t]` say whether row t may be explained and
    whether it may serve as a past of later rows; None means every row may. `index` is the pandas index of
    the rows, where the data came with one, and `unit` the name of what they are of. `controls` [row, column]
    is what every effect is judged beside (`series/controls.py`), if anything. `seen` [T, d] says which values
    were there before missing ones were filled in; None where nothing was filled in.
    """

    values: npt.NDArray[Any]
    as_target: BoolArray | None = None
    as_input: BoolArray | None = None
    index: pd.Index[Any] | None = None
    unit: Hashable = None
    controls: FloatArray | None = None
    seen: BoolArray | None = None


@dataclass(frozen=True)
class Levels:
    """The words that the numbers 0, 1, ... of a column stand for, and whether they have an order."""

    labels: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """All the data of one refinement: one or more series over the same variables.

    `stream` is set instead of `series` for data that can be read only once, as row chunks of a
    single long realisation. `lazy` is the Dask array of which the stream reads one chunk after the other;
    moments are summed up where its chunks are. `notes` are sentences for the summary: what was done to the
    data on their way here. `centred` is set once each series was taken about its own mean. `turned` says
    why time seems to run along the columns, or is empty. `levels` tells of every column which words its
    numbers stand for; None where no column holds words.
    """

    series: tuple[Series, ...]
    names: tuple[str, ...] | None = None
    stream: Iterator[FloatArray] | None = None
    n_variables: int = 0
    lazy: HostData = None
    notes: tuple[str, ...] = ()
    centred: bool = False
    turned: str = ""
    levels: tuple[Levels | None, ...] | None = None

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
        place = {name: index for index, name in enumerate(self.names)}
        wanted = set(names)
        missing = [name for name in names if name not in place]
        extra = [name for name in self.names if name not in wanted]
        if missing or extra:
            msg = (
                f"The data and the graph name different variables: not in the data {missing}, not in the "
                f"graph {extra}. Rename or select the columns so that both have the same names."
            )
            raise DataError(msg)
        order = [place[name] for name in names]
        series = tuple(replace(one, values=one.values[:, order]) for one in self.series)
        stream = None if self.stream is None else (chunk[:, order] for chunk in self.stream)
        lazy = None if self.lazy is None else self.lazy[:, order]
        levels = None if self.levels is None else tuple(self.levels[place] for place in order)
        return replace(self, series=series, names=tuple(names), stream=stream, lazy=lazy, levels=levels)

    def some_rows(self, most: int) -> FloatArray | None:
        """At most about `most` rows, evenly chosen from all series; None where rows can be read only once."""
        if self.stream is not None or not self.series:
            return None
        step = max(1, sum(len(one.values) for one in self.series) // most)
        return np.concatenate([_as_float(one.values[::step]) for one in self.series])

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
