"""Own past that reaches back over many lags with one sign: noise with a memory has it, clean data do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.foretold import move_together
from grace_plugin.regression.long_past import reaches_back
from grace_plugin.series.panel import as_panel

D, ROWS = 6, 600


def slow(seed: int, *own: float) -> np.ndarray:
    white = np.random.default_rng(seed).normal(size=(ROWS + 200, D))
    return np.asarray(lfilter([1.0], [1.0, *(-one for one in own)], white, axis=0)[200:])


def speaks(x: np.ndarray) -> bool:
    return reaches_back(Moments.of(as_panel(x), 5, LINEAR_BASIS), np.arange(D))


def test_noise_of_the_measurement_with_a_memory_is_seen() -> None:
    assert sum(speaks(slow(seed, 0.3) + 0.5 * slow(seed + 100, 0.9)) for seed in range(20)) >= 16


@pytest.mark.parametrize("own", [(0.5,), (0.9,), (0.99,), (0.4, 0.3), (1.2, -0.5)])
def test_a_process_that_remembers_by_itself_is_no_sign(own: tuple[float, ...]) -> None:
    assert sum(speaks(slow(seed, *own)) for seed in range(40)) <= 2


def test_residuals_that_move_together_slowly_are_seen_over_ten_rows_alone() -> None:
    seen = {1: 0, 10: 0}
    for seed in range(20):
        shared = slow(seed + 200, 0.95)[:, :1] / 3.2
        noise = slow(seed)
        assert not move_together(noise, 10)
        for span in seen:
            seen[span] += move_together(noise + 0.25 * shared, span)
    assert seen[10] >= 16
    assert seen[1] <= 6


def cross(found: gp.Refinement) -> set[tuple[int, int, int]]:
    return {(c, e, lag) for c, e, lag in np.argwhere(found.graph).tolist() if c != e}


@pytest.mark.filterwarnings("ignore:Own past reaches back over several")
@pytest.mark.filterwarnings("ignore:Weak edges are undecided")
def test_such_noise_is_told_and_false_edges_go() -> None:
    x = np.random.default_rng(5).normal(size=(ROWS, D))
    for t in range(2, ROWS):
        x[t] += 0.4 * x[t - 1]
        x[t, 1::2] += 0.5 * x[t - 2, ::2]
    x = x / x.std(axis=0) + 0.35 * slow(55, 0.9)
    true = {(cause, cause + 1, 2) for cause in (0, 2, 4)}
    with pytest.warns(DataWarning, match="Something slow seems to be missing"):
        found = gp.discover(x, 3, progress=False)
    assert "Something slow seems to be missing" in found.summary()
    without = gp.discover(x, 3, prepare=["tails", "persistence", "noise"], progress=False)
    assert true == cross(found) < cross(without)
