"""The tables of docs/paper.md and docs/theory.md, written between marks that name their rows.

`<!-- rows of STUDY -->` is followed by the table that the study makes of all its rows, `<!-- rows of STUDY:
METHOD -->` by that of one method, and `<!-- end of rows -->` ends either.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.reporting.beyond import own_table
from benchmarks.reporting.evidence import Evidence

_DOCS = Path(__file__).parents[2] / "docs"
PAGES = (_DOCS / "paper.md", _DOCS / "theory.md")
_MARKED = re.compile(
    r"(?P<start><!-- rows of (?P<study>\w+)(?:: (?P<method>[^>]+))? -->\n).*?(?P<end><!-- end of rows -->)",
    re.DOTALL,
)


def walked(text: str, evidence: Evidence) -> str:
    """The text of a page with today's tables; what stands between no marks is left alone."""
    return _MARKED.sub(lambda found: _filled(found, evidence), text)


def write(evidence: Evidence) -> None:
    for page in PAGES:
        page.write_text(walked(page.read_text(), evidence))


def _filled(found: re.Match[str], evidence: Evidence) -> str:
    study, method = found["study"], found["method"]
    if method is not None:
        evidence = Evidence(row for row in evidence.of(study) if row.method == method)
    return f"{found['start']}\n{own_table(study, evidence)}\n\n{found['end']}"
