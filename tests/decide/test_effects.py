"""Effects of kept edges where features of a variable are constant but for rounding."""

from __future__ import annotations

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.decide.effects import bent_share
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel


def half_binary(seed: int) -> np.ndarray:
    """Five variables that remember three steps and act along a ring; two of them only as above or below."""
    x = np.random.default_rng(seed).normal(size=(500, 5))
    for t in range(3, len(x)):
        x[t] += sum(0.15 * (x[t - lag] + np.roll(x[t - lag], 1)) for lag in (1, 2, 3))
    x[:, [0, 3]] = x[:, [0, 3]] > np.median(x[:, [0, 3]], axis=0)
    return x


@pytest.mark.parametrize("seed", range(4))
def test_two_values_have_no_bends(seed: int) -> None:
    moments = Moments.of(as_panel(half_binary(seed)), 3, DEFAULT_BASIS)
    causes, lags = np.array([0, 0, 1, 3]), np.array([1, 2, 1, 1])
    share = bent_share(2, causes, lags, moments)
    assert np.isfinite(share).all()
    assert share[[0, 1, 3]].max() < 1e-6


@pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
def test_graphs_of_two_valued_and_continuous_variables_are_found() -> None:
    for seed in range(4):
        kept = gp.discover(half_binary(seed), 3, progress=False).edges.query("kept")
        assert len(kept)
        assert np.isfinite(kept.effect_size).all()
        assert np.isfinite(kept.bent).all()
