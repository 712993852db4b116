"""A PCMCI result refined, against every level that its user could have chosen, and the ablation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import HostRun, pcmci
from benchmarks.metrics import scores
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp, weak_scp

TITLE = "PCMCI (alpha 0.05) refined, against the same PCMCI at its best alpha and with FDR"
_ROWS = 1000
Source = Callable[[int, int, int], tuple[FloatArray, BoolArray]]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    sizes = (20,) if quick else (20, 50, 100)
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for d in sizes:
        for seed in chosen:
            yield from _methods("", scp, d, seed)
    for seed in chosen if not quick else ():
        yield from _methods("weak: ", weak_scp, 20, seed)


def _methods(label: str, source: Source, d: int, seed: int) -> Iterable[Job]:
    def job(method: str, run: Callable[[FloatArray, BoolArray, HostRun], dict[str, float]]) -> Job:
        def made() -> dict[str, float]:
            try:
                values, truth = source(d, seed, _ROWS)
            except RuntimeError:  # the generator found no stationary process for this seed
                return {}
            name = f"{label.strip(': ') or 'scp'}_{d}_{seed}_{_ROWS}"
            return run(values, truth, pcmci(values, name))

        return Job(label + method, d, _ROWS, seed, made)

    yield job("PCMCI, alpha 0.05", lambda _, truth, host: _raw(truth, host.skeleton(0.05), host))
    yield job("PCMCI, FDR 0.05", lambda _, truth, host: _raw(truth, host.fdr(), host))
    yield job("PCMCI, best alpha", lambda _, truth, host: _raw(truth, host.best_alpha(truth)[1], host))
    yield job("refined", _refined)
    yield job("refined, gates only", lambda *given: _refined(*given, decide="gates"))
    yield job("refined, certificate only", lambda *given: _refined(*given, decide="certificate"))


def _raw(truth: BoolArray, found: BoolArray, host: HostRun) -> dict[str, float]:
    return {**scores(truth, found), "seconds": host.seconds}


def _refined(values: FloatArray, truth: BoolArray, host: HostRun, **options: Any) -> dict[str, float]:
    skeleton = host.skeleton(0.05)
    start = time.perf_counter()
    graph = gp.refine(skeleton, values, layout="cause,effect,lag", **options)
    seconds = time.perf_counter() - start
    return {**scores(truth, graph), "seconds": seconds, "share": seconds / host.seconds}


def table(rows: Sequence[Row]) -> str:
    made = [row for row in rows if row.numbers]
    made.sort(key=lambda row: (row.method.startswith("weak"), row.d))
    return mean_table(made, ("precision", "recall", "f1", "seconds", "share"))
