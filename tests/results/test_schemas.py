"""Files and what the command line prints are as published schemas say, which refuse what is damaged."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import grace_plugin as gp
from grace_plugin.cli.commands import main
from grace_plugin.exceptions import DataError
from tests.support.people import small_data, small_refinement


def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((files("grace_plugin.results") / "schemas" / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def stored() -> dict[str, Any]:
    return json.loads(small_refinement().to_json())


def test_refinements_of_all_kinds_are_valid() -> None:
    check = validator("refinement").validate
    check(stored())
    rng = np.random.default_rng(0)
    check(json.loads(gp.discover(rng.normal(size=(100, 2)), max_lag=1).to_json()))  # no edge at all
    words = pd.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["x", "y", "z"], size=200)})
    check(json.loads(gp.discover(words, max_lag=1).to_json()))
    check(json.loads((Path(__file__).parents[1] / "support" / "refinement_v1.json").read_text()))


def test_a_file_says_what_wrote_it() -> None:
    assert stored()["library"] == gp.__version__
    assert stored()["config"]["engine"] == "additive"


@pytest.mark.parametrize(
    "damage",
    [
        lambda one: one.pop("edges"),
        lambda one: one.update(version=2),
        lambda one: one["edges"].update(gate=[2.0]),
        lambda one: one["edges"].update(reason=["luck"]),
        lambda one: one["edges"].update(unknown=[1.0]),
        lambda one: one.update(max_lag=-1),
    ],
)
def test_damaged_files_are_not(damage: Any) -> None:
    one = stored()
    damage(one)
    with pytest.raises(jsonschema.ValidationError):
        validator("refinement").validate(one)
    if "unknown" not in one.get("edges", {}):
        with pytest.raises(DataError):
            gp.read_json(json.dumps(one))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("schemas") / "data.csv"
    small_data().rename(columns=lambda name: name.strip("<>")[:6]).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        ["discover", "DATA", "--max-lag", "2"],
        ["bootstrap", "DATA", "--max-lag", "2", "--window", "200", "--runs", "3"],
    ],
)
def test_what_the_command_line_prints_is_valid_and_reads_back(
    command: list[str], data: str, tmp_path: Path
) -> None:
    done = CliRunner().invoke(
        main, [*(data if part == "DATA" else part for part in command), "--format", "json", "-q"]
    )
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    validator("table").validate(printed)
    assert printed["settings"]["max_lag"] in ("2", 2)
    file = tmp_path / "edges.json"
    file.write_text(done.stdout)
    again = CliRunner().invoke(main, ["refine", str(file), "--data", data, "--format", "json", "-q"])
    assert again.exit_code == 0, again.output
    kept = {(row["cause"], row["effect"], row["lag"]) for row in printed["edges"] if row["kept"]}
    assert {(row["cause"], row["effect"], row["lag"]) for row in json.loads(again.stdout)["edges"]} <= kept
