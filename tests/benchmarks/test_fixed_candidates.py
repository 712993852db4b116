"""Shares of null p-values below a level, of candidates that nobody chose: right for every kind of noise."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.fixed_candidates import LEVELS, f_tests, p_values
from grace_plugin.regression.robust import plain_p_value

TESTS = 3000
MOST = 1.15  # times the level, and three standard errors of so few tests


def most(level: float) -> float:
    return MOST * level + 3.0 * (level / TESTS) ** 0.5


def test_all_pairs_at_once_have_the_p_values_of_each() -> None:
    rng = np.random.default_rng(0)
    target, given, own = rng.normal(size=(6, 60)), rng.normal(size=(6, 60, 3)), rng.normal(size=(6, 60, 3))
    target += 0.4 * own[:, :, 0]
    one_by_one = [plain_p_value(*parts) for parts in zip(target, given, own, strict=True)]
    assert f_tests(target, given, own) == pytest.approx(one_by_one, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "memory", "rows"),
    [
        ("Gaussian", 0.4, 100),
        ("Gaussian", 0.9, 100),
        ("Gaussian", 0.99, 300),
        ("t3", 0.4, 300),
        ("t3", 0.9, 100),
        ("skewed", 0.4, 300),
        ("changing", 0.4, 300),
    ],
)
def test_null_p_values_are_not_too_small(kind: str, memory: float, rows: int) -> None:
    found = p_values(kind, memory, rows, 0, TESTS, "rules")
    for level in LEVELS:
        assert (found < level).mean() <= most(level), level


def test_without_the_rules_they_are() -> None:
    """Else the test above could not fail."""
    assert (p_values("t3", 0.4, 300, 0, TESTS, "plain") < 0.001).mean() > most(0.001)
    assert (p_values("changing", 0.4, 300, 0, TESTS, "plain") < 0.01).mean() > most(0.01)


def test_rules_cost_no_power_where_noise_is_gaussian() -> None:
    plain, ours = (p_values("Gaussian", 0.4, 300, 1, 1000, way, 4.0) for way in ("plain", "rules"))
    assert (ours < 0.001).mean() > (plain < 0.001).mean() - 0.01
    assert (plain < 0.001).mean() > 0.5
