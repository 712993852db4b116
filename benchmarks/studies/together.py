"""Effects that act together, by `discover` from data alone: two causes of one effect, and chaotic systems.

Products, thresholds and exclusive or of two lagged values (10 variables, 1000 rows); Lorenz-96 of 10
variables with forcing 5, 10 and 40 (250, 500 and 1000 rows, pairs), and of 50 and 100 variables as in the
paper's tables (lag 1). Each with interactions and without, so that their cost can be seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import measured
from benchmarks.studies._world_scores import cells, compared, halved
from benchmarks.studies.mechanisms import MECHANISMS, two_parents
from benchmarks.studies.neural import lorenz96
from benchmarks.worlds import make
from benchmarks.worlds.base import BoolArray, FloatArray
from benchmarks.worlds.paper import REPORTED_SEEDS

TITLE = "Effects that act together, from data alone"
TOGETHER = ("product", "linear and product", "threshold (a where b > 0)", "exclusive or")
FORCINGS = {"weak": "forcing 5", "medium": "forcing 10", "strong": "forcing 40"}
OPTIONS = {"discover": {}, "discover, interactions=False": {"interactions": False}}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    for seed in chosen:
        for method, options in OPTIONS.items():
            for name in TOGETHER[:1] if quick else MECHANISMS:
                d, rows = (6, 300) if quick else (10, 1000)
                call = partial(_mechanism, name, d, rows, seed, options)
                yield Job(f"{name}: {method}", d, rows, seed, call)
            for strength, forcing in () if quick else FORCINGS.items():
                for rows in (250, 500, 1000):
                    call = partial(_chaotic, strength, rows, seed, options)
                    yield Job(f"Lorenz-96, {forcing}: {method}", 10, rows, seed, call)
            for d, rows in () if quick else [(d, rows) for d in (50, 100) for rows in (500, 1000, 2000)]:
                call = partial(_of_the_paper, d, rows, seed, options)
                yield Job(f"Lorenz-96, the paper's: {method}", d, rows, seed, call)


def _scored(
    data: FloatArray, truth: BoolArray, kind: str, lags: int, options: dict[str, bool]
) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, spent = measured(lambda: gp.discover(data, lags, progress=False, **options))  # type: ignore[arg-type]
    graph = halved(found.graph[:, :, : truth.shape[2]])
    precision, recall, f1 = compared(cells(truth.astype(np.float64), kind), cells(graph, kind))
    return {"precision": precision, "recall": recall, "f1": f1, "cpu": spent["cpu"]}


def _mechanism(name: str, d: int, rows: int, seed: int, options: dict[str, bool]) -> dict[str, float]:
    data, truth, _ = two_parents(MECHANISMS[name], d, rows, seed)
    return _scored(data, truth, "lags", truth.shape[2] - 1, options)


def _chaotic(strength: str, rows: int, seed: int, options: dict[str, bool]) -> dict[str, float]:
    made = make("lorenz96", seed, d=10, T=rows, strength=strength)
    return _scored(made.data, made.truth, "pairs", made.max_lag, options)


def _of_the_paper(d: int, rows: int, seed: int, options: dict[str, bool]) -> dict[str, float]:
    data, truth = lorenz96(d, seed, rows)
    return _scored(data, truth, "lags", truth.shape[2] - 1, options)


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("f1", "precision", "recall", "cpu"), by=("d", "T", "method"))
