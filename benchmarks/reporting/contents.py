"""Which table stands on which page."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks import studies
from benchmarks.reporting import beyond, on_worlds, sections
from benchmarks.reporting.sections import Section

_SCP = "The paper's generator, sparse graphs, true lags up to 5."


_BOTH = (
    "`skeleton_f1` counts an edge that CDNOTS leaves open at lag 0 as two false ones, the other tables as "
    "one: "
    "the same skeletons have .834 here and .841 there at d = 20."
)


@dataclass(frozen=True)
class Page:
    """A file of results/ with its sections."""

    name: str
    title: str
    about: str
    sections: tuple[Section, ...]


_PAPER = (
    Section(
        "F1 by number of variables and rows",
        ("sizes", "discover", "refine_pcmci", "neural"),
        f"{_SCP} TCDF was not run here; its figures are the paper's. An edge that CDNOTS leaves "
        "open at lag 0 counts as one false edge.",
        sections.f1_main,
        ("f1_by_d",),
    ),
    Section(
        "Precision and recall at T = 1000",
        ("sizes", "discover", "refine_pcmci", "neural"),
        _SCP,
        sections.precision_recall,
    ),
    Section(
        "The decision beside the level rule",
        ("level_rule",),
        f"{_SCP} `discover` on graphs 200 to 239, which nothing was tuned on. Decision alone: without"
        " products, preparation and the look at one step.",
        partial(beyond.own_table, "level_rule"),
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
        "Lags collapsed, pairs of different variables. The figures of CUTS+ are the paper's; one seed "
        "of it was run here (`run paper_rivals`, docs/paper.md). Whether the paper counts a variable's "
        "effect on itself is not said; here it is left out.",
        sections.pairs,
    ),
    Section(
        "Runtime at T = 1000",
        ("sizes", "discover", "refine_pcmci", "neural"),
        "The paper's seconds are wall time on its machine; ours are processor seconds of one thread, "
        "PCMCI's wall time of a busy machine. Only large differences mean anything.",
        sections.runtime,
        ("time_by_d",),
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
        "The paper's method, run here",
        ("paper_table",),
        'Its network, penalty and gates (`preset="paper"`) from our CDNOTS skeletons.',
        partial(beyond.own_table, "paper_table"),
    ),
    Section(
        "Where true and false edges close",
        ("separation",),
        "The penalties at which edges close, as rows grow.",
        partial(beyond.own_table, "separation"),
    ),
    Section(
        "Gate values",
        ("neural_gates",),
        "The neural engine on CDNOTS skeletons, T = 1000, three seeds, as in the paper's appendix.",
        sections.gates,
        ("gate_histogram",),
    ),
    Section(
        "The Elbe",
        ("elbe",),
        "The paper has twelve gauges of 2019 to 2023; ours are the flood of September 2024 at 4 gauges of"
        " the main river and at all 42. Other data, the same question. Those from cdnots and on Dask are of"
        " version 0.1, as are bootstraps of seeds 2 to 4; the others are of today, on a busy machine, and"
        " single runs on 42 gauges are worse (docs/stability.md).",
        sections.elbe,
    ),
    Section(
        "The Elbe, five gauges at once",
        ("elbe_small",),
        "Forty graphs of connected gauges. A rule of the search (`regression/foretold.py`) was settled on "
        "other draws of gauges from the same flood.",
        partial(beyond.own_table, "elbe_small"),
    ),
)
_HOSTS = (
    Section("PCMCI refined and its rivals", ("refine_pcmci",), _SCP, beyond.refined_pcmci),
    Section(
        "Every host: raw, best threshold, FDR, CAM, refined",
        ("rivals",),
        "The paper's generator, d = 20, T = 1000; lag 0 left out of all scores. Best threshold is chosen "
        "with the true graph in hand. CAM-pruned: an additive spline regression and an F-test at 0.001 on"
        " the host's graph. cpu is the host's own time for its rows and that of the treatment for the "
        "others; comparisons are over common seeds.",
        beyond.rivals,
        ("precision_recall",),
    ),
    Section(
        "The Elbe from PCMCI's graph",
        ("elbe_hosts",),
        "What a user of tigramite has: PCMCI on the logarithms of hourly means, as it is, corrected, at its "
        "best alpha, refined, and refined in 50 windows.",
        beyond.elbe_hosts,
    ),
    Section("Ablation: gates, certificate, both", ("ablation", "refine_pcmci"), _SCP, beyond.ablation),
    Section("The neural engine and causalts", ("neural_speed",), _SCP, beyond.neural_speed),
    Section(
        "The neural engine from CDNOTS skeletons",
        ("neural",),
        f"{_SCP} {_BOTH}",
        beyond.neural,
    ),
    Section(
        "Skeletons before refinement",
        ("skeleton_quality",),
        f"{_SCP} An edge at lag 0 counts once.",
        partial(beyond.own_table, "skeleton_quality"),
    ),
)
_WORLDS = (
    Section(
        "Worlds that break one assumption each",
        ("worlds",),
        "",
        on_worlds.section,
        ("worlds", "worlds_beside_best"),
    ),
    Section(
        "Hard worlds",
        ("hard_worlds",),
        "Our own generator, d = 10, T = 1000; one property changed at a time. In the world called "
        "contemporaneous "
        "`discover` ran with `contemporaneous=True`, and an edge at lag 0 counts once, whatever its "
        "direction.",
        beyond.hard_worlds,
    ),
    Section(
        "Effects within one step",
        ("within_step",),
        "Adjacency, direction and lagged edges apart; an edge whose direction is left open is half a hit.",
        partial(beyond.own_table, "within_step"),
    ),
    Section(
        "When to look within a step",
        ("step_choice",),
        'F1 of `discover` by contemporaneous="auto", True and False in every group of worlds; `behind` is '
        "how far the default is below the better of the others.",
        partial(beyond.own_table, "step_choice"),
    ),
    Section(
        "Rules of graphs within a step",
        ("step_rules",),
        "Two hundred random worlds with required and forbidden edges at lag 0, some of them wrong.",
        partial(beyond.own_table, "step_rules"),
    ),
    Section(
        "Missing values",
        ("gaps",),
        "F1 of lagged cross edges; then, on independent series, how many of 20,160 p-values lie below .05 "
        "and .01.",
        partial(beyond.own_table, "gaps"),
    ),
    Section(
        "Words, counts and numbers",
        ("mixed_kinds",),
        "Two categories, two counts and six numbers; F1 of lagged cross edges at .05, .01 and the best level"
        " in hindsight.",
        partial(beyond.own_table, "mixed_kinds"),
    ),
    Section("Noise", ("noise",), "Independent AR(1) series.", beyond.noise),
    Section(
        "Nothing acts",
        ("null_kinds",),
        "Ten independent series of 26 kinds, 500 rows: false edges a graph and how often a warning came; "
        "with all rules of `prepare`, with none, and without one of them; then F1 with ten effects.",
        partial(beyond.own_table, "null_kinds"),
    ),
    Section(
        "Fixed candidates",
        ("fixed_candidates",),
        "Shares of null p-values below a level, for a candidate that nobody chose, over kinds of noise.",
        partial(beyond.own_table, "fixed_candidates"),
    ),
    Section(
        "Are p-values what they say?",
        ("calibration",),
        "d = 10, T = 1000, all seeds together. On false edges that PCMCI chose from the same rows no test"
        " can be uniform, which is why the default level is one over all possible edges; rows that PCMCI "
        "did not see show whether the test itself is right.",
        beyond.calibration,
        ("p_values",),
    ),
    Section(
        "Does the decision keep its word?",
        ("decision",),
        "False discovery rates of edges between variables, the calibration of probabilities, and the coverage"
        " of 95 % intervals, on small graphs.",
        partial(beyond.own_table, "decision"),
    ),
    Section(
        "Are probabilities what they say?",
        ("reliability",),
        "The calibration error (ECE) is the mean distance of predicted and true shares over ten bins of"
        " probability, weighted by their cells; most cells are hopeless, so the error of those above .1"
        " stands beside it.",
        partial(beyond.own_table, "reliability"),
        ("reliability",),
    ),
    Section(
        "Where could gates add something?",
        ("gates_share",),
        "Every lagged edge is a candidate, 6 variables, lags up to 3.",
        partial(beyond.own_table, "gates_share"),
    ),
    Section(
        "Acting together",
        ("together",),
        "Two causes of one effect and chaotic systems, by `discover` from data alone.",
        partial(beyond.own_table, "together"),
    ),
    Section("Neural or additive", ("mechanisms",), "Effects of two parents.", beyond.mechanisms),
    Section(
        "Made-up river basins",
        ("basins",),
        "42 gauges of ten basins whose rain nobody measured, of the length of the Elbe's record.",
        partial(beyond.own_table, "basins"),
    ),
)
_SCALE = (
    Section(
        "Long files, many variables, a hub",
        ("big",),
        "Each in a process of its own; one thread.",
        partial(beyond.own_table, "big"),
        ("growth",),
    ),
    Section("From data alone", ("discover",), _SCP, partial(beyond.own_table, "discover")),
    Section("Time and memory of the parts", ("scaling",), "", partial(beyond.own_table, "scaling")),
    Section("Growth of discover", ("growth",), "", partial(beyond.own_table, "growth")),
)


def _others(shown: Sequence[Section]) -> tuple[Section, ...]:
    """Studies that no section above names, each with the table that it makes of its own rows."""
    named = {name for section in shown for name in section.benchmarks}
    found = [module.name for module in pkgutil.iter_modules(studies.__path__)]
    rest = [name for name in found if name not in named and not name.startswith("_")]
    return tuple(
        Section(name.replace("_", " ").capitalize(), (name,), "", partial(beyond.own_table, name))
        for name in rest
    )


PAGES = (
    Page("worlds", "Worlds", "What happens where usual assumptions fail.", _WORLDS),
    Page("hosts", "Hosts", "Other programs' results: raw, corrected, at their best, refined.", _HOSTS),
    Page("paper", "The paper's tables", "Each of the paper's tables with its counterpart.", _PAPER),
    Page("scale", "Scale", "Time and memory.", _SCALE),
    Page(
        "more", "Other studies", "What no other page names.", _others((*_WORLDS, *_HOSTS, *_PAPER, *_SCALE))
    ),
)
