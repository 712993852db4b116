from __future__ import annotations

import pytest
import torch

from grace_plugin.engines import hard_concrete as gates


@pytest.fixture
def log_alpha() -> torch.Tensor:
    return torch.linspace(-6, 6, 25, dtype=torch.float64)


def test_deterministic_values_are_exact_at_the_ends_and_half_in_the_middle() -> None:
    values = gates.deterministic(torch.tensor([-10.0, -0.5, 0.0, 10.0], dtype=torch.float64))
    assert values[0] == 0.0
    assert values[1] == pytest.approx(0.353, abs=5e-3)
    assert values[2] == pytest.approx(0.5)
    assert values[3] == 1.0


def test_moments_and_open_probability_agree_with_sampling(log_alpha: torch.Tensor) -> None:
    generator = torch.Generator().manual_seed(0)
    uniform = torch.rand((200_000, 1), generator=generator, dtype=torch.float64).clamp(1e-9, 1 - 1e-9)
    sampled = gates.sample(log_alpha, uniform)
    mean, variance, _, _ = gates.GateMoments(torch.device("cpu"))(log_alpha)
    torch.testing.assert_close(mean, sampled.mean(dim=0), atol=4e-3, rtol=0)
    torch.testing.assert_close(variance, sampled.var(dim=0), atol=4e-3, rtol=0)
    torch.testing.assert_close(
        gates.open_probability(log_alpha), (sampled > 0).double().mean(dim=0), atol=4e-3, rtol=0
    )


def test_derivatives_are_those_of_the_moments(log_alpha: torch.Tensor) -> None:
    moments = gates.GateMoments(torch.device("cpu"))
    step = 1e-5
    above, below = moments(log_alpha + step), moments(log_alpha - step)
    _, _, d_mean, d_variance = moments(log_alpha)
    torch.testing.assert_close(d_mean, (above[0] - below[0]) / (2 * step), atol=1e-8, rtol=0)
    torch.testing.assert_close(d_variance, (above[1] - below[1]) / (2 * step), atol=1e-8, rtol=0)


def test_quadrature_has_converged(log_alpha: torch.Tensor) -> None:
    coarse = gates.GateMoments(torch.device("cpu"))(log_alpha)
    fine = gates.GateMoments(torch.device("cpu"), nodes=200)(log_alpha)
    for one, other in zip(coarse, fine, strict=True):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)
