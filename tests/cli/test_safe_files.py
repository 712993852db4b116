"""Files of strangers on the command line: nothing is guessed, nothing hangs, nothing is obeyed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from grace_plugin.cli import main
from grace_plugin.cli.safe_text import visible, with_formulas, without_formulas

# pydot 4.0.1 calls pyparsing by its older names
pytestmark = pytest.mark.filterwarnings("ignore:.* deprecated - use .*:DeprecationWarning")

NAMES = ["a", "b", "c"]


def series(rows=300):
    x = np.random.default_rng(0).normal(size=(rows, 3))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[2:, 2] += 0.8 * x[:-2, 1]
    return x


def table(path: Path, names=NAMES) -> Path:
    pd.DataFrame(series(), columns=names).to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def edges_in(text: str) -> list[tuple[str, str, int]]:
    return sorted((row["cause"], row["effect"], row["lag"]) for row in json.loads(text)["edges"])


def test_two_columns_of_one_name_are_refused(tmp_path):
    result = run("discover", table(tmp_path / "data.csv", ["a", "a", "c"]), "--max-lag", 2)
    assert result.exit_code == 1
    assert "more than one column called ['a']" in result.stderr


@pytest.mark.parametrize("words", ["a,b,²", "a,b,٢", "a,b,1.0"])
def test_only_plain_digits_are_lags(tmp_path, words):
    result = run("discover", table(tmp_path / "data.csv"), "--max-lag", 2, "--keep", words)
    assert result.exit_code == 2
    assert "give a whole number" in result.stderr


@pytest.mark.parametrize(
    "header",
    ["cause,effect,lag", "Variable i,Variable j,Time lag of i", "node1,node2,time_lag", "Source,Sink,Lag"],
)
def test_tables_of_edges_as_others_write_them(tmp_path, header):
    edges = tmp_path / "edges.csv"
    edges.write_text(f"{header}\na,b,1\nb,c,2\nc,a,1\n")
    result = run("refine", edges, "--data", table(tmp_path / "data.csv"), "--format", "csv")
    assert result.exit_code == 0, result.stderr
    assert {tuple(line.split(",")[:3]) for line in result.stdout.splitlines()[1:]} >= {
        ("a", "b", "1"),
        ("b", "c", "2"),
    }


def test_a_table_without_a_cause_says_what_it_may_be_called(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("one,other,lag\na,b,1\n")
    result = run("refine", edges, "--data", table(tmp_path / "data.csv"))
    assert result.exit_code == 1
    assert "Variable i" in result.stderr


@pytest.mark.parametrize("suffix", ["dot", "gml", "json", "csv", "npz"])
@pytest.mark.parametrize("names", [NAMES, ["=HYPERLINK(1)", 'say "hi"', "c d"]])
def test_what_grace_wrote_grace_refines_to_the_same(tmp_path, suffix, names):
    data, out, again = table(tmp_path / "data.csv", names), tmp_path / f"one.{suffix}", tmp_path / "two.json"
    assert run("discover", data, "--max-lag", 2, "--out", out).exit_code == 0
    first = run("discover", data, "--max-lag", 2, "--format", "json").stdout
    result = run("refine", out, "--data", data, "--out", again, "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert edges_in(result.stdout) == edges_in(first)


def test_a_spreadsheet_gets_no_formula(tmp_path):
    data = table(tmp_path / "data.csv", ["=HYPERLINK(1)", "@b", "c"])
    out = tmp_path / "edges.csv"
    result = run("discover", data, "--max-lag", 2, "--out", out, "--format", "csv")
    for text in (out.read_text(), result.stdout):
        assert "'=HYPERLINK(1)" in text
        assert not any(cell.startswith(("=", "@")) for line in text.splitlines() for cell in line.split(","))


def test_formulas_come_back_as_they_were():
    cells = ["=1+1", "'=1", "plain", "-x", "'quoted'", "+", "@"]
    frame = pd.DataFrame({"cause": cells, "lag": range(len(cells))})
    pd.testing.assert_frame_equal(with_formulas(without_formulas(frame)), frame)


def test_the_terminal_is_not_told_what_to_do(tmp_path):
    odd = "flow\x1b[2J\x07\u202e"
    data = table(tmp_path / "data.csv", [odd, "b", "c"])
    result = run("discover", data, "--max-lag", 2)
    assert result.exit_code == 0
    assert "\\x1b[2J" in result.stdout
    wrong = run("discover", data, "--max-lag", 2, "--columns", f"{odd}x")
    for text in (result.stdout, result.stderr, wrong.stderr):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_what_is_visible_stays():
    assert visible("Größe\t流量\n") == "Größe\t流量\n"


@pytest.mark.parametrize("text", ['Creator "" ' * 40, "/* */ " * 5000 + "x", "comment a " * 5000])
def test_a_small_file_does_not_hang(tmp_path, text):
    path = tmp_path / "graph.gml"
    path.write_text(text)
    result = run("refine", path, "--data", table(tmp_path / "data.csv"))
    assert result.exit_code == 1
