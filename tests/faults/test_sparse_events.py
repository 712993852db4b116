"""Two series that are zero nearly everywhere: a result or a sentence, whatever is asked of them."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest

import grace_plugin as gp

EVERY = np.concatenate([np.zeros((2, 2, 1)), np.ones((2, 2, 3))], axis=2).astype(bool)


def events(seed: int) -> np.ndarray:
    """Events of one size, of any size, or counted; sometimes one series repeats the other."""
    rng = np.random.default_rng(seed)
    hit = rng.random((int(rng.choice([60, 120, 300])), 2)) < rng.choice([0.01, 0.02, 0.05])
    size = (np.ones(hit.shape), rng.normal(size=hit.shape), rng.poisson(3, hit.shape))[seed % 3]
    x = hit * size
    if seed % 4 == 0:
        x[1:, 1] = x[:-1, 0]
    return np.asarray(x, dtype=float)


@pytest.mark.parametrize("seed", range(8))
def test_no_bare_error_of_linear_algebra(seed: int) -> None:
    x = events(seed)
    calls = (
        lambda: gp.discover(x, 3),
        lambda: gp.analyze(gp.Skeleton(EVERY), x),
        lambda: gp.suggest_max_lag(x),
        lambda: gp.discover(x, 2, contemporaneous=True),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            with contextlib.suppress(gp.GraceError):  # too few events are told in a sentence
                call()
