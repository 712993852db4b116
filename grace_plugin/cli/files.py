"""Files of the command line: data and results in, graphs and tables out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.files import write_text, written
from grace_plugin._common.npz import read_npz
from grace_plugin.cli.safe_text import with_formulas, without_formulas
from grace_plugin.exceptions import DataError, GraceError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.hosts.registry import get_adapter
from grace_plugin.protocols import HostResult
from grace_plugin.series.categories import MOST_LEVELS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from grace_plugin.results.refinement import Refinement

DATA_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq")
RESULT_SUFFIXES = (".json", ".npz", ".gml", ".graphml", ".dot", ".csv")

_TIME_NAMES = ("time", "date", "datetime", "timestamp", "index")
_CYCLE_NAMES = ("day", "month", "year")  # the time only where they run one way
_LEAST_TIMES = 0.9  # share of a text column that must parse as times to count as the time column


def read_data(
    path: Path,
    time: str | None = None,
    columns: Iterable[str] = (),
    missing: Iterable[float] = (),
    unit: str | None = None,
) -> pd.DataFrame:
    """A table of numbers indexed by time, or by unit and time, from CSV or Parquet."""
    import pandas as pd

    table = _read_table(path)
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


def _read_table(path: Path) -> pd.DataFrame:
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
        return with_formulas(pd.read_csv(path, sep=separator, skipinitialspace=True))
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


def read_result(path: Path) -> HostResult:
    """A host's result, or candidate edges, as an object that `refine` takes."""
    readers = {".json": _json_result, ".npz": _npz_result, ".csv": _csv_edges}
    texts = dict.fromkeys((".gml", ".graphml", ".dot"), _text)
    reader = {**readers, **texts}.get(path.suffix.lower())
    if reader is None:
        msg = (
            f"{path} is no result that can be read; give a file that ends in one of {list(RESULT_SUFFIXES)}."
        )
        raise DataError(msg)
    try:
        return reader(path)
    except GraceError:
        raise
    except (OSError, ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        msg = f"{path} cannot be read: {(str(error).splitlines() or [type(error).__name__])[0]}"
        raise DataError(msg) from error


def _json_result(path: Path) -> Any:
    from grace_plugin.results.json_form import is_refinement
    from grace_plugin.results.json_reader import read_json

    stored = json.loads(path.read_text(encoding="utf-8"))
    if is_refinement(stored):
        return read_json(path).native
    if isinstance(stored, dict) and "graph" in stored:
        return {name: np.array(value) if isinstance(value, list) else value for name, value in stored.items()}
    if isinstance(stored, list):
        return _edge_rows(stored)
    msg = (
        f"{path} holds none of the known forms: what `grace ... --out` wrote, a tigramite result with a "
        '"graph" of link marks, or a list of edges with cause, effect and lag.'
    )
    raise DataError(msg)


def _edge_rows(rows: list[Any]) -> Any:
    import pandas as pd

    if rows and all(isinstance(row, dict) for row in rows):
        return pd.DataFrame(rows)
    return [tuple(row) for row in rows]


def _npz_result(path: Path) -> Any:
    arrays = read_npz(path)
    if "graph" in arrays and arrays["graph"].dtype.kind == "U":
        return arrays
    for name in ("mask", "graph"):
        if name in arrays:
            return Skeleton(arrays[name], arrays.get("names"))
    msg = f"{path} holds {sorted(arrays)}; give 'graph' (tigramite's marks) or 'mask' [cause, effect, lag]."
    raise DataError(msg)


def _csv_edges(path: Path) -> Any:
    table = _read_table(path)
    edges = get_adapter("edges")
    if not edges.is_native(table):
        msg = (
            f"{path} has the columns {list(table.columns)}; a table of edges has one for the cause (cause, "
            "source, from, node1, Variable i), one for the effect (effect, target, to, sink, node2, "
            "Variable j) and one for the lag (lag, time_lag, Time lag of i)."
        )
        raise DataError(msg)
    if "kept" not in table.columns:
        return table
    if table["kept"].dtype.kind not in "bi":
        msg = f"The column kept of {path} holds other values than True and False; mend or drop it."
        raise DataError(msg)
    return table[table["kept"].astype(bool)]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def write_result(refinement: Refinement, path: Path) -> None:
    """The refined graph in the form that the file's ending asks for."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        refinement.to_json(path)
    elif suffix == ".csv":
        write_text(path, without_formulas(refinement.edges).to_csv(index=False))
    elif suffix == ".npz":
        _write_npz(refinement, path)
    elif suffix == ".dot":
        write_text(path, refinement.to_dot())
    elif suffix in (".gml", ".graphml"):
        _write_nodes(refinement, path, suffix)
    else:
        msg = f"--out {path}: give a file that ends in one of {list(RESULT_SUFFIXES)}."
        raise DataError(msg)


def _write_npz(refinement: Refinement, path: Path) -> None:
    native = refinement.native
    if isinstance(native, Mapping):
        arrays = {k: np.asarray(v) for k, v in native.items() if v is not None and np.ndim(v)}
        stored = {k: v for k, v in arrays.items() if v.dtype.kind in "biufU"}
    else:
        names = np.array(refinement.names)
        stored = {"mask": refinement.graph, "names": names, "gates": refinement.gates}
    with written(path) as file:
        np.savez(file, **stored)  # type: ignore[arg-type]


def _write_nodes(refinement: Refinement, path: Path, suffix: str) -> None:
    import networkx as nx

    native = refinement.native
    if isinstance(native, str) and ("<graphml" in native) == (suffix == ".graphml"):
        write_text(path, native)
        return
    graph = refinement.to_networkx()
    for *_, marks in graph.edges(data=True):
        del marks["lag"]  # the names of the nodes tell it, and once is enough
    renamed = nx.relabel_nodes(graph, {node: f"{node[0]}_lag{-node[1]}" for node in graph})
    with written(path) as file:
        (nx.write_gml if suffix == ".gml" else nx.write_graphml)(renamed, file)


def write_picture(figure: Figure, path: Path) -> None:
    """A figure in the format that the file's ending names."""
    form, known = path.suffix[1:].lower() or "png", figure.canvas.get_supported_filetypes()
    if form not in known:
        msg = f"--plot {path}: give a file that ends in one of {sorted(known)}."
        raise DataError(msg)
    with written(path) as file:
        figure.savefig(file, format=form, dpi=120)


def format_table(table: pd.DataFrame, form: str) -> str:
    """A table for standard output: aligned text, json or csv."""
    if form == "csv":
        return str(without_formulas(table).to_csv(index=False)).rstrip("\n")
    if form == "json":
        return json.dumps(json.loads(table.to_json(orient="records")), indent=1)
    if table.empty:
        return "(no edges)"
    return str(table.to_string(index=False, float_format=lambda value: f"{value:.3g}"))
