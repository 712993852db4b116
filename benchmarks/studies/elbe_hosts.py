"""The Elbe flood with a host in hand: PCMCI as it is, at its best alpha, refined once and in every window.

Hourly means of logarithms, lags to 12 hours, pairs at whichever lag. The best alpha knows the true network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.hosts.programs import Found
from benchmarks.studies.elbe import (
    COLUMNS,
    MAIN_RIVER,
    MAX_LAG,
    Numbers,
    bootstrap_run,
    pair_numbers,
    refined_pairs,
)
from benchmarks.worlds.paper import BoolArray
from grace_plugin.datasets import Example

TITLE = "Elbe flood: PCMCI's graph, refined once and in every window"
METHODS = ("alpha 0.05", "FDR 0.05", "best alpha", "refined", "bootstrap")


def jobs(quick: bool, seeds: Sequence[int] | None) -> Iterator[Job]:
    elbe = gp.load_example("elbe_flood")
    for example in [elbe.select(MAIN_RIVER)] if quick else [elbe.select(MAIN_RIVER), elbe]:
        data = np.log(example.data.resample("1h").mean()).interpolate()  # four values are missing
        for method in METHODS:
            usual = range(2) if method == "bootstrap" and not quick else range(1)  # six minutes each
            for seed in usual if seeds is None else seeds:
                run = _job(example, data, method, seed, runs=4 if quick else 50)
                yield Job(f"PCMCI, {method}", len(example.names), len(data), seed, run)


def _job(example: Example, data: pd.DataFrame, method: str, seed: int, runs: int) -> Callable[[], Numbers]:
    truth = example.pair_graph

    def run() -> Numbers:
        host = programs.run("PCMCI", data.to_numpy(), f"elbe_{len(truth)}", MAX_LAG)
        skeleton = gp.Skeleton(host.graph, tuple(data))
        if method == "bootstrap":
            return bootstrap_run(data, truth, seed, runs, n_jobs=2, source=skeleton)()
        if method == "refined":
            return refined_pairs(lambda: gp.analyze(skeleton, data), truth)
        pairs = _pairs(host)
        graphs: dict[str, Callable[[], BoolArray]] = {
            "alpha 0.05": lambda: pairs.graph,
            "FDR 0.05": lambda: np.asarray(host.fdr().any(axis=2)),
            "best alpha": lambda: pairs.best(truth),
        }
        seconds = host.spent["cpu"]  # of its one thread, whatever else ran beside it
        return pair_numbers(truth, graphs[method](), pairs.strength, seconds)

    return run


def _pairs(host: Found) -> Found:
    """Of each pair of different variables, its most certain lag."""
    strength = np.where(np.eye(len(host.graph), dtype=bool), 0.0, host.strength[:, :, 1:].max(axis=2))
    return Found(np.asarray(host.graph.any(axis=2)), strength, None, host.spent)


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, COLUMNS, by=("d", "method"))
