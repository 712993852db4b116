from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.engines import hard_concrete as gates


@pytest.fixture
def log_alpha() -> np.ndarray:
    return np.linspace(-6, 6, 25)


def test_deterministic_values_are_exact_at_the_ends_and_half_in_the_middle() -> None:
    values = gates.deterministic(np.array([-10.0, -0.5, 0.0, 10.0]))
    assert values[0] == 0.0
    assert values[1] == pytest.approx(0.353, abs=5e-3)
    assert values[2] == pytest.approx(0.5)
    assert values[3] == 1.0


def test_moments_and_open_probability_agree_with_sampling(log_alpha: np.ndarray) -> None:
    uniform = np.random.default_rng(0).uniform(1e-9, 1 - 1e-9, size=(200_000, 1))
    sampled = gates.sample(log_alpha, uniform)
    mean, variance, _, _ = gates.GateMoments()(log_alpha)
    np.testing.assert_allclose(mean, sampled.mean(axis=0), atol=4e-3, rtol=0)
    np.testing.assert_allclose(variance, sampled.var(axis=0), atol=4e-3, rtol=0)
    np.testing.assert_allclose(
        gates.open_probability(log_alpha), (sampled > 0).mean(axis=0), atol=4e-3, rtol=0
    )


def test_derivatives_are_those_of_the_moments(log_alpha: np.ndarray) -> None:
    moments = gates.GateMoments()
    step = 1e-5
    above, below = moments(log_alpha + step), moments(log_alpha - step)
    _, _, d_mean, d_variance = moments(log_alpha)
    np.testing.assert_allclose(d_mean, (above[0] - below[0]) / (2 * step), atol=1e-8, rtol=0)
    np.testing.assert_allclose(d_variance, (above[1] - below[1]) / (2 * step), atol=1e-8, rtol=0)


def test_quadrature_has_converged(log_alpha: np.ndarray) -> None:
    coarse = gates.GateMoments()(log_alpha)
    fine = gates.GateMoments(nodes=200)(log_alpha)
    for one, other in zip(coarse, fine, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10, rtol=0)
