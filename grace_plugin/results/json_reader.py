"""Reading the JSON form of a refinement: without pickle, and checked before anything is built of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import file_path
from grace_plugin._common.config import Options, RefineConfig
from grace_plugin.exceptions import DataError
from grace_plugin.graph.outcome import Details, EdgeRecords, Outcome, Reason, Shape
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.results.json_form import FORMAT, FURTHER, VERSION, JsonForm, is_refinement
from grace_plugin.results.refinement import Refinement

_MOST_CELLS = 60_000_000  # cells of a graph that a file may ask for: 3000 variables with 5 lags, 2 GB
_REASONS = {str(reason): int(reason) for reason in Reason}


def read_json(source: str | Path) -> Refinement:
    """Read what `Refinement.to_json` wrote: a path, or the text itself.

    The native object is not stored; `.native` is the pruned `Skeleton`. Of the host's scores those
    of the candidates are stored; the others are NaN.

    >>> import numpy as np
    >>> from grace_plugin import Skeleton, analyze
    >>> mask = np.zeros((2, 2, 2), dtype=bool)
    >>> mask[:, :, 1] = True
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> once = analyze(Skeleton(mask, ["a", "b"]), x)
    >>> read_json(once.to_json()).edges.equals(once.edges)
    True
    """
    text = source if isinstance(source, str) and source.lstrip().startswith("{") else _text_of(source)
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"This is not JSON ({error}); give a file that Refinement.to_json wrote."
        raise DataError(msg) from error
    return _unpacked(stored)


def _text_of(path: str | Path) -> str:
    path = file_path("source", path)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be read: {error}"
        raise DataError(msg) from error


def _unpacked(stored: object) -> Refinement:
    if not is_refinement(stored):
        msg = f"This JSON does not hold a refinement (no format {FORMAT!r}); give one that to_json wrote."
        raise DataError(msg)
    if stored.get("version") != VERSION:
        msg = f"The file has version {stored.get('version')!r}; this release reads only {VERSION}: update it."
        raise DataError(msg)
    try:
        return _built(stored)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        msg = f"The file is damaged: {type(error).__name__}: {error}. Write it again with to_json."
        raise DataError(msg) from error


def _built(stored: JsonForm) -> Refinement:
    names = [str(name) for name in stored["names"]]
    shape = _checked_shape(len(names), stored["max_lag"])
    columns = stored["edges"]
    records = _records(columns, shape)
    where = records.cells
    mask = _spread(shape, where, True, False)
    scores = _spread(shape, where, _numbers(columns["score"]), np.nan) if "score" in columns else None
    required = _spread(shape, where, _flags(columns["required"]), False)
    skeleton = Skeleton(mask, names if stored["named"] else None, scores, required)
    outcome = Outcome(
        _in_order(records),
        shape,
        penalty=_within("penalty", stored["penalty"], 0.0, math.inf),
        alpha=_within("alpha", stored["alpha"], 0.0, 1.0),
        rows_used=_count("rows_used", stored["rows_used"]),
        rows_given=_count("rows_given", stored["rows_given"]),
        details=_details(stored),
    )
    parts = {name: _unpacked(part) for name, part in stored["parts"].items()}
    native = Skeleton(outcome.graph, skeleton.names, scores)
    config = _config(stored["config"])
    return Refinement(native, skeleton, outcome, config, adapter=str(stored["adapter"]), parts=parts)


def _details(stored: JsonForm) -> Details:
    words = {str(name): tuple(map(str, labels)) for name, labels in stored.get("words", {}).items()}
    return Details(notes=tuple(str(note) for note in stored.get("notes", ())), words=words)


def _checked_shape(variables: int, max_lag: Any) -> Shape:
    if isinstance(max_lag, bool) or not isinstance(max_lag, int) or max_lag < 0 or variables < 1:
        msg = f"max_lag is {max_lag!r} and there are {variables} names"
        raise ValueError(msg)
    if variables * variables * (max_lag + 1) > _MOST_CELLS:
        msg = f"{variables} variables with lags up to {max_lag} are more than {_MOST_CELLS:,} cells"
        raise ValueError(msg)
    return variables, variables, max_lag + 1


def _checked_cells(columns: Mapping[str, list[Any]], shape: Shape) -> tuple[Any, Any, Any]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        msg = f"the columns of the edges differ in length: {lengths}"
        raise ValueError(msg)
    cells = [columns[name] for name in ("cause", "effect", "lag")]
    if not all(type(index) is int for column in cells for index in column):
        msg = "causes, effects and lags must be whole numbers"
        raise ValueError(msg)
    where = np.array(cells, dtype=np.int64).reshape(3, -1)
    if (where < 0).any() or (where >= np.array(shape)[:, None]).any():
        msg = "an edge lies outside the graph"
        raise ValueError(msg)
    if len(np.unique(where, axis=1).T) != where.shape[1]:
        msg = "an edge is listed twice"
        raise ValueError(msg)
    return where[0], where[1], where[2]


def _records(columns: Mapping[str, list[Any]], shape: Shape) -> EdgeRecords:
    return EdgeRecords(
        *_checked_cells(columns, shape),
        gate=_shares("gates", columns["gate"]),
        gain=_numbers(columns["gain"]),
        p_value=_shares("p-values", columns["p_value"], missing=True),
        reason=np.array([_REASONS[word] for word in columns["reason"]], dtype=np.int8),
        kept=_flags(columns["kept"]),
        further={
            name.removeprefix(FURTHER): _numbers(values)
            for name, values in columns.items()
            if name.startswith(FURTHER)
        },
    )


def _in_order(records: EdgeRecords) -> EdgeRecords:
    return records.chosen(np.lexsort((records.lag, records.effect, records.cause)))


def _spread(shape: Shape, where: tuple[Any, Any, Any], values: Any, empty: Any) -> Any:
    array = np.full(shape, empty)
    array[where] = values
    return array


def _flags(values: list[Any]) -> BoolArray:
    if not all(isinstance(value, bool) for value in values):
        msg = "flags must be true or false"
        raise ValueError(msg)
    return np.array(values, dtype=np.bool_)


def _numbers(values: list[Any]) -> FloatArray:
    return np.array([_number(value) for value in values], dtype=np.float64)


def _shares(what: str, values: list[Any], *, missing: bool = False) -> FloatArray:
    shares = _numbers(values)
    if not (((shares >= 0.0) & (shares <= 1.0)) | (missing & np.isnan(shares))).all():
        msg = f"{what} must be numbers from 0 to 1"
        raise ValueError(msg)
    return shares


def _number(value: Any) -> float:
    """A finite number, or NaN for null, as to_json writes them; Python's JSON would take Infinity too."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        msg = f"{value!r} is no finite number"
        raise ValueError(msg)
    return float(value)


def _within(what: str, value: Any, low: float, high: float) -> float:
    number = _number(value)
    if number < low or number > high:
        msg = f"{what} is {number:g}, outside of {low:g} to {high:g}"
        raise ValueError(msg)
    return number


def _count(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        msg = f"{what} is {value!r}; it counts rows"
        raise ValueError(msg)
    return value


def _config(stored: Options) -> RefineConfig:
    options = dict(stored)
    for name in ("keep", "forbid"):
        options[name] = tuple(tuple(edge) for edge in options.get(name, ()))
    for name in ("effects", "controls"):
        options[name] = tuple(options.get(name, ()))
    options["likely"] = tuple((tuple(edge), odds) for edge, odds in options.get("likely", ()))
    special = dict(options["engine_options"])
    device = options.pop("device", None)  # written before it was an option of the neural engine alone
    if device is not None and options["engine"] == "neural":
        special["device"] = device
    options["engine_options"] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in special.items()
    }
    return RefineConfig(**options)
