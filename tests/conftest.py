"""What all tests share."""

from __future__ import annotations

import os
import sys

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")  # no test may open a window
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # a host that starts workers starts one

pytest.register_assert_rewrite("grace_plugin.testing")


@pytest.fixture(autouse=True)
def _torch_as_it_was() -> None:
    """gcastle makes float64 the default of the whole process; other tests must not see that."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_default_dtype(torch.float32)
