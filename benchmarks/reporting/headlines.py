"""The few tables of benchmarks/README.md, written between two marks of that page."""

from __future__ import annotations

from pathlib import Path

from benchmarks.hosts.on_worlds import PROGRAMS
from benchmarks.reporting import paper
from benchmarks.reporting.evidence import Evidence, short
from benchmarks.reporting.sections import DISCOVER
from benchmarks.reporting.tables import Column, from_paper, ours
from benchmarks.reporting.world_evidence import REAL, WorldEvidence

START, END = "<!-- written by `python -m benchmarks report` -->", "<!-- end of what the program writes -->"
_USES = ("", ", FDR .05", ", tuned", ", best")
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


def worlds_headlines(evidence: Evidence) -> str:
    """Mean F1 over the small worlds of `discover` and of each host, in every way; nothing without rows."""
    found = WorldEvidence(evidence.of("worlds"))
    mine = found.overall("discover")
    if mine is None:
        return ""
    heads = ["F1", "default", "FDR .05", "tuned", "best in hindsight", "default, refined"]
    lines = [heads, ["---"] * len(heads), [f"**`discover`: {short(mine)}**", "", "", "", "", ""]]
    for host in PROGRAMS:
        ways = [*(f"{host}{use}" for use in _USES), f"{host} refined"]
        lines.append([host, *(_worlds_cell(found, way, host) for way in ways)])
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    about = (
        f"Mean F1 over {len(REAL)} small worlds that break one assumption each ({found.seeds_text} of each). "
        "Tuned: the level that is best for the same world on other seeds. Best: the best for each data set, "
        "which nobody can know."
    )
    return f"{about}\n\n{table}"


def _worlds_cell(found: WorldEvidence, way: str, host: str) -> str:
    """The mean, and over how many worlds it is where they are fewer than the host has."""
    value = found.overall(way) if way in found.ways else None
    if value is None:
        return ""
    here, there = (sum(found.mean(entry, one) is not None for entry in REAL) for one in (way, host))
    return short(value) + (f" ({here} worlds)" if here < there else "")


def put_headlines(page: Path, text: str) -> None:
    """Replace what stands between the marks; a page without marks is left alone."""
    if not page.exists():
        return
    before, start, rest = page.read_text().partition(START)
    _, end, after = rest.partition(END)
    if start and end:
        page.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")
