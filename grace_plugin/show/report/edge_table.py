"""The table of edges: sorted, filtered and walked through by the page's script."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from grace_plugin.show.report.subject import Subject, number_words, template

_NUMBERS = {
    "lag": "lag",
    "gate": "gate",
    "gain": "gain",
    "p": "p_value",
    "q": "q_value",
    "probability": "probability",
}


def edge_table(subject: Subject) -> str:
    """All rows; the page's script finds its edge by the row's place."""
    numbers = {head: name for head, name in _NUMBERS.items() if name in subject.edges}
    columns = ("cause", "effect", *numbers, "verdict", "decided by")
    heads = "".join(
        f"<th scope=col{' class=n' if head in numbers else ''}><button>{head}</button></th>"
        for head in columns
    )
    rows = "".join(
        _row(row, place, list(numbers.values())) for place, row in enumerate(subject.edges.itertuples())
    )
    return (
        template("edges.html")
        + '<div class="scroll" role=region aria-label="Table of edges"><table id="table">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{_cut_note(subject)}"
    )


def _row(row: Any, place: int, numbers: list[str]) -> str:
    verdict = "kept" if row.kept else "pruned"
    link = "" if row.oriented else " (unoriented)"
    cells = "".join(_cell(float(getattr(row, name))) for name in numbers)
    return (
        f"<tr class={verdict} data-edge={place} tabindex=-1>"
        f"<td>{escape(row.cause)}</td><td>{escape(row.effect)}{link}</td>{cells}"
        f"<td class=verdict>{verdict}</td><td>{escape(row.reason)}</td></tr>"
    )


def _cell(value: float) -> str:
    shown = f"{value:.0f}" if np.isfinite(value) and value == int(value) else number_words(value)
    return f'<td class=n data-value="{value!r}">{shown}</td>'


def _cut_note(subject: Subject) -> str:
    left = len(subject.result.edges) - len(subject.edges)
    if not left:
        return ""
    return f"<p class=soft>The {left} weakest pruned edges are left out here; to_json() writes all.</p>"
