"""Effects that act together, by `discover` from data alone: two causes of one effect, and chaotic systems.

Products, thresholds and exclusive or of two lagged values (10 variables, 1000 rows); Lorenz-96 of 10
variables with forcing 5, 10 and 40 (250, 500 and 1000 rows, pairs), and of 50 and 100 variables as in the
paper's tables (lag 1). Each with interactions and without, so that their cost can be seen, beside worlds
without any (the paper's generator, noise with a memory, effects of 20 to 1). The neural engine gets exclusive
or of two and of three from all lagged values, and the chaotic systems.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
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
from benchmarks.worlds.paper import REPORTED_SEEDS, ar_noise, scp

TITLE = "Effects that act together, from data alone"
TOGETHER = ("product", "linear and product", "threshold (a where b > 0)", "exclusive or")
FORCINGS = {"weak": "forcing 5", "medium": "forcing 10", "strong": "forcing 40"}
PARTS = ("mechanisms", "chaotic", "without", "neural", "d50", "d100", "d1000")
Options = dict[str, bool | str]
Draw = Callable[[int, int, int], tuple[FloatArray, BoolArray]]
OPTIONS: dict[str, Options] = {"discover": {}, "discover, interactions=False": {"interactions": False}}
NEURAL: Options = {"engine": "neural", "skeleton": "full"}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are parts: mechanisms, chaotic, without, neural, d50, d100 and d1000."""
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    parts = {"mechanisms"} if quick else set(methods or PARTS)
    for seed in chosen:
        for method, options in OPTIONS.items():
            for name in (TOGETHER[:1] if quick else MECHANISMS) if "mechanisms" in parts else ():
                d, rows = (6, 300) if quick else (10, 1000)
                yield Job(
                    f"{name}: {method}", d, rows, seed, partial(_mechanism, name, d, rows, seed, options)
                )
            for strength, forcing in FORCINGS.items() if "chaotic" in parts else ():
                for rows in (250, 500, 1000):
                    call = partial(_chaotic, strength, rows, seed, options)
                    yield Job(f"Lorenz-96, {forcing}: {method}", 10, rows, seed, call)
            for name, (part, draw, d, rows) in WITHOUT.items():
                if part not in parts:
                    continue
                yield Job(f"{name}: {method}", d, rows, seed, partial(_drawn, draw, d, rows, seed, options))
            for d in (50, 100):
                for rows in (500, 1000, 2000) if f"d{d}" in parts else ():
                    call = partial(_drawn, lorenz96, d, rows, seed, options)
                    yield Job(f"Lorenz-96, the paper's: {method}", d, rows, seed, call)
        if "neural" in parts:
            yield from _neural_jobs(seed)


def _neural_jobs(seed: int) -> Iterable[Job]:
    method = "discover, engine='neural', skeleton='full'"
    call = partial(_mechanism, "exclusive or", 10, 1000, seed, NEURAL)
    yield Job(f"exclusive or: {method}", 10, 1000, seed, call)
    for way, options in (("discover", {}), (method, NEURAL)):
        call = partial(_drawn, _of_three, 10, 1000, seed, options)
        yield Job(f"exclusive or of three: {way}", 10, 1000, seed, call)
    for strength, forcing in FORCINGS.items():
        for rows in (250, 1000):
            call = partial(_chaotic, strength, rows, seed, NEURAL)
            yield Job(f"Lorenz-96, {forcing}: {method}", 10, rows, seed, call)


def _twenty_to_one(d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray]:
    """The second half of the variables has one cause of size 2 and one of .1 among the first."""
    rng = np.random.default_rng([seed, 20])
    values, half = rng.normal(size=(rows + 3, d)), d // 2
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    for effect in range(half, d):
        causes, lags = rng.choice(half, 2, replace=False), rng.integers(1, 4, size=2)
        for cause, lag, size in zip(causes, lags, (2.0, 0.1), strict=True):
            values[3:, effect] += size * values[3 - lag : -lag, cause]
            truth[cause, effect, lag] = True
    return values[3:], truth


def _of_three(d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray]:
    """Every third variable is up or down by the signs of three others at lags up to 3."""
    rng = np.random.default_rng([seed, 3])
    values = rng.normal(size=(rows + 3, d))
    truth = np.zeros((d, d, 4), dtype=np.bool_)
    effects = np.arange(0, d, 3)
    for effect in effects:
        causes, lags = (
            rng.choice(np.setdiff1d(np.arange(d), effects), 3, replace=False),
            rng.integers(1, 4, size=3),
        )
        past = [values[3 - lag : -lag, cause] for cause, lag in zip(causes, lags, strict=True)]
        values[3:, effect] = 0.7 * np.sign(np.prod(past, axis=0)) + values[3:, effect]
        truth[causes, effect, lags] = True
    return values[3:], truth


def _scored(data: FloatArray, truth: BoolArray, kind: str, lags: int, options: Options) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, spent = measured(lambda: gp.discover(data, lags, progress=False, **options))  # type: ignore[arg-type]
    graph = halved(found.graph[:, :, : truth.shape[2]])
    precision, recall, f1 = compared(cells(truth.astype(np.float64), kind), cells(graph, kind))
    small = float((found.edges.reason == "small").sum())
    return {"precision": precision, "recall": recall, "f1": f1, "cpu": spent["cpu"], "small": small}


def _mechanism(name: str, d: int, rows: int, seed: int, options: Options) -> dict[str, float]:
    data, truth, _ = two_parents(MECHANISMS[name], d, rows, seed)
    return _scored(data, truth, "lags", truth.shape[2] - 1, options)


def _chaotic(strength: str, rows: int, seed: int, options: Options) -> dict[str, float]:
    made = make("lorenz96", seed, d=10, T=rows, strength=strength)
    return _scored(made.data, made.truth, "pairs", made.max_lag, options)


def _sparse(d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray]:
    """Every variable has its own past and two linear causes at lags 1 and 2: what interactions cost."""
    rng = np.random.default_rng([seed, d])
    truth = np.zeros((d, d, 3), dtype=np.bool_)
    truth[np.arange(d), np.arange(d), 1] = True
    causes = (np.arange(d)[:, None] + rng.integers(1, d, size=(d, 2))) % d
    values = rng.normal(size=(rows + 100, d))
    for lag in (1, 2):
        truth[causes[:, lag - 1], np.arange(d), lag] = True
    for t in range(2, len(values)):
        values[t] += (
            0.4 * values[t - 1] + 0.25 * values[t - 1, causes[:, 0]] - 0.25 * values[t - 2, causes[:, 1]]
        )
    return values[100:], truth


def _drawn(draw: Draw, d: int, rows: int, seed: int, options: Options) -> dict[str, float]:
    data, truth = draw(d, seed, rows)
    return _scored(data, truth, "lags", truth.shape[2] - 1, options)


WITHOUT: dict[str, tuple[str, Draw, int, int]] = {
    "the paper's generator": ("without", scp, 20, 1000),
    "noise with a memory": ("without", ar_noise, 10, 500),
    "effects of 20 to 1": ("without", _twenty_to_one, 10, 2000),
    "two linear causes": ("d50", _sparse, 50, 1000),
    "two linear causes, many variables": ("d1000", _sparse, 1000, 500),
}


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("f1", "precision", "recall", "cpu"), by=("d", "T", "method"))
