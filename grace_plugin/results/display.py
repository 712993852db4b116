"""A refinement as people see it at a prompt and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Protocol

import numpy as np

from grace_plugin.show.drawn import pruned_by

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.results.findings import Findings

_SHOWN = 5  # kept and pruned edges in a repr


def summary_text(refinement: Findings) -> str:
    """How many edges stayed, of what data, by which settings; then what was done to the data."""
    counts = pruned_by(refinement.edges)
    before, after = counts["candidates"], counts["kept"]
    return "\n".join(
        [
            f"{before} candidate edges, {after} kept ({before - after} pruned: "
            f"{counts['gate']} by their gate, {counts['certificate']} by the certificate)"
            f"{_false_words(refinement)}",
            f"{len(refinement.names)} variables, lags up to {refinement.skeleton.max_lag}, "
            f"{refinement.outcome.rows_used} windows from {refinement.outcome.rows_given} rows",
            f"engine {refinement.config.engine}, penalty {refinement.penalty:.3g} nats per sample, "
            f"alpha {refinement.alpha:.3g}",
            *refinement.outcome.details.notes,
        ]
    )


def _false_words(refinement: Findings) -> str:
    """How many of the kept edges are expected to be false, where that is known."""
    records = refinement.outcome.records
    if "probability" not in records.further:
        return ""
    expected = float(np.nansum(1.0 - records.further["probability"][records.kept]))
    return f", about {expected:.0f} of them false" if expected >= 0.5 else ", hardly any of them false"


def repr_text(refinement: Findings) -> str:
    """The summary with the strongest kept and the strongest pruned edges."""
    lines = ["Refinement: " + summary_text(refinement)]
    for title, rows in _strongest(refinement):
        if len(rows):
            lines.append(title)
            lines += [f"  {line}" for line in _lines(rows)]
    return "\n".join(lines)


def _lines(rows: pd.DataFrame) -> list[str]:
    words = [edge_words(row) for row in rows.itertuples()]
    width = max(len(word) for word in words)
    return [
        f"{word:<{width}}  gain {row.gain:<8.3g} p {row.p_value:<8.2g} {row.reason}"
        for word, row in zip(words, rows.itertuples(), strict=True)
    ]


class EdgeRow(Protocol):
    """A row of the table of edges."""

    @property
    def cause(self) -> str: ...
    @property
    def effect(self) -> str: ...
    @property
    def lag(self) -> int: ...
    @property
    def oriented(self) -> bool: ...


def edge_words(row: EdgeRow) -> str:
    """An edge of the table in words; an unoriented one has no arrow."""
    link = "->" if row.oriented else "--"
    return f"{row.cause} {link} {row.effect} @ {row.lag}"


def _strongest(refinement: Findings) -> list[tuple[str, pd.DataFrame]]:
    """The first rows of each kind; the table is sorted by kept and gain already."""
    table = refinement.edges
    groups = (("strongest kept", table[table.kept]), ("strongest pruned", table[~table.kept]))
    return [(_title(title, rows), rows.head(_SHOWN)) for title, rows in groups]


def _title(words: str, rows: pd.DataFrame) -> str:
    return f"{words} (of {len(rows)}):" if len(rows) > _SHOWN else f"{words}:"


def repr_html(refinement: Findings) -> str:
    """The same for a notebook; names from data are escaped."""
    counts = pruned_by(refinement.edges)
    share = 100 * counts["kept"] / max(counts["candidates"], 1)
    first, *rest = (escape(line) for line in summary_text(refinement).split("\n"))
    parts = [
        '<div style="max-width:46em;font-family:system-ui,sans-serif">',
        f'<p style="margin:.3em 0"><b>{first}</b><br><small>{"<br>".join(rest)}</small></p>',
        '<div style="height:6px;background:#d5d9e0;border-radius:3px">'
        f'<div style="height:6px;width:{share:.1f}%;background:#0072B2;border-radius:3px"></div></div>',
    ]
    for title, rows in _strongest(refinement):
        if len(rows):
            parts += [f'<p style="margin:.6em 0 .2em"><small>{escape(title)}</small></p>', _html_table(rows)]
    return "".join([*parts, "</div>"])


def _html_table(rows: pd.DataFrame) -> str:
    likely = "probability" in rows
    names = ("edge", *(["probability"] if likely else []), "gain", "p", "gate", "decided by")
    head = "".join(f"<th>{name}</th>" for name in names)
    body = []
    for row in rows.itertuples():
        cells = (
            edge_words(row),
            *([short_number(row.probability)] if likely else []),
            short_number(row.gain),
            short_number(row.p_value),
            f"{row.gate:.2f}",
            row.reason,
        )
        body.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def short_number(value: float) -> str:
    """Three digits, or a dash for what was not measured."""
    return f"{value:.3g}" if np.isfinite(value) else "-"
