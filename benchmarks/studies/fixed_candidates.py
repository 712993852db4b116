"""Are p-values what they say for a candidate that nobody chose? Pairs of series, one test each.

The cause at lag 1 is tested beside three lags of the effect: by the F test alone ("plain"), and as strong
candidates are tested after the data were prepared ("rules"). Independent pairs give the size: a share above
its level means false edges. Pairs with an effect (`power`) say what the rules cost where noise is Gaussian.
The answer of the rules is never below that of the F test, so they are asked only where the F test is below
the largest level: the shares are the same. The F tests of all pairs are made at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from scipy.signal import lfilter
from scipy.special import chdtrc, fdtrc

from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds.paper import FloatArray
from grace_plugin.moments.features import DEFAULT_BASIS, expand
from grace_plugin.prepare.preparing import Prepared, prepare
from grace_plugin.regression.log_tail import chi_square_of
from grace_plugin.regression.robust import robust_p_value
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


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """Ten seeds of 5,000 tests a cell, and 500 with an effect; `methods` are kinds of noise."""
    chosen = seeds if seeds is not None else range(1 if quick else 10)
    tests = 50 if quick else 5000
    for seed in chosen:
        for kind in methods or NOISE:
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
        found += _of_all(prepared, 0).tolist()
        if not effect:  # where nothing acts both are causes
            found += _of_all(prepared, _PAIRS).tolist()
    return np.array(found[:tests])


def _of_all(prepared: Prepared, first: int) -> FloatArray:
    """The p-value of every pair; `first` is the column of the first effect."""
    values = np.roll(prepared.panel.series[0].values, -first, axis=1)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    effects, causes = values[:, :_PAIRS].T, values[:, _PAIRS:].T
    rows = effects.shape[1]
    target = effects[:, _LAGS:]
    given = np.stack([effects[:, _LAGS - lag : rows - lag] for lag in range(1, _LAGS + 1)], axis=2)
    past = causes[:, _LAGS - 1 : rows - 1]
    own = expand(past.reshape(-1, 1), DEFAULT_BASIS).reshape(*past.shape, -1)
    found = f_tests(target, given, own)
    if prepared.believes_residuals:
        for pair in np.flatnonzero(found < LEVELS[0]):
            found[pair] = robust_p_value(target[pair], given[pair], own[pair])
    if prepared.memory is None:
        return found
    less = [prepared.memory.too_sure(pair + _PAIRS - first, pair + first) for pair in range(_PAIRS)]
    return np.asarray(chdtrc(1, chi_square_of(np.log(np.maximum(found, 1e-300))) / less))


def f_tests(target: FloatArray, given: FloatArray, own: FloatArray) -> FloatArray:
    """[pair]: `plain_p_value` of own [pair, n, k] for target [pair, n] beside given [pair, n, q]."""
    count, width = own.shape[1:]
    columns = np.concatenate([np.ones((len(own), count, 1)), given, own], axis=2)
    share = np.square(np.einsum("pnk,pn->pk", np.linalg.qr(columns)[0], target))
    known = given.shape[2] + 1
    total = np.square(target).sum(axis=1) - share[:, :known].sum(axis=1)
    chances = []
    for features in (1, width):
        gain, dof = share[:, known : known + features].sum(axis=1), count - known - features
        chances.append(fdtrc(features, dof, gain / features / ((total - gain) / dof)))
    return np.asarray(np.minimum(1.0, 2.0 * np.minimum(*chances)))


def table(rows: Sequence[Row]) -> str:
    """Means over seeds."""
    return mean_table(rows, (*(f"below {one}" for one in LEVELS), "power"), by=("method", "T"))
