"""Every host as it comes, at its best threshold, with FDR, pruned as CAM prunes, refined by either engine.

The paper's generator, d = 20, T = 1000, lags up to 5. Edges at lag 0 are left out of every score, because
the truth has none and only some hosts look for them. "best threshold" knows the true graph, which no user
does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.hosts.pcmci import pcmci
from benchmarks.hosts.programs import Found, cam_pruned
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import certainty
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp
from benchmarks.worlds.paper_like import draw

TITLE = "Rivals: every host raw, at its best threshold, with FDR, CAM-pruned, refined"
WITH_P = ("PCMCI", "PCMCI+", "VAR")
WITH_STRENGTH = ("LASSO-VAR", "VARLiNGAM")
SLOW = {"CDNOTS (causalts)": 2, "GRACE (causalts)": 2, "PC": 2}  # seeds that are run; graphs without p-values
NEURAL_SEEDS = 5
SKELETONS = ("basis", "cdnots", "lasso")
COLUMNS = ("precision", "recall", "f1", "shd", "auroc", "pair_f1", "pair_auroc", "cpu", "peak_mib")
Numbers = dict[str, float]
Action = Callable[[FloatArray, BoolArray, str], Numbers]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = list(seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS))
    for place, seed in enumerate(chosen):
        for name in ("VAR", "LASSO-VAR") if quick else (*WITH_P, *WITH_STRENGTH):
            yield from _host_jobs(name, quick, seed, place < NEURAL_SEEDS)
        yield _job("Granger, pairs only: raw", quick, seed, _granger)
        for skeleton in ("basis",) if quick else SKELETONS:
            yield _job(f"discover, {skeleton}", quick, seed, _discover(skeleton))
    for name, count in () if quick else SLOW.items():
        for seed in chosen[:count]:
            yield from _host_jobs(name, quick, seed, neural=True)


def _host_jobs(name: str, quick: bool, seed: int, neural: bool) -> Iterable[Job]:
    ways = ["raw", "CAM-pruned", "refined"]
    ways += ["FDR 0.05"] * (name in WITH_P)
    ways += ["best threshold"] * (name in (*WITH_P, *WITH_STRENGTH))
    ways += ["refined, neural"] * (neural and not (quick and name != "VAR"))
    for way in ways:
        yield _job(f"{name}: {way}", quick, seed, _of_host(name, way))


def _job(method: str, quick: bool, seed: int, action: Action) -> Job:
    d, rows = (4, 200) if quick else (20, 1000)

    def run() -> Numbers:
        values, truth = draw("plain", d, seed, rows) if quick else scp(d, seed, rows)
        return action(values, truth, f"{'plain' if quick else 'scp'}_{d}_{seed}_{rows}")

    return Job(method, d, rows, seed, run)


def found_by(name: str, values: FloatArray, key: str) -> Found:
    if name == "PCMCI" and values.shape[1] == 20:
        return programs.from_pcmci(pcmci(values, key))
    return programs.run(name, values, key)


def _of_host(name: str, way: str) -> Action:
    def run(values: FloatArray, truth: BoolArray, key: str) -> Numbers:
        return treated(way, found_by(name, values, key), values, truth)

    return run


def treated(way: str, host: Found, values: FloatArray, truth: BoolArray) -> Numbers:
    """The numbers of one host's result after one treatment; `share` is its time over that of the host."""
    if way == "raw":
        return {**_lagged(truth, host.graph, host.strength), **host.spent}
    if way == "FDR 0.05":
        return {**_lagged(truth, host.fdr(), host.strength), **host.spent}
    if way == "best threshold":
        return {**_lagged(truth, host.best(truth), host.strength), **host.spent}
    if way == "CAM-pruned":
        kept, spent = measured(lambda: cam_pruned(host.graph, values))
        return {**_lagged(truth, kept, kept * (1.0 + host.strength)), **spent}
    engine = "neural" if way.endswith("neural") else "additive"
    skeleton = gp.Skeleton(host.graph)
    result, spent = measured(lambda: gp.analyze(skeleton, values, engine=engine, progress=False))
    return {**_lagged(truth, result.graph, certainty(result)), **spent}


def _lagged(truth: BoolArray, graph: BoolArray, strength: FloatArray) -> Numbers:
    past = np.arange(truth.shape[2]) > 0
    return graded(truth, graph & past, strength * past)


def _granger(values: FloatArray, truth: BoolArray, key: str) -> Numbers:
    """Only what is said about pairs: the test has no lags."""
    numbers = treated("raw", found_by("Granger", values, key), values, truth)
    return {name: value for name, value in numbers.items() if name.startswith("pair_") or name == "cpu"}


def _discover(skeleton: str) -> Action:
    def run(values: FloatArray, truth: BoolArray, key: str) -> Numbers:
        del key
        found, spent = measured(lambda: gp.discover(values, 5, skeleton=skeleton, progress=False))
        return {**_lagged(truth, found.graph, certainty(found)), **spent}

    return run


def table(rows: Sequence[Row]) -> str:
    return mean_table(sorted(rows, key=lambda row: row.method), COLUMNS)
