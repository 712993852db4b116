"""What all tests share."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")  # no test may open a window
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # a host that starts workers starts one

pytest.register_assert_rewrite("grace_plugin.testing")
