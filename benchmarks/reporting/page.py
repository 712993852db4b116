"""RESULTS.md: every table with its command, versions, machine and date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.core import Store
from benchmarks.environment import machine, today, versions
from benchmarks.reporting import beyond, sections
from benchmarks.reporting.evidence import Evidence
from benchmarks.reporting.figures import draw_all
from benchmarks.reporting.headlines import headlines, put_headlines
from benchmarks.reporting.sections import Section

HOME = Path(__file__).parents[1]
_SCP = "The paper's generator, sparse graphs, true lags up to 5."
PAPER_SECTIONS = (
    Section(
        "F1 by number of variables and rows",
        ("sizes", "discover", "refine_pcmci", "neural"),
        f"{_SCP} TCDF has no package to run; its figures are the paper's.",
        sections.f1_main,
        "f1_by_d",
    ),
    Section(
        "Precision and recall at T = 1000",
        ("sizes", "discover", "refine_pcmci", "neural"),
        _SCP,
        sections.precision_recall,
    ),
    Section(
        "Structural Hamming distance",
        ("sizes", "discover", "refine_pcmci", "neural"),
        f"{_SCP} Lower is better.",
        sections.shd,
    ),
    Section(
        "Pairs of variables, beside CUTS+",
        ("sizes",),
        "Lags collapsed, pairs of different variables. CUTS+ has no package to run; its figures are the "
        "paper's. Whether the paper counts a variable's effect on itself is not said; here it is left "
        "out.",
        sections.pairs,
    ),
    Section(
        "Runtime at T = 1000",
        ("sizes", "discover", "refine_pcmci", "neural"),
        "The paper's seconds are wall time on its machine; ours are processor seconds of one thread, "
        "PCMCI's wall time of a busy machine. Only large differences mean anything.",
        sections.runtime,
        "time_by_d",
    ),
    Section(
        "Nonlinear tests of conditional independence",
        ("nonlinear_ci", "sizes", "discover"),
        "The paper puts RCoT, a nonlinear test, into its first stage. The counterpart here is `discover`,"
        " whose skeleton sees squares and absolute values at the cost of a linear one.",
        sections.nonlinear_tests,
    ),
    Section("PCMCI refined, beside PCMCI-Gated", ("refine_pcmci",), _SCP, sections.pcmci_gated),
    Section(
        "DYNOTEARS refined",
        ("dynotears",),
        f"{_SCP} LASSO-VAR with a cross-validated penalty, as in the paper; t is the threshold on "
        "standardised weights. The best threshold knows the truth.",
        sections.dynotears,
    ),
    Section("Lorenz-96", ("neural",), "Forcing 10, observation noise 0.1, one lag.", sections.lorenz),
    Section(
        "Graph topologies",
        ("topologies",),
        "d = 50, T = 1000, graphs by networkx with the paper's parameters, mechanisms by our own "
        "generator, which is not the paper's: the comparison is indicative. Candidates outside a skeleton"
        " rank last.",
        sections.topologies,
    ),
    Section(
        "Skeleton quality",
        ("sizes", "skeleton_quality"),
        f"{_SCP} Refined by the additive engine from every candidate, from a shallow CDNOTS skeleton, from"
        " a full one.",
        sections.skeleton_ablation,
    ),
    Section(
        "Sensitivity to lambda",
        ("penalties",),
        "The paper's lambda turned into nats per sample of one effect. A fixed lambda that is too large "
        "is as bad for us as for the paper: the point of the last lines is that nobody has to choose one.",
        sections.penalties,
    ),
    Section("Wrong lags", ("discover",), "d = 50, T = 1000, true lags up to 5.", sections.lags),
    Section(
        "Gate values",
        ("neural_gates",),
        "The neural engine on CDNOTS skeletons, T = 1000, three seeds, as in the paper's appendix.",
        sections.gates,
        "gate_histogram",
    ),
    Section(
        "The Elbe",
        ("elbe",),
        "The paper has twelve gauges of 2019 to 2023; ours are the flood of September 2024 at 4 gauges of"
        " the main river and at all 42. Other data, the same question.",
        sections.elbe,
    ),
)
OWN_SECTIONS = (
    Section(
        "The Elbe from PCMCI's graph",
        ("elbe_hosts",),
        "What a user of tigramite has: PCMCI on the logarithms of hourly means, as it is, corrected, at its "
        "best alpha, refined, and refined in 50 windows.",
        partial(beyond.own_table, "elbe_hosts"),
    ),
    Section(
        "Made-up river basins",
        ("basins",),
        "42 gauges of ten basins whose rain nobody measured, of the length of the Elbe's record.",
        partial(beyond.own_table, "basins"),
    ),
    Section(
        "Every host: raw, best threshold, FDR, CAM, refined",
        ("rivals",),
        "The paper's generator, d = 20, T = 1000; lag 0 left out of all scores. Best threshold is chosen "
        "with the true graph in hand. CAM-pruned: an additive spline regression and an F-test at 0.001 on"
        " the host's graph. cpu is the host's own time for its rows and that of the treatment for the "
        "others; comparisons are over common seeds.",
        beyond.rivals,
        "precision_recall",
    ),
    Section("PCMCI refined and its rivals", ("refine_pcmci",), _SCP, beyond.refined_pcmci),
    Section(
        "Hard worlds",
        ("hard_worlds",),
        "Our own generator, d = 10, T = 1000; one property changed at a time.",
        beyond.hard_worlds,
    ),
    Section(
        "Are p-values what they say?",
        ("calibration",),
        "d = 10, T = 1000, all seeds together. On false edges that PCMCI chose from the same rows no test"
        " can be uniform, which is why the default level is one over all possible edges; rows that PCMCI "
        "did not see show whether the test itself is right.",
        beyond.calibration,
        "p_values",
    ),
    Section("Noise", ("noise",), "Independent AR(1) series.", beyond.noise),
    Section("Ablation: gates, certificate, both", ("ablation", "refine_pcmci"), _SCP, beyond.ablation),
    Section("Neural or additive", ("mechanisms",), "Effects of two parents.", beyond.mechanisms),
    Section("The neural engine and causalts", ("neural_speed",), _SCP, beyond.neural_speed),
    *(
        Section(title, (name,), note, partial(beyond.own_table, name))
        for title, name, note in (
            ("The neural engine from CDNOTS skeletons", "neural", _SCP),
            ("From data alone", "discover", _SCP),
            ("Skeletons before refinement", "skeleton_quality", _SCP),
            ("Time and memory of the parts", "scaling", ""),
            ("Growth of discover", "growth", ""),
        )
    ),
    Section(
        "Long files, many variables, a hub",
        ("big",),
        "Each in a process of its own; one thread.",
        partial(beyond.own_table, "big"),
        "growth",
    ),
)


def write(store: Store, home: Path = HOME) -> Path:
    """Write RESULTS.md and its figures, and the headlines into README.md where it has a place for them."""
    evidence = Evidence(store.rows(quick=False))
    figures = draw_all(evidence, home / "figures")
    written = {one: one.write(evidence) for one in (*PAPER_SECTIONS, *OWN_SECTIONS)}

    def shown(chosen: Iterable[Section]) -> list[str]:
        return [_section(one, written[one], evidence, figures) for one in chosen]

    parts = [_head(evidence), _contents(), "# Where ours is worse", _losses(written)]
    parts += ["# The paper's tables and their counterparts", *shown(PAPER_SECTIONS)]
    parts += ["# Beyond the paper", *shown(OWN_SECTIONS)]
    page = home / "RESULTS.md"
    page.write_text("\n\n".join(parts) + "\n")
    put_headlines(home / "README.md", headlines(evidence))
    return page


def _losses(written: Mapping[Section, str]) -> str:
    """Every sentence of the page that says so, with the table that it belongs to."""
    lines = []
    for section, text in written.items():
        for line in text.splitlines():
            if line.startswith("- ") and "**" in line and "worse than" in line:
                loss = line.split("; level with")[0].split("; better than")[0].replace("**", "").rstrip(".")
                lines.append(f"{loss} ([{section.title}](#{anchor(section.title)})).")
    return "\n".join(lines) or "Nowhere, among the rows made so far."


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

Written by `python -m benchmarks report` on {today()} from {len(evidence.rows)} rows of `results.jsonl`. Every
measured figure and every sentence on what is worse is computed from those rows.

- Machine: {machine()}; one thread per run. Other work ran beside it: read processor seconds (`cpu`), not wall
  time.
- Versions: {made}.
- Seeds 0 to 9 are reported; where fewer were run, the cell says so. ± is the standard deviation over seeds.
  Nothing was tuned on these seeds, with the exceptions that [README.md](README.md) names.
- [paper] marks figures of the GRACE paper, means over its ten seeds, which this project did not measure.
  CUTS+ and TCDF have no package on PyPI and appear by the paper's figures alone.
- "worse" in a cell: worse than the paper's method that it stands for. The sentences below a table sum up."""


def _contents() -> str:
    titles = [section.title for section in (*PAPER_SECTIONS, *OWN_SECTIONS)]
    return "\n".join(f"- [{title}](#{anchor(title)})" for title in titles)


def _section(section: Section, text: str, evidence: Evidence, figures: list[str]) -> str:
    commands = "\n".join(f"python -m benchmarks run {name}" for name in section.benchmarks)
    parts = [f"## {section.title}", section.note, text]
    if section.figure in figures:
        parts.append(f"![{section.title}](figures/{section.figure}.png)")
    parts.append(f"```bash\n{commands}\n```\n\n{evidence.made(*section.benchmarks).capitalize()}.")
    return "\n\n".join(part for part in parts if part)
