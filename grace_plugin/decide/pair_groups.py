r"""Lags of one pair of variables belong together: how many of them are edges is learned from all pairs at once.

An effect may reach over several steps, in which case a pair has edges at most of its lags and each of them
is weak beside the others; or every pair has one lag, and what shows at a second one is an echo. Let a pair
act with chance q and, where it acts, every one of its L lags be an edge with chance rho, one at least. With
r_l the odds f1 / f0 of the two groups for lag l

    Z = (prod_l (1 - rho + rho r_l) - (1 - rho)^L) / (1 - (1 - rho)^L)        what acting explains
    P(l is an edge) = q / (1 - q + q Z)  rho r_l prod_{m != l} (1 - rho + rho r_m) / (1 - (1 - rho)^L).

Lags that know nothing of one another are the case rho = pi, q = 1 - (1 - pi)^L, with pi the share of edges
among all cells; it is what is believed before a graph is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray

_BELIEVED = 4.0  # how many acting pairs the belief in lags that know nothing of one another is worth
_ROUNDS = 30
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class PairGroups:
    """How often pairs act, and how many of their lags do then.

    Args:
        acting: q.
        lags: rho.
    """

    acting: float
    lags: float

    def log_odds(self, even: FloatArray, pair: IntArray) -> FloatArray:
        """Ln P / (1 - P) of cells whose log r is `even`, each of a `pair`, numbered from 0."""
        return self._posterior(even, pair)[0]

    def _posterior(self, even: FloatArray, pair: IntArray) -> tuple[FloatArray, FloatArray]:
        """The log odds of each cell, and the probability that each pair acts."""
        rho, q = self.lags, self.acting
        pairs = int(pair.max(initial=-1)) + 1
        count = np.bincount(pair, minlength=pairs)
        closed, shown = np.log1p(-rho), np.logaddexp(np.log1p(-rho), np.log(rho) + even)
        whole = np.bincount(pair, shown, minlength=pairs)  # ln prod (1 - rho + rho r)
        empty = count * closed
        some = np.log(-np.expm1(empty))  # ln (1 - (1 - rho)^L)
        rest = _log_less(whole, empty)
        silent = np.log1p(-q) + some - np.log(q)  # a pair that does not act, in units of q / some
        acts = rest - np.logaddexp(silent, rest)
        others = whole[pair] - shown
        edge = np.log(rho) + even + others
        no_edge = np.logaddexp(silent[pair], _log_less(others, empty[pair] - closed) + closed)
        return np.asarray(edge - no_edge), np.exp(acts)


def _log_less(more: FloatArray, less: FloatArray) -> FloatArray:
    """Ln (e^more - e^less)."""
    return np.asarray(more + np.log(-np.expm1(np.minimum(less - more, -1e-15))))


def fit_pair_groups(even: FloatArray, pair: IntArray, share: float) -> PairGroups:
    """The likeliest q and rho for cells with log odds `even`, of which `share` are edges."""
    pairs = int(pair.max(initial=-1)) + 1
    lags = len(pair) / max(pairs, 1)
    share = min(max(share, _LEAST), 1.0 - _LEAST)
    alone = 1.0 - (1.0 - share) ** lags
    found = PairGroups(alone, share)
    believed = lags * share / alone
    for _ in range(_ROUNDS):
        odds, acts = found._posterior(even, pair)
        edges, acting = float((1.0 / (1.0 + np.exp(-odds))).sum()), float(acts.sum())
        mean = (edges + _BELIEVED * believed) / (acting + _BELIEVED)
        q = (acting + _BELIEVED * alone) / (pairs + _BELIEVED)
        found = PairGroups(min(max(q, _LEAST), 1.0 - _LEAST), _rho(mean, lags))
    return found


def _rho(mean: float, lags: float) -> float:
    """The chance of each of so many lags where that many are edges in the mean, one at least."""
    low, high = _LEAST, 1.0 - _LEAST
    for _ in range(50):
        middle = 0.5 * (low + high)
        few = lags * middle / -np.expm1(lags * np.log1p(-middle)) < mean
        low, high = (middle, high) if few else (low, middle)
    return 0.5 * (low + high)
