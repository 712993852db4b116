"""Two hundred random worlds: graphs within one step are acyclic and keep to what is required and forbidden.

Four to eight variables, 150 to 400 rows, a random acyclic graph within the step, own pasts, four kinds of
noise; one or two required edges at lag 0, right or wrong, and as many forbidden ones. A row is twenty worlds.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.worlds.base import BoolArray, FloatArray, Rng

TITLE = "Effects within one step: two hundred random worlds keep to the rules"
_WORLDS = 20  # a row
_NOISES = ("normal", "laplace", "uniform", "exponential")
_COUNTS = ("worlds", "edges", "oriented", "cyclic", "required_missing", "required_turned", "forbidden_there")


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for seed in seeds if seeds is not None else range(1 if quick else 10):
        yield Job("discover", 8, 400, seed, partial(_counted, seed, 3 if quick else _WORLDS))


def _counted(seed: int, worlds: int) -> dict[str, float]:
    found = [_one(np.random.default_rng([seed, place])) for place in range(worlds)]
    return {name: float(sum(one[name] for one in found)) for name in _COUNTS}


def _one(rng: Rng) -> dict[str, float]:
    values = _drawn(rng, d=int(rng.integers(4, 9)), rows=int(rng.integers(150, 401)))
    required, forbidden = _asked_for(rng, values.shape[1])
    keep, forbid = ([(f"x{i}", f"x{j}", 0) for i, j in some] for some in (required, forbidden))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gp.discover(values, 2, contemporaneous=True, keep=keep, forbid=forbid, progress=False)
    now = found.graph[:, :, 0]
    told = now & ~now.T
    return {
        "worlds": 1.0,
        "edges": float(np.triu(now | now.T).sum()),
        "oriented": float(told.sum()),
        "cyclic": float(_cyclic(told)),
        "required_missing": float(sum(not now[edge] for edge in required)),
        "required_turned": float(sum(bool(now[edge[::-1]]) for edge in required)),
        "forbidden_there": float(sum(bool(now[edge]) for edge in forbidden)),
    }


def _drawn(rng: Rng, d: int, rows: int) -> FloatArray:
    """x(t) = A x(t) + B x(t - 1) + noise, in a random order of the variables."""
    share = rng.uniform(0.1, 0.7)
    now = np.triu(rng.uniform(-0.9, 0.9, (d, d)) * (rng.random((d, d)) < share), 1)
    lagged = np.diag(rng.uniform(0.0, 0.7, d)) + rng.uniform(-0.3, 0.3, (d, d)) * (rng.random((d, d)) < 0.1)
    inverse = np.linalg.inv(np.eye(d) - now)
    step = lagged @ inverse
    step *= min(1.0, 0.9 / max(float(np.abs(np.linalg.eigvals(step)).max()), 1e-9))
    shocks = getattr(rng, _NOISES[rng.integers(len(_NOISES))])(size=(rows + 50, d)) @ inverse
    values = np.zeros_like(shocks)
    for t in range(1, len(values)):
        values[t] = values[t - 1] @ step + shocks[t]
    return np.asarray(values[50:, rng.permutation(d)])


def _asked_for(rng: Rng, d: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Required edges along a random order, so that they form no cycle, and forbidden ones beside them."""
    order = rng.permutation(d).tolist()
    pairs = [(order[i], order[j]) for i in range(d) for j in range(i + 1, d)]
    chosen = rng.permutation(len(pairs))
    required = [pairs[place] for place in chosen[: rng.integers(1, 3)]]
    forbidden = [pairs[place] for place in chosen[2 : 2 + rng.integers(1, 3)]]
    return required, forbidden


def _cyclic(graph: BoolArray) -> bool:
    """Whether some power of the graph leads back."""
    reached: BoolArray = np.array(graph)
    for _ in graph:
        reached = reached | (reached.astype(int) @ graph.astype(int) > 0)
    return bool(reached.diagonal().any())


def table(rows: Sequence[Row]) -> str:
    """Sums over all worlds."""
    cells = [f"{sum(row.numbers[name] for row in rows):.0f}" for name in _COUNTS]
    titles = [name.replace("_", " ") for name in _COUNTS]
    return "\n".join([f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles), f"| {' | '.join(cells)} |"])
