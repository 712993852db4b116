"""Words of graphs written as text, and the linear way to skip what comes before the first of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable

from grace_plugin.exceptions import AdapterError


def skipped(what: re.Pattern[str], text: str) -> int:
    """Where `text` goes on behind as many matches of `what` as stand at its beginning.

    One match after the other: a pattern with a repeated group would try every way to divide them.
    """
    at = 0
    while (found := what.match(text, at)) is not None and found.end() > at:
        at = found.end()
    return at


def bare_label(text: str) -> str:
    """A label without blanks and quotes around it."""
    return text.strip().removeprefix('"').removesuffix('"')


def number_in(text: str | None) -> float | None:
    """A score in text, or None where there is none."""
    try:
        return None if text is None else float(bare_label(str(text)))
    except ValueError:
        return None


def nodes_by_id(pairs: Iterable[tuple[str, Hashable]], what: str) -> dict[str, Hashable]:
    """The labels of nodes by their ids, each of which stands for one node alone."""
    listed = list(pairs)
    for word, seen in (
        ("given the id", Counter(one for one, _ in listed)),
        ("called", Counter(b for _, b in listed)),
    ):
        again = [one for one, count in seen.items() if count > 1]
        if again:
            msg = (
                f"Several nodes of the {what} text are {word} {again[0]!r}; which of them does an edge mean?"
            )
            raise AdapterError(msg)
    return dict(listed)
