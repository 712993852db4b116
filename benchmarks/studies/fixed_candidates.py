"""Are p-values what they say for a candidate that nobody chose? Pairs of series, one test each.

The cause at lag 1 is tested beside three lags of the effect: by the F test alone ("plain"), and as strong
candidates are tested after the data were prepared ("rules"). Independent pairs give the size: a share above
its level means false edges. Pairs with an effect (`power`) say what the rules cost where noise is Gaussian.
The answer of the rules is never below that of the F test, so they are asked only where the F test is below
the largest level: the shares are the same.
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
WAYS = {"plain": "none", "rules": ["tails", "persistence", "noise"]}
_LAGS, _BURN_IN, _PAIRS = 3, 300, 50
_EFFECT = 4.0  # standard errors of the effect whose power is asked for


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
    """Ten seeds of 5,000 tests a cell; and 500 with an effect."""
    chosen = seeds if seeds is not None else range(1 if quick else 10)
    tests = 50 if quick else 5000
    for seed in chosen:
        for kind in NOISE:
            for memory in MEMORIES:
                for rows in (100,) if quick else (100, 300, 1000):
                    for way in WAYS:
                        method = f"{kind}, own past {memory}: {way}"
                        yield Job(method, 2, rows, seed, partial(sizes, kind, memory, rows, seed, tests, way))


def sizes(kind: str, memory: float, rows: int, seed: int, tests: int, way: str) -> dict[str, float]:
    """The share of null p-values below each level, and of those of true effects below .001."""
    found = p_values(kind, memory, rows, seed, tests, way)
    true = p_values(kind, memory, rows, seed + 1_000_000, tests // 10, way, _EFFECT)
    shares = {f"below {one}": float((found < one).mean()) for one in LEVELS}
    return {"tests": float(len(found)), **shares, "power": float((true < LEVELS[-1]).mean())}


def p_values(
    kind: str, memory: float, rows: int, seed: int, tests: int, way: str, effect: float = 0.0
) -> FloatArray:
    """One for each of `tests` pairs, whose effect has so many standard errors; above .05 the F test's."""
    rng = np.random.default_rng(seed)
    found: list[float] = []
    while len(found) < tests:
        noise = NOISE[kind](rng, rows + _BURN_IN)
        values = lfilter([1.0], [1.0, -memory], noise, axis=0)
        if effect:
            cause = values[:-1, _PAIRS:] / values[:, _PAIRS:].std(axis=0) * noise[:, :_PAIRS].std(axis=0)
            noise[1:, :_PAIRS] += effect / np.sqrt(rows) * cause
            values[:, :_PAIRS] = lfilter([1.0], [1.0, -memory], noise[:, :_PAIRS], axis=0)
        prepared = prepare(as_panel(values[_BURN_IN:]), WAYS[way])
        found += [_one(prepared, pair) for pair in range(_PAIRS)]
    return np.array(found[:tests])


def _one(prepared: Prepared, pair: int) -> float:
    values = prepared.panel.series[0].values[:, [_PAIRS + pair, pair]]
    cause, effect = ((values - values.mean(axis=0)) / values.std(axis=0)).T
    rows = len(effect)
    given = np.stack([effect[_LAGS - lag : rows - lag] for lag in range(1, _LAGS + 1)], axis=1)
    own, next_lag = (expand(cause[_LAGS - lag : rows - lag, None], DEFAULT_BASIS) for lag in (1, 2))
    nominal = plain_p_value(effect[_LAGS:], given, own)
    if nominal >= LEVELS[0] or not prepared.believes_residuals:
        return nominal
    extra = next_lag if prepared.persistent[_PAIRS + pair] else None
    return robust_p_value(effect[_LAGS:], given, own, extra)


def table(rows: Sequence[Row]) -> str:
    """Means over seeds."""
    return mean_table(rows, (*(f"below {one}" for one in LEVELS), "power"), by=("method", "T"))
