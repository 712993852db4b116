"""Gate values of the neural engine, true and false edges apart (the paper's appendix A), with a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.neural import cdnots
from benchmarks.worlds.paper import CACHE, scp

TITLE = "Gate values of the neural engine, true and false edges apart"
PICTURE = CACHE.parents[1] / "docs" / "images" / "neural_gates.png"
_BINS = np.linspace(0.0, 1.0, 21)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d, rows in ((20, 200),) if quick else ((20, 1000), (50, 1000)):
        for seed in seeds if seeds is not None else range(1 if quick else 3):
            yield Job("neural", d, rows, seed, partial(_run, d, rows, seed))


def _run(d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = scp(d, seed, rows)
    skeleton = cdnots(values, truth.shape[2] - 1)
    gates = gp.analyze(skeleton, values, engine="neural", progress=False).gates
    numbers: dict[str, float] = {}
    for name, chosen in (("true", skeleton.mask & truth), ("false", skeleton.mask & ~truth)):
        value = gates[chosen]
        numbers[f"{name}_edges"] = float(len(value))
        numbers[f"{name}_open"] = float((value > 0.5).mean()) if len(value) else 0.0
        numbers[f"{name}_undecided"] = float(((value > 0.2) & (value < 0.8)).mean()) if len(value) else 0.0
        for edge, count in zip(_BINS[:-1], np.histogram(value, _BINS)[0], strict=True):
            numbers[f"{name}_{edge:.2f}"] = float(count)
    return numbers


def draw(rows: Sequence[Row]) -> None:
    """Write the histograms to `PICTURE`."""
    from matplotlib.figure import Figure

    sizes = sorted({row.d for row in rows})
    figure = Figure(figsize=(5 * len(sizes), 3.2), layout="constrained")
    for axes, d in zip(np.atleast_1d(figure.subplots(1, len(sizes))), sizes, strict=True):
        for name, colour in (("false", "#e0a030"), ("true", "#3060a0")):
            counts = [sum(r.numbers[f"{name}_{edge:.2f}"] for r in rows if r.d == d) for edge in _BINS[:-1]]
            axes.stairs(counts, _BINS, fill=True, alpha=0.6, color=colour, label=f"{name} edges")
        axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
        axes.set(xlabel="gate", ylabel="candidates", title=f"d = {d}")
        axes.legend(frameon=False)
    figure.savefig(PICTURE, dpi=120)


def table(rows: Sequence[Row]) -> str:
    if not all(row.quick for row in rows):
        draw(rows)
    columns = ("true_edges", "true_open", "true_undecided", "false_edges", "false_open", "false_undecided")
    return mean_table(rows, columns)
