"""Shows the doctests at the end of our docstrings as code: griffe wants them in an "Examples:" section."""

from __future__ import annotations

from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Puts everything from the first prompt on into a section of its own."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is None:
            return
        lines = obj.docstring.lines
        first = next((place for place, line in enumerate(lines) if line.startswith(">>>")), None)
        if first is not None:
            examples = ["Examples:", *(f"    {line}" if line else "" for line in lines[first:])]
            obj.docstring.value = "\n".join([*lines[:first], *examples])
