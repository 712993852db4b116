"""Effects within one step: found, and which way they point, against PCMCI+, LPCMCI, VARLiNGAM and DYNOTEARS.

As many effects within one step as variables, 1.2 lagged ones for each, own memory .2 to .6; the noise is
Gaussian, Laplace or uniform, or Gaussian where every effect has a shape of its own ("curved"). Of edges at
lag 0, `adjacency` is F1 of pairs, `oriented` that of directions (an edge whose direction is left open is half
a hit), `lagged` that of lagged cross edges, `false_lagged` counts those that are false. "... later" is the
same world with the same noise and the same lagged effects, those within the step taken out: how many lagged
edges are false for other reasons. (Where effects within the step would let shocks grow, lagged ones are made
smaller until they die out, so that some worlds have only weak ones.) Slow-sampled worlds have no lags that
could be right: there all of them are of pairs. PCMCI+ is run at .05 and .01, LPCMCI at .05 (10 variables:
more take minutes), DYNOTEARS at a threshold of .05; their best is, for each data set in hindsight, the level
with the best oriented F1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import step_rivals
from benchmarks.metrics import measured
from benchmarks.studies._world_scores import halved
from benchmarks.worlds import World
from benchmarks.worlds.base import BoolArray, FloatArray, Rng
from benchmarks.worlds.grid import make
from benchmarks.worlds.process import BURN_IN, gaussian, run, weights, within_step
from benchmarks.worlds.within_step import laplace, uniform

TITLE = "Effects within one step"
NOISES = {"Gaussian": gaussian, "Laplace": laplace, "uniform": uniform}
KINDS = (*NOISES, "curved")
SLOW = ("averaged", "subsampled")
LATER = " later"  # after the name of a world: without its effects within the step
_MOST_OF_LPCMCI = 10  # variables; it takes minutes for each graph of more
_STRICT, _BEST = "strict_", "best_"  # before the numbers of other levels than the first
_SHAPES: tuple[Callable[[float], float], ...] = (
    lambda x: x,
    lambda x: float(np.tanh(1.5 * x)),
    lambda x: abs(x) - 0.8,
    lambda x: min(x * x, 9.0) / 2 - 0.5,
    lambda x: float(np.sin(1.5 * x)),
)


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """Small graphs first, so that an interrupted run has all of them."""
    chosen = list(seeds if seeds is not None else range(1 if quick else 20))
    known = [method for method in METHODS if not quick or method != "DYNOTEARS"]  # which is fetched apart
    sizes = [(5, 200)] if quick else [(10, 200), (10, 500), (10, 1000), (30, 200), (30, 500), (30, 1000)]
    for d, rows in sizes:
        for kind in (
            *KINDS,
            *(f"{kind}{LATER}" for kind in KINDS),
            *(SLOW if d < 30 and rows == 500 else ()),
        ):
            for method in methods or known:
                if (method == "LPCMCI" and d > _MOST_OF_LPCMCI) or (
                    kind.endswith(LATER) and method != "discover"
                ):
                    continue
                for seed in chosen:
                    work = partial(_numbers, kind, method, d, rows, seed)
                    yield Job(f"{kind}: {method}", d, rows, seed, work, ours=method == "discover")


@lru_cache(maxsize=4)
def drawn(kind: str, d: int, rows: int, seed: int) -> World:
    """One data set with its graph."""
    if kind in SLOW:
        return make(kind, seed, d, rows)
    kind, later = kind.removesuffix(LATER), kind.endswith(LATER)
    rng = np.random.default_rng([seed, d, rows, *kind.encode()])
    made = within_step(rng, weights(rng, d, acyclic=False), per=1.0, size=(0.4, 0.8))
    shapes = _shapes(rng, made) if kind == "curved" else None
    if later:
        made[:, :, 0] = 0.0
    if shapes is not None:
        return World(_curved(rng, made, rows, shapes), made != 0)
    return World(run(rng, made, rows, NOISES[kind]), made != 0)


Shapes = dict[tuple[int, ...], Callable[[float], float]]


def _shapes(rng: Rng, made: FloatArray) -> Shapes:
    """One for every cross effect."""
    edges = np.argwhere(made != 0)
    return {tuple(edge): _SHAPES[rng.integers(len(_SHAPES))] for edge in edges if edge[0] != edge[1]}


def _curved(rng: Rng, made: FloatArray, rows: int, shapes: Shapes) -> FloatArray:
    """Every cross effect through its shape; own memory stays linear."""
    d, edges = len(made), np.argwhere(made != 0)
    order = _order(made[:, :, 0] != 0)
    into = {effect: [tuple(edge) for edge in edges if edge[1] == effect] for effect in range(d)}
    values = rng.normal(size=(rows + BURN_IN, d))
    for t in range(made.shape[2], len(values)):
        for effect in order:
            for cause, _, lag in into[effect]:
                shape = shapes.get((cause, effect, lag), _SHAPES[0])
                values[t, effect] += made[cause, effect, lag] * shape(values[t - lag, cause])
        values[t] = np.clip(values[t], -20.0, 20.0)
    return values[BURN_IN:]


def _order(now: BoolArray) -> list[int]:
    """Causes before their effects."""
    left, order = set(range(len(now))), list[int]()
    while left:
        ready = [one for one in sorted(left) if not now[sorted(left), one].any()]
        order += ready
        left -= set(ready)
    return order


def _numbers(kind: str, method: str, d: int, rows: int, seed: int) -> dict[str, float]:
    world = drawn(kind, d, rows, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graphs, spent = measured(lambda: METHODS[method](world))
    graded = [grades(world, graph) for graph in graphs]
    runs = len(step_rivals.LEVELS) if method == "PCMCI+" else 1
    numbers = {**graded[0], "cpu": spent["cpu"] / runs}
    if runs > 1:
        numbers |= {f"{_STRICT}{name}": value for name, value in graded[1].items()}
    if len(graded) > 1:
        best = max(graded, key=lambda one: one["oriented"])
        numbers |= {f"{_BEST}{name}": value for name, value in best.items()}
    return numbers


def grades(world: World, graph: BoolArray) -> dict[str, float]:
    """How well a graph agrees with the truth, within the step and later."""
    off = ~np.eye(len(graph), dtype=bool)
    found, truth = halved(graph), world.truth
    if world.scored == "pairs":
        share, true = found.max(axis=2), truth.max(axis=2)
        return {
            "adjacency": f1((true | true.T)[off], np.maximum(share, share.T)[off] > 0),
            "oriented": f1(true[off], share[off]),
            "lagged": f1(true[off], graph[:, :, 1:].max(axis=2)[off]),
        }
    now, later = truth[:, :, 0], truth[:, :, 1:][off]
    either = graph[:, :, 0] | graph[:, :, 0].T
    return {
        "adjacency": f1((now | now.T)[off], either[off]),
        "oriented": f1(now[off], found[:, :, 0][off]),
        "lagged": f1(later, graph[:, :, 1:][off]),
        "false_lagged": float((graph[:, :, 1:][off] & ~later).sum()),
    }


def f1(truth: Any, found: Any) -> float:
    """Of shares; 1 where there is nothing to find and nothing was found.

    >>> f1(np.array([1, 0]), np.array([0.5, 0.5]))
    0.5
    """
    total = float(np.sum(truth) + np.sum(found))
    return float(2 * np.sum(np.asarray(truth) * found) / total) if total else 1.0


def ours(world: World) -> list[BoolArray]:
    return [gp.discover(world.data, world.max_lag, progress=False).graph]


METHODS: dict[str, Callable[[World], list[BoolArray]]] = {
    "discover": ours,
    "PCMCI+": step_rivals.pcmciplus,
    "VARLiNGAM": step_rivals.varlingam_pruned,
    "DYNOTEARS": step_rivals.dynotears,
    "LPCMCI": step_rivals.lpcmci,
}


def table(rows: Sequence[Row]) -> str:
    """Means over seeds."""
    columns = ("adjacency", "oriented", "lagged", "false_lagged", "cpu")
    return mean_table([one for row in rows for one in _apart(row)], columns)


def _apart(row: Row) -> list[Row]:
    """A row of a program with several levels as one for each way to choose among them."""
    ways = {_STRICT: str(step_rivals.LEVELS[1]), _BEST: "best"}
    made = []
    for start, name in ways.items():
        mine = {key[len(start) :]: value for key, value in row.numbers.items() if key.startswith(start)}
        if mine:
            mine["cpu"] = row.numbers["cpu"]
            made.append(replace(row, method=f"{row.method} {name}", numbers=mine))
    return [row, *made]
