"""The paper's first stage: linear conditional independence over all lags, aware of trends.

One node per variable and lag, and one per trend (a function of time) that touches only same-time
variables. Starting from everything connected, an edge goes if any small set of neighbours of either
end explains it away. An edge and its copies shifted in time are one edge.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin._common.checks import number, whole
from grace_plugin._common.config import LEAST_ALPHA
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import Panel, Series
from grace_plugin.skeletons.search import Search
from grace_plugin.skeletons.source import Source

_MOST_SETS = 10_000  # per edge and size: a table of them is held

TRENDS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda time: time,
    "quadratic": lambda time: np.square(time - 0.5),
    "sine": lambda time: np.sin(2.0 * np.pi * time),
    "cosine": lambda time: np.cos(2.0 * np.pi * time),
}


def cdnots_skeleton(
    source: Source,
    *,
    skeleton_alpha: float = 0.05,
    max_sets: int = 20,
    max_degree: int | None = None,
    trends: tuple[str, ...] = ("linear",),
) -> Skeleton:
    """Edges that no small set of neighbours explains away.

    Args:
        source: the data.
        skeleton_alpha: level of the two-sided partial correlation tests; edges above it go.
        max_sets: conditioning sets tried per edge, size and side, strongest neighbours first.
        max_degree: largest conditioning set; 1 is the paper's shallow variant, None has no limit.
        trends: functions of time that may drive variables: any of "linear", "quadratic", "sine",
            "cosine"; () assumes stationarity.

    Returns:
        Candidates with lag 0 searched (unoriented pairs). Its scores are -log10 of the largest p-value
        that each edge met, so `at_level` can read off stricter levels without a new run.
    """
    _check(skeleton_alpha, max_sets, max_degree, trends)
    panel = source.panel if trends else None  # before the moments, which may use up a stream
    moments = source.moments.linear()
    correlation = _correlation(moments, panel, tuple(trends))
    search = Search(correlation, source.n_variables, source.max_lag, moments.rows, source.progress)
    search.run(skeleton_alpha, max_sets, max_degree)
    return source.skeleton(search.edges(), search.scores())


def at_level(skeleton: Skeleton, alpha: float) -> Skeleton:
    """The edges of a "cdnots" skeleton that also pass the stricter level `alpha`.

    >>> skeleton = Skeleton([[[0, 1], [0, 1]], [[0, 0], [0, 1]]], scores=np.full((2, 2, 2), 2.5))
    >>> len(at_level(skeleton, 0.01)), len(at_level(skeleton, 0.001))
    (3, 0)
    """
    if skeleton.scores is None:
        msg = "This skeleton has no scores; only those of 'cdnots' can be read at another level."
        raise OptionError(msg)
    passing = skeleton.scores >= -np.log10(alpha)
    names = skeleton.names if skeleton.named else None
    return Skeleton(skeleton.mask & passing, names, skeleton.scores)


def _check(alpha: float, max_sets: int, max_degree: int | None, trends: tuple[str, ...]) -> None:
    number("skeleton_alpha", alpha, LEAST_ALPHA, 1.0)
    whole("max_sets", max_sets, 1, _MOST_SETS)
    if max_degree is not None:
        whole("max_degree", max_degree, 0, also=", or None")
    listed = isinstance(trends, (tuple, list)) and all(isinstance(trend, str) for trend in trends)
    if not listed or any(trend not in TRENDS for trend in trends):
        msg = f"trends={trends!r}; give a tuple of any of {sorted(TRENDS)}."
        raise OptionError(msg)


def _correlation(moments: Moments, panel: Panel | None, trends: tuple[str, ...]) -> FloatArray:
    """Of all (lag, variable) columns, with one more column per trend."""
    size, rows = len(moments.first), max(moments.rows, 1)
    covariance = np.zeros((size + len(trends), size + len(trends)))
    mean = moments.first / rows
    covariance[:size, :size] = moments.second / rows
    if panel is not None:
        cross, own, trend_mean = _trend_moments(panel, moments, trends)
        covariance[size:, :size] = cross / rows
        covariance[:size, size:] = cross.T / rows
        covariance[size:, size:] = own / rows
        mean = np.concatenate([mean, trend_mean / rows])
    covariance -= np.outer(mean, mean)
    variance = covariance.diagonal()
    alive = variance > 1e-20
    scale = np.where(alive, 1.0 / np.sqrt(np.where(alive, variance, 1.0)), 0.0)
    covariance *= scale[:, None]
    covariance *= scale
    np.fill_diagonal(covariance, 1.0)
    return covariance


def _trend_moments(
    panel: Panel, moments: Moments, trends: tuple[str, ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums over all windows: trend times lagged value [m, P], trend times trend [m, m], trend [m]."""
    cross = np.zeros((len(trends), len(moments.first)))
    own = np.zeros((len(trends), len(trends)))
    first = np.zeros(len(trends))
    for one in panel.series:
        windows = complete_windows(one, moments.max_lag)
        times = np.flatnonzero(windows)
        clock = times / max(len(windows) - 1, 1)
        trend = np.stack([TRENDS[name](clock) for name in trends])
        values = _standardised(one, moments)
        for lag in range(moments.max_lag + 1):
            part = slice(lag * moments.n_variables, (lag + 1) * moments.n_variables)
            cross[:, part] += trend @ values[times - lag]
        own += trend @ trend.T
        first += trend.sum(axis=1)
    return cross, own, first


def _standardised(one: Series, moments: Moments) -> FloatArray:
    values = (np.asarray(one.values, dtype=np.float64) - moments.center) / moments.scale
    return np.where(np.isnan(values), 0.0, values)
