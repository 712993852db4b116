"""RESULTS.md, one page led by where ours is worse, and the pages with every table behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.core import Store
from benchmarks.environment import machine, today, versions
from benchmarks.reporting import trust
from benchmarks.reporting.contents import PAGES, Page
from benchmarks.reporting.evidence import Evidence
from benchmarks.reporting.figures import draw_all
from benchmarks.reporting.headlines import headlines, put_headlines, worlds_headlines
from benchmarks.reporting.sections import Section

HOME = Path(__file__).parents[1]
FOLDER = "results"
_NAMED = 2  # rivals that a loss names on the first page; the table has them all


def write(stores: Sequence[Store], home: Path = HOME, trust_page: Path | None = None) -> Path:
    """Write RESULTS.md, the pages behind it, the figures, README.md's headlines, and when to trust."""
    evidence = Evidence.stored(stores)
    figures = draw_all(evidence, home / "figures")
    written = {section: section.write(evidence) for page in PAGES for section in page.sections}
    (home / FOLDER).mkdir(exist_ok=True)
    for page in PAGES:
        (home / FOLDER / f"{page.name}.md").write_text(_page(page, written, evidence, figures))
    front = home / "RESULTS.md"
    parts = [_head(evidence), "## Where ours is worse", _losses(written), *_summary(evidence), _contents()]
    front.write_text("\n\n".join(parts) + "\n")
    put_headlines(home / "README.md", headlines(evidence))
    if trust_page is not None:
        trust.write(evidence, trust_page)
        put_headlines(trust_page.parents[1] / "README.md", worlds_headlines(evidence))
    return front


def _page(page: Page, written: Mapping[Section, str], evidence: Evidence, figures: list[str]) -> str:
    links = "\n".join(f"- [{one.title}](#{anchor(one.title)})" for one in page.sections)
    parts = [
        f"# {page.title}",
        f"{page.about} Written by `python -m benchmarks report`; [start](../RESULTS.md).",
    ]
    parts += [links, *(_section(one, written[one], evidence, figures) for one in page.sections)]
    return "\n\n".join(parts) + "\n"


def _losses(written: Mapping[Section, str]) -> str:
    """Every sentence of the pages that says so, in short, with the table that it belongs to."""
    lines = []
    for page in PAGES:
        found = [(one, line) for one in page.sections for line in written[one].splitlines() if _is_loss(line)]
        if found:
            lines.append(f"{page.title}:\n")
            lines += [f"{shortened(line)} ({link(page, one)})." for one, line in found]
            lines.append("")
    return "\n".join(lines).rstrip() or "Nowhere, among the rows made so far."


def _is_loss(line: str) -> bool:
    return line.startswith("- ") and "**" in line and "worse than" in line


def shortened(line: str) -> str:
    """A loss without its list of cases, and with the first rivals of many.

    >>> shortened("- **A is worse than B at 2 of 3 sizes**: d 20 (.1 against .2); d 50 (.2 against .3).")
    '- A is worse than B at 2 of 3 sizes'
    >>> shortened("- A is **worse than** B (.1 against .2), C (.1 against .3); level with D.")
    '- A is worse than B (.1 against .2), C (.1 against .3)'
    """
    text = (
        line.split("**: ")[0].split("; level with")[0].split("; better than")[0].replace("**", "").rstrip(".")
    )
    rivals = text.split("), ")
    if len(rivals) <= _NAMED:
        return text
    return "), ".join(rivals[:_NAMED]) + f") and {len(rivals) - _NAMED} more"


def link(page: Page, section: Section) -> str:
    return f"[{section.title}]({FOLDER}/{page.name}.md#{anchor(section.title)})"


def anchor(title: str) -> str:
    """GitHub's anchor of a heading.

    >>> anchor("Every host: raw, best threshold")
    'every-host-raw-best-threshold'
    """
    kept = "".join(char for char in title.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def _head(evidence: Evidence) -> str:
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"""# Results

Written by `python -m benchmarks report` on {today()} from {len(evidence.rows)} rows of `results.jsonl` and
`worlds.jsonl`. Every measured figure and every sentence on what is worse is computed from those rows; every
table says which state of the engine made them, and where the engine has changed since.

- Machine: {machine()}; one thread per run. Other work ran beside it: read
  processor seconds (`cpu`), not wall time.
- Versions now: {made}.
- Seeds 0 to 9 are reported (0 to 19 of the worlds); where fewer were run, the cell says so. ± is the
  standard deviation over seeds. Nothing was tuned on these seeds, with the exceptions that
  [README.md](README.md) names.
- [paper] marks figures of the GRACE paper, means over its ten seeds, which this project did not measure.
  TCDF was not run here and appears by the paper's figures alone, CUTS+ on one seed (docs/paper.md).
- "worse" in a cell: worse than the paper's method that it stands for. The sentences below a table sum up."""


def _summary(evidence: Evidence) -> list[str]:
    parts = ["## Worlds in one table", worlds_headlines(evidence)] if evidence.of("worlds") else []
    return [*parts, "## The paper's generator in one table", headlines(evidence)]


def _contents() -> str:
    lines = ["## Every table"]
    for page in PAGES:
        lines.append(f"**[{page.title}]({FOLDER}/{page.name}.md).** {page.about}")
        lines.append("\n".join(f"- {link(page, section)}" for section in page.sections))
    return "\n\n".join(lines)


def _section(section: Section, text: str, evidence: Evidence, figures: list[str]) -> str:
    commands = "\n".join(f"python -m benchmarks run {name}" for name in section.benchmarks)
    parts = [f"## {section.title}", section.note, text]
    parts += [f"![{section.title}](../figures/{name}.png)" for name in section.figures if name in figures]
    parts.append(f"```bash\n{commands}\n```\n\n{evidence.made(*section.benchmarks)}.")
    return "\n\n".join(part for part in parts if part)
