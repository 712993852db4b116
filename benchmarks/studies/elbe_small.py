"""Real data, a few variables at once: connected gauges of the Elbe during the flood of 2024.

Five gauges that the river network connects, drawn at random; hourly means, lags up to six hours; a pair
counts as found at whichever lag. Beside `discover` the least squares of all lags with the t-test of each
(VAR): at .05, at .001, and at the level that is best for each graph in hindsight.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.on_worlds import var
from benchmarks.metrics import measured
from benchmarks.worlds.base import BoolArray, FloatArray, World

TITLE = "Elbe flood: five connected gauges at once"
GAUGES, MAX_LAG, GRAPHS = 5, 6, 40
TRANSFORMS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {"logs": np.log, "levels": pd.DataFrame}
OPTIONS: dict[str, dict[str, Any]] = {"discover": {}, "discover, alpha='level'": {"alpha": "level"}}
_LEVELS = {"VAR at .05": 0.05, "VAR at .001": 0.001}
_BEST = "VAR, best level"


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    rows = 200 if quick else None
    for seed in seeds if seeds is not None else range(1 if quick else GRAPHS):
        for scale in TRANSFORMS:
            for method in (*OPTIONS, *_LEVELS, _BEST):
                work = partial(_numbers, method, scale, seed, rows)
                yield Job(f"{scale}: {method}", GAUGES, rows or 753, seed, work, ours=method in OPTIONS)


def gauges(truth: BoolArray, seed: int) -> list[int]:
    """Places of connected gauges: one at random, then neighbours of those there are."""
    rng = np.random.default_rng([seed, GAUGES])
    near = truth | truth.T
    while True:
        found = [int(rng.integers(len(truth)))]
        while len(found) < GAUGES:
            around = np.setdiff1d(np.flatnonzero(near[found].any(axis=0)), found)
            if not len(around):
                break
            found.append(int(rng.choice(around)))
        if len(found) == GAUGES:
            return sorted(found)


def _numbers(method: str, scale: str, seed: int, rows: int | None) -> dict[str, float]:
    example = gp.load_example("elbe_flood")
    every = np.asarray(example.pair_graph, dtype=np.bool_)
    chosen = gauges(every, seed)
    hourly = example.data.resample("1h").mean().iloc[:rows, chosen]
    data, off = TRANSFORMS[scale](hourly), ~np.eye(GAUGES, dtype=np.bool_)
    truth = every[np.ix_(chosen, chosen)][off]
    if method in OPTIONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, spent = measured(lambda: gp.discover(data, MAX_LAG, progress=False, **OPTIONS[method]))
        graph = np.asarray(found.graph.any(axis=2), dtype=np.bool_)[off]
        ranked = (
            graph.astype(float) if OPTIONS[method] else found.pair_scores[off]
        )  # the level rule ranks none
        return _scored(truth, graph, ranked, spent["cpu"])
    scores = _var_scores(data.interpolate().to_numpy())[off]
    if method == _BEST:
        graphs = [_scored(truth, scores >= one, scores, 0.0) for one in scores]
        return max(graphs, key=lambda graph: graph["f1"])
    return _scored(truth, scores > -np.log10(_LEVELS[method]), scores, 0.0)


def _var_scores(values: FloatArray) -> FloatArray:
    """[cause, effect]: the largest -log10 p of a pair's lags."""
    return np.asarray(var(World(values, np.zeros((GAUGES, GAUGES, MAX_LAG + 1), np.bool_)))[1].max(axis=2))


def _scored(truth: BoolArray, found: BoolArray, scores: FloatArray, cpu: float) -> dict[str, float]:
    both = float((truth & found).sum())
    return {
        "precision": both / max(float(found.sum()), 1.0),
        "recall": both / float(truth.sum()),
        "f1": 2.0 * both / float(truth.sum() + found.sum()),
        "false": float((found & ~truth).sum()),
        "auroc": float(roc_auc_score(truth, scores)),
        "cpu": cpu,
    }


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("precision", "recall", "f1", "false", "auroc", "cpu"), by=("method",))
