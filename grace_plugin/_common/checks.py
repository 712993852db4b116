"""Plain values that users pass, checked in one way: what came, what is accepted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from grace_plugin.exceptions import GraceError, OptionError

_MOST_JOBS = 10_000


def whole(name: str, value: object, least: int, most: int | None = None, *, also: str = "") -> int:
    """`value` as an int from `least` to `most`; `also` names other values that the caller takes.

    >>> whole("max_lag", np.int64(3), 1)
    3
    """
    fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not fits or int(value) < least or (most is not None and int(value) > most):  # type: ignore[call-overload]
        upper = "on" if most is None else f"to {most}"
        msg = f"{name}={shown(value)}; give a whole number from {least} {upper}{also}."
        raise OptionError(msg)
    return int(value)  # type: ignore[call-overload,no-any-return]


def number(name: str, value: object, low: float, high: float) -> float:
    """`value` as a float from `low` to `high`; infinity only where `high` is asked to be reached.

    >>> number("alpha", 0.05, 0.0, 1.0)
    0.05
    """
    fits = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not fits or not low <= float(value) <= high or np.isinf(float(value)):  # type: ignore[arg-type]
        msg = f"{name}={shown(value)}; give a number from {low:g} to {high:g}."
        raise OptionError(msg)
    return float(value)  # type: ignore[arg-type]


def number_or_word(name: str, value: object, words: tuple[str, ...], low: float, high: float) -> None:
    """Refuse `value` unless it is one of `words` or such a number."""
    if isinstance(value, str):
        if value not in words:
            msg = f"{name}={shown(value)}; give {' or '.join(map(repr, words))} or a number."
            raise OptionError(msg)
        return
    number(name, value, low, high)


def choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Refuse `value` unless it is one of `choices`."""
    known = sorted(choices)
    if not isinstance(value, str) or value not in known:
        msg = f"{name}={shown(value)} is not one of {known}."
        raise OptionError(msg)


def flag(name: str, value: object) -> None:
    """Refuse `value` unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        msg = f"{name}={shown(value)}; give True or False."
        raise OptionError(msg)


def flag_or_word(name: str, value: object, words: tuple[str, ...]) -> None:
    """Refuse `value` unless it is True, False or one of `words`."""
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, str) and value in words):
        msg = f"{name}={shown(value)}; give True, False or {' or '.join(map(repr, words))}."
        raise OptionError(msg)


def file_path(name: str, value: object) -> Path:
    """`value` as a path."""
    if not isinstance(value, (str, os.PathLike)):
        msg = f"{name}={shown(value)}; give a path, as text or pathlib.Path."
        raise OptionError(msg)
    return Path(value)


def job_count(value: object) -> None:
    """Refuse `value` unless it is a number of processes as joblib counts them, or None."""
    if value is None:
        return
    counts = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not counts or not 0 < abs(int(value)) <= _MOST_JOBS:  # type: ignore[call-overload]
        msg = f"n_jobs={shown(value)}; give a number of processes, or -1 for every core."
        raise OptionError(msg)


def refuse_names(what: str, names: Iterable[str], error: type[GraceError]) -> None:
    """Refuse names that no file can hold, and names that occur twice."""
    counts = Counter(names)
    broken = [name for name in counts if any("\ud800" <= letter <= "\udfff" for letter in name)]
    if broken:
        msg = f"{what} {broken} hold halves of characters (surrogates), which no file can; rename them."
        raise error(msg)
    repeated = sorted(name for name, times in counts.items() if times > 1)
    if repeated:
        msg = f"{what} must differ from each other; repeated: {repeated}."
        raise error(msg)


def shown(value: object, most: int = 80) -> str:
    """`value` as it would be typed, shortened; an object that refuses is called by its type."""
    try:
        text = repr(value)
    except Exception:  # whatever an odd object does when it is looked at
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."
