"""A cause that is not in the data is told where it hits several variables at once, and not elsewhere."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.hidden_causes import hidden_cause
from grace_plugin.series.panel import as_panel

ROWS, D = 500, 8


def driven(seed: int, pushes: np.ndarray | float = 0.0, within: bool = False) -> np.ndarray:
    """Every variable remembers itself and follows its neighbour, one step later or at once."""
    x = np.random.default_rng(seed).normal(size=(ROWS, D)) + pushes
    for t in range(1, ROWS):
        x[t] += 0.4 * x[t - 1]
        for effect in range(1, D):
            x[t, effect] += 0.5 * x[t if within else t - 1, effect - 1]
    return x


def hidden(seed: int, touched: int) -> np.ndarray:
    common = np.random.default_rng(seed + 100).normal(size=(ROWS, 1))
    return np.where(np.arange(D) < touched, common, 0.0)


def found(x: np.ndarray) -> list[int] | None:
    cause = hidden_cause(Moments.of(as_panel(x), 3, LINEAR_BASIS))
    return None if cause is None else np.flatnonzero(cause.part).tolist()


@pytest.mark.parametrize("touched", [5, 8])
def test_a_hidden_cause_names_those_it_touches(touched: int) -> None:
    for seed in range(5):
        assert found(driven(seed, hidden(seed, touched))) == list(range(touched))


def test_lagged_effects_and_effects_within_the_step_are_no_hidden_cause() -> None:
    for seed in range(5):
        assert found(driven(seed)) is None
        assert found(driven(seed, within=True)) is None


def test_a_measured_common_cause_is_not_hidden() -> None:
    x = np.random.default_rng(0).normal(size=(ROWS, D))
    x[:, 1:] += 2.0 * x[:, :1]
    assert found(x) is None


def test_few_variables_and_few_rows_tell_nothing() -> None:
    assert found(driven(0, hidden(0, 8))[:, :3]) is None
    assert found(driven(0, hidden(0, 8))[:30]) is None


def test_discover_and_refine_warn_of_it() -> None:
    mask = np.ones((D, D, 3), dtype=bool)
    mask[:, :, 0] = False
    for call, words in (
        (lambda x: gp.discover(x, 2), "a hidden common cause"),
        (lambda x: gp.refine(gp.Skeleton(mask), x), "['x0', 'x1', 'x2', 'x3', 'x4'] move together"),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call(driven(1, hidden(1, 5)))
        assert any(words in str(one.message) for one in told if issubclass(one.category, DataWarning))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gp.discover(driven(1), 2)
