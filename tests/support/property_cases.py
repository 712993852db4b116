"""What the property tests share: how many examples, and random data and graphs."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# HYPOTHESIS_PROFILE=long tries fifty times as many examples, new ones at every run.
_CALM = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
settings.register_profile("short", max_examples=10, derandomize=True, **_CALM)
settings.register_profile("long", max_examples=500, **_CALM)
_PROFILE = settings.get_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

seeds = st.integers(0, 2**31 - 1)


def examples(count: int) -> settings:
    """`count` examples in the short profile, fifty times as many in the long one."""
    return settings(_PROFILE, max_examples=max(1, count * _PROFILE.max_examples // 10))


def strong_process(seed: int, rows: int = 250, d: int = 3) -> tuple[Any, Any]:
    """Data and their true graph (lag 1 and 2): effects so strong that no test could miss them."""
    rng = np.random.default_rng(seed)
    truth = np.zeros((d, d, 3), dtype=bool)
    order = rng.permutation(d)
    for cause, effect in pairwise(order):
        truth[cause, effect, rng.integers(1, 3)] = True
    x = rng.normal(size=(rows, d))
    for t in range(2, rows):
        for cause, effect, lag in np.argwhere(truth):
            x[t, effect] += 1.5 * x[t - lag, cause]
    return x, truth


def lagged_mask(d: int, max_lag: int = 2) -> Any:
    mask = np.ones((d, d, max_lag + 1), dtype=bool)
    mask[:, :, 0] = False
    return mask


def random_mask(seed: int, d: int = 4, max_lag: int = 2, now: bool = True) -> Any:
    """Directed edges at random; those at lag 0 form no cycle."""
    rng = np.random.default_rng(seed)
    mask = rng.random((d, d, max_lag + 1)) < 0.3
    mask[:, :, 0] = np.triu(mask[:, :, 0], 1) & now
    mask[0, 1, max_lag] = True  # so that the largest lag can be read off
    return mask


def random_part(mask: Any, seed: int) -> Any:
    """Some of the edges, the one that tells the largest lag among them."""
    kept = mask & (np.random.default_rng(seed + 1).random(mask.shape) < 0.5)
    kept[0, 1, -1] = True
    return kept
