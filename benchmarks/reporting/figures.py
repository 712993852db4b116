"""The figures of RESULTS.md, from the same rows as its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reporting import paper, world_figures
from benchmarks.reporting.evidence import Evidence

SIZES = (20, 30, 50, 70, 100)
INK, BLUE, ORANGE, GREY, GREEN = "#222222", "#3060a0", "#e0a030", "#999999", "#3a8a4a"
_CELLS_OF_A_POINT = 30  # fewer tell no share
Source = Sequence[tuple[str, str]]
DISCOVER: Source = (("discover", "basis"), ("sizes", "discover"))
PCMCI: Source = (("refine_pcmci", "PCMCI, alpha 0.05"),)
REFINED: Source = (("sizes", "CDNOTS refined"),)
RAW: Source = (("sizes", "CDNOTS"),)


def draw_all(evidence: Evidence, folder: Path) -> list[str]:
    """Write every figure that has rows; the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, draw in FIGURES.items():
        figure = draw(evidence)
        if figure is not None:
            figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
            made.append(name)
    return made


def _figure(columns: int = 1, width: float = 5.2, height: float = 3.6) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height), layout="constrained")
    return figure, list(np.atleast_1d(figure.subplots(1, columns)))


def _legend(axes: Any, **options: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, **options)


def _curve(evidence: Evidence, source: Source, rows: int, metric: str) -> tuple[list[int], list[float]]:
    found = {}
    for d in SIZES:
        for benchmark, method in source:
            cell = evidence.cell(benchmark, method, d, rows, metric)
            if cell and d not in found:
                found[d] = cell.mean
    return list(found), list(found.values())


def _known(values: Mapping[tuple[int, int], float], rows: int) -> tuple[list[int], list[float]]:
    at = {d: value for (d, T), value in values.items() if rows == T}
    return list(at), list(at.values())


def f1_by_d(evidence: Evidence) -> Any:
    """F1 against d at three sizes; the paper's curves are dashed."""
    if not evidence.of("sizes", "discover"):
        return None
    figure, panels = _figure(3, 4.2)
    for axes, rows in zip(panels, (300, 1000, 2000), strict=True):
        for name, colour in (("PCMCI", GREY), ("CDNOTS", ORANGE), ("TCDF", GREEN), ("CDNOTS-Gated", INK)):
            axes.plot(*_known(paper.F1[name], rows), "--", color=colour, label=f"{name} [paper]")
        for label, source, colour in (
            ("PCMCI", PCMCI, GREY),
            ("CDNOTS", RAW, ORANGE),
            ("CDNOTS refined", REFINED, INK),
            ("discover", DISCOVER, BLUE),
        ):
            axes.plot(*_curve(evidence, source, rows, "f1"), "o-", color=colour, label=label)
        axes.set(xlabel="d", ylabel="F1", title=f"T = {rows}", ylim=(0, 1))
    _legend(panels[-1], fontsize=7)
    return figure


def time_by_d(evidence: Evidence) -> Any:
    """Seconds against d on a logarithmic scale; the paper's machine is another one."""
    if not evidence.of("sizes", "discover"):
        return None
    figure, (axes,) = _figure(1, 5.6, 3.8)
    for name, colour in (("PCMCI", GREY), ("CDNOTS", ORANGE), ("CDNOTS-Gated", INK), ("RCoT-Gated", GREEN)):
        axes.plot(*_known(paper.SECONDS[name], 1000), "--", color=colour, label=f"{name} [paper]")
    for label, source, metric, colour in (
        ("PCMCI, wall", PCMCI, "seconds", GREY),
        ("CDNOTS", RAW, "cpu", ORANGE),
        ("CDNOTS refined", REFINED, "cpu", INK),
        ("discover", DISCOVER, "cpu", BLUE),
    ):
        axes.plot(*_curve(evidence, source, 1000, metric), "o-", color=colour, label=label)
    axes.set(xlabel="d", ylabel="processor seconds", yscale="log", title="T = 1000")
    _legend(axes, fontsize=7)
    return figure


def precision_recall(evidence: Evidence) -> Any:
    """Each host before and after, an arrow from one to the other."""
    hosts = sorted({row.method.split(":")[0] for row in evidence.of("rivals") if ": refined" in row.method})
    if not hosts:
        return None
    figure, panels = _figure(2, 4.8, 4.2)
    colours = [f"C{place}" for place in range(len(hosts))]
    for axes, way in zip(panels, ("refined", "refined, neural"), strict=True):
        for host, colour in zip(hosts, colours, strict=True):
            points = [_point(evidence, f"{host}: {one}") for one in ("raw", way)]
            if None in points:
                continue
            before, after = (point for point in points if point)
            axes.annotate("", after, before, arrowprops={"arrowstyle": "->", "color": colour})
            axes.plot(*before, "o", mfc="white", color=colour)
            axes.plot(*after, "o", color=colour, label=host)
            best = _point(evidence, f"{host}: best threshold")
            if best:
                axes.plot(*best, "x", color=colour)
        title = f"{way} (hollow: before; cross: best threshold)"
        axes.set(xlabel="recall", ylabel="precision", xlim=(0.5, 1.02), ylim=(0, 1.03))
        axes.set_title(title, fontsize=9)
        _legend(axes, fontsize=7, loc="lower left")
    return figure


def _point(evidence: Evidence, method: str) -> tuple[float, float] | None:
    recall = evidence.cell("rivals", method, 20, 1000, "recall")
    precision = evidence.cell("rivals", method, 20, 1000, "precision")
    return (recall.mean, precision.mean) if recall and precision else None


def gate_histogram(evidence: Evidence) -> Any:
    """Gates of the neural engine, true and false candidates apart."""
    rows = evidence.of("neural_gates")
    if not rows:
        return None
    sizes = sorted({row.d for row in rows})
    bins = np.linspace(0.0, 1.0, 21)
    figure, panels = _figure(len(sizes), 4.6, 3.2)
    for axes, d in zip(panels, sizes, strict=True):
        for name, colour in (("false", ORANGE), ("true", BLUE)):
            counts = [sum(r.numbers[f"{name}_{edge:.2f}"] for r in rows if r.d == d) for edge in bins[:-1]]
            axes.stairs(counts, bins, fill=True, alpha=0.6, color=colour, label=f"{name} edges")
        axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
        axes.set(xlabel="gate", ylabel="candidates", title=f"d = {d}")
        _legend(axes)
    return figure


def p_values(evidence: Evidence) -> Any:
    """A Q-Q plot of p-values of false candidates on logarithmic scales."""
    from benchmarks.studies.calibration import EXPONENTS, level

    rows = evidence.of("calibration")
    if not rows:
        return None
    figure, (axes,) = _figure(1, 5.6, 4.4)
    axes.plot([0, 5], [0, 5], ":", color=INK, linewidth=1)
    for method in sorted({row.method for row in rows}):
        same = [row for row in rows if row.method == method]
        tests = sum(row.numbers["tests"] for row in same)
        counts = [sum(row.numbers[level(one)] for row in same) for one in EXPONENTS]
        shown = [(one, -np.log10(n / tests)) for one, n in zip(EXPONENTS, counts, strict=True) if n]
        axes.plot([y for _, y in shown], [x for x, _ in shown], ".-", label=method)
    axes.set(xlabel="-log10 of the share of p-values at or below", ylabel="-log10 p")
    axes.set_title("above the line: p-values too small; below: cautious", fontsize=9)
    _legend(axes, fontsize=7)
    return figure


def growth(evidence: Evidence) -> Any:
    """Time and memory of `discover` against the number of variables, with the slopes."""
    from benchmarks.studies.big import slope

    rows = sorted((row for row in evidence.of("big") if row.method == "discover"), key=lambda row: row.d)
    if len({row.d for row in rows}) < 2:
        return None
    figure, panels = _figure(columns=2, width=4.0, height=3.4)
    for axes, (name, label) in zip(
        panels, {"seconds": "CPU seconds", "GiB": "peak GiB"}.items(), strict=True
    ):
        axes.loglog([row.d for row in rows], [row.numbers[name] for row in rows], "o-", color=BLUE)
        axes.set(xlabel="variables", ylabel=label, title=f"slope {slope(rows, name):.2f}")
        axes.grid(alpha=0.3, which="both")
    return figure


def reliability(evidence: Evidence) -> Any:
    """The true share of edges against their probability: small graphs, and the worlds group by group."""
    from benchmarks.studies._decision_measures import binned, calibration_error

    studies = {name: evidence.of(name) for name in ("decision", "reliability")}
    if not any(studies.values()):
        return None
    figure, panels = _figure(2, 5.0, 4.4)
    for axes, (title, rows) in zip(panels, studies.items(), strict=True):
        axes.plot([0, 1], [0, 1], ":", color=INK, linewidth=1)
        lines = {
            name: [one for one in rows if one.method == name] for name in sorted({r.method for r in rows})
        }
        for place, (method, same) in enumerate({**lines, "all": rows}.items()):
            cells, edges, predicted = (binned(same, one) for one in ("cells", "edges", "predicted"))
            enough = cells >= _CELLS_OF_A_POINT
            label = f"{method} ({calibration_error(same):.3f})"
            share, chance = edges[enough] / cells[enough], predicted[enough] / cells[enough]
            axes.plot(
                chance,
                share,
                ("-", "--")[place // 10],
                marker=".",
                label=label,
                lw=3 if method == "all" else 1,
            )
        axes.set(xlabel="probability", ylabel="share that are edges", xlim=(0, 1), ylim=(0, 1.02))
        axes.set_title({"decision": "small graphs", "reliability": "worlds"}[title] + " (ECE)", fontsize=9)
        _legend(axes, fontsize=6)
    return figure


FIGURES: dict[str, Callable[[Evidence], Any]] = {
    "f1_by_d": f1_by_d,
    "time_by_d": time_by_d,
    "precision_recall": precision_recall,
    "gate_histogram": gate_histogram,
    "p_values": p_values,
    "growth": growth,
    "reliability": reliability,
    "worlds": world_figures.f1_of_methods,
    "worlds_beside_best": world_figures.minus_best,
}
