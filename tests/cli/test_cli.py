"""The command line: what it prints where, what it writes, how it fails."""

import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import grace_plugin as gp
from grace_plugin.cli.commands import main
from grace_plugin.cli.data_files import read_data
from grace_plugin.cli.files import read_result
from grace_plugin.exceptions import DataError
from grace_plugin.results.json_reader import read_json

SCRIPT = Path(sys.executable).with_name("grace")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 3))
    for t in range(2, len(x)):
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
    days = pd.date_range("2020-01-01", periods=len(x), name="when")
    return pd.DataFrame(x, columns=["rain", "river", "sea"], index=days)


@pytest.fixture
def csv(table: pd.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    table.to_csv(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def edges_of(result: Result) -> set[tuple[str, str, int]]:
    assert result.exit_code == 0, result.stderr
    return {(row["cause"], row["effect"], row["lag"]) for row in json.loads(result.stdout)["edges"]}


TRUE_EDGES = {("rain", "river", 1), ("river", "sea", 2)}


def test_discover_prints_json_alone_on_standard_output(csv: Path) -> None:
    result = run("discover", csv, "--max-lag", 3, "--format", "json")
    assert edges_of(result) == TRUE_EDGES
    assert "candidate edges" in result.stderr
    first = json.loads(result.stdout)["edges"][0]
    assert list(first)[:6] == ["cause", "effect", "lag", "effect_size", "probability", "q_value"]
    assert list(first)[6:] == ["gain", "p_value", "gate", "kept", "reason"]


def test_discover_prints_a_table_and_csv(csv: Path) -> None:
    lines = run("discover", csv, "--max-lag", 3).stdout.splitlines()
    assert lines[0].split()[:3] == ["cause", "effect", "lag"]
    assert len(lines) == 3
    as_csv = run("discover", csv, "--max-lag", 3, "--format", "csv").stdout.splitlines()
    assert as_csv[0].startswith("cause,effect,lag,effect_size,probability")
    assert len(as_csv) == 3


def test_discover_writes_graph_report_and_picture(csv: Path, tmp_path: Path) -> None:
    out, report, plot = (tmp_path / name for name in ("graph.json", "report.html", "graph.png"))
    result = run("discover", csv, "--max-lag", 2, "--out", out, "--report", report, "--plot", plot)
    assert result.exit_code == 0, result.stderr
    graph = read_json(out)
    assert graph.names == ("rain", "river", "sea")
    assert graph.graph[0, 1, 1]
    assert "Data quality" in report.read_text()
    assert "dickey fuller" in report.read_text()
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("suffix", [".json", ".csv", ".npz", ".gml"])
def test_what_is_written_can_be_refined_again(csv: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"graph{suffix}"
    assert run("discover", csv, "--max-lag", 3, "--alpha", 0.2, "--out", out).exit_code == 0
    again = run("refine", out, "--data", csv, "--format", "json")
    assert edges_of(again) == TRUE_EDGES


def test_dot_is_written_for_graphviz(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph.dot"
    assert run("discover", csv, "--max-lag", 2, "--out", out).exit_code == 0
    assert '"rain" -> "river" [label="1"' in out.read_text()


def test_refine_takes_and_gives_a_tigramite_result(csv: Path, tmp_path: Path) -> None:
    marks = np.full((3, 3, 3), "", dtype="<U3")
    marks[0, 1, 1] = marks[1, 2, 2] = marks[2, 0, 1] = marks[0, 2, 2] = "-->"
    p_matrix = np.where(marks == "-->", 0.01, 1.0)
    stored = {"graph": marks, "p_matrix": p_matrix, "val_matrix": 1.0 - p_matrix}
    source, target = tmp_path / "pcmci.npz", tmp_path / "refined.npz"
    np.savez(source, **stored)
    assert edges_of(run("refine", source, "--data", csv, "--out", target, "--format", "json")) == TRUE_EDGES
    with np.load(target, allow_pickle=False) as refined:
        assert refined["graph"][0, 1, 1] == "-->"
        assert refined["graph"][2, 0, 1] == ""
        assert refined["p_matrix"][2, 0, 1] == 1.0
    as_json = tmp_path / "pcmci.json"
    as_json.write_text(json.dumps({name: value.tolist() for name, value in stored.items()}))
    assert edges_of(run("refine", as_json, "--data", csv, "--format", "json")) == TRUE_EDGES


def test_refine_takes_lists_of_edges_and_graphs(csv: Path, tmp_path: Path) -> None:
    rows = [["rain", "river", 1], ["sea", "rain", 1], ["river", "sea", 2]]
    tuples, records, gml = (tmp_path / name for name in ("tuples.json", "records.json", "graph.gml"))
    tuples.write_text(json.dumps(rows))
    records.write_text(json.dumps([dict(zip(("cause", "effect", "lag"), row, strict=True)) for row in rows]))
    nx.write_gml(nx.DiGraph([(f"{c}_lag{lag}", f"{e}_lag0") for c, e, lag in rows]), gml)
    for source in (tuples, records, gml):
        assert edges_of(run("refine", source, "--data", csv, "--format", "json")) == TRUE_EDGES


def test_keep_and_all(csv: Path, tmp_path: Path) -> None:
    source = tmp_path / "edges.csv"
    source.write_text("cause,effect,lag\nrain,river,1\nsea,rain,1\nsea,river,2\n")
    kept = run("refine", source, "--data", csv, "--keep", "sea,rain,1", "--format", "json")
    assert edges_of(kept) == {("rain", "river", 1), ("sea", "rain", 1)}
    every = run("refine", source, "--data", csv, "--all", "--format", "json")
    assert ("sea", "river", 2) in edges_of(every) - TRUE_EDGES
    assert not next(
        row for row in json.loads(every.stdout)["edges"] if row["effect"] == "rain" and row["lag"] == 1
    )["kept"]


def test_bootstrap_lists_frequencies(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "stable.csv"
    result = run(
        "bootstrap", csv, "--max-lag", 2, "--window", "150D", "--runs", 6, "--format", "json", "--out", out
    )
    assert result.exit_code == 0, result.stderr
    found = {(row["cause"], row["effect"]): row["frequency"] for row in json.loads(result.stdout)["edges"]}
    assert found[("rain", "river")] == 1.0
    assert len(pd.read_csv(out)) == len(found)


def test_hosts_lists_every_adapter() -> None:
    lines = run("hosts").stdout.splitlines()
    assert [line.split()[0] for line in lines] == gp.available_adapters()


def test_demo_shows_the_truth_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "demo.png"
    result = run("demo", "--plot", picture)
    assert result.exit_code == 0, result.stderr
    assert "FALSE" in result.stdout
    assert "after     18 edges, 18 true, 0 false" in result.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["discover", "refine", "bootstrap"])
def test_help_has_examples(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"grace {command} " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["discover", "nowhere.csv", "--max-lag", 3], 2, "does not exist"),
        (["discover", "{csv}"], 2, "--max-lag"),
        (["discover", "{csv}", "--max-lag", "three"], 2, "whole number"),
        (["discover", "{csv}", "--max-lag", 3, "--keep", "rain"], 2, "CAUSE,EFFECT"),
        (["discover", "{csv}", "--max-lag", 3, "--penalty", "much"], 2, "number"),
        (["discover", "{csv}", "--max-lag", 3, "--columns", "snow"], 1, "has no columns ['snow']"),
        (["discover", "{csv}", "--max-lag", 3, "--time", "hour"], 1, "no column 'hour'"),
        (["discover", "{csv}", "--max-lag", 3, "--out", "graph.xyz"], 1, "ends in one of"),
        (["discover", "{csv}", "--max-lag", 399], 1, "complete windows"),
        (["discover", "{csv}", "--max-lag", 3, "--skeleton", "bassis"], 1, "basis"),
        (["refine", "{csv}", "--data", "{csv}"], 1, "one for the cause"),
    ],
)
def test_errors_are_one_sentence_and_an_exit_code(csv: Path, arguments: list, code: int, words: str) -> None:
    result = run(*(str(one).replace("{csv}", str(csv)) for one in arguments))
    assert result.exit_code == code, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""
    if code == 1:
        assert len(result.stderr.splitlines()) == 1


def test_debug_raises(csv: Path) -> None:
    result = run("discover", csv, "--max-lag", 3, "--columns", "snow", "--debug")
    assert isinstance(result.exception, DataError)


def test_time_column_is_recognised(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    table.to_csv(path)
    assert isinstance(read_data(path).index, pd.DatetimeIndex)
    table.reset_index(drop=True).to_csv(path)  # row numbers, without a name
    assert list(read_data(path).columns) == list(table.columns)
    table.assign(year=np.arange(len(table)))[["year", *table.columns]].to_csv(path, index=False, sep=";")
    assert read_data(path).index.name == "year"
    table.reset_index(drop=True).to_csv(path, index=False)  # a first column of numbers is data
    assert list(read_data(path).columns) == list(table.columns)


def test_time_column_can_be_named_and_must_go_forward(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    table.reset_index()[[*table.columns, "when"]].to_csv(path, index=False)
    assert read_data(path, time="when").index.name == "when"
    with pytest.raises(DataError, match="do not hold numbers"):
        read_data(path)
    table[::-1].to_csv(path)
    with pytest.raises(DataError, match="goes back in time"):
        read_data(path)


def test_a_time_of_numbers_must_go_forward_too(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    count = np.arange(len(table))

    def written(name: str, values: object) -> Path:
        table.reset_index(drop=True).assign(**{name: values})[[name, *table.columns]].to_csv(
            path, index=False
        )
        return path

    assert read_data(written("time", count * 0.5)).index.name == "time"
    for values in (count[::-1], np.random.default_rng(0).permutation(count)):
        with pytest.raises(DataError, match="goes back in time"):
            read_data(written("time", values))
    with pytest.raises(DataError, match="repeats times"):
        read_data(written("time", count // 2))
    with pytest.raises(DataError, match="goes back in time"):
        read_data(written("year", count[::-1]))
    assert "month" in read_data(written("month", count % 12)).columns  # a season, not the time


def test_missing_values_and_columns(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    holes = table.copy()
    holes.iloc[3, 0] = -999.0
    holes.iloc[4, 1] = np.nan
    holes.to_csv(path)
    found = read_data(path, columns=["river", "rain"], missing=[-999.0])
    assert list(found.columns) == ["river", "rain"]
    assert int(found.isna().sum().sum()) == 2


def test_parquet(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    table.reset_index().to_parquet(path)
    assert read_data(path).index.name == "when"


def test_results_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "evil.npz"
    np.savez(path, graph=np.array([object()], dtype=object))
    with pytest.raises(DataError, match="cannot be read"):
        read_result(path)
    (tmp_path / "what.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match="none of the known forms"):
        read_result(tmp_path / "what.json")


def test_the_installed_script(csv: Path) -> None:
    assert SCRIPT.is_file(), "the package is not installed: pip install -e ."
    done = subprocess.run(
        [SCRIPT, "discover", csv, "--max-lag", "2", "--format", "csv"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "rain,river,1" in done.stdout
    assert "candidate edges" in done.stderr
    wrong = subprocess.run(
        [SCRIPT, "refine", csv, "--data", csv], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("Error: ")
    assert wrong.stdout == ""


def test_refining_a_list_shows_no_edge_that_nobody_passed_in(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 3))
    for time in range(1, len(x)):
        x[time] += 0.5 * x[time - 1]  # own pasts are kept as controls
        x[time, 1] += 0.8 * x[time - 1, 0]
    pd.DataFrame(x, columns=list("abc")).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "edges.csv").write_text("cause,effect,lag\na,b,1\nc,a,1\n")
    call = ("refine", tmp_path / "edges.csv", "--data", tmp_path / "data.csv", "--format", "json")
    assert edges_of(run(*call)) == {("a", "b", 1)}
    out = tmp_path / "out.csv"
    everything = run(*call, "--all", "--out", out)
    assert edges_of(everything) == {("a", "b", 1), ("c", "a", 1)}
    assert everything.stderr.startswith("2 candidate edges, 1 kept")
    assert len(pd.read_csv(out)) == 2
    (tmp_path / "pairs.csv").write_text("cause,effect\na,b\nc,a\n")
    call = ("refine", tmp_path / "pairs.csv", "--data", tmp_path / "data.csv", "--format", "json")
    assert "pass max_lag" in run(*call).stderr
    pairs = edges_of(run(*call, "--max-lag", "2", "--all"))
    assert pairs == {("a", "b", 1), ("a", "b", 2), ("c", "a", 1), ("c", "a", 2)}
