"""Edge lists as pandas tables, collections of tuples, and dicts."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Hashable, Sequence
from numbers import Integral, Real
from typing import Any

from grace_plugin.exceptions import AdapterError

from ._edges_lags import LAG_WORDS, whole_lag
from ._edges_rows import Listing, Row
from ._tigramite_marks import link_of

# What a table's columns are called, in lower case and with _ for spaces: by us and networkx, by DoWhy
# (node1, node2, time_lag), and by tigramite's write_csv (Variable i, Variable j, Time lag of i, ...).
COLUMNS = {
    "cause": ("cause", "source", "from", "src", "node1", "variable_i", "parent"),
    "effect": ("effect", "target", "to", "dst", "sink", "node2", "variable_j", "child"),
    "lag": (*LAG_WORDS, "time_lag_of_i"),
    "score": ("score", "weight", "strength", "val", "value", "coef", "link_value"),
    "mark": ("mark", "link_type", "link_type_i_---_j"),
}


class TableForm:
    """A pandas DataFrame with a column for the cause, one for the effect and mostly one for the lag."""

    def matches(self, obj: object) -> bool:
        """Whether `obj` is a table with such columns; series of measurements are told by floats."""
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(obj, pandas.DataFrame):
            return False
        columns = columns_of_table(obj)
        return all(len(columns[end]) == 1 for end in ("cause", "effect")) and all(
            obj[columns[end][0]].dtype.kind in "OiuUST" for end in ("cause", "effect")
        )

    def read(self, native: Any) -> Listing:
        """One row per line; a column of link marks, as tigramite writes them, gives directions at lag 0."""
        columns = _only_columns(native)
        nothing = [None] * len(native)
        lags = [whole_lag(lag) for lag in native[columns["lag"]]] if "lag" in columns else nothing
        scores = [_number(score) for score in native[columns["score"]]] if "score" in columns else nothing
        marks = native[columns["mark"]] if "mark" in columns else ["-->"] * len(native)
        ends = zip(native[columns["cause"]], native[columns["effect"]], strict=True)
        return Listing([_marked(*parts) for parts in zip(ends, lags, scores, marks, strict=True)])

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """The kept lines with their index and all columns; `attrs` say which column was taken as what."""
        result = native.loc[list(kept)].copy()
        result.attrs["grace_columns"] = {ours: str(theirs) for ours, theirs in _only_columns(native).items()}
        return result


class TuplesForm:
    """A list, tuple, set or frozenset of (cause, effect[, lag[, score]])."""

    def matches(self, obj: object) -> bool:
        """Whether every item has this form; an empty collection says nothing."""
        return isinstance(obj, (list, tuple, set, frozenset)) and bool(obj) and all(map(_is_edge, obj))

    def read(self, native: Any) -> Listing:
        """One row per item."""
        return Listing([_row(item) for item in _ordered(native)])

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """The kept items in their order."""
        items = [item for item, keep in zip(_ordered(native), kept, strict=True) if keep]
        return type(native)(items)


class DelaysForm:
    """TCDF's delays {(effect, cause): delay}."""

    def matches(self, obj: object) -> bool:
        """Whether keys are pairs of labels and values whole numbers."""
        return (
            isinstance(obj, dict)
            and bool(obj)
            and all(isinstance(key, tuple) and len(key) == 2 and all(map(_is_label, key)) for key in obj)
            and all(_is_lag(delay) for delay in obj.values())
        )

    def read(self, native: Any) -> Listing:
        """One row per key."""
        return Listing([Row(cause, effect, int(delay)) for (effect, cause), delay in native.items()])

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """The kept keys in their order."""
        result = copy.copy(native)
        for key, keep in zip(native, kept, strict=True):
            if not keep:
                del result[key]
        return result


class ParentsForm:
    """{effect: [cause, ...]} (TCDF's causes) or {effect: [(cause, -lag), ...]} (tigramite's parents)."""

    def matches(self, obj: object) -> bool:
        """Whether keys are labels and values lists of labels, or lists of labels with lags."""
        if not (isinstance(obj, dict) and all(map(_is_label, obj))):
            return False
        if not all(isinstance(causes, list) for causes in obj.values()):
            return False
        causes = [cause for listed in obj.values() for cause in listed]
        return bool(causes) and (all(map(_is_label, causes)) or all(map(_is_lagged_label, causes)))

    def read(self, native: Any) -> Listing:
        """One row per cause of each effect; every key is a variable."""
        rows = [
            Row(cause[0], effect, int(cause[1])) if isinstance(cause, tuple) else Row(cause, effect)
            for effect, causes in native.items()
            for cause in causes
        ]
        return Listing(rows, list(native))

    def select(self, native: Any, kept: Sequence[bool]) -> Any:
        """All effects, each with its kept causes."""
        keep = iter(kept)
        result = copy.copy(native)
        for effect, causes in native.items():
            result[effect] = [cause for cause in causes if next(keep)]
        return result


def columns_of_table(table: Any) -> dict[str, list[Hashable]]:
    """Our name of each kind of column to the table's own ones; an exact name goes before others."""
    found: dict[str, list[Hashable]] = {}
    spelt = {column: str(column).strip().lower().replace(" ", "_") for column in table.columns}
    for ours, known in COLUMNS.items():
        matching = [column for column in table.columns if spelt[column] in known]
        exact = [column for column in matching if spelt[column] == ours]
        found[ours] = exact or matching
    return found


def _only_columns(table: Any) -> dict[str, Hashable]:
    """The one column of each kind; two that could be the lag are refused."""
    found = columns_of_table(table)
    if len(found["lag"]) > 1:
        msg = f"The columns {found['lag']} may all be the lag of an edge; drop all but one of them."
        raise AdapterError(msg)
    return {ours: theirs[0] for ours, theirs in found.items() if len(theirs) == 1}


def _marked(ends: tuple[Hashable, Hashable], lag: int | None, score: float | None, mark: Any) -> Row:
    if mark == "-->" or (isinstance(mark, float) and math.isnan(mark)):
        return Row(*ends, lag, score)
    forward, backward = link_of(str(mark))
    if lag:  # time gives the direction
        return Row(*ends, lag, score)
    cause, effect = ends if forward else ends[::-1]
    return Row(cause, effect, lag, score, unoriented=forward and backward)


def _number(score: Any) -> float | None:
    return float(score) if isinstance(score, Real) and math.isfinite(score) else None


def _is_label(label: object) -> bool:
    return isinstance(label, (str, Integral)) and not isinstance(label, bool)


def _is_lag(lag: object) -> bool:
    return isinstance(lag, Integral) and not isinstance(lag, bool)


def _is_lagged_label(label: object) -> bool:
    return isinstance(label, tuple) and len(label) == 2 and _is_label(label[0]) and _is_lag(label[1])


def _is_edge(item: object) -> bool:
    if not isinstance(item, tuple) or not 2 <= len(item) <= 4:
        return False
    if len(item) == 2:
        cause, effect = item
        if isinstance(cause, str) is not isinstance(effect, str):
            return False  # (name, -lag) is a node, not an edge
        return all(map(_is_lagged_label, item)) or all(map(_is_label, item))
    known = all(map(_is_label, item[:2])) and _is_lag(item[2])
    return known and (len(item) == 3 or (isinstance(item[3], Real) and not isinstance(item[3], bool)))


def _row(item: tuple[Any, ...]) -> Row:
    lag = int(item[2]) if len(item) > 2 else None
    return Row(item[0], item[1], lag, float(item[3]) if len(item) > 3 else None)


def _ordered(native: Any) -> list[tuple[Any, ...]]:
    """The items; a set's in an order that does not change between runs."""
    return sorted(native, key=repr) if isinstance(native, (set, frozenset)) else list(native)
