"""What a rule did to the data, for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One rule that acted: its name, the variables (positions) it acted on, and a sentence about it."""

    rule: str
    variables: tuple[int, ...]
    sentence: str
