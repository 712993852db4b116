"""`grace demo`: built-in data with a known truth, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.cli.files import write_picture
from grace_plugin.datasets import load_example
from grace_plugin.pipeline.discovery import discover
from grace_plugin.results.refinement import Refinement

_MAX_LAG = 3


def run_demo(picture: Path) -> Iterator[str]:
    """The lines to show; the picture is written where matplotlib is installed."""
    example = load_example("toy_climate")
    host = "pcmci" if find_spec("tigramite") else "full"
    words = "what tigramite's PCMCI finds" if host == "pcmci" else "every possible edge"
    yield f"{example.name}: {len(example.data)} rows of {', '.join(example.names)}; candidates: {words}."
    refinement = discover(example.data, _MAX_LAG, skeleton=host)
    truth = np.zeros_like(refinement.graph)
    for cause, effect, lag in example.edges:
        truth[example.names.index(cause), example.names.index(effect), lag] = True
    yield ""
    yield f"{'edge':<24} {'before':<8} {'after':<8} truth"
    yield from _edge_lines(refinement, truth)
    yield ""
    for name, graph in {"before": refinement.skeleton.mask, "after": refinement.graph}.items():
        right = int((graph & truth).sum())
        yield f"{name:<7} {int(graph.sum()):>4} edges, {right} true, {int((graph & ~truth).sum())} false"
    if find_spec("matplotlib"):
        yield _drawn(refinement, truth, picture)


def _edge_lines(refinement: Refinement, truth: BoolArray) -> Iterator[str]:
    before, after, names = refinement.skeleton.mask, refinement.graph, refinement.names
    cells = [tuple(int(i) for i in cell) for cell in np.argwhere(before | truth)]
    for cell in sorted(cells, key=lambda one: (not truth[one], not after[one], one[1])):
        edge = f"{names[cell[0]]} -> {names[cell[1]]} @ {cell[2]}"
        seen = ["yes" if graph[cell] else "-" for graph in (before, after)]
        yield f"{edge:<24} {seen[0]:<8} {seen[1]:<8} {'true' if truth[cell] else 'FALSE'}"


def _drawn(refinement: Refinement, truth: BoolArray, picture: Path) -> str:
    import matplotlib as mpl

    mpl.use("Agg")
    figure, _ = refinement.plot(truth=truth)
    write_picture(figure, picture)
    return f"picture: {picture}"
