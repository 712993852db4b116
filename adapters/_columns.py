"""Which column of the data each label of a graph means: by number, or by name; never by guess."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral

from grace_plugin.exceptions import AdapterError, OptionError


@dataclass(frozen=True)
class Columns:
    """`place` gives each label's column, `count` how many there are; no `names` where numbers do."""

    place: dict[Hashable, int]
    count: int
    names: tuple[str, ...] | None


def columns_of(labels: Iterable[Hashable], names: Sequence[object] | None) -> Columns:
    """Whole numbers are columns, everything else is a name; `names` are those of all columns.

    Without `names`, names stand in the order in which they first appear.

    >>> columns_of(["b", "a"], ["a", "b", "c"]).place
    {'b': 1, 'a': 0}
    >>> columns_of([2, 0], None).count
    3
    """
    distinct = list(dict.fromkeys(labels))
    listed = None if names is None else _listed(names)
    if distinct and all(map(is_number, distinct)):
        return _by_number({label: int(label) for label in distinct}, listed)  # type: ignore[call-overload]
    if listed is None:
        listed = tuple(dict.fromkeys(str(label) for label in distinct))
    return _by_name(distinct, listed)


def is_number(label: object) -> bool:
    """Whether a label is a whole number, numpy's included."""
    return isinstance(label, Integral) and not isinstance(label, bool)


def _listed(names: Sequence[object]) -> tuple[str, ...]:
    listed = tuple(str(name) for name in names)
    if len(set(listed)) < len(listed):
        msg = f"names={list(listed)} names a variable twice; give each column a name of its own."
        raise OptionError(msg)
    return listed


def _by_name(labels: Sequence[Hashable], names: tuple[str, ...]) -> Columns:
    position = {name: index for index, name in enumerate(names)}
    unknown = [str(label) for label in labels if str(label) not in position]
    if unknown:
        msg = (
            f"The graph and the data name different variables: the graph speaks of {unknown}, the variables "
            f"are {list(names)}. Rename the columns, or give names= with all variables in the columns' order."
        )
        raise OptionError(msg)
    return Columns({label: position[str(label)] for label in labels}, len(names), names)


def _by_number(numbers: dict[Hashable, int], names: tuple[str, ...] | None) -> Columns:
    low, high = min(numbers.values()), max(numbers.values())
    count = high + 1 if names is None else len(names)
    fits = low >= 0 and high < count
    known = set(names or ())
    if names is not None and all(str(number) in known for number in numbers.values()):
        moved = [number for number in numbers.values() if fits and names[number] != str(number)]
        if moved:
            msg = (
                f"The graph's {moved[0]} may be column {moved[0]}, which is called {names[moved[0]]!r}, or "
                f"the column called {str(moved[0])!r}. Name the variables in words, or reorder the columns."
            )
            raise OptionError(msg)
        return _by_name(list(numbers), names)
    if not fits:
        msg = f"The edges number variables {low} to {high}; there are {count}, numbered from 0."
        raise AdapterError(msg)
    return Columns(dict(numbers), count, names)
