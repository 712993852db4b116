"""Names in pictures: wrapped, and cut only so that no two of them become the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from grace_plugin.exceptions import OptionError

# A line may end after a separator, and before a capital letter that follows a word.
_WORDS = re.compile(r"([^\W_]+)")
_LEFT_OUT = re.compile(r"[\s_\-./:,;…]*…[\s_\-./:,;…]*")
_BREAKS = re.compile(r"(?<=[\s_\-./:,;])|(?<=[a-z]{3})(?=[A-Z])")


_MOST_LEVELS = 4  # of a variable that holds words, written beside its name


def with_levels(names: Sequence[str], words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What to write for variables that hold words: their names, and their levels as far as there is room.

    >>> with_levels(["sky", "rain"], {"sky": ("dry", "wet")})
    {'sky': 'sky (dry, wet)'}
    """
    return {
        name: f"{name} ({', '.join(words[name][:_MOST_LEVELS])}{', …' * (len(words[name]) > _MOST_LEVELS)})"
        for name in names
        if name in words
    }


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
    """Names of at most `most` signs, each still another one: their starts, their ends, or what differs.

    >>> distinct(["temperature_north", "temperature_south", "rain"], 12)
    ['tempe…_north', 'tempe…_south', 'rain']
    >>> distinct(["temperature, region 1 of the north", "temperature, region 2 of the north"], 16)
    ['1', '2']
    """
    what_differs = _without_shared_words(names)
    for shorter, cut in (
        (names, _start),
        (names, _both_ends),
        (what_differs, _start),
        (what_differs, _both_ends),
        (what_differs, _short_words),
    ):
        short = [cut(name, most) for name in shorter]
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


def _short_words(name: str, most: int) -> str:
    """The first letters of every word: numbers and separators stay."""
    for letters in range(8, 0, -1):
        short = re.sub(rf"([^\W\d_]{{{letters}}})[^\W\d_]+", r"\1", name)
        if len(short) <= most:
            return short
    return _start(name, most)


def _without_shared_words(names: Sequence[str]) -> list[str]:
    """Without the words that all long names have; "…" stands for them."""
    parts = {name: _WORDS.split(name) for name in names}
    longest = max((len(name) for name in names), default=0)
    long = [set(words) for name, words in parts.items() if 2 * len(name) > longest]
    shared = {word for word in set.intersection(*long) if _is_word(word)} if len(long) > 1 else set()
    if not shared:
        return list(names)
    kept = {name: "".join("…" if word in shared else word for word in words) for name, words in parts.items()}
    return [_LEFT_OUT.sub("…", kept[name]).strip("…") or name for name in names]


def _is_word(part: str) -> bool:
    return len(part) > 1 and any(sign.isalpha() for sign in part)


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
