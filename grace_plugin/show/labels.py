"""Names in pictures: wrapped, and cut only so that no two of them become the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from grace_plugin.exceptions import OptionError

# A line may end after a separator, and before a capital letter that follows a word.
_BREAKS = re.compile(r"(?<=[\s_\-./:,;])|(?<=[a-z]{3})(?=[A-Z])")


def chosen_labels(
    names: Sequence[str], labels: Mapping[str, str] | Sequence[str] | None = None
) -> tuple[str, ...]:
    """The user's labels for the names; a mapping may leave names out."""
    if labels is None:
        return tuple(names)
    if isinstance(labels, Mapping):
        unknown = [name for name in labels if name not in names]
        if unknown:
            msg = f"labels names {unknown}, which are no variables; the variables are {list(names)}."
            raise OptionError(msg)
        return tuple(str(labels.get(name, name)) for name in names)
    if isinstance(labels, str) or len(labels) != len(names):
        msg = f"labels={labels!r}; give one label for each of the {len(names)} variables, or a dict by name."
        raise OptionError(msg)
    return tuple(str(label) for label in labels)


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Names of at most `most` signs; where the ends are what differs, the ends are shown.

    >>> distinct(["temperature_north", "temperature_south", "rain"], 12)
    ['tempe…_north', 'tempe…_south', 'rain']
    """
    for cut in (_start, _both_ends):
        short = [cut(name, most) for name in names]
        if len(set(short)) == len(set(names)):
            return short
    common = Counter(short)
    return [name if common[cut] > 1 else cut for name, cut in zip(names, short, strict=True)]


def _start(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _both_ends(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    end = (most - 1) // 2 + (most - 1) % 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def wrapped(name: str, width: int) -> list[str]:
    """The lines of a name, broken where words end if that is possible.

    >>> wrapped("sea_surface_temperature", 12)
    ['sea_surface_', 'temperature']
    """
    lines = [""]
    for word in _BREAKS.split(name):
        if lines[-1] and len((lines[-1] + word).rstrip()) > width:
            lines.append("")
        lines[-1] += word
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines if line.strip()] or [""]


def literal(words: str) -> str:
    """Dollar signs are text, not formulas."""
    return words.replace("$", r"\$")
