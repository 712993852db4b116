"""How far back the data ask one to look."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp


def series(lag: int, rows: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(rows, 3))
    x[lag:, 2] += 0.9 * x[:-lag, 0]
    return pd.DataFrame(x, columns=["rain", "wind", "river"])


@pytest.mark.parametrize("lag", [2, 7, 10])
def test_the_longest_certain_lag_is_suggested(lag: int) -> None:
    found = gp.suggest_max_lag(series(lag))
    assert int(found) == range(20)[found] == lag
    assert found.strongest == ("rain", "river")
    assert found.edges == {lag: 1}
    assert f"max_lag {lag}" in str(found)
    assert gp.discover(series(lag), max_lag="auto").skeleton.max_lag == lag


def test_nothing_certain_is_one_step_and_told() -> None:
    noise = np.random.default_rng(1).normal(size=(300, 3))
    found = gp.suggest_max_lag(noise)
    assert (int(found), found.strongest) == (1, None)
    assert "no edge is certain" in str(found)


def test_the_package_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "grace_plugin", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "discover" in done.stdout
