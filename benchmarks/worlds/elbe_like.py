"""A made-up main branch of twelve gauges, in the format of the CausalRivers files.

Rain that no gauge measures falls on all reaches, more in winter; water runs down from gauge 177 to 166, the
faster the more there is; every few months a regime ends: a reservoir holds back or lets go, a rating curve
shifts, instruments fail for weeks. Rows are hours, as wide as the years of the paper (2019 to 2023).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.signal import lfilter

from benchmarks.worlds.paper import BoolArray, FloatArray

GAUGES = [str(number) for number in range(177, 165, -1)]  # upstream first
OTHERS = ("12", "165", "178")  # gauges of other rivers in the same file
_HOURS_BETWEEN = 9.0  # of water at mean discharge
_FASTER = 0.4  # how much speed grows with discharge: tau ~ q ** -_FASTER


def main_branch(seed: int, years: int = 5, outages: float = 2.0) -> pd.DataFrame:
    """Discharge by the hour; NaN where an instrument failed, as often as `outages` says of each gauge."""
    rng = np.random.default_rng(seed)
    hours = 24 * 365 * years
    rain = _rain(rng, hours, len(GAUGES) + len(OTHERS))
    local = np.stack([_answer(rng, one) for one in rain.T], axis=1)
    flow = np.empty((hours, len(GAUGES)))
    river = 200.0 * (1.0 + local[:, 0]) * _reservoir(rng, hours)
    for place in range(len(GAUGES)):
        river = (travelled(rng, river) if place else river) + 25.0 * local[:, place]
        flow[:, place] = river * _rating(rng, hours)
    other = 40.0 * (0.2 + local[:, len(GAUGES) :])
    table = pd.DataFrame(
        _measured(rng, np.column_stack([flow, other]), outages),
        index=pd.date_range("2019-01-01", periods=hours, freq="1h", name="datetime"),
        columns=[*GAUGES, *OTHERS],
    )
    return table[sorted(table.columns, key=int)]


def chain(names: list[str]) -> BoolArray:
    """[cause, effect]: every gauge and the next one downstream (a lower number)."""
    truth = np.zeros((len(names), len(names)), dtype=np.bool_)
    for upstream, downstream in pairwise(GAUGES):
        truth[names.index(upstream), names.index(downstream)] = True
    return truth


def _rain(rng: np.random.Generator, hours: int, places: int) -> FloatArray:
    """Fronts that reach all places, showers that do not; winters are wet."""
    season = 1.0 + 0.6 * np.cos(2 * np.pi * np.arange(hours) / (24 * 365))
    fronts = rng.gamma(0.6, 1.0, hours) * (rng.random(hours) < 0.012 * season)
    together = lfilter([1.0], [1.0, -0.9], 8.0 * fronts)[:, None] * rng.uniform(0.5, 1.5, places)
    alone = rng.gamma(0.6, 1.0, (hours, places)) * (rng.random((hours, places)) < 0.01)
    return np.asarray(together + lfilter([1.0], [1.0, -0.8], 6.0 * alone, axis=0))


def _answer(rng: np.random.Generator, rain: FloatArray) -> FloatArray:
    """What a catchment makes of its rain: some of it soon, the rest within a month."""
    soon, late = np.exp(-1.0 / rng.uniform(10, 40)), np.exp(-1.0 / 700.0)
    return np.asarray(lfilter([1 - soon], [1, -soon], rain) + lfilter([1 - late], [1, -late], rain))


def travelled(rng: np.random.Generator, river: FloatArray) -> FloatArray:
    """The same water farther down: each hour's arrives when its own speed has brought it there."""
    hours = np.arange(len(river), dtype=np.float64)
    delay = _HOURS_BETWEEN * rng.uniform(0.6, 1.6) * (river / river.mean()) ** -_FASTER
    arrival = np.maximum.accumulate(hours + np.clip(delay, 1.0, 48.0))
    spread = np.exp(-1.0 / 3.0)
    return np.asarray(lfilter([1 - spread], [1, -spread], np.interp(hours, arrival, river)))


def _reservoir(rng: np.random.Generator, hours: int) -> FloatArray:
    """Shares of the natural flow that are let through, each for some months."""
    return np.exp(_regimes(rng, hours, 24 * 120, 0.25))


def _rating(rng: np.random.Generator, hours: int) -> FloatArray:
    """Errors of the curve from level to discharge, until it is measured anew."""
    return np.exp(_regimes(rng, hours, 24 * 250, 0.05))


def _regimes(rng: np.random.Generator, hours: int, length: int, size: float) -> FloatArray:
    """Steps: a new level after about `length` hours each."""
    begins = rng.random(hours) < 1.0 / length
    levels = size * rng.normal(size=hours)
    return np.asarray(levels[np.cumsum(begins)])


def _measured(rng: np.random.Generator, flow: FloatArray, outages: float) -> FloatArray:
    errors = lfilter([1.0], [1.0, -0.7], 0.004 * rng.normal(size=flow.shape), axis=0)
    seen = flow * np.exp(errors)
    for gauge in range(flow.shape[1]):  # outages last some weeks
        for start in rng.integers(0, len(flow), rng.poisson(outages)):
            seen[start : start + rng.integers(24 * 7, 24 * 60), gauge] = np.nan
    return np.asarray(np.round(seen, 1))
