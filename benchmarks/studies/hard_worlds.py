"""Where assumptions fail: lag 0, products, trends, tails, spells, missing values; our own generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.hosts.programs import Found
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import certainty
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray
from benchmarks.worlds.paper_like import MAX_LAG, draw

TITLE = "Hard worlds: lag 0, products, trends, tails, spells, missing values (lag 0 counts, each pair once)"
WORLDS = ("plain", "contemporaneous", "products", "trends", "heavy tails", "wild spells", "missing values")
Numbers = dict[str, float]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for seed in chosen:
        for world in ("contemporaneous", "products", "missing values") if quick else WORLDS:
            for method in _methods(world, quick):
                yield _job(world, method, *((4, 150) if quick else (10, 1000)), seed)


def _methods(world: str, quick: bool) -> Iterable[str]:
    host = host_of(world)
    yield from (f"{host}, alpha 0.05", f"{host}, FDR 0.05", f"{host}, best alpha", f"{host} refined")
    if not quick or world == "products":
        yield f"{host} refined, neural"
    yield from ("discover, basis", "discover, cdnots")
    if world == "products" and not quick:
        yield "every candidate, neural"


def host_of(world: str) -> str:
    return "PCMCI+" if world == "contemporaneous" else "PCMCI"


def _job(world: str, method: str, d: int, rows: int, seed: int) -> Job:
    def run() -> Numbers:
        values, truth = draw(world, d, seed, rows)
        if method.startswith("discover"):
            options: dict[str, Any] = (
                {"contemporaneous": True} if world == "contemporaneous" and "basis" in method else {}
            )
            skeleton = method.split(", ")[1]
            return _ours(truth, lambda: gp.discover(values, MAX_LAG, skeleton=skeleton, **options))
        if method == "every candidate, neural":
            return _ours(truth, lambda: gp.discover(values, MAX_LAG, "full", engine="neural"))
        key = f"{world.replace(' ', '_')}_{d}_{seed}_{rows}"
        return _hosted(method, programs.run(host_of(world), values, key), values, truth)

    ours = not method.startswith(f"{host_of(world)},")  # a host's own graph does not grow old
    return Job(f"{world}: {method}", d, rows, seed, run, ours=ours)


def _hosted(method: str, host: Found, values: FloatArray, truth: BoolArray) -> Numbers:
    if "refined" in method:
        engine = "neural" if method.endswith("neural") else "additive"
        return _ours(truth, lambda: gp.analyze(gp.Skeleton(host.graph), values, engine=engine))
    way = method.split(", ")[1]
    graphs: dict[str, Callable[[], BoolArray]] = {
        "alpha 0.05": lambda: host.graph,
        "FDR 0.05": host.fdr,
        "best alpha": lambda: host.best(truth),
    }
    return {**graded(truth, graphs[way](), host.strength), **host.spent}


def _ours(truth: BoolArray, call: Callable[[], gp.Refinement]) -> Numbers:
    found, spent = measured(call)
    return {**graded(truth, found.graph, certainty(found)), **spent}


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: WORLDS.index(row.method.split(":")[0]))
    return mean_table(ordered, ("precision", "recall", "f1", "auroc", "pair_f1", "pair_auroc", "cpu"))
