"""`grace inspect` and `grace plot`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from grace_plugin.cli.commands import main


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day left out, a constant, a walk, and an effect after three days."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 4))
    x[3:, 1] += 1.2 * x[:-3, 0]
    x[:, 2] = 7.0
    x[:, 3] = np.cumsum(x[:, 3])
    x[50:60, 0] = np.nan
    days = pd.date_range("2020-01-01", periods=401, name="when").delete(200)
    path = tmp_path_factory.mktemp("inspect") / "data.csv"
    pd.DataFrame(x, columns=["rain", "river", "still", "walk"], index=days).to_csv(path)
    return path


def test_inspect_as_json(csv: Path) -> None:
    done = CliRunner().invoke(main, ["inspect", str(csv), "--format", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rows"] == 400
    assert found["variables"] == ["rain", "river", "still", "walk"]
    assert found["missing"] == 10
    assert found["time"]["name"] == "when"
    assert found["time"]["other_steps"] == 1
    quality = {row["variable"]: row for row in found["quality"]}
    assert quality["still"]["constant"] is True
    assert quality["walk"]["warnings"] == "unit root not rejected"
    assert found["suggestion"]["max_lag"] == 3


def test_inspect_as_text_and_from_standard_input(csv: Path) -> None:
    done = CliRunner().invoke(main, ["inspect", "-"], input=csv.read_bytes())
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "400 rows of 4 variables: rain, river, still, walk"
    assert lines[1].startswith("time when: 2020-01-01")
    assert lines[-1].startswith("suggested: max_lag 3")


def test_plot_draws_a_stored_result_and_quiet_says_nothing(csv: Path, tmp_path: Path) -> None:
    stored, picture = tmp_path / "graph.json", tmp_path / "graph.svg"
    words = ["discover", str(csv), "--columns", "rain,river", "--max-lag", "3", "--out", str(stored)]
    done = CliRunner().invoke(main, [*words, "--quiet"])
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    assert "river" in done.stdout
    done = CliRunner().invoke(main, ["plot", str(stored), "--out", str(picture)])
    assert done.exit_code == 0, done.output
    assert picture.read_text(encoding="utf-8").count("<path") > 5
    done = CliRunner().invoke(main, ["plot", str(stored), "--out", str(tmp_path / "graph.xyz")])
    assert done.exit_code == 1
