"""Gate values of the neural engine, true and false edges apart (the paper's appendix A), with a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.neural import cdnots
from benchmarks.worlds.paper import CACHE, BoolArray, FloatArray, scp

TITLE = "Gate values of the neural engine, true and false edges apart"
PICTURE = CACHE.parents[1] / "docs" / "images" / "neural_gates.png"
COLUMNS = ("true_edges", "true_open", "true_undecided", "false_edges", "false_open", "false_undecided")
_BINS = np.linspace(0.0, 1.0, 21)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d, rows in ((20, 200),) if quick else ((20, 1000), (50, 1000)):
        for seed in seeds if seeds is not None else range(1 if quick else 3):
            yield Job("neural", d, rows, seed, partial(_run, d, rows, seed))


def _run(d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = scp(d, seed, rows)
    skeleton = cdnots(values, truth.shape[2] - 1)
    gates = gp.analyze(skeleton, values, engine="neural", progress=False).gates
    return by_truth(gates, skeleton.mask, truth)


def by_truth(gates: FloatArray, candidates: BoolArray, truth: BoolArray) -> dict[str, float]:
    """The histograms of true and of false candidates, and how many of either are open or undecided."""
    numbers: dict[str, float] = {}
    for name, chosen in (("true", candidates & truth), ("false", candidates & ~truth)):
        value = gates[chosen]
        numbers[f"{name}_edges"] = float(len(value))
        numbers[f"{name}_open"] = float((value > 0.5).mean()) if len(value) else 0.0
        numbers[f"{name}_undecided"] = float(((value > 0.2) & (value < 0.8)).mean()) if len(value) else 0.0
        for edge, count in zip(_BINS[:-1], np.histogram(value, _BINS)[0], strict=True):
            numbers[f"{name}_{edge:.2f}"] = float(count)
    return numbers


def draw(rows: Sequence[Row], picture: Path = PICTURE) -> None:
    """Write the histograms to `picture`: one line of them for each method, one column for each size."""
    from matplotlib.figure import Figure

    methods, sizes = sorted({row.method for row in rows}), sorted({row.d for row in rows})
    shape = len(methods), len(sizes)
    figure = Figure(figsize=(5 * shape[1], 3.2 * shape[0]), layout="constrained")
    places = figure.subplots(*shape, squeeze=False).ravel()
    for axes, (method, d) in zip(places, product(methods, sizes), strict=True):
        shown = [row.numbers for row in rows if row.d == d and row.method == method]
        for name, colour in (("false", "#e0a030"), ("true", "#3060a0")):
            counts = [sum(one[f"{name}_{edge:.2f}"] for one in shown) for edge in _BINS[:-1]]
            axes.stairs(counts, _BINS, fill=True, alpha=0.6, color=colour, label=f"{name} edges")
        axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
        title = f"d = {d}" if len(methods) == 1 else f"{method}, d = {d}"
        axes.set(xlabel="gate", ylabel="candidates", title=title)
        axes.legend(frameon=False)
    figure.savefig(picture, dpi=120)


def table(rows: Sequence[Row]) -> str:
    if not all(row.quick for row in rows):
        draw(rows)
    return mean_table(rows, COLUMNS)
