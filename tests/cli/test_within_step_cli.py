"""Effects within one step on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from grace_plugin.cli.commands import main
from tests.lag0.step_worlds import chain, simulate


@pytest.fixture
def data(tmp_path: Path) -> Path:
    x = simulate(chain(3), np.diag([0.6] * 3), 600, seed=1)
    path = tmp_path / "data.csv"
    pd.DataFrame(x, columns=["a", "b", "c"]).to_csv(path, index=False)
    return path


def rows(*words: object) -> set[tuple[str, str, int]]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    lines = [line.split(",") for line in done.stdout.splitlines()]
    return {(cells[0], cells[1], int(cells[2])) for cells in lines[1:]}


def test_discover_searches_lag_zero_as_told(data: Path) -> None:
    asked = rows("discover", data, "--max-lag", 1, "--contemporaneous", "yes", "--format", "csv")
    assert {edge for edge in asked if edge[2] == 0} == {("a", "b", 0), ("b", "c", 0)}


def test_refine_orients_where_asked(data: Path, tmp_path: Path) -> None:
    edges = [
        ("a", "a", 1),
        ("b", "b", 1),
        ("c", "c", 1),
        ("a", "b", 0),
        ("b", "a", 0),
        ("b", "c", 0),
        ("c", "b", 0),
    ]
    path = tmp_path / "edges.csv"
    pd.DataFrame(edges, columns=["cause", "effect", "lag"]).to_csv(path, index=False)
    out = tmp_path / "out.csv"
    assert rows("refine", path, "--data", data, "--orient", "--out", out, "--format", "csv")
    written = pd.read_csv(out)
    now = written[written.lag == 0]
    assert set(zip(now.cause, now.effect, strict=True)) == {("a", "b"), ("b", "c")}
