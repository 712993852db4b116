"""Where could gates add something to tests? Three places where tests one by one are weak.

- "collinear lags": causes with a memory of .97, whose neighbouring lags tell nearly the same;
- "only together": two causes whose innovations correlate by .97 act with opposite signs, so that each alone
  shows next to nothing;
- "short": a sparse linear world of 100 rows.

Every lagged edge is a candidate. By the level rule gates alone, the certificate alone, or both decide; beside
them the default, in which gates are priced by the decision and decide nothing, and the same on the rows as
they are: slow causes are tested with caution otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import scores
from benchmarks.studies._decision_measures import cross_cells
from benchmarks.worlds.base import BoolArray, FloatArray
from benchmarks.worlds.process import run, weights

TITLE = "Where could gates add something to tests?"
SEEDS = range(40)
_D, _LAGS = 6, 3
WAYS: dict[str, dict[str, Any]] = {
    "gates": {"alpha": "level", "decide": "gates"},
    "certificate": {"alpha": "level", "decide": "certificate"},
    "both": {"alpha": "level", "decide": "both"},
    "default": {},
    "default, prepare='none'": {"prepare": "none"},
}
Drawn = tuple[FloatArray, BoolArray]


def collinear(seed: int) -> Drawn:
    """Slow causes of one lag each."""
    rng = np.random.default_rng([41, seed])
    made = np.zeros((_D, _D, _LAGS + 1))
    half = _D // 2
    made[range(half), range(half), 1] = 0.97
    made[range(half, _D), range(half, _D), 1] = 0.3
    made[range(half), range(half, _D), rng.integers(1, _LAGS + 1, size=half)] = 0.15
    return run(rng, made, 300), made != 0


def together(seed: int) -> Drawn:
    """Opposite effects of causes that move together."""
    rng = np.random.default_rng([42, seed])
    made = np.zeros((_D, _D, _LAGS + 1))
    made[range(_D), range(_D), 1] = 0.3
    for first, effect in ((0, 4), (2, 5)):
        made[first, effect, 1], made[first + 1, effect, 1] = 0.8, -0.8

    def noise(draw: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        found = draw.normal(size=shape)
        for first in (0, 2):
            found[:, first + 1] = 0.97 * found[:, first] + np.sqrt(1 - 0.97**2) * found[:, first + 1]
        return found

    return run(rng, made, 300, noise), made != 0


def short(seed: int) -> Drawn:
    """Few rows."""
    rng = np.random.default_rng([43, seed])
    made = weights(rng, _D)
    return run(rng, made, 100), made != 0


PLACES: dict[str, Callable[[int], Drawn]] = {
    "collinear lags": collinear,
    "only together": together,
    "short": short,
}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for seed in seeds if seeds is not None else (SEEDS[:1] if quick else SEEDS):
        for place, draw in PLACES.items():
            for way in WAYS:
                size = 100 if place == "short" else 300
                yield Job(f"{place}: {way}", _D, size, seed, partial(_numbers, draw, way, seed))


def _numbers(draw: Callable[[int], Drawn], way: str, seed: int) -> dict[str, float]:
    data, truth = draw(seed)
    cross = cross_cells(truth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gp.discover(data, _LAGS, skeleton="full", contemporaneous=False, progress=False, **WAYS[way])
    return {name: round(value, 4) for name, value in scores(truth[cross], found.graph[cross]).items()}


def table(rows: Sequence[Row]) -> str:
    """Means, and what gates add to the certificate, with its standard error."""
    lines = [mean_table(rows, ["precision", "recall", "f1"], by=("method", "d", "T")), ""]
    for place in PLACES:
        f1 = {
            way: {row.seed: row.numbers["f1"] for row in rows if row.method == f"{place}: {way}"}
            for way in ("both", "certificate")
        }
        seeds = sorted(set(f1["both"]) & set(f1["certificate"]))
        added = np.array([f1["both"][seed] - f1["certificate"][seed] for seed in seeds])
        error = added.std() / np.sqrt(max(len(added), 1))
        lines.append(f"- {place}: gates add {added.mean():+.4f} ± {error:.4f} in F1 to the certificate.")
    return "\n".join(lines)
