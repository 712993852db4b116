"""One self-contained HTML file about a refinement: no network, no scripts from elsewhere."""

from __future__ import annotations

import base64
import io
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.citation import BIBTEX
from grace_plugin._common.files import write_text
from grace_plugin.show import plot
from grace_plugin.show.drawn import Drawn, pruned_by

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.series.forms import Data


_MOST_ROWS = 3000  # of the edge table: a browser sorts as many at once
_CURVES = 6
_SENTENCES = 40  # rows with a sentence of their own
_SIZES = {"before_after": (12.0, 6.6, 2), "gates": (6.0, 3.5, 1), "response": (5.0, 3.5, 1)}  # inches, axes
_COLUMNS = ("cause", "effect", "lag", "gate", "gain", "p", "verdict", "decided by")
_NUMERIC = ("lag", "gate", "gain", "p")
_PACKAGES = ("grace-plugin", "numpy", "scipy", "pandas", "torch", "matplotlib")
_NO_DATA = "<p class=soft>Pass the data to see their quality: <code>refinement.report(path, data)</code>.</p>"


class _Page(Template):
    delimiter = "@@"


def write_report(
    refinement: Drawn, path: str | Path, data: Data | None = None, title: str | None = None
) -> Path:
    """See `Refinement.report`."""
    write_text(path, report_html(refinement, data, title))
    return Path(path)


def report_html(refinement: Drawn, data: Data | None = None, title: str | None = None) -> str:
    """The page as text; everything that comes from data is escaped."""
    page = (files("grace_plugin.show") / "templates" / "report.html").read_text(encoding="utf-8")
    shown = _shown_edges(refinement)
    return _Page(page).substitute(
        title=escape(title or "Refined causal graph"),
        subtitle=escape(" · ".join(refinement.summary().split("\n")[1:])),
        tiles=_tiles(refinement),
        graph=_picture(refinement, "before_after", "the graph before and after"),
        head="".join(f"<th{_number_class(name)}><button>{name}</button></th>" for name in _COLUMNS),
        rows="".join(
            _table_row(row, why)
            for row, why in zip(shown.itertuples(), _told(refinement, shown), strict=True)
        ),
        fdr="" if "q_value" in shown and shown.q_value.notna().any() else "hidden",
        cut=_cut_note(refinement, shown),
        curves=_curves(refinement),
        gates=_picture(refinement, "gates", "histogram of the gates"),
        quality=_NO_DATA if data is None else _quality(data),
        settings=escape(_settings(refinement)),
        citation=escape(BIBTEX),
        footer=escape(f"Made by grace-plugin {_version('grace-plugin')}."),
    )


def _tiles(refinement: Drawn) -> str:
    counts = pruned_by(refinement.edges)
    outcome = refinement.outcome
    tiles = {
        "candidate edges": counts["candidates"],
        "kept": counts["kept"],
        "pruned by their gate": counts["gate"],
        "pruned by the certificate": counts["certificate"],
        "variables": len(refinement.names),
        f"windows of {outcome.rows_given} rows": outcome.rows_used,
        "level of the certificate": f"{refinement.alpha:.2g}",
        "penalty, nats per sample": f"{refinement.penalty:.2g}",
    }
    return "".join(
        f"<div class=tile><b>{value}</b><span>{name}</span></div>" for name, value in tiles.items()
    )


def _shown_edges(refinement: Drawn) -> pd.DataFrame:
    return refinement.edges.head(max(_MOST_ROWS, int(refinement.edges.kept.sum())))


def _cut_note(refinement: Drawn, shown: pd.DataFrame) -> str:
    left = len(refinement.edges) - len(shown)
    if not left:
        return ""
    return f"<p class=soft>The {left} weakest pruned edges are left out here; to_json() writes all.</p>"


def _number_class(column: str) -> str:
    return " class=n" if column in _NUMERIC else ""


def _told(refinement: Drawn, shown: pd.DataFrame) -> Iterator[str]:
    """The sentence about each row; only the strongest kept edges, as each one is a fit of its own."""
    for place, row in enumerate(shown.itertuples()):
        told = row.kept and place < _SENTENCES and not refinement.parts
        yield str(refinement.explain(row.cause, row.effect, int(row.lag))) if told else ""


def _marks(row: Any, why: str) -> str:
    """What the page's script reads of a row: its sentence, and the numbers that the slider goes by."""
    numbers = {name: float(getattr(row, name, np.nan)) for name in ("q_value", "probability")}
    marks = {name.partition("_")[0]: f"{value!r}" for name, value in numbers.items() if np.isfinite(value)}
    if not row.oriented:
        marks["open"] = "1"
    if why:
        marks["why"] = why
    return "".join(f' data-{name}="{escape(value)}"' for name, value in marks.items())


def _table_row(row: Any, why: str) -> str:
    verdict = "kept" if row.kept else "pruned"
    link = "" if row.oriented else " (unoriented)"
    numbers = ((row.lag, f"{row.lag}"), *((x, _number(x)) for x in (row.gate, row.gain, row.p_value)))
    cells = "".join(f'<td class=n data-value="{float(value)!r}">{shown}</td>' for value, shown in numbers)
    return (
        f"<tr class={verdict} tabindex=0{_marks(row, why)}>"
        f"<td>{escape(row.cause)}</td><td>{escape(row.effect)}{link}</td>{cells}"
        f"<td class=verdict>{verdict}</td><td>{escape(row.reason)}</td></tr>"
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "-"


def _curves(refinement: Drawn) -> str:
    table = refinement.edges
    cross = table[table.kept & (table.cause != table.effect)].head(_CURVES)
    if refinement.parts or not len(cross):
        return "<p class=soft>There is no kept edge between different variables of one graph.</p>"
    first = cross.iloc[0]
    explained = refinement.explain(first.cause, first.effect, int(first.lag))
    if explained.curve is None:
        return f"<p class=soft>There are no curves: {escape(explained.no_curve)}</p>"
    items = []
    for row in cross.itertuples():
        edge = (row.cause, row.effect, int(row.lag))
        picture = _picture(refinement, "response", "response curve", edge=edge)
        items.append(f"<div>{picture}<p><small>{escape(str(refinement.explain(*edge)))}</small></p></div>")
    return f'<p>The {len(items)} strongest kept edges.</p><div class="curves">{"".join(items)}</div>'


def _picture(refinement: Drawn, kind: str, words: str, **options: Any) -> str:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "<p class=soft>Pictures need matplotlib: pip install 'grace-plugin[plot]'.</p>"
    width, height, columns = _SIZES[kind]
    figure = Figure(figsize=(width, height), layout="constrained")  # not pyplot's: no window opens
    axes = figure.subplots(1, columns)
    stream = io.BytesIO()
    plot(refinement, kind, ax=axes, **options)
    figure.savefig(stream, format="png", dpi=110)
    code = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{code}">'


def _quality(data: Data) -> str:
    from grace_plugin.hosts.convert import read_panel
    from grace_plugin.series.data_quality import data_quality

    panel = read_panel(data, {})
    assert panel is not None
    table = data_quality(panel)
    heads = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in table.columns)
    rows = []
    for row in table.itertuples(index=False):
        *values, warnings = row
        cells = "".join(f"<td>{escape(_word(value))}</td>" for value in values)
        rows.append(f"<tr>{cells}<td class=flag>{escape(warnings)}</td></tr>")
    return (
        f"<div class=scroll><table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        "<p><small>Where a unit root is not rejected (Dickey-Fuller statistic above -2.86), edges are best "
        "judged beside one more lag and beside trends, as prepare=auto does; differences would take effects "
        "of levels away.</small></p>"
    )


def _word(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return _number(value) if isinstance(value, float) else str(value)


def _settings(refinement: Drawn) -> str:
    options = {name: value for name, value in asdict(refinement.config).items() if name != "progress"}
    versions = {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}
    found = {"adapter": refinement.adapter or None, "options": options, "versions": versions}
    return json.dumps(found, indent=2, default=str)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
