"""Text of strangers, such as names in files, on its way to a terminal or a spreadsheet that might obey it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet runs a cell of text that begins so
_KEPT = "\n\t"

Text = TypeVar("Text")


def visible(text: str) -> str:
    r"""`text` with control characters, terminal escapes and changes of direction written out.

    >>> print(visible("flow\x1b[2J"))
    flow\x1b[2J
    """
    return "".join(
        letter if letter in _KEPT or unicodedata.category(letter) not in ("Cc", "Cf") else _written(letter)
        for letter in text
    )


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """`table` with an apostrophe before text that a spreadsheet would run; `with_formulas` takes it away."""
    return table.apply(lambda column: column.map(_quoted) if column.dtype.kind not in "biufcmM" else column)


def with_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """The inverse of `without_formulas`."""
    return table.apply(lambda column: column.map(_unquoted) if column.dtype.kind not in "biufcmM" else column)


def _written(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _quoted(cell: Text) -> Text | str:
    risky = isinstance(cell, str) and cell.lstrip("'").startswith(_FORMULA)
    return f"'{cell}" if risky else cell


def _unquoted(cell: Text) -> Text | str:
    quoted = isinstance(cell, str) and cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA)
    return str(cell)[1:] if quoted else cell
