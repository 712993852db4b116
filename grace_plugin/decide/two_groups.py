"""Two groups of cells, no edge and edge, learned from all cells of a graph at once.

With c the chi-square(1) value of a cell's evidence and x = ln c, a cell without an edge has c / lambda
chi-square(1), lambda >= 1 (misfit inflates the bulk of all tests), and an edge x normal with mean mu and
deviation sigma; a share pi of the cells are edges. The likeliest lambda, pi, mu and sigma, with priors that
speak where cells or edges are few, give every cell its probability

    P(x) = pi f1(x) / (pi f1(x) + (1 - pi) f0(x)),

made monotone in x. Below the median of the null all cells are alike: only their number counts there, because
combined tests are not uniform at large p-values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import chdtr, ndtr

from grace_plugin._common.arrays import FloatArray
from grace_plugin.regression.log_tail import chi_square_of

_CENSORED = float(np.log(0.4549))  # the median of ln chi-square(1)
_LARGEST = 9.0  # x beyond it says nothing more: a chi-square value of 8,000
_BINS = 100
_SCALES = np.exp(np.linspace(0.0, 3.3, 23))  # lambda, from 1 to 27
_ROUNDS = 25


@dataclass(frozen=True)
class Prior:
    """What is believed before a graph is seen, and how many cells that belief is worth.

    Args:
        share: of the cells, edges.
        share_cells: how many cells that is worth.
        mean: of x among edges.
        mean_edges: how many edges that is worth.
        deviation: of x among edges.
        deviation_edges: how many edges that is worth.
        scale_cells: how many cells the belief in lambda = 1 is worth.
    """

    share: float = 0.05
    share_cells: float = 20.0
    mean: float = 3.7
    mean_edges: float = 2.0
    deviation: float = 1.0
    deviation_edges: float = 4.0
    scale_cells: float = 5.0


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """The two groups of one graph.

    Args:
        share: pi.
        mean: mu.
        deviation: sigma.
        scale: lambda.
    """

    share: float
    mean: float
    deviation: float
    scale: float

    def log_odds(self, x: FloatArray, share: float | None = None) -> FloatArray:
        """Ln P / (1 - P), not decreasing in x."""
        share = self.share if share is None else share
        grid, odds = self._curve
        return np.asarray(np.interp(x, grid, odds) + np.log(share) - np.log1p(-share))

    def probability(self, log_p: FloatArray, share: float | None = None) -> FloatArray:
        """Of cells with this evidence; `share` stands in for pi where another group of cells is judged."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.log_odds(positions(log_p), share))))

    @cached_property
    def _curve(self) -> tuple[FloatArray, FloatArray]:
        """Ln f1 / f0 on a grid; it falls before it rises, and that branch is cut off."""
        grid: FloatArray = np.linspace(_CENSORED, _LARGEST, 1000, dtype=np.float64)
        ratio = _log_edge(grid, self.mean, self.deviation) - _log_null(grid, self.scale)
        lowest = int(np.argmin(np.where(grid < self.mean, ratio, np.inf)))
        ratio[:lowest] = ratio[lowest]
        return grid, np.asarray(np.maximum.accumulate(ratio))


def positions(log_p: FloatArray) -> FloatArray:
    """X of evidence given as ln p."""
    log_p = np.asarray(log_p, dtype=np.float64)
    found = np.full(log_p.shape, _CENSORED)
    tail = log_p < np.log(0.5)  # what lies above the median of the null
    found[tail] = np.log(chi_square_of(log_p[tail]))
    return np.clip(found, _CENSORED, _LARGEST)


def fit_two_groups(
    log_p: FloatArray, prior: Prior | None = None, weights: FloatArray | None = None
) -> TwoGroups:
    """The likeliest groups for the evidence of all cells of a graph; `weights` say how many cells each is.

    >>> rng = np.random.default_rng(0)
    >>> empty = fit_two_groups(np.log(rng.uniform(size=300)))
    >>> bool(empty.probability(np.log(1e-3)) < 0.5 < empty.probability(np.log(1e-9)))
    True
    """
    prior = prior or Prior()
    x = positions(log_p)
    edges = np.linspace(_CENSORED, _LARGEST, _BINS + 1)
    middles = 0.5 * (edges[1:] + edges[:-1])
    inside = x > _CENSORED
    number = None if weights is None else weights[inside]
    counts = np.histogram(x[inside], edges, weights=number)[0].astype(np.float64)
    below = float(len(x) - inside.sum() if weights is None else weights[~inside].sum())
    return _expectation_maximisation(middles, counts, below, prior)


def _expectation_maximisation(x: FloatArray, counts: FloatArray, below: float, prior: Prior) -> TwoGroups:
    """For every lambda of the grid at once; the likeliest is taken."""
    total = counts.sum() + below
    null = np.exp(_log_null(x[None, :], _SCALES[:, None]))  # [lambda, bin]
    null_below = chdtr(1, np.exp(_CENSORED) / _SCALES)
    shape = len(_SCALES)
    share, mean = np.full(shape, prior.share), np.full(shape, prior.mean)
    deviation = np.full(shape, prior.deviation)
    for _ in range(_ROUNDS):
        edge = np.exp(_log_edge(x[None, :], mean[:, None], deviation[:, None]))
        mixed = share[:, None] * edge + (1.0 - share[:, None]) * null
        weight = counts * share[:, None] * edge / np.maximum(mixed, 1e-300)
        number = weight.sum(axis=1)
        share = (number + prior.share * prior.share_cells) / (total + prior.share_cells)
        mean = (weight @ x + prior.mean * prior.mean_edges) / (number + prior.mean_edges)
        spread = (weight * np.square(x[None, :] - mean[:, None])).sum(axis=1)
        spread += prior.mean_edges * np.square(mean - prior.mean)
        believed = prior.deviation_edges * prior.deviation**2
        deviation = np.sqrt((spread + believed) / (number + prior.deviation_edges))
    edge = np.exp(_log_edge(x[None, :], mean[:, None], deviation[:, None]))
    mixed = share[:, None] * edge + (1.0 - share[:, None]) * null
    edge_below = ndtr((_CENSORED - mean) / deviation)
    fit = np.log(np.maximum(mixed, 1e-300)) @ counts
    fit += below * np.log(share * edge_below + (1.0 - share) * null_below)
    best = int(np.argmax(fit + _log_prior(share, mean, deviation, prior)))
    return TwoGroups(float(share[best]), float(mean[best]), float(deviation[best]), float(_SCALES[best]))


def _log_prior(share: FloatArray, mean: FloatArray, deviation: FloatArray, prior: Prior) -> FloatArray:
    """The weight of what was believed, in nats."""
    cells = prior.share_cells
    found = cells * (prior.share * np.log(share) + (1.0 - prior.share) * np.log1p(-share))
    found -= 0.5 * prior.mean_edges * np.square((mean - prior.mean) / deviation)
    found -= prior.deviation_edges * (np.log(deviation) + 0.5 * np.square(prior.deviation / deviation))
    # As if so many further cells had been seen that follow lambda = 1 exactly.
    found -= 0.5 * prior.scale_cells * (np.log(_SCALES) + 1.0 / _SCALES - 1.0)
    return np.asarray(found)


def _log_null(x: FloatArray, scale: FloatArray | float) -> FloatArray:
    """Ln density of x = ln c where c / lambda is chi-square(1)."""
    reduced = x - np.log(scale)
    return np.asarray(0.5 * reduced - 0.5 * np.exp(reduced) - 0.5 * np.log(2.0 * np.pi))


def _log_edge(x: FloatArray, mean: FloatArray | float, deviation: FloatArray | float) -> FloatArray:
    normal = -0.5 * np.square((x - mean) / deviation) - np.log(deviation) - 0.5 * np.log(2.0 * np.pi)
    return np.asarray(normal)
