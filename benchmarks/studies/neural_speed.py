"""The neural engine against `causalts.grace.run_cdnots_gated`: same data, same skeleton, same process."""

from __future__ import annotations

import contextlib
import io
import time
import warnings
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.studies.neural import cdnots
from benchmarks.worlds.paper import BoolArray, FloatArray, scp

TITLE = "Seconds of refinement: the neural engine and causalts, one process, one skeleton"


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    d, rows = (10, 200) if quick else (50, 1000)
    for seed in seeds if seeds is not None else range(1):
        yield Job("both", d, rows, seed, partial(_both, d, rows, seed, 2 if quick else 150))


def _both(d: int, rows: int, seed: int, epochs: int) -> dict[str, float]:
    values, truth = scp(20 if d < 20 else d, seed, rows)
    values, truth = values[:, :d], truth[:d, :d]
    found = cdnots(values, truth.shape[2] - 1)
    mask = found.mask.copy()
    mask[:, :, 0] = False  # causalts refines lagged edges
    ours, graph = _ours(values, mask)
    spent, other = theirs(values, mask, epochs)
    numbers = {"seconds": ours["wall"], "cpu_seconds": ours["cpu"], "f1": scores(truth, graph)["f1"]}
    numbers |= {"causalts_seconds": spent["wall"], "causalts_cpu_seconds": spent["cpu"]}
    numbers |= {"causalts_f1": scores(truth, other)["f1"]}
    return numbers | {"ratio": spent["wall"] / ours["wall"], "cpu_ratio": spent["cpu"] / ours["cpu"]}


def _ours(values: FloatArray, mask: BoolArray) -> tuple[dict[str, float], BoolArray]:
    clock = _Clock()
    result = gp.analyze(gp.Skeleton(mask), values, engine="neural", progress=False)
    return clock.read(), result.graph


def theirs(values: FloatArray, mask: BoolArray, epochs: int) -> tuple[dict[str, float], BoolArray]:
    """Seconds and graph of the authors' package, run as it comes on the same candidates."""
    from causalts.grace import run_cdnots_gated

    frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
    clock = _Clock()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        result = run_cdnots_gated(
            frame,
            mask.shape[2] - 1,
            skeleton=mask.astype(int),
            verbose=False,
            model_seed=0,
            max_epochs=epochs,
            device="cpu",
        )
    return clock.read(), np.asarray(result.cg_tig) != 0


class _Clock:
    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        return {"wall": time.perf_counter() - self.wall, "cpu": time.process_time() - self.cpu}


def table(rows: Sequence[Row]) -> str:
    columns = ("seconds", "causalts_seconds", "ratio", "cpu_seconds", "causalts_cpu_seconds", "cpu_ratio")
    return mean_table(rows, (*columns, "f1", "causalts_f1"))
