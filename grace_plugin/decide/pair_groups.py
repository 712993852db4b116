r"""Lags of one pair belong together: how many of them are edges is learned from all pairs at once.

An effect may reach over several steps, in which case a pair has edges at most of its lags and each of them
is weak beside the others; or every pair has one lag, and what shows at a second one is an echo. Let a pair
act with chance q and, where it acts, every one of its L lags be an edge with chance rho, one at least. With
r_l the odds f1 / f0 of the two groups for lag l

    Z = (prod_l (1 - rho + rho r_l) - (1 - rho)^L) / (1 - (1 - rho)^L)        what acting explains
    P(l is an edge) = q / (1 - q + q Z)  rho r_l prod_{m != l} (1 - rho + rho r_m) / (1 - (1 - rho)^L).

Lags that know nothing of one another are the case rho = pi, q = 1 - (1 - pi)^L, with pi the share of edges
among all cells; it is what is believed before a graph is seen, and what holds unless the likeliest q and rho
tell two nats more, the price of one more number. Ten variables that act over three steps each, 1000 rows:
F1 of pairs .83 to 1.00 (two seeds); on the worlds, whose pairs have one lag, .0000 (tuning seeds, standard
error .0003; -.0011 where the two nats are not asked for).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray

_BELIEVED = 2.0  # how many acting pairs the belief in lags that know nothing of one another is worth
_PRICE = 2.0  # nats
_ROUNDS, _CLOSE = 30, 1e-3  # rounds end where rho changes by no more than that share
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
        return self.posterior(even, pair)[0]

    def posterior(self, even: FloatArray, pair: IntArray) -> tuple[FloatArray, FloatArray, float]:
        """The log odds of each cell, the probability that each pair acts, and ln of what all of them tell."""
        rho, q = self.lags, self.acting
        pairs = int(pair.max(initial=-1)) + 1
        count: FloatArray = np.bincount(pair, minlength=pairs).astype(np.float64)
        closed, shown = np.log1p(-rho), np.logaddexp(np.log1p(-rho), np.log(rho) + even)
        whole: FloatArray = np.asarray(
            np.bincount(pair, shown, minlength=pairs), np.float64
        )  # ln prod (1 - rho + rho r)
        empty: FloatArray = count * closed
        some = np.log(-np.expm1(empty))  # ln (1 - (1 - rho)^L)
        rest = _log_less(whole, empty)
        silent = np.log1p(-q) + some - np.log(q)  # a pair that does not act, in units of q / some
        either = np.logaddexp(silent, rest)
        others: FloatArray = whole[pair] - shown
        before: FloatArray = empty[pair] - closed
        edge = np.log(rho) + even + others
        no_edge = np.logaddexp(silent[pair], _log_less(others, before) + closed)
        told = float((either + np.log(q) - some).sum())
        return np.asarray(edge - no_edge), np.exp(rest - either), told


def _log_less(more: FloatArray, less: FloatArray) -> FloatArray:
    """Ln (e^more - e^less)."""
    return np.asarray(more + np.log(-np.expm1(np.minimum(less - more, -1e-15))))


def fit_pair_groups(even: FloatArray, pair: IntArray, share: float) -> PairGroups | None:
    """The likeliest q and rho for cells with log odds `even`, of which `share` are edges.

    None where lags might as well know nothing of one another.

    >>> pair = np.repeat(np.arange(40), 3)
    >>> fit_pair_groups(np.where(pair < 8, 1.5, -3.0), pair, 0.2) is None  # eight pairs with three weak lags
    False
    >>> fit_pair_groups(np.where(np.arange(120) % 15, -3.0, 5.0), pair, 0.07) is None  # and with one
    True
    """
    pairs = int(pair.max(initial=-1)) + 1
    if len(pair) <= pairs:
        return None
    lags = len(pair) / pairs
    share = min(max(share, _LEAST), 1.0 - _LEAST)
    alone = 1.0 - (1.0 - share) ** lags
    found = apart = PairGroups(alone, share)
    believed = lags * share / alone
    for _ in range(_ROUNDS):
        odds, acts, _ = found.posterior(even, pair)
        edges, acting = float((1.0 / (1.0 + np.exp(-odds))).sum()), float(acts.sum())
        mean = (edges + _BELIEVED * believed) / (acting + _BELIEVED)
        q = (acting + _BELIEVED * alone) / (pairs + _BELIEVED)
        before, found = found, PairGroups(min(max(q, _LEAST), 1.0 - _LEAST), _rho(mean, lags))
        if abs(found.lags - before.lags) < _CLOSE * found.lags:
            break
    more = found.posterior(even, pair)[2] - apart.posterior(even, pair)[2]
    return found if more > _PRICE else None


def _rho(mean: float, lags: float) -> float:
    """The chance of each of so many lags where that many are edges in the mean, one at least."""
    low, high = _LEAST, 1.0 - _LEAST
    for _ in range(50):
        middle = 0.5 * (low + high)
        few = lags * middle / -np.expm1(lags * np.log1p(-middle)) < mean
        low, high = (middle, high) if few else (low, middle)
    return 0.5 * (low + high)
