"""One self-contained HTML file about a refinement: no network, no scripts from elsewhere.

The graph is drawn by Cytoscape.js (MIT), which is shipped beside the template with its licence and written
into the page. The content security policy names the scripts of the page by their checksums: nothing else
runs, and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from grace_plugin._common.files import write_text
from grace_plugin._common.versions import package_version
from grace_plugin.show.drawn import Drawn, pruned_by
from grace_plugin.show.report.explorer import graph_data
from grace_plugin.show.report.sections import SECTIONS
from grace_plugin.show.report.subject import Section, Subject, template

if TYPE_CHECKING:
    from grace_plugin.series.forms import Data

__all__ = ["SECTIONS", "Section", "Subject", "report_html", "write_report"]


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
    subject = Subject(refinement, data)
    bodies = {section: section.html(subject) for section in SECTIONS}
    shown = {section: body for section, body in bodies.items() if body}
    library, script = template("cytoscape.min.js"), template("report.js")
    return _Page(template("report.html")).substitute(
        policy=" ".join(f"'sha256-{_checksum(one)}'" for one in (library, script)),
        title=escape(title or "Refined causal graph"),
        style=template("report.css"),
        subtitle=escape(" · ".join(refinement.summary().split("\n")[1:])),
        navigation="".join(f'<a href="#{one.name}">{escape(one.title)}</a>' for one in shown),
        tiles=_tiles(refinement),
        sections="".join(_section(one, body) for one, body in shown.items()),
        graph=graph_data(subject),
        library=library,
        script=script,
        footer=escape(f"Made by grace-plugin {package_version()}."),
    )


def _section(section: Section, body: str) -> str:
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
        f'<h2 id="{section.name}-title">{escape(section.title)}</h2>\n{body}\n</section>\n'
    )


def _checksum(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


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
