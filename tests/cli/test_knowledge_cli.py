"""What is known of edges, what is to be explained and beside what, on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.test_cli import TRUE_EDGES, edges_of, run, table  # noqa: F401


@pytest.fixture
def csv(table: pd.DataFrame, tmp_path: Path) -> Path:  # noqa: F811
    path = tmp_path / "data.csv"
    table.assign(month=table.index.month).to_csv(path)
    return path


def discovered(csv: Path, *more: object) -> set[tuple[str, str, int]]:
    return edges_of(run("discover", csv, "--max-lag", 2, "--controls", "month", "--format", "json", *more))


def test_controls_are_no_nodes_and_effects_bind(csv: Path) -> None:
    assert discovered(csv) == TRUE_EDGES
    assert discovered(csv, "--effects", "sea") == {("river", "sea", 2)}
    assert discovered(csv, "--forbid", "rain,river", "--effects", "river, sea") == {("river", "sea", 2)}
    assert discovered(csv, "--forbid", "*,sea,*") == {("rain", "river", 1)}


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_file_of_knowledge(csv: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"known.{ending}"
    file.write_text('{"forbidden": [["*", "sea"]], "required": [["sea", "rain", 1]]}')
    assert discovered(csv, "--knowledge", file) == {("rain", "river", 1), ("sea", "rain", 1)}
    source = tmp_path / "edges.csv"
    source.write_text("cause,effect,lag\nrain,river,1\nriver,sea,2\nsea,rain,1\n")
    again = run(
        "refine",
        source,
        "--data",
        csv,
        "--controls",
        "month",
        "--knowledge",
        file,
        "--format",
        "json",
        "--report",
        tmp_path / "report.html",
    )
    assert edges_of(again) == {("rain", "river", 1), ("sea", "rain", 1)}


def test_a_wrong_file_gets_a_sentence(csv: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.yaml"
    file.write_text("required: [[rain, river]]\nforbidden: [[rain, '*']]\n")
    result = run("discover", csv, "--max-lag", 2, "--controls", "month", "--knowledge", file)
    assert result.exit_code == 1
    assert "required ('rain', 'river') and forbidden ('rain', '*') contradict each other" in result.stderr
    wrong = run("discover", csv, "--max-lag", 2, "--forbid", "rain")
    assert (wrong.exit_code, "--forbid 'rain': give CAUSE,EFFECT" in wrong.stderr) == (2, True)


def test_a_bootstrap_takes_them_too(csv: Path) -> None:
    result = run(
        "bootstrap",
        csv,
        "--max-lag",
        2,
        "--window",
        200,
        "--runs",
        3,
        "--controls",
        "month",
        "--effects",
        "sea",
        "--format",
        "json",
    )
    assert edges_of(result) == {("river", "sea", 2)}
    assert np.all([edge[1] == "sea" for edge in edges_of(result)])
