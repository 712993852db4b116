"""Data of the command line: tables of numbers with their times, from CSV or Parquet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin.cli.safe_text import with_formulas
from grace_plugin.exceptions import DataError
from grace_plugin.series.categories import MOST_LEVELS

if TYPE_CHECKING:
    import pandas as pd

DATA_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq")

_LOOKED_AT = 200  # lines, to see how numbers are written
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_TIME_NAMES = ("time", "date", "datetime", "timestamp", "index")
_CYCLE_NAMES = ("day", "month", "year")  # the time only where they run one way
_LEAST_TIMES = 0.9  # share of a text column that must parse as times to count as the time column


def read_data(
    path: Path,
    time: str | None = None,
    columns: Iterable[str] = (),
    missing: Iterable[float] = (),
    unit: str | None = None,
    decimal: str = "auto",
) -> pd.DataFrame:
    """A table of numbers indexed by time, or by unit and time, from CSV or Parquet."""
    import pandas as pd

    table = read_table(path, decimal)
    table = _indexed(table, time, path) if unit is None else _indexed_by_unit(table, unit, time, path)
    wanted = list(columns)
    if wanted:
        unknown = [name for name in wanted if name not in table.columns]
        if unknown:
            msg = f"{path} has no columns {unknown}; it has {list(table.columns)}."
            raise DataError(msg)
        table = table[wanted]
    others = [name for name in table.columns if not pd.api.types.is_numeric_dtype(table[name])]
    words = [str(name) for name in others if table[name].nunique() > MOST_LEVELS]
    if words:
        msg = (
            f"The columns {words} of {path} do not hold numbers, nor at most {MOST_LEVELS} words each; "
            "choose others with --columns, or name the time column with --time."
        )
        raise DataError(msg)
    flags = list(missing)
    return table.mask(table.isin(flags)) if flags else table


def read_table(path: Path, decimal: str = "auto") -> pd.DataFrame:
    """CSV or Parquet as it is; `decimal` is "auto", "point" or "comma"."""
    import pandas as pd

    suffix = path.suffix.lower()
    if suffix not in DATA_SUFFIXES:
        msg = f"{path} is neither CSV nor Parquet; give a file that ends in one of {list(DATA_SUFFIXES)}."
        raise DataError(msg)
    try:
        if suffix in (".parquet", ".pq"):
            return pd.read_parquet(path)
        separator = _separator(path)
        _refuse_repeated_names(path, separator)
        mark = _decimal_mark(path, separator, decimal)
        return with_formulas(pd.read_csv(path, sep=separator, decimal=mark, skipinitialspace=True))
    except ImportError as error:
        msg = "Parquet files need pyarrow, which is not installed; run: pip install 'grace-plugin[parquet]'."
        raise DataError(msg) from error
    except (OSError, ValueError, LookupError, OverflowError, NotImplementedError) as error:
        first_line = str(error).strip().split("\n")[0]
        msg = f"{path} cannot be read: {first_line}"
        raise DataError(msg) from error


def _separator(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        header = file.readline()
    return max(",;\t", key=header.count)


def _decimal_mark(path: Path, separator: str, decimal: str) -> str:
    """A comma where numbers have one and none has a point; never where commas part the columns."""
    if decimal != "auto":
        if decimal == "comma" and separator == ",":
            msg = f"--decimal comma: the columns of {path} are parted by commas; part them by ; or tabs."
            raise DataError(msg)
        return "," if decimal == "comma" else "."
    if separator == ",":
        return "."
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        cells = [
            cell.strip()
            for row in islice(csv.reader(file, delimiter=separator), 1, _LOOKED_AT)
            for cell in row
        ]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    if not commas or any(_POINT.fullmatch(cell) for cell in cells):
        return "."
    if all(_THOUSANDS.fullmatch(cell) for cell in commas):
        msg = f"Is {commas[0]} in {path} a whole number or not? Say --decimal comma or --decimal point."
        raise DataError(msg)
    return ","


def _refuse_repeated_names(path: Path, separator: str) -> None:
    """Pandas would call the second `a` `a.1`, and nobody would know which one an edge means."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = [name.strip() for name in next(csv.reader(file, delimiter=separator), [])]
    repeated = sorted({name for name in header if name and header.count(name) > 1})
    if repeated:
        msg = f"{path} has more than one column called {repeated}; give every column a name of its own."
        raise DataError(msg)


def _indexed_by_unit(table: pd.DataFrame, unit: str, time: str | None, path: Path) -> pd.DataFrame:
    import pandas as pd

    if unit not in table.columns:
        msg = f"{path} has no column {unit!r} to be the unit; it has {list(table.columns)}."
        raise DataError(msg)
    parts = {
        key: _indexed(rows.drop(columns=[unit]).reset_index(drop=True), time, path)
        for key, rows in table.groupby(unit, sort=False)
    }
    return pd.concat(parts, names=[unit])


def _indexed(table: pd.DataFrame, time: str | None, path: Path) -> pd.DataFrame:
    import pandas as pd

    name = time if time is not None else _time_column(table)
    if name is None:
        return table
    if name not in table.columns:
        msg = f"{path} has no column {name!r} to be the time; it has {list(table.columns)}."
        raise DataError(msg)
    times = table[name]
    if not pd.api.types.is_numeric_dtype(times):
        times = pd.to_datetime(times, errors="coerce")
    if times.isna().any():
        row = int(np.flatnonzero(times.isna())[0])
        msg = f"Row {row} of the time column {name!r} in {path} is not a time: {table[name].iloc[row]!r}."
        raise DataError(msg)
    if not (times.is_monotonic_increasing and times.is_unique):
        what = "repeats times" if times.is_monotonic_increasing else "goes back in time"
        msg = (
            f"The time column {name!r} of {path} {what}; sort the rows first and keep one for each time. "
            "If it is a variable and not the time, rename it or put it behind another column."
        )
        raise DataError(msg)
    return table.drop(columns=[name]).set_index(pd.Index(times, name=name))


def _time_column(table: pd.DataFrame) -> str | None:
    """The first column, if it looks like times or row numbers."""
    import pandas as pd

    first = str(table.columns[0])
    values = table.iloc[:, 0]
    if pd.api.types.is_datetime64_any_dtype(values):
        return first
    if pd.api.types.is_numeric_dtype(values):
        if first.lower() in _TIME_NAMES or first.startswith("Unnamed:"):
            return first
        one_way = values.is_unique and (values.is_monotonic_increasing or values.is_monotonic_decreasing)
        return first if first.lower() in _CYCLE_NAMES and one_way else None
    parsed = pd.to_datetime(values, errors="coerce", format="ISO8601")
    return first if parsed.notna().mean() >= _LEAST_TIMES else None
