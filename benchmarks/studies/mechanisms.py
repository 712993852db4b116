"""Where the neural engine beats the additive one, and where it does not: mechanisms of two parents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray

TITLE = "Mechanisms of two parents: neural or additive?"

_SIGNAL = 0.7  # standard deviation of the mechanism; that of the noise is 1
_MAX_LAG = 3
_CANDIDATES = 6  # per effect, two of them true

Mechanism = Callable[[FloatArray, FloatArray], FloatArray]
MECHANISMS: dict[str, Mechanism] = {
    "linear sum": lambda a, b: a + b,
    "sum of squares": lambda a, b: a**2 + b**2,
    "sum of sines": lambda a, b: np.sin(2.0 * a) + np.sin(2.0 * b),
    "product": lambda a, b: a * b,
    "linear and product": lambda a, b: a + a * b,
    "threshold (a where b > 0)": lambda a, b: a * (b > 0),
    "exclusive or": lambda a, b: np.sign(a) * np.sign(b),
    "saturating sum": lambda a, b: np.tanh(2.0 * (a + b)),
    "maximum": lambda a, b: np.maximum(a, b),
}
METHODS: dict[str, dict[str, Any]] = {"additive": {}, "neural": {"engine": "neural"}}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    names = ("product",) if quick else tuple(MECHANISMS)
    d, rows = (4, 200) if quick else (20, 1000)
    for name in names:
        for seed in chosen:
            for method, options in METHODS.items():
                yield _job(name, method, options, d, rows, seed)


def _job(name: str, method: str, options: dict[str, Any], d: int, rows: int, seed: int) -> Job:
    return Job(f"{name}: {method}", d, rows, seed, lambda: _run(name, options, d, rows, seed))


def _run(name: str, options: dict[str, Any], d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth, mask = two_parents(MECHANISMS[name], d, rows, seed)
    worked = time.process_time()
    result = gp.analyze(gp.Skeleton(mask), values, progress=False, **options)
    return {**scores(truth, result.graph), "cpu_seconds": time.process_time() - worked}


def two_parents(
    mechanism: Mechanism, d: int, rows: int, seed: int
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Values, truth and candidates: half of the variables are noise, the others have two of them as parents.

    The candidates hold the two true parents and four false ones, so that the engines are compared and
    not the skeletons.
    """
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows + _MAX_LAG, d))
    truth = np.zeros((d, d, _MAX_LAG + 1), dtype=np.bool_)
    mask = np.zeros_like(truth)
    causes = d // 2
    for effect in range(causes, d):
        inputs = rng.choice(causes * _MAX_LAG, size=min(_CANDIDATES, causes * _MAX_LAG), replace=False)
        pairs = [(int(one) // _MAX_LAG, int(one) % _MAX_LAG + 1) for one in inputs]
        a, b = (values[_MAX_LAG - lag : -lag, cause] for cause, lag in pairs[:2])
        signal = mechanism(a, b)
        values[_MAX_LAG:, effect] += _SIGNAL * (signal - signal.mean()) / signal.std()
        for place, (cause, lag) in enumerate(pairs):
            mask[cause, effect, lag] = True
            truth[cause, effect, lag] = place < 2
    return values[_MAX_LAG:], truth, mask


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("precision", "recall", "f1", "cpu_seconds"))
