"""The neural engine on the paper's generator, on Lorenz-96 and on noise, from CDNOTS skeletons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import odeint

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import measured, scores
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, ar_noise, scp
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

TITLE = "The neural engine from CDNOTS skeletons (alpha 0.05)"

PAPER = {  # F1 of the paper's tables, by (d, T); its Lorenz-96 sizes are 50 and 100 at one lag
    "scp": {(20, 1000): 0.868, (50, 1000): 0.915, (100, 1000): 0.920},
    "lorenz": {
        (50, 500): 0.764,
        (50, 1000): 0.828,
        (50, 2000): 0.874,
        (100, 500): 0.840,
        (100, 1000): 0.875,
        (100, 2000): 0.894,
    },
}
METHODS: dict[str, dict[str, Any]] = {
    "neural": {"engine": "neural"},
    "neural, preset paper": {"engine": "neural", "preset": "paper"},
    "additive": {"engine": "additive"},
}
ALONE = "neural, from data alone"  # `discover` with its own skeleton instead of CDNOTS
_NOISE = (20, 1000)
_PAPER_D = 20  # the letter of the paper takes long and finds little, so it is shown at one size


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    sizes = {name: list(known) for name, known in PAPER.items()} | {"noise": [_NOISE]}
    if quick:
        sizes = {"scp": [(5, 200)], "lorenz": [(5, 200)], "noise": [(5, 200)]}
    for source, cells in sizes.items():
        for d, rows in cells:
            for seed in chosen:
                for method, options in METHODS.items():
                    if "preset" not in options or (source == "scp" and d == _PAPER_D and not quick):
                        yield _job(source, method, options, d, rows, seed)
                yield Job(f"{source}: {ALONE}", d, rows, seed, partial(_run_alone, source, d, rows, seed))


def _job(source: str, method: str, options: dict[str, Any], d: int, rows: int, seed: int) -> Job:
    return Job(f"{source}: {method}", d, rows, seed, lambda: _run(source, options, d, rows, seed))


def _run(source: str, options: dict[str, Any], d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = _SOURCES[source](d, seed, rows)
    skeleton = cdnots(values, truth.shape[2] - 1)
    return _numbers(truth, lambda: gp.analyze(skeleton, values, progress=False, **options))


def _run_alone(source: str, d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = _SOURCES[source](d, seed, rows)
    return _numbers(truth, lambda: gp.discover(values, truth.shape[2] - 1, engine="neural", progress=False))


def _numbers(truth: BoolArray, call: Callable[[], gp.Refinement]) -> dict[str, float]:
    result, spent = measured(call)
    skeleton, graph = result.skeleton.mask, result.graph
    before = scores(truth, skeleton)
    across = ~np.eye(len(truth), dtype=bool)
    return {
        **scores(truth, graph),
        "skeleton_f1": before["f1"],
        "skeleton_recall": before["recall"],
        "false_cross_edges": float((graph & ~truth)[across].sum()),
        "skeleton_false_cross_edges": float((skeleton & ~truth)[across].sum()),
        "seconds": spent["seconds"],
        "cpu_seconds": spent["cpu"],
    }


def cdnots(values: FloatArray, max_lag: int) -> gp.Skeleton:
    """The paper's first stage."""
    return get_skeleton("cdnots")(Source(as_panel(values), max_lag))


def lorenz96(d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray]:
    """Forcing 10, time step 0.1, observation noise 0.1, 1000 steps of burn-in; one lag."""
    rng = np.random.default_rng(seed)

    def slope(x: FloatArray, _: float) -> FloatArray:
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 10.0

    times = 0.1 * np.arange(1000 + rows)
    path = odeint(slope, rng.normal(scale=0.01, size=d), times)[1000:]
    truth = np.zeros((d, d, 2), dtype=np.bool_)
    effects = np.arange(d)
    for shift in (-2, -1, 0, 1):
        truth[(effects + shift) % d, effects, 1] = True
    return path + 0.1 * rng.normal(size=path.shape), truth


_SOURCES: dict[str, Callable[[int, int, int], tuple[FloatArray, BoolArray]]] = {
    "scp": scp,
    "lorenz": lorenz96,
    "noise": ar_noise,
}


def table(rows: Sequence[Row]) -> str:
    sources = list(_SOURCES)
    order = sorted(rows, key=lambda row: (sources.index(row.method.split(":")[0]), row.d, row.T, row.method))
    columns = ("precision", "recall", "f1", "skeleton_f1", "skeleton_recall", "false_cross_edges")
    made = mean_table(order, (*columns, "skeleton_false_cross_edges", "cpu_seconds"))
    paper = [
        f"{name} d={d} T={length}: {value:.3f}"
        for name, known in PAPER.items()
        for (d, length), value in known.items()
        if any(row.method.startswith(name) and (row.d, row.T) == (d, length) for row in rows)
    ]
    return f"{made}\n\nThe paper's F1: {'; '.join(paper)}." if paper else made
