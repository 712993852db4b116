"""A mean that drifts: what two variables share with time alone is not an edge between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.regression.spline_regression import SLOW_WAVES, KeptModel
from tests.support.disturbed import D, driven, false_edges

MASK = np.ones((D, D, 4), dtype=bool)
MASK[:, :, 0] = False


def drifting(seed: int, rows: int = 800, size: float = 0.6) -> np.ndarray:
    """A slow wave lifts all variables."""
    time = np.arange(rows) / rows
    wave = size * (time + np.sin(4 * np.pi * time))
    return driven(np.random.default_rng(seed).normal(size=(rows, D)) + wave[:, None])


@pytest.mark.filterwarnings("ignore::grace_plugin.pipeline.data_warnings.DataWarning")
def test_a_shared_drift_makes_few_false_edges() -> None:
    once = sum(
        false_edges(gp.analyze(gp.Skeleton(MASK), drifting(seed), second_look=False, alpha="level"))
        for seed in range(5)
    )
    by_level = (gp.analyze(gp.Skeleton(MASK), drifting(seed), alpha="level") for seed in range(5))
    twice = sum(map(false_edges, by_level))
    assert twice <= once / 3
    assert sum(false_edges(gp.analyze(gp.Skeleton(MASK), drifting(seed))) for seed in range(5)) <= 2


@pytest.mark.filterwarnings("ignore::grace_plugin.pipeline.data_warnings.DataWarning")
def test_drifts_of_several_series_are_not_looked_for() -> None:
    parts = [drifting(seed, 500) for seed in range(2)]
    once = gp.analyze(gp.Skeleton(MASK), parts, basis=("linear",), second_look=False)
    np.testing.assert_array_equal(gp.analyze(gp.Skeleton(MASK), parts, basis=("linear",)).graph, once.graph)


def test_waves_are_noticed_only_where_there_are_some() -> None:
    found = {}
    for name, size in {"still": 0.0, "drifting": 0.6}.items():
        x = drifting(0, size=size)
        times = np.arange(1, len(x))
        model = KeptModel(3, np.array([[3, 1]]), ("linear",), curves=False)
        phase = np.pi * (times - 0.5) / len(times)
        model.add(model.table(x, times, np.cos(phase[:, None] * np.arange(SLOW_WAVES, -1, -1))))
        found[name] = model.drifts(len(times))
    assert found == {"still": False, "drifting": True}


def test_noise_without_a_drift_is_left_alone() -> None:
    """The level is 1e-4 for each effect; here are 120 of them."""
    changed = 0
    options: dict[str, Any] = {"basis": ("linear",), "decide": "certificate"}
    for seed in range(20):
        x = drifting(seed, 300, size=0.0)
        alone = gp.analyze(gp.Skeleton(MASK), x, second_look=False, **options)
        looked = gp.analyze(gp.Skeleton(MASK), x, **options)
        changed += int((alone.graph != looked.graph).sum())
    assert changed <= 1
