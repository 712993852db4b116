"""Two categories, two counts and six numbers in one process, against PCMCI with its mixed test.

Every variable has one or two causes at lags 1 and 2. Categories are drawn with log-odds that their causes
move, counts are Poisson with a log-rate that they move, numbers have Gaussian noise. `discover` takes the
table as it is; PCMCI runs with RegressionCI, at .05, .01 and the best level in hindsight. F1 is of lagged
cross edges.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import HostRun
from benchmarks.metrics import measured
from benchmarks.studies.gaps import BEST_OF, f1
from benchmarks.worlds.base import BoolArray, FloatArray, Rng

TITLE = "Words, counts and numbers"
_NAMES = ("sky", "road", "calls", "visits", "a", "b", "c", "d", "e", "f")
_LEVELS = {0: 3, 1: 4}  # of the categories
_COUNTS = (2, 3)
_MAX_LAG = 2
_BURN_IN = 50


@dataclass(frozen=True, eq=False)
class Effect:
    """One edge: its size, what each level of a cause says, and what each level of an effect listens to."""

    cause: int
    effect: int
    lag: int
    size: float
    said: FloatArray
    heard: FloatArray


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """`discover` beside PCMCI."""
    chosen = list(seeds if seeds is not None else range(1 if quick else 10))
    for rows in (150,) if quick else (300, 600, 1200):
        for seed in chosen:
            yield Job("discover", 10, rows, seed, partial(_ours, rows, seed))
            yield Job("PCMCI, RegressionCI", 10, rows, seed, partial(_pcmci, rows, seed), ours=False)


@lru_cache(maxsize=4)
def drawn(rows: int, seed: int) -> tuple[pd.DataFrame, BoolArray]:
    """A table and its true graph."""
    rng = np.random.default_rng([seed, rows])
    effects = [edge for effect in range(10) for edge in _causes(rng, effect)]
    values = np.zeros((rows + _BURN_IN, 10))
    for t in range(_MAX_LAG, len(values)):
        for effect in range(10):
            values[t, effect] = _next(
                rng, values, t, effect, [one for one in effects if one.effect == effect]
            )
    truth = np.zeros((10, 10, _MAX_LAG + 1), dtype=bool)
    for one in effects:
        truth[one.cause, one.effect, one.lag] = True
    return _table(values[_BURN_IN:]), truth


def _causes(rng: Rng, effect: int) -> list[Effect]:
    others = [one for one in range(10) if one != effect]
    return [
        Effect(
            int(cause),
            effect,
            int(rng.integers(1, _MAX_LAG + 1)),
            float(rng.choice((-1, 1)) * rng.uniform(0.5, 0.9)),
            _contrast(rng, _LEVELS.get(int(cause), 2)),
            _contrast(rng, _LEVELS.get(effect, 2)),
        )
        for cause in rng.choice(others, rng.integers(1, 3), replace=False)
    ]


def _contrast(rng: Rng, levels: int) -> FloatArray:
    """Unit variance over the levels, mean nothing."""
    drawn = rng.normal(size=levels)
    return np.asarray((drawn - drawn.mean()) / drawn.std())


def _pushed(values: FloatArray, t: int, one: Effect) -> float:
    value = values[t - one.lag, one.cause]
    if one.cause in _LEVELS:
        return one.size * float(one.said[int(value)])
    return one.size * float(np.clip((value - 2.0) / 1.5 if one.cause in _COUNTS else value, -3.0, 3.0))


def _next(rng: Rng, values: FloatArray, t: int, effect: int, causes: Sequence[Effect]) -> float:
    before = values[t - 1, effect]
    if effect in _LEVELS:
        odds = np.zeros(_LEVELS[effect])
        odds[int(before)] += 0.8
        for one in causes:
            odds += 1.2 * _pushed(values, t, one) * one.heard
        chance = np.exp(odds - odds.max())
        return float(rng.choice(len(odds), p=chance / chance.sum()))
    push = sum(_pushed(values, t, one) for one in causes)
    if effect in _COUNTS:
        rate = np.exp(np.clip(0.6 + 0.1 * min(before, 5.0) + 0.35 * push, -3.0, 2.2))
        return float(min(rng.poisson(rate), 30))
    return float(0.3 * before + rng.normal() + 0.7 * push)


def _table(values: FloatArray) -> pd.DataFrame:
    table = pd.DataFrame(values, columns=list(_NAMES))
    for place, levels in _LEVELS.items():
        words = np.array([f"{_NAMES[place]} {level}" for level in range(levels)])
        table[_NAMES[place]] = words[values[:, place].astype(int)]
    return table.astype({_NAMES[place]: int for place in _COUNTS})


def _ours(rows: int, seed: int) -> dict[str, float]:
    table, truth = drawn(rows, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, spent = measured(lambda: gp.discover(table, _MAX_LAG, progress=False).graph)
    return {"f1": f1(truth, found), "cpu": spent["cpu"]}


def _pcmci(rows: int, seed: int) -> dict[str, float]:
    table, truth = drawn(rows, seed)
    found, spent = measured(lambda: HostRun(_p_matrix(table), 0.0))
    return {
        "f1": f1(truth, found.skeleton(0.05)),
        "f1_at_01": f1(truth, found.skeleton(0.01)),
        "f1_at_best": max(f1(truth, found.skeleton(level)) for level in BEST_OF),
        "cpu": spent["cpu"],
    }


def _p_matrix(table: pd.DataFrame) -> Any:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.regressionCI import RegressionCI
    from tigramite.pcmci import PCMCI

    values = np.column_stack(
        [
            pd.factorize(table[name], sort=True)[0] if place in _LEVELS else table[name]
            for place, name in enumerate(_NAMES)
        ]
    ).astype(float)
    kinds = np.zeros(values.shape, dtype=int)
    kinds[:, list(_LEVELS)] = 1
    frame = pp.DataFrame(values, data_type=kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        host = PCMCI(dataframe=frame, cond_ind_test=RegressionCI(), verbosity=0)
        return host.run_pcmci(tau_min=1, tau_max=_MAX_LAG, pc_alpha=0.05)["p_matrix"]


def table(rows: Sequence[Row]) -> str:
    """Means over seeds."""
    return mean_table(rows, ("f1", "f1_at_01", "f1_at_best", "cpu"))
