"""The paper's tables, each with its counterpart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmarks.reporting import paper
from benchmarks.reporting.evidence import Cell, Evidence
from benchmarks.reporting.paper import Key
from benchmarks.reporting.tables import Column, bullets, from_paper, grid, ours
from benchmarks.studies.neural import ALONE

SIZES: list[Key] = [(d, T) for d in (20, 30, 50, 70, 100) for T in paper.ROWS]
AT_1000: list[Key] = [(d, 1000) for d in (20, 30, 50, 70, 100)]
PCMCI = ("refine_pcmci", "PCMCI, alpha 0.05")
DISCOVER = (("discover", "basis"), ("sizes", "discover"))


@dataclass(frozen=True)
class Section:
    """A table of the page: what it is, what makes its rows, and how it is written."""

    title: str
    benchmarks: tuple[str, ...]
    note: str
    write: Callable[[Evidence], str]
    figures: tuple[str, ...] = ()


def _main_columns(evidence: Evidence, table: paper.Table, keys: Sequence[Key], metric: str) -> list[Column]:
    made = [
        from_paper("PCMCI", table["PCMCI"]),
        ours(evidence, "PCMCI", [PCMCI], keys, metric),
        from_paper("CDNOTS", table["CDNOTS"]),
        ours(evidence, "CDNOTS", [("sizes", "CDNOTS")], keys, metric, "CDNOTS"),
        from_paper("TCDF", table["TCDF"]),
        from_paper("CDNOTS-Gated", table["CDNOTS-Gated"]),
        ours(evidence, "CDNOTS refined", [("sizes", "CDNOTS refined")], keys, metric, "CDNOTS-Gated"),
        ours(evidence, "CDNOTS refined, neural", [("neural", "scp: neural")], keys, metric, "CDNOTS-Gated"),
        ours(evidence, "discover", DISCOVER, keys, metric, "CDNOTS-Gated"),
    ]
    return [column for column in made if column.cells]


def f1_main(evidence: Evidence) -> str:
    return grid(_main_columns(evidence, paper.F1, SIZES, "f1"), SIZES)


def precision_recall(evidence: Evidence) -> str:
    parts = [
        ("Precision", grid(_main_columns(evidence, paper.PRECISION, AT_1000, "precision"), AT_1000)),
        ("Recall (TPR)", grid(_main_columns(evidence, paper.RECALL, AT_1000, "recall"), AT_1000)),
    ]
    return "\n\n".join(f"{name}:\n\n{text}" for name, text in parts)


def shd(evidence: Evidence) -> str:
    return grid(_main_columns(evidence, paper.SHD, SIZES, "shd"), SIZES, lower_is_better=True, digits=0)


def pairs(evidence: Evidence) -> str:
    keys = [(d, T) for d in (20, 50, 100) for T in paper.ROWS]
    parts = []
    for name, table, metric in (
        ("F1 of pairs", paper.PAIR_F1, "pair_f1"),
        ("Precision of pairs", paper.PAIR_PRECISION, "pair_precision"),
        ("Recall of pairs", paper.PAIR_RECALL, "pair_recall"),
    ):
        shown = [key for key in keys if key in table["CUTS+"]]
        sources = [("sizes", "CDNOTS refined")]
        columns = [
            from_paper("CUTS+", table["CUTS+"]),
            from_paper("CDNOTS-Gated", table["CDNOTS-Gated"]),
            ours(evidence, "CDNOTS refined", sources, shown, metric, "CDNOTS-Gated"),
        ]
        parts.append(f"{name}:\n\n{grid(columns, shown)}")
    return "\n\n".join(parts)


def runtime(evidence: Evidence) -> str:
    seconds = {name: values for name, values in paper.SECONDS.items() if name != "RCoT-Gated"}
    columns = [
        from_paper("PCMCI", seconds["PCMCI"]),
        ours(evidence, "PCMCI, wall", [PCMCI], AT_1000, "seconds"),
        from_paper("CDNOTS", seconds["CDNOTS"]),
        ours(evidence, "CDNOTS", [("sizes", "CDNOTS")], AT_1000, "cpu", "CDNOTS"),
        from_paper("TCDF", seconds["TCDF"]),
        from_paper("CDNOTS-Gated", seconds["CDNOTS-Gated"]),
        ours(evidence, "CDNOTS refined", [("sizes", "CDNOTS refined")], AT_1000, "cpu", "CDNOTS-Gated"),
        ours(
            evidence,
            "neural refinement alone",
            [("neural", "scp: neural")],
            AT_1000,
            "cpu_seconds",
            "CDNOTS-Gated",
        ),
        ours(evidence, "discover", DISCOVER, AT_1000, "cpu", "CDNOTS-Gated"),
    ]
    return grid(columns, AT_1000, lower_is_better=True, digits=1)


def nonlinear_tests(evidence: Evidence) -> str:
    from benchmarks.studies.nonlinear_ci import table

    columns = [
        from_paper("ParCorr-Gated", paper.F1["CDNOTS-Gated"]),
        ours(evidence, "CDNOTS refined", [("sizes", "CDNOTS refined")], SIZES, "f1", "ParCorr-Gated"),
        from_paper("RCoT-Gated", paper.F1["RCoT-Gated"]),
        ours(evidence, "discover", DISCOVER, SIZES, "f1", "RCoT-Gated"),
        replace(from_paper("RCoT-Gated, seconds", paper.SECONDS["RCoT-Gated"]), digits=0),
        replace(ours(evidence, "discover, processor seconds", DISCOVER, SIZES, "cpu"), digits=1),
    ]
    small = evidence.of("nonlinear_ci")
    kernel = f"\n\nWith a kernel test, where it finishes:\n\n{table(small)}" if small else ""
    return grid(columns, SIZES) + kernel


def pcmci_gated(evidence: Evidence) -> str:
    parts = []
    for name, table, metric, lower, digits in (
        ("F1", paper.F1, "f1", False, 3),
        ("Precision", paper.PRECISION, "precision", False, 3),
        ("Recall (TPR)", paper.RECALL, "recall", False, 3),
        ("SHD", paper.SHD, "shd", True, 0),
    ):
        columns = [
            from_paper("PCMCI", table["PCMCI"]),
            ours(evidence, "PCMCI", [PCMCI], AT_1000, metric),
            ours(evidence, "PCMCI, FDR 0.05", [("refine_pcmci", "PCMCI, FDR 0.05")], AT_1000, metric),
            ours(evidence, "PCMCI, best alpha", [("refine_pcmci", "PCMCI, best alpha")], AT_1000, metric),
            from_paper("PCMCI-Gated", table["PCMCI-Gated"]),
            ours(evidence, "PCMCI refined", [("refine_pcmci", "refined")], AT_1000, metric, "PCMCI-Gated"),
        ]
        parts.append(f"{name}:\n\n{grid(columns, AT_1000, lower, digits)}")
    return "\n\n".join(parts)


def dynotears(evidence: Evidence) -> str:
    keys = [(d, T) for d in (20, 50, 100) for T in (500, 1000)]
    columns = []
    for name in ("t=0", "t=0.05", "t=0.05 refined"):
        columns.append(from_paper(name, paper.DYNOTEARS[name]))
        columns.append(ours(evidence, name, [("dynotears", name)], keys, "f1", name))
    for name in ("best threshold", "t=0 refined"):
        beside = "t=0.05 refined" if name == "t=0 refined" else ""
        columns.append(ours(evidence, name, [("dynotears", name)], keys, "f1", beside))
    return grid(columns, keys)


def lorenz(evidence: Evidence) -> str:
    keys = [(d, T) for d in (50, 100) for T in (500, 1000, 2000)]
    parts = []
    for name, table, metric, before in (
        ("F1", paper.LORENZ, "f1", "skeleton_f1"),
        ("Precision", paper.LORENZ_PRECISION, "precision", ""),
        ("Recall", paper.LORENZ_RECALL, "recall", "skeleton_recall"),
    ):
        shown = [key for key in keys if key in table["GRACE"]]
        columns = [
            from_paper("CDNOTS", table["CDNOTS"]),
            ours(evidence, "CDNOTS", [("neural", "lorenz: neural")], shown, before, "CDNOTS"),
            from_paper("GRACE", table["GRACE"]),
            ours(evidence, "neural", [("neural", "lorenz: neural")], shown, metric, "GRACE"),
            ours(evidence, ALONE, [("neural", f"lorenz: {ALONE}")], shown, metric, "GRACE"),
            ours(evidence, "additive", [("neural", "lorenz: additive")], shown, metric, "GRACE"),
        ]
        used = [column for column in columns if column.cells]
        parts.append(f"{name}:\n\n{grid(used, shown, heads=('N', 'T'))}")
    return "\n\n".join(parts)


def topologies(evidence: Evidence) -> str:
    kinds = list(paper.TOPOLOGY_AUROC)
    keys = [(place, 1000) for place in range(len(kinds))]

    def column(name: str, metric: str = "pair_auroc", beside: str = "") -> Column:
        cells = {
            key: evidence.cell("topologies", f"{kinds[key[0]]}: {name}", 50, 1000, metric) for key in keys
        }
        return Column(name, {key: cell for key, cell in cells.items() if cell}, beside)

    known = {
        name: {key: paper.TOPOLOGY_AUROC[kinds[key[0]]][name] for key in keys} for name in ("GRACE", "CUTS+")
    }
    columns = [
        from_paper("GRACE", known["GRACE"]),
        from_paper("CUTS+", known["CUTS+"]),
        column("CDNOTS"),
        column("CDNOTS refined", beside="GRACE [paper]"),
        column("discover", beside="GRACE [paper]"),
    ]
    return grid(columns, keys, label=lambda key: (kinds[key[0]],), heads=("pair AUROC",))


def skeleton_ablation(evidence: Evidence) -> str:
    keys = [(d, T) for d in (50, 100) for T in (500, 1000)]
    sources = {
        "no skeleton": ("sizes", "no skeleton"),
        "shallow CDNOTS": ("sizes", "shallow CDNOTS refined"),
        "full CDNOTS": ("sizes", "CDNOTS refined"),
    }
    columns = []
    for name, source in sources.items():
        columns.append(from_paper(name, paper.SKELETONS[name]))
        columns.append(ours(evidence, name, [source], keys, "f1", name))
    return grid(columns, keys)


def penalties(evidence: Evidence) -> str:
    keys = [(d, T) for d in (50, 100) for T in (500, 1000)]
    columns = []
    for name, values in paper.PENALTIES.items():
        shown = "the paper's rule" if name == "paper" else name
        columns.append(from_paper(shown, values))
        for way in ("gates only", "certified"):
            source = [("penalties", f"{way}: {name}")]
            beside = shown if name == "paper" else ""
            columns.append(ours(evidence, f"{shown}, {way}", source, keys, "f1", beside))
    columns.append(ours(evidence, "auto, gates only", [("penalties", "gates only: auto")], keys))
    last = ours(evidence, "auto", [("penalties", "certified: auto")], keys, "f1", "the paper's rule")
    return _upright([*columns, last], keys)


def _upright(columns: Sequence[Column], keys: Sequence[Key]) -> str:
    """A table with a line per method, for tables of many methods and few sizes."""
    lines = [["method", *(f"d {d}, T {T}" for d, T in keys)], ["---"] * (len(keys) + 1)]
    for column in columns:
        lines.append([column.title, *(column.cells[k].text() if k in column.cells else "" for k in keys)])
    words = grid(columns, keys).split("\n\n", 1)[1:]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "".join(f"\n\n{w}" for w in words)


def lags(evidence: Evidence) -> str:
    keys = [(lag, 1000) for lag in (2, 3, 5, 7, 10)]

    def known(name: str) -> Column:
        return from_paper(name, {(lag, 1000): value for lag, value in paper.LAGS[name].items()})

    def found(name: str, method: str, beside: str) -> Column:
        cells = {key: evidence.cell("discover", method.format(key[0]), 50, 1000) for key in keys}
        return Column(name, {key: cell for key, cell in cells.items() if cell}, beside)

    columns = [
        known("CDNOTS"),
        known("GRACE"),
        found("discover", "basis, searched lag {}", "GRACE [paper]"),
    ]
    return grid(columns, keys, label=lambda key: (key[0],), heads=("searched lag",))


def gates(evidence: Evidence) -> str:
    from benchmarks.core import mean_table

    rows = evidence.of("neural_gates")
    names = ("true_edges", "true_open", "true_undecided", "false_edges", "false_open", "false_undecided")
    if not rows:
        return "Not run yet."
    said = []
    for d in sorted({row.d for row in rows}):
        wrong = [_misplaced(row.numbers) for row in rows if row.d == d]
        said.append(
            f"At d {d}, {100 * sum(wrong) / len(wrong):.0f} % of the gates are on the wrong side of 0.5."
        )
    return mean_table(rows, names) + bullets(said)


def _misplaced(numbers: dict[str, float]) -> float:
    """The share of candidates whose gate alone would decide wrongly."""
    true, false = numbers["true_edges"], numbers["false_edges"]
    wrong = true * (1.0 - numbers["true_open"]) + false * numbers["false_open"]
    return wrong / max(true + false, 1.0)


def elbe(evidence: Evidence) -> str:
    names = ("auroc", "precision", "recall", "f1", "false")
    lines = [["", "gauges", "AUROC", "precision", "recall", "F1", "false edges"], ["---"] * 7]
    for method, values in paper.ELBE.items():
        lines.append([f"{method} [paper]", "12", *(f"{values[name]:.3f}" for name in names)])
    ours = "bootstrap, basis, logs"
    singles = ("single, cdnots, logs", "single, basis, logs", "single, cdnots, differences")
    wanted = (*singles, ours, "bootstrap of 200 runs")
    for d, T in sorted({(row.d, row.T) for row in evidence.of("elbe")}):  # noqa: N806
        for method in wanted:
            cells = [evidence.cell("elbe", method, d, T, name) for name in names]
            if all(cells):
                lines.append([method, str(d), *(f"{cell.mean:.3f}" for cell in cells if cell)])
    best = {d: evidence.cell("elbe", ours, d, 753) for d in (4, 42)}
    said = [_river(d, cell) for d, cell in best.items() if cell]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + bullets(said)


def _river(d: int, cell: Cell) -> str:
    known = paper.ELBE["GRACE-Bootstrap"]["f1"]
    beside = f"the paper's {known} for twelve gauges of the main river over five years"
    if cell.mean < known:
        return f"**With {d} gauges our bootstrap (F1 {cell.mean:.3f}) is worse than {beside}**."
    return f"With {d} gauges our bootstrap (F1 {cell.mean:.3f}) is no worse than {beside}."
