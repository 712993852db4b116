"""What an edge says of its lag, as a number or not at all, in one place for every form of edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from grace_plugin._common.checks import shown, whole
from grace_plugin.exceptions import AdapterError, OptionError

LAG_WORDS = ("lag", "time_lag", "timelag", "lags", "tau", "delay")  # an edge's attribute, a table's column
_WHOLE = re.compile(r"[+-]?[0-9]+(?:\.0*)?")


def told_lags(attributes: Mapping[Any, Any]) -> tuple[int, ...] | None:
    """The lags that an edge's attributes tell, with their signs; None where they tell none.

    >>> told_lags({"weight": 0.5, "time_lag": (1, 2)}), told_lags({"lag": "-3"}), told_lags({})
    ((1, 2), (-3,), None)
    """
    told = {key: attributes[key] for key in lag_keys(attributes)}
    read = {key: lags_in(value) for key, value in told.items()}
    if len({tuple(sorted(map(abs, lags))) for lags in read.values()}) > 1:
        msg = f"The attributes {told} of one edge tell different lags; leave one of them."
        raise AdapterError(msg)
    return next(iter(read.values()), None)


def lag_keys(attributes: Mapping[Any, Any]) -> list[Any]:
    """The keys of the attributes that tell a lag."""
    return [
        key
        for key, value in attributes.items()
        if isinstance(key, str) and key.lower() in LAG_WORDS and value is not None
    ]


def lags_in(value: Any) -> tuple[int, ...]:
    """One whole number, or several: as numbers, as text, in a tuple, list or set, or "(1, 2)"."""
    if isinstance(value, str):
        inner = value.strip().strip('"').strip("()[]{}")
        parts: Iterable[Any] = [part for part in inner.split(",") if part.strip()]
    elif isinstance(value, Iterable):
        parts = value if isinstance(value, Sequence) else sorted(value)
    else:
        parts = [value]
    lags = tuple(whole_lag(part) for part in parts)
    if not lags:
        msg = f"The lag {shown(value)} of an edge holds no number; give each edge a lag of 0, 1, 2, ..."
        raise AdapterError(msg)
    return lags


def whole_lag(lag: Any) -> int:
    """One lag as an int; text must be plain digits, a float a whole number."""
    if isinstance(lag, str) and _WHOLE.fullmatch(lag.strip()):
        return int(lag.strip().partition(".")[0])
    if isinstance(lag, Real) and not isinstance(lag, bool) and float(lag).is_integer():
        return int(float(lag))
    msg = f"The lag {shown(lag)} is not a whole number; give each edge a lag of 0, 1, 2, ..."
    raise AdapterError(msg)


def sign_of(lags: Sequence[int]) -> int:
    """-1 where lags are counted downwards, as tigramite does."""
    if lags and min(lags) < 0 < max(lags):
        msg = f"The lags run from {min(lags)} to {max(lags)}; give the past one sign throughout."
        raise AdapterError(msg)
    return -1 if lags and min(lags) < 0 else 1


def refuse_half_told(told: int, edges: int) -> None:
    """Refuse edges of which some tell a lag and others do not."""
    if 0 < told < edges:
        msg = f"{edges - told} of {edges} edges have no lag; give every edge a lag or none."
        raise AdapterError(msg)


def checked_max_lag(max_lag: object) -> int | None:
    """`max_lag` as an int, or None where it was not given."""
    if max_lag is None:
        return None
    return whole("max_lag", max_lag, 0)


def lags_of_a_pair(max_lag: int | None, include_lag0: bool) -> range:
    """The candidate lags of a pair that does not tell its lag; max_lag 0 means lag 0 only."""
    if max_lag is None:
        msg = (
            "This result does not tell its lags; pass max_lag, and every lag from 1 to max_lag of each "
            "pair becomes a candidate (lag 0 too with include_lag0=True; max_lag=0 means lag 0 only)."
        )
        raise OptionError(msg)
    return range(0 if include_lag0 or max_lag == 0 else 1, max_lag + 1)


def covering_max_lag(reached: int, max_lag: int | None) -> int:
    """The larger of the result's own largest lag and `max_lag`, which must not be the smaller one."""
    if max_lag is not None and max_lag < reached:
        msg = (
            f"The result has edges or columns at lag {reached}, beyond max_lag={max_lag}; raise max_lag, or "
            "leave it out, or remove those edges first."
        )
        raise OptionError(msg)
    return reached if max_lag is None else max_lag
