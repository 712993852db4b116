"""Are p-values what they say for a candidate that nobody chose? Independent pairs of series, one test each.

The cause at lag 1 is tested beside three lags of the effect: by the F test alone ("plain"), and as strong
candidates are tested after the data were prepared ("rules"). A share above its level means false edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from scipy.signal import lfilter

from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds.paper import FloatArray
from grace_plugin.moments.features import DEFAULT_BASIS, expand
from grace_plugin.prepare.preparing import Prepared, prepare
from grace_plugin.regression.robust import plain_p_value, robust_p_value
from grace_plugin.series.panel import as_panel

TITLE = "Fixed candidates: shares of null p-values below a level"
LEVELS = (0.05, 0.01, 0.001)
MEMORIES = (0.4, 0.9, 0.99)
_LAGS, _BURN_IN, _PAIRS = 3, 300, 50


def _changing(rng: np.random.Generator, rows: int) -> FloatArray:
    """Cause and effect share a volatility that wanders."""
    size = np.exp(lfilter([1.0], [1.0, -0.95], 0.25 * rng.normal(size=(rows, _PAIRS)), axis=0))
    return np.asarray(rng.normal(size=(rows, 2 * _PAIRS)) * np.tile(size, 2))


NOISE: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "Gaussian": lambda rng, rows: rng.normal(size=(rows, 2 * _PAIRS)),
    "t3": lambda rng, rows: rng.standard_t(3, size=(rows, 2 * _PAIRS)),
    "skewed": lambda rng, rows: rng.exponential(size=(rows, 2 * _PAIRS)) ** 1.5,
    "changing": _changing,
}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else range(1 if quick else 10)
    tests = 50 if quick else 5000
    for seed in chosen:
        for kind in NOISE:
            for memory in MEMORIES:
                for rows in (100,) if quick else (100, 300, 1000):
                    name = f"{kind}, own past {memory}"
                    for rules in (False, True):
                        method = f"{name}: {'rules' if rules else 'plain'}"
                        yield Job(
                            method, 2, rows, seed, partial(sizes, kind, memory, rows, seed, tests, rules)
                        )


def sizes(kind: str, memory: float, rows: int, seed: int, tests: int, rules: bool) -> dict[str, float]:
    """The share of null p-values below each level."""
    found = p_values(kind, memory, rows, seed, tests, rules)
    return {"tests": float(len(found)), **{f"below {one}": float((found < one).mean()) for one in LEVELS}}


def p_values(kind: str, memory: float, rows: int, seed: int, tests: int, rules: bool) -> FloatArray:
    """One for each of `tests` independent pairs."""
    rng = np.random.default_rng(seed)
    found: list[float] = []
    while len(found) < tests:
        values = lfilter([1.0], [1.0, -memory], NOISE[kind](rng, rows + _BURN_IN), axis=0)[_BURN_IN:]
        prepared = prepare(as_panel(values), ["tails", "persistence", "noise"] if rules else "none")
        found += [_one(prepared, pair) for pair in range(_PAIRS)]
    return np.array(found[:tests])


def _one(prepared: Prepared, pair: int) -> float:
    values = prepared.panel.series[0].values[:, [_PAIRS + pair, pair]]
    cause, effect = ((values - values.mean(axis=0)) / values.std(axis=0)).T
    rows = len(effect)
    given = np.stack([effect[_LAGS - lag : rows - lag] for lag in range(1, _LAGS + 1)], axis=1)
    own, next_lag = (expand(cause[_LAGS - lag : rows - lag, None], DEFAULT_BASIS) for lag in (1, 2))
    extra = next_lag if prepared.persistent[_PAIRS + pair] else None
    test = robust_p_value if prepared.believes_residuals else plain_p_value
    return test(effect[_LAGS:], given, own, extra)


def table(rows: Sequence[Row]) -> str:
    """Means over seeds."""
    return mean_table(rows, tuple(f"below {one}" for one in LEVELS), by=("method", "T"))
