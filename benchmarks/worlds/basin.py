"""Made-up river basins: storms that no gauge measures, catchments that answer to them, water that runs down.

As in the real flood of `benchmarks/elbe.py`, the hidden cause of everything is rain: a small stream shows it
before a larger one does, and looks like its cause. Only a gauge and the next one downstream are a true edge.
Lengths are in kilometres, times in hours, discharges in cubic metres per second.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter

from benchmarks.worlds.paper import BoolArray, FloatArray

GAUGES, MAIN = 42, 4  # the first four stand at the large river
HOURS, BURN_IN = 752, 400
_SIDE = 100.0  # of the square that the basin covers
_NEAR = 35.0  # a stream joins a neighbour's no farther away
_SPEED = 5.0  # of water


def draw(seed: int, gauges: int = GAUGES) -> tuple[FloatArray, BoolArray]:
    """Discharge [hour, gauge] and the true pairs [cause, effect]."""
    rng = np.random.default_rng(seed)
    places = _places(rng, gauges)
    downstream = _river_tree(rng, places)
    crest = BURN_IN + rng.uniform(80, 200)
    water = _local_water(rng, _rain(rng, places, crest))
    water[:, 0] += _from_beyond(rng, crest)
    flow = _run_down(rng, water, places, downstream)[BURN_IN:]
    truth = np.zeros((gauges, gauges), dtype=np.bool_)
    for gauge, target in enumerate(downstream):
        truth[gauge, target] = target >= 0
    return _measured(rng, flow), truth


def _places(rng: np.random.Generator, gauges: int) -> FloatArray:
    places = rng.uniform(0.0, _SIDE, size=(gauges, 2))
    places[:MAIN, 0] = np.linspace(10.0, 90.0, MAIN)
    places[:MAIN, 1] = 50.0 + rng.normal(0.0, 5.0, MAIN)
    return places


def _river_tree(rng: np.random.Generator, places: FloatArray) -> list[int]:
    """The next gauge downstream of each; -1 behind the last."""
    downstream = [*range(1, MAIN), -1]
    for gauge in range(MAIN, len(places)):
        near = [other for other in range(MAIN, gauge) if _distance(places, gauge, other) < _NEAR]
        if near and rng.random() < 0.55:
            downstream.append(int(rng.choice(near)))
        else:
            ahead = np.flatnonzero(places[:MAIN, 0] >= places[gauge, 0] - 5.0)
            downstream.append(int(ahead[0]) if len(ahead) else MAIN - 1)
    return downstream


def _rain(rng: np.random.Generator, places: FloatArray, crest: float) -> FloatArray:
    """Wandering storms, one of them over the whole basin, and showers of 20 km within."""
    total = HOURS + BURN_IN
    hours = np.arange(total)[:, None]
    rain = np.zeros((total, len(places)))
    starts = rng.uniform(0, total, rng.poisson(total / 110) + 2)
    for start in (*starts, crest):
        centre, speed = rng.uniform(0.0, _SIDE, 2), rng.normal(0.0, 3.0, 2)
        size, length, strength = rng.uniform(25, 70), rng.uniform(4, 20), 2.0 * rng.lognormal(0.0, 0.7)
        if start == crest:
            size, length, strength = 120.0, 40.0, 10.0
        path = centre + speed * (hours - start)
        away = ((places[None] - path[:, None]) ** 2).sum(axis=2)
        rain += strength * np.exp(-0.5 * ((hours - start) / length) ** 2 - away / (2 * size**2))
    apart = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    shared = np.linalg.cholesky(np.exp(-apart / (2 * 20.0**2)) + 1e-6 * np.eye(len(places)))
    showers = _memory(rng.normal(size=rain.shape) @ shared.T, 0.5)
    return np.asarray(rain * np.exp(0.9 * showers / showers.std() - 0.4))


def _local_water(rng: np.random.Generator, rain: FloatArray) -> FloatArray:
    """Wet soil lets more run off; what runs off comes within hours, the rest within days."""
    area = rng.lognormal(4.0, 1.2, rain.shape[1])
    soil = 0.01 * _memory(rain, 0.99)
    runoff = rain * (0.05 + 0.6 * soil / (soil + 0.5))
    delays = rng.uniform(3.0, 10.0, len(area)) * (area / 50.0) ** 0.35
    fast = np.stack([_delayed(one, delay, 2.0) for one, delay in zip(runoff.T, delays, strict=True)], axis=1)
    slow = 0.25 * 0.006 * _memory(rain, 0.994)
    return np.asarray(area * (0.004 + 0.02 * fast + 0.01 * slow))


def _from_beyond(rng: np.random.Generator, crest: float) -> FloatArray:
    """What the large river brings along: a flood of its own, and wobbles."""
    hours = np.arange(HOURS + BURN_IN)
    flood = 350.0 * (1.0 + 2.5 * np.exp(-0.5 * ((hours - crest - 60.0) / 45.0) ** 2))
    return np.asarray(flood + 3.0 * _memory(rng.normal(size=len(hours)), 0.95))


def _run_down(
    rng: np.random.Generator, water: FloatArray, places: FloatArray, downstream: list[int]
) -> FloatArray:
    """Water of every gauge arrives at the next one, later and spread out."""
    flow = np.maximum(water, 1e-3)
    for gauge in sorted(range(len(downstream)), key=lambda one: -_steps_to_sea(downstream, one)):
        target = downstream[gauge]
        if target >= 0:
            hours = _distance(places, gauge, target) / _SPEED * rng.uniform(0.7, 1.3)
            flow[:, target] += _delayed(flow[:, gauge], float(np.clip(hours, 1.0, 11.0)), 6.0)
    return flow


def _measured(rng: np.random.Generator, flow: FloatArray) -> FloatArray:
    """With errors that last for hours, and rounded as gauges are read."""
    errors = _memory(rng.normal(size=flow.shape), 0.7) * rng.uniform(0.002, 0.012, flow.shape[1])
    digit = flow.mean(axis=0) * rng.uniform(0.003, 0.012, flow.shape[1])
    return np.asarray(np.maximum(np.round(flow * np.exp(errors) / digit), 1.0) * digit)


def _memory(shocks: FloatArray, share: float) -> FloatArray:
    """x(t) = share * x(t - 1) + shocks(t)."""
    return np.asarray(lfilter([1.0], [1.0, -share], shocks, axis=0))


def _delayed(series: FloatArray, mean: float, shape: float) -> FloatArray:
    """Spread over later hours by a gamma density."""
    hours = np.arange(200) + 0.5
    kernel = hours ** (shape - 1.0) * np.exp(-hours * shape / mean)
    return np.asarray(np.convolve(series, kernel / kernel.sum())[: len(series)])


def _distance(places: FloatArray, one: int, other: int) -> float:
    return float(np.hypot(*(places[one] - places[other])))


def _steps_to_sea(downstream: list[int], gauge: int) -> int:
    steps = 0
    while downstream[gauge] >= 0:
        gauge, steps = downstream[gauge], steps + 1
    return steps
