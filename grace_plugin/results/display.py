"""A refinement as people see it at a prompt and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin.show.drawn import pruned_by

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.results.explanation import Explanation
    from grace_plugin.results.refinement import Refinement

_SHOWN = 5  # kept and pruned edges in a repr


def summary_text(refinement: Refinement) -> str:
    """How many edges stayed, of what data, by which settings; then what was done to the data."""
    counts = pruned_by(refinement)
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


def _false_words(refinement: Refinement) -> str:
    """How many of the kept edges are expected to be false, where that is known."""
    records = refinement.outcome.records
    if "probability" not in records.further:
        return ""
    expected = float(np.nansum(1.0 - records.further["probability"][records.kept]))
    return f", about {expected:.0f} of them false" if expected >= 0.5 else ", hardly any of them false"


def repr_text(refinement: Refinement) -> str:
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


def edge_words(row: Any) -> str:
    """An edge of the table in words; an unoriented one has no arrow."""
    link = "->" if row.oriented else "--"
    return f"{row.cause} {link} {row.effect} @ {row.lag}"


def _strongest(refinement: Refinement) -> list[tuple[str, pd.DataFrame]]:
    """The first rows of each kind; the table is sorted by kept and gain already."""
    table = refinement.edges
    groups = (("strongest kept", table[table.kept]), ("strongest pruned", table[~table.kept]))
    return [(_title(title, rows), rows.head(_SHOWN)) for title, rows in groups]


def _title(words: str, rows: pd.DataFrame) -> str:
    return f"{words} (of {len(rows)}):" if len(rows) > _SHOWN else f"{words}:"


def repr_html(refinement: Refinement) -> str:
    """The same for a notebook; names from data are escaped."""
    counts = pruned_by(refinement)
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
    head = "".join(f"<th>{name}</th>" for name in ("edge", "gate", "gain", "p", "decided by"))
    body = []
    for row in rows.itertuples():
        cells = (
            edge_words(row),
            f"{row.gate:.2f}",
            _number(row.gain),
            _number(row.p_value),
            row.reason,
        )
        body.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def explanation_html(explanation: Explanation) -> str:
    """The sentence with its numbers, and the fitted curve as a small line."""
    numbers = {
        "verdict": "kept" if explanation.kept else "pruned",
        "decided by": explanation.reason,
        "gate": f"{explanation.gate:.2f}",
        "gain": _number(explanation.gain),
        "p": _number(explanation.p_value),
    }
    head = "".join(f"<th>{name}</th>" for name in numbers)
    body = "".join(f"<td>{escape(value)}</td>" for value in numbers.values())
    return (
        '<div style="max-width:46em;font-family:system-ui,sans-serif">'
        f'<p style="margin:.3em 0">{escape(explanation.sentence)}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"
        f"{_line(explanation)}</div>"
    )


def _line(explanation: Explanation) -> str:
    """The curve as SVG, from the lowest to the highest value of the cause."""
    curve = explanation.curve
    if curve is None:
        return ""
    height = max(float(np.ptp(curve.effect)), 1e-300)
    across = np.linspace(4.0, 236.0, len(curve.effect))
    down = 4.0 + 72.0 * (curve.effect.max() - curve.effect) / height
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    words = f"{explanation.effect} answers to {explanation.cause}"
    return (
        f'<svg width="240" height="80" role="img" aria-label="{escape(words)}">'
        f'<polyline points="{points}" fill="none" stroke="#0072B2" stroke-width="2"/></svg>'
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "-"
