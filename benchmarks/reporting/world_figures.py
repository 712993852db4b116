"""Two pictures of the worlds: F1 of every method, and ours minus the best of each host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.hosts.on_worlds import PROGRAMS
from benchmarks.reporting.evidence import Evidence
from benchmarks.reporting.world_evidence import REAL, WorldEvidence
from benchmarks.worlds import Entry
from benchmarks.worlds.base import FloatArray

_LINE = 0.19  # inches of a world


def f1_of_methods(evidence: Evidence) -> Any:
    """Worlds down, methods across, F1 as colour."""
    found = WorldEvidence(evidence.of("worlds"))
    ways = ["discover", *(f"{host} refined" for host in PROGRAMS), *(f"{host}, tuned" for host in PROGRAMS)]
    known = [way for way in ways if way in found.ways]
    names, values = by_kind(found, known)
    if not names:
        return None
    labels = [way.replace(", tuned", "\ntuned").replace(" refined", "\nrefined") for way in known]
    return _picture(values, names, labels, "viridis", (0.0, 1.0), "F1")


def minus_best(evidence: Evidence) -> Any:
    """Worlds down, hosts across: F1 of `discover` minus the host's at its best level in hindsight."""
    found = WorldEvidence(evidence.of("worlds"))
    hosts = [host for host in PROGRAMS if f"{host}, best" in found.ways]
    names, left = by_kind(found, ["discover"])
    same, right = by_kind(found, [f"{host}, best" for host in hosts])
    if not names or names != same:
        return None
    label = "F1 of discover minus the host's best in hindsight"
    return _picture(left - right, names, hosts, "RdBu", (-0.6, 0.6), label)


def by_kind(found: WorldEvidence, ways: Sequence[str]) -> tuple[list[str], FloatArray]:
    """A line for each world, the mean over its sizes and strengths; NaN where nothing was run."""
    kinds: dict[str, list[Entry]] = {}
    for entry in REAL:
        if any(found.f1(entry, way) for way in ways):
            kinds.setdefault(entry.world, []).append(entry)
    values = [
        [np.nan if (mean := found.overall(way, entries)) is None else mean for way in ways]
        for entries in kinds.values()
    ]
    return list(kinds), np.array(values, dtype=np.float64).reshape(len(kinds), len(ways))


def _picture(
    values: FloatArray,
    names: Sequence[str],
    labels: Sequence[str],
    colours: str,
    limits: tuple[float, float],
    title: str,
) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.6 + 0.62 * len(labels), 1.6 + _LINE * len(names)), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(values, cmap=colours, vmin=limits[0], vmax=limits[1], aspect="auto")
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=7)
    axes.set_xticks(range(len(labels)), labels, rotation=60, ha="left", fontsize=7)
    axes.xaxis.tick_top()
    middle, reach = sum(limits) / 2, limits[1] - limits[0]
    for row, column in np.argwhere(~np.isnan(values)):
        value = values[row, column]
        far = abs(value - middle) > 0.35 * reach if colours == "RdBu" else value < middle
        axes.text(
            column, row, f"{value:.2f}".replace("0.", "."), ha="center", va="center", fontsize=5.5,
            color="white" if far else "black",
        )  # fmt: skip
    figure.colorbar(image, ax=axes, shrink=0.4, label=title)
    return figure
