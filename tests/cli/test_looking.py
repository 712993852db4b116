"""`grace inspect` and `grace plot`."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import grace_plugin as gp
from grace_plugin.cli.commands import main
from tests.support.people import small_data


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


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def semicolons(mark: str) -> str:
    rows = small_data()[["rain", "river"]].round(4)
    return rows.to_csv(index=False, sep=";", decimal=mark)


@pytest.mark.parametrize("option", [[], ["--decimal", "comma"]])
def test_a_decimal_comma_is_read_as_one(tmp_path: Path, option: list[str]) -> None:
    comma = write(tmp_path / "comma.csv", semicolons(","))
    point = write(tmp_path / "point.csv", semicolons("."))
    command = ["--max-lag", "1", "--format", "csv", "-q"]
    results = [
        CliRunner().invoke(main, ["discover", comma, *command, *option]),
        CliRunner().invoke(main, ["discover", point, *command]),
    ]
    assert [one.exit_code for one in results] == [0, 0]
    assert results[0].stdout == results[1].stdout
    assert "rain,river,1" in results[0].stdout


def test_a_comma_that_may_be_one_of_thousands_is_asked_about(tmp_path: Path) -> None:
    file = write(tmp_path / "big.csv", "a;b\n" + "1,234;2\n3,456;5\n" * 20)
    done = CliRunner().invoke(main, ["inspect", file])
    assert done.exit_code == 1
    assert "--decimal comma or --decimal point" in done.stderr


def test_a_decimal_comma_between_commas_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "commas.csv", "a,b\n" + "1.5,2\n" * 20)
    done = CliRunner().invoke(main, ["inspect", file, "--decimal", "comma"])
    assert done.exit_code == 1
    assert "parted by commas" in done.stderr


def test_verbose_tells_what_is_done_and_nothing_else_does(tmp_path: Path) -> None:
    file = write(tmp_path / "data.csv", semicolons("."))
    code = f"import sys; sys.argv = ['grace', 'discover', {file!r}, '--max-lag', '1', *sys.argv[1:]];"
    code += "from grace_plugin.cli import main; main()"
    said, quiet = (
        subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=True)
        for more in (["--verbose"], [])
    )
    assert "candidates:" in said.stderr
    assert "decided: " in said.stderr
    assert "candidates:" not in quiet.stderr
    assert said.stdout == quiet.stdout


@pytest.mark.filterwarnings("ignore:Weak edges are undecided")
def test_the_library_logs_under_its_name(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="grace_plugin"):
        gp.discover(small_data(), max_lag=1)
    assert {record.name for record in caplog.records} == {"grace_plugin"}
    assert any("kept" in record.getMessage() for record in caplog.records)
