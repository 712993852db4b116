"""Our own random structural processes, with the documented properties of the paper's.

Sparse graphs (about one cross edge and one own memory per variable), lags 1 to 5, coefficients of 0.40 to
0.89 with either sign, mechanisms from {x, x^2, |x|, sin x}, Gaussian noise. Stationary by construction:
squares are flat beyond 3, every other mechanism has slope at most 1, and the absolute coefficients have a
spectral radius below one (a loop of variables that would break this is not closed).

Variants change one property each, so that a difference has one cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import networkx as nx
import numpy as np

from benchmarks.worlds.paper import BoolArray, FloatArray

MAX_LAG = 5
BURN_IN = 300
MECHANISMS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "square": lambda x: np.minimum(x**2, 9.0),
    "absolute": np.abs,
    "sine": np.sin,
}
BOUNDED = ("square", "sine")  # they cannot make a loop grow
Pair = tuple[int, int]


@dataclass(frozen=True)
class Edge:
    """cause(t - lag) moves effect(t); with `partner`, their product does."""

    cause: int
    effect: int
    lag: int
    coefficient: float
    mechanism: str = "linear"
    partner: int | None = None


@dataclass(frozen=True)
class Process:
    """A graph and everything needed to draw rows from it."""

    d: int
    edges: tuple[Edge, ...]
    noise: Callable[[np.random.Generator, tuple[int, int]], FloatArray] = field(
        default=lambda rng, shape: rng.normal(size=shape)
    )
    trend: float = 0.0  # size of a trend in the mean of every second variable
    missing: float = 0.0  # share of values that are not observed

    @property
    def truth(self) -> BoolArray:
        graph = np.zeros((self.d, self.d, MAX_LAG + 1), dtype=np.bool_)
        for edge in self.edges:
            graph[edge.cause, edge.effect, edge.lag] = True
            if edge.partner is not None:
                graph[edge.partner, edge.effect, edge.lag] = True
        return graph

    def rows(self, count: int, rng: np.random.Generator) -> FloatArray:
        """[count, d]; contemporaneous edges act in the order of the variables."""
        values = self.noise(rng, (count + BURN_IN, self.d))
        time = np.arange(len(values)) / len(values)
        values[:, ::2] += self.trend * (time + np.sin(4 * np.pi * time))[:, None]
        ordered = sorted(self.edges, key=lambda edge: (edge.lag == 0, edge.effect))
        for t in range(MAX_LAG, len(values)):
            for edge in ordered:
                values[t, edge.effect] += _push(edge, values[t - edge.lag])
        values = values[BURN_IN:]
        values[rng.random(values.shape) < self.missing] = np.nan
        return values


def _push(edge: Edge, past: FloatArray) -> float:
    """What one edge adds to its effect."""
    if edge.partner is not None:
        return edge.coefficient * float(np.prod(np.clip(past[[edge.cause, edge.partner]], -3.0, 3.0)))
    return edge.coefficient * float(MECHANISMS[edge.mechanism](past[edge.cause]))


def own_memory(d: int, rng: np.random.Generator) -> list[Edge]:
    """Every variable depends on itself one step ago."""
    return [Edge(one, one, 1, float(rng.uniform(0.3, 0.6))) for one in range(d)]


def wired(
    d: int, pairs: Sequence[Pair], rng: np.random.Generator, lags: Sequence[int] = range(1, 6)
) -> list[Edge]:
    """An edge per pair with a random lag, sign, size and mechanism; loops must not grow."""
    edges = own_memory(d, rng)
    names = list(MECHANISMS)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(d))
    for cause, effect in pairs:
        size, sign = rng.uniform(0.40, 0.89), rng.choice((-1.0, 1.0))
        lag, mechanism = int(rng.choice(lags)), names[rng.integers(len(names))]
        new = Edge(cause, effect, lag, float(size * sign), mechanism)
        closes_loop = nx.has_path(graph, effect, cause)
        if closes_loop and _radius([*edges, new], d) >= 0.95:
            new = replace(new, mechanism="sine" if rng.random() < 0.5 else "square")
        graph.add_edge(cause, effect)
        edges.append(new)
    return edges


def _radius(edges: Sequence[Edge], d: int) -> float:
    """Spectral radius of the absolute linear bounds; below one nothing can grow without end."""
    companion = np.eye(d * MAX_LAG, k=-d)
    for edge in edges:
        if edge.lag and edge.mechanism not in BOUNDED:
            companion[edge.effect, (edge.lag - 1) * d + edge.cause] += abs(edge.coefficient)
    return float(np.abs(np.linalg.eigvals(companion)).max())


def random_pairs(d: int, rng: np.random.Generator, per_variable: float = 1.0) -> list[Pair]:
    """Different ordered pairs of different variables, uniformly."""
    off = [(i, j) for i in range(d) for j in range(d) if i != j]
    return [off[place] for place in rng.choice(len(off), round(per_variable * d), replace=False)]


def plain(d: int, rng: np.random.Generator) -> Process:
    return Process(d, tuple(wired(d, random_pairs(d, rng), rng)))


def contemporaneous(d: int, rng: np.random.Generator) -> Process:
    """Half as many edges again within the same step, from lower to higher variables."""
    base = plain(d, rng)
    taken = {(edge.cause, edge.effect) for edge in base.edges}
    free = [(i, j) for i in range(d) for j in range(i + 1, d) if not {(i, j), (j, i)} & taken]
    chosen = [free[place] for place in rng.choice(len(free), d // 2, replace=False)]
    now = [Edge(i, j, 0, float(rng.uniform(0.4, 0.89) * rng.choice((-1.0, 1.0)))) for i, j in chosen]
    return replace(base, edges=(*base.edges, *now))


def products(d: int, rng: np.random.Generator) -> Process:
    """No cross edge by itself: every third variable gets the product of two others."""
    edges = own_memory(d, rng)
    for effect in range(0, d, 3):
        cause, partner = rng.choice([one for one in range(d) if one % 3], 2, replace=False)
        lag = int(rng.integers(1, MAX_LAG + 1))
        edges.append(Edge(int(cause), effect, lag, float(rng.uniform(0.4, 0.89)), partner=int(partner)))
    return Process(d, tuple(edges))


def heavy_tails(d: int, rng: np.random.Generator) -> Process:
    """Noise of Student's t with 3 degrees of freedom, standardised."""
    return replace(plain(d, rng), noise=lambda own, shape: own.standard_t(3, size=shape) / np.sqrt(3.0))


def trends(d: int, rng: np.random.Generator) -> Process:
    """A common trend and slow wave in every second variable, half as large as the noise."""
    return replace(plain(d, rng), trend=0.5)


def spells(d: int, rng: np.random.Generator) -> Process:
    """The noise of all variables is five times as large during spells of 40 rows, a fifth of the time."""

    def noise(own: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        wild = np.repeat(own.random(-(-shape[0] // 40)) < 0.2, 40)[: shape[0]]
        return np.asarray(own.normal(size=shape) * np.where(wild, 5.0, 1.0)[:, None])

    return replace(plain(d, rng), noise=noise)


def missing(d: int, rng: np.random.Generator) -> Process:
    """One value in a hundred is not observed."""
    return replace(plain(d, rng), missing=0.01)


def topology(kind: str, d: int, rng: np.random.Generator) -> Process:
    """ "scale-free", "Erdos-Renyi" or "small-world" with the paper's parameters, by networkx.

    Undirected graphs are directed from lower to higher variables. The loops of a directed Erdos-Renyi graph
    would grow without end at these coefficients: all are made smaller by one factor there.
    """
    seed = int(rng.integers(2**31))
    if kind == "scale-free":
        graph = nx.barabasi_albert_graph(d, 2, seed=seed)
    elif kind == "small-world":
        graph = nx.watts_strogatz_graph(d, 4, 0.3, seed=seed)
    else:
        return _tamed(d, list(nx.gnp_random_graph(d, 0.08, seed=seed, directed=True).edges), rng)
    return Process(d, tuple(wired(d, [(min(pair), max(pair)) for pair in graph.edges], rng)))


def _tamed(d: int, pairs: Sequence[Pair], rng: np.random.Generator) -> Process:
    names = list(MECHANISMS)
    lags, kinds = rng.integers(1, MAX_LAG + 1, len(pairs)), rng.integers(len(names), size=len(pairs))
    sizes = rng.uniform(0.40, 0.89, len(pairs)) * rng.choice((-1.0, 1.0), len(pairs))
    drawn = zip(pairs, lags, sizes, kinds, strict=True)
    cross = [Edge(i, j, int(lag), float(size), names[kind]) for (i, j), lag, size, kind in drawn]
    own, factor = own_memory(d, rng), 1.0

    def scaled() -> list[Edge]:
        return [*own, *(replace(edge, coefficient=factor * edge.coefficient) for edge in cross)]

    while _radius(scaled(), d) >= 0.95:
        factor *= 0.9
    return Process(d, tuple(scaled()))


WORLDS: dict[str, Callable[[int, np.random.Generator], Process]] = {
    "plain": plain,
    "contemporaneous": contemporaneous,
    "products": products,
    "trends": trends,
    "heavy tails": heavy_tails,
    "wild spells": spells,
    "missing values": missing,
    **{kind: partial(topology, kind) for kind in ("scale-free", "Erdos-Renyi", "small-world")},
}


def draw(world: str, d: int, seed: int, rows: int) -> tuple[FloatArray, BoolArray]:
    """Rows [T, d] and the truth [cause, effect, lag] of one seed."""
    rng = np.random.default_rng([seed, *world.encode()])
    process = WORLDS[world](d, rng)
    return process.rows(rows, rng), process.truth
