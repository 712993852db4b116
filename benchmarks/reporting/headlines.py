"""The few tables of benchmarks/README.md, written between two marks of that page."""

from __future__ import annotations

from pathlib import Path

from benchmarks.reporting import paper
from benchmarks.reporting.evidence import Evidence
from benchmarks.reporting.sections import DISCOVER
from benchmarks.reporting.tables import Column, from_paper, ours

START, END = "<!-- written by `python -m benchmarks report` -->", "<!-- end of what the program writes -->"
KEYS = [(d, 1000) for d in (20, 50, 100)]


def headlines(evidence: Evidence) -> str:
    """F1 at T = 1000 by method, each with its seeds."""
    columns = [
        ours(evidence, "PCMCI, alpha 0.05", [("refine_pcmci", "PCMCI, alpha 0.05")], KEYS),
        ours(evidence, "PCMCI, FDR 0.05", [("refine_pcmci", "PCMCI, FDR 0.05")], KEYS),
        ours(
            evidence,
            "PCMCI at its best alpha (oracle)",
            [("refine_pcmci", "PCMCI, best alpha")],
            KEYS,
        ),
        ours(evidence, "the alpha 0.05 result refined", [("refine_pcmci", "refined")], KEYS),
        ours(
            evidence,
            "the same, certificate alone",
            [("refine_pcmci", "refined, certificate only")],
            KEYS,
        ),
        ours(evidence, "CDNOTS refined", [("sizes", "CDNOTS refined")], KEYS),
        ours(evidence, "CDNOTS refined by the neural engine", [("neural", "scp: neural")], KEYS),
        ours(evidence, "from data alone: `discover`", DISCOVER, KEYS),
        from_paper("CDNOTS-Gated", paper.F1["CDNOTS-Gated"]),
        from_paper("PCMCI-Gated", paper.F1["PCMCI-Gated"]),
    ]
    lines = [["F1, T = 1000", *(f"d = {d}" for d, _ in KEYS)], ["---"] * (len(KEYS) + 1)]
    lines += [[column.title, *(_text(column, key) for key in KEYS)] for column in columns]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _text(column: Column, key: tuple[int, int]) -> str:
    cell = column.cells.get(key)
    return cell.text() if cell else ""


def put_headlines(page: Path, text: str) -> None:
    """Replace what stands between the marks; a page without marks is left alone."""
    if not page.exists():
        return
    before, start, rest = page.read_text().partition(START)
    _, end, after = rest.partition(END)
    if start and end:
        page.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")
