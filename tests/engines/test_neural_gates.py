"""The gates on tensors are those on arrays."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grace_plugin.engines import hard_concrete
from grace_plugin.engines.neural import gates

pytestmark = pytest.mark.neural


def test_gates_on_tensors_are_those_on_arrays() -> None:
    log_alpha = np.linspace(-6, 6, 25)
    uniform = np.random.default_rng(0).uniform(0.01, 0.99, size=25)
    tensor = torch.from_numpy(log_alpha)
    for name in ("deterministic", "open_probability"):
        expected = getattr(hard_concrete, name)(log_alpha)
        np.testing.assert_allclose(getattr(gates, name)(tensor).numpy(), expected, atol=1e-12)
    drawn = gates.sample(tensor, torch.from_numpy(uniform)).numpy()
    np.testing.assert_allclose(drawn, hard_concrete.sample(log_alpha, uniform), atol=1e-12)
