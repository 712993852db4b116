"""The search for conditioning sets behind "cdnots": all tests of one depth in long vectors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice, pairwise

import numpy as np
from scipy.special import stdtr, stdtrit

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.progress import progress_bar

_CHUNK = 8192  # tests at once: what they need stays in the processor's cache
_ROUNDS = (1, 4)  # sets tried before edges that have fallen already are put aside
_GONE = -1.0
_LEAST_PIVOT = 1e-9


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges as pairs of nodes: `near` is a variable now, `far` a past or present one or a trend."""

    near: IntArray
    far: IntArray

    def __getitem__(self, chosen: BoolArray) -> _Edges:
        return _Edges(self.near[chosen], self.far[chosen])


class Search:
    """Node `lag * d + variable`, then the trends; the strength of each edge so far, or -1 if it is gone."""

    def __init__(
        self, correlation: FloatArray, n_variables: int, max_lag: int, rows: int, progress: bool | None = None
    ) -> None:
        self.correlation = correlation
        self.d, self.max_lag, self.rows = n_variables, max_lag, rows
        self.progress = progress
        near, far = np.meshgrid(np.arange(n_variables), np.arange(len(correlation)), indexing="ij")
        now = far < n_variables
        once = ~now | (far < near)
        self.all_edges = _Edges(near[once], far[once])
        # [near, far]: the smallest |partial correlation| and the least significant test of each edge.
        self.strength = np.full(near.shape, _GONE)
        self.significance = np.full(near.shape, np.inf)

    def run(self, alpha: float, max_sets: int, max_degree: int | None) -> None:
        """Depth after depth, until no edge has enough neighbours left."""
        edges = self.all_edges
        self._record(edges, np.abs(self.correlation[edges.near, edges.far]), 0, alpha)
        depth = 1
        with progress_bar(max_degree or 1, "depth", self.progress) as tick:
            while max_degree is None or depth <= max_degree:
                edges = self._left()
                neighbours = _Neighbours(self._node_strength())
                if not len(edges.near) or neighbours.most - 1 < depth or self.rows - depth - 2 < 1:
                    break
                weakest = self._weakest(edges, neighbours, depth, alpha, max_sets)
                tested = np.isfinite(weakest)
                self._record(edges[tested], weakest[tested], depth, alpha)
                depth += 1
                tick()

    def edges(self) -> BoolArray:
        """[cause, effect, lag] of what is left."""
        return np.asarray(self._tensor(self.strength, _GONE) >= 0.0)

    def scores(self) -> FloatArray:
        """[cause, effect, lag]: -log10 of the largest p-value that each edge met."""
        return np.asarray(self._tensor(self.significance, 0.0))

    def _tensor(self, values: FloatArray, itself: float) -> FloatArray:
        lagged = values[:, : self.d * (self.max_lag + 1)].reshape(self.d, self.max_lag + 1, self.d)
        tensor = np.ascontiguousarray(lagged.transpose(2, 0, 1))
        lower = np.tril(values[:, : self.d], -1)
        tensor[:, :, 0] = lower + lower.T
        np.fill_diagonal(tensor[:, :, 0], itself)
        return tensor

    def _left(self) -> _Edges:
        return self.all_edges[self.strength[self.all_edges.near, self.all_edges.far] >= 0.0]

    def _record(self, edges: _Edges, weakest: FloatArray, depth: int, alpha: float) -> None:
        """After a depth is complete: remember the weakest test of each edge, drop what fell."""
        freedom = self.rows - depth - 2
        if freedom < 1:
            return
        bounded = np.minimum(weakest, 1.0 - 1e-12)
        statistic = bounded * np.sqrt(freedom / (1.0 - np.square(bounded)))
        with np.errstate(divide="ignore"):  # a probability that underflows is as significant as can be
            significance = -(np.log(stdtr(freedom, -statistic)) + np.log(2.0)) / np.log(10.0)
        where = (edges.near, edges.far)
        self.significance[where] = np.minimum(self.significance[where], significance)
        before = self.strength[where] if depth else np.inf
        stays = weakest > critical_correlation(alpha, freedom)
        self.strength[where] = np.where(stays, np.minimum(before, weakest), _GONE)

    def _node_strength(self) -> FloatArray:
        """[node, node]: every edge with all its copies shifted in time."""
        d, lags = self.d, self.max_lag + 1
        size = len(self.correlation)
        matrix = np.full((size, size), _GONE)
        now = np.full((d, size), _GONE)
        now[:] = self.strength
        now[:, :d] = np.maximum(now[:, :d], now[:, :d].T)
        for shift in range(lags):
            rows = slice(shift * d, (shift + 1) * d)
            matrix[rows, shift * d : lags * d] = now[:, : (lags - shift) * d]
        matrix[:d, lags * d :] = now[:, lags * d :]
        return np.asarray(np.maximum(matrix, matrix.T))

    def _weakest(
        self, edges: _Edges, neighbours: _Neighbours, depth: int, alpha: float, max_sets: int
    ) -> FloatArray:
        """[edge]: the smallest |partial correlation| over all sets of both ends, inf where there is none."""
        critical = critical_correlation(alpha, self.rows - depth - 2)
        table = _SetTable(neighbours.most, depth, max_sets)
        weakest = np.full(len(edges.near), np.inf)
        bounds = sorted({0, *(bound for bound in _ROUNDS if bound < max_sets), max_sets})
        for first, last in pairwise(bounds):
            for near, far in ((edges.near, edges.far), (edges.far, edges.near)):
                standing = np.flatnonzero(weakest > critical)
                for part in np.array_split(standing, max(1, len(standing) * (last - first) // 2_000_000)):
                    which, sets = table.sets(neighbours, near[part], far[part], first, last)
                    found = partial_correlations(self.correlation, near[part][which], far[part][which], sets)
                    np.minimum.at(weakest, part[which], found)
        return weakest


class _Neighbours:
    """The neighbours of every node, strongest first."""

    def __init__(self, strength: FloatArray) -> None:
        self.degree = (strength >= 0.0).sum(axis=1)
        self.most = int(self.degree.max(initial=0))
        order = np.argsort(-strength, axis=1, kind="stable")
        self.order = order[:, : self.most]
        self._rank = np.empty_like(order)
        np.put_along_axis(self._rank, order, np.arange(len(order))[None, :], axis=1)

    def rank(self, node: IntArray, other: IntArray) -> IntArray:
        return np.asarray(self._rank[node, other])


class _SetTable:
    """For every number n of neighbours: the first few subsets of range(n), as positions."""

    def __init__(self, most: int, depth: int, max_sets: int) -> None:
        self.positions = np.zeros((most + 1, max_sets, depth), dtype=np.int64)
        self.counts = np.zeros(most + 1, dtype=np.int64)
        for n in range(depth, most + 1):
            subsets = list(islice(combinations(range(n), depth), max_sets))
            self.counts[n] = len(subsets)
            self.positions[n, : len(subsets)] = subsets

    def sets(
        self, neighbours: _Neighbours, node: IntArray, other: IntArray, first: int, last: int
    ) -> tuple[IntArray, IntArray]:
        """Sets number first..last of each node's neighbours but `other`: (whose, nodes [n, depth])."""
        available = neighbours.degree[node] - 1
        wanted = np.clip(self.counts[available] - first, 0, last - first)
        which = np.repeat(np.arange(len(node)), wanted)
        number = np.arange(len(which)) - np.repeat(np.cumsum(wanted) - wanted, wanted) + first
        position = self.positions[available[which], number]
        position += position >= neighbours.rank(node, other)[which][:, None]
        return which, neighbours.order[node[which][:, None], position]


def critical_correlation(alpha: float, freedom: int) -> float:
    """The |partial correlation| that is just significant at `alpha`, two-sided."""
    bound = float(-stdtrit(freedom, alpha / 2.0))
    return bound / float(np.sqrt(freedom + bound * bound))


def partial_correlations(correlation: FloatArray, x: IntArray, y: IntArray, given: IntArray) -> FloatArray:
    """|partial correlation| of x[i] and y[i] given the columns given[i], for many i at once."""
    result = np.empty(len(x))
    for start in range(0, len(x), _CHUNK):
        part = slice(start, start + _CHUNK)
        nodes = np.concatenate([given[part].T, x[None, part], y[None, part]])
        result[part] = _eliminated(correlation, nodes)
    return result


def _eliminated(correlation: FloatArray, nodes: IntArray) -> FloatArray:
    """Gaussian elimination of all nodes but the last two; [i][j] holds one entry of all matrices."""
    size = len(nodes)
    entry = [[correlation[nodes[i], nodes[j]] for j in range(i, size)] for i in range(size)]
    for pivot in range(size - 2):
        row = entry[pivot]
        inverse = 1.0 / np.maximum(row[0], _LEAST_PIVOT)
        for i in range(pivot + 1, size):
            factor = row[i - pivot] * inverse
            for j in range(i, size):
                entry[i][j - i] = entry[i][j - i] - factor * row[j - pivot]
    (own_x, both), (own_y,) = entry[-2], entry[-1]
    spread = np.maximum(own_x, _LEAST_PIVOT) * np.maximum(own_y, _LEAST_PIVOT)
    return np.asarray(np.abs(both) / np.sqrt(spread))
