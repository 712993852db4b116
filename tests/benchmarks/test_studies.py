"""Every benchmark runs at its quick size, so that none rots, and the report says what the rows say."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import benchmark_names, every_store, load, main
from benchmarks.cached import cached
from benchmarks.core import Job, Row, Store, mean_table, run_jobs
from benchmarks.hosts import on_worlds, programs
from benchmarks.hosts import pcmci as hosts
from benchmarks.hosts.pcmci import HostRun
from benchmarks.metrics import graded, measured, scores
from benchmarks.reporting import page
from benchmarks.reporting.contents import PAGES
from benchmarks.reporting.evidence import Evidence
from benchmarks.worlds import REPORTED
from benchmarks.worlds import paper as data
from benchmarks.worlds.paper import REPORTED_SEEDS
from benchmarks.worlds.paper_like import WORLDS, draw


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", benchmark_names())
def test_quick_mode_makes_rows_and_a_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (programs, on_worlds):
        monkeypatch.setattr(module, "CACHE", tmp_path)  # the hosts themselves are run
    module = load(name)
    rows = run_jobs(name, module.jobs(True, None), Store(tmp_path / "rows.jsonl"), quick=True)
    assert rows
    assert all(np.isfinite(value) for row in rows for value in row.numbers.values())
    assert "|" in module.table(rows)


@pytest.mark.parametrize("name", benchmark_names())
def test_jobs_have_names_of_their_own_and_reported_seeds(name: str) -> None:
    jobs = list(load(name).jobs(False, None))
    keys = [(job.method, job.d, job.T, job.seed) for job in jobs]
    assert len(keys) == len(set(keys))
    many = {"worlds": REPORTED, "within_step": REPORTED, "null_kinds": range(200), "decision": REPORTED}
    many |= {"reliability": REPORTED, "level_rule": range(200, 240)}
    many |= {"gates_share": range(40), "elbe_small": range(40)}
    assert {job.seed for job in jobs} <= set(many.get(name, REPORTED_SEEDS))


def test_finished_rows_are_not_made_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def run() -> dict[str, float]:
        calls.append(1)
        return {"f1": 0.5}

    store = Store(tmp_path / "rows.jsonl")
    for _ in range(2):
        rows = run_jobs("x", [Job("m", 1, 2, 3, run)], store, quick=False)
    assert len(calls) == 1
    assert [(row.key, row.numbers) for row in rows] == [(("x", "m", 1, 2, 3, False), {"f1": 0.5})]
    assert rows[0].made
    with store.path.open("a") as file:
        file.write('{"benchmark": "x", "meth')  # killed while writing
    store.add(Row("x", "m", 1, 2, 4, False, {"f1": 0.7}))
    assert len(store.rows("x")) == 2
    assert "| 1 | 2 | m | 0.600 | 2 |" in mean_table(store.rows("x"), ["f1"])


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_cut_cache_file_is_made_again(
    share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (data, hosts, programs):
        monkeypatch.setattr(module, "CACHE", tmp_path / "cache")
    values, truth = data.scp(5, 0, 200)
    found = hosts.pcmci(values, "few", max_lag=1)
    other = programs.run("VAR", values, "few", max_lag=1)
    files = sorted((tmp_path / "cache").iterdir())
    assert [file.name for file in files] == ["host_VAR_few.npz", "pcmci_few.npz", "scp_default_5_0.npz"]
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: int(share * len(whole))])
    again = data.scp(5, 0, 200)
    np.testing.assert_array_equal(again[0], values)
    np.testing.assert_array_equal(again[1], truth)
    np.testing.assert_array_equal(hosts.pcmci(values, "few", max_lag=1).p_matrix, found.p_matrix)
    np.testing.assert_array_equal(programs.run("VAR", values, "few", max_lag=1).graph, other.graph)
    assert capsys.readouterr().err.count("It is made again.") == 3
    assert sorted((tmp_path / "cache").iterdir()) == files  # no drafts are left
    data.scp(5, 0, 200)
    assert not capsys.readouterr().err


def test_a_good_cache_file_is_not_made_again_and_a_failure_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "numbers.npz"

    def fail() -> dict[str, np.ndarray]:
        msg = "must not be called"
        raise RuntimeError(msg)

    with pytest.raises(RuntimeError):
        cached(path, fail)
    assert not path.exists()
    cached(path, lambda: {"a": np.arange(3), "b": 0.5})
    stored = cached(path, fail)
    assert stored["a"].tolist() == [0, 1, 2]
    assert float(stored["b"]) == 0.5


def test_rows_of_other_versions_are_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "rows.jsonl")
    start = '{"benchmark": "x", "method": "m", "d": 1, "T": 2, "seed": 3, "quick": false'
    store.path.write_text(f'{start}, "numbers": {{"f1": 1.0}}, "later": 5}}\n')
    assert store.rows() == [Row("x", "m", 1, 2, 3, False, {"f1": 1.0})]


def _edges(*places: tuple[int, int, int], d: int = 2) -> np.ndarray:
    graph = np.zeros((d, d, 2), bool)
    for place in places:
        graph[place] = True
    return graph


def test_scores_by_hand() -> None:
    truth = _edges((0, 1, 1), (1, 1, 1))
    found = _edges((0, 1, 1), (1, 0, 1), (0, 0, 1))
    assert scores(truth, found) == pytest.approx({"precision": 1 / 3, "recall": 0.5, "f1": 0.4, "shd": 3})


def test_pairs_and_ranks_by_hand() -> None:
    truth = _edges((0, 1, 1), (1, 1, 1))
    strength = np.zeros(truth.shape)
    strength[0, 1, 1], strength[1, 0, 1] = 2.0, 1.0
    numbers = graded(truth, strength > 0, strength)
    assert numbers["pair_precision"] == 0.5
    assert numbers["pair_recall"] == 1.0  # the effect of 1 on itself is no pair
    assert numbers["pair_auroc"] == 1.0
    assert numbers["auroc"] == 0.625  # true 2 and 0 against false 1 and 0


def test_an_edge_at_lag_0_counts_once() -> None:
    truth = _edges((0, 1, 0))
    both_ways = _edges((0, 1, 0), (1, 0, 0))
    assert graded(truth, both_ways, both_ways.astype(float))["f1"] == 1.0


def test_the_memory_of_a_call_is_its_own() -> None:
    _, spent = measured(lambda: np.ones(30_000_000).sum())
    assert spent["seconds"] > 0
    if "peak_mib" in spent:  # Linux
        assert 200 < spent["peak_mib"] < 300
        assert measured(lambda: None)[1]["peak_mib"] < 50


def test_the_best_alpha_is_the_best() -> None:
    truth = _edges((0, 1, 1))
    p = np.ones((2, 2, 2))
    p[0, 1, 1], p[1, 0, 1] = 1e-6, 1e-3
    host = HostRun(p, 1.0)
    assert scores(truth, host.skeleton(0.05))["f1"] < 1
    assert scores(truth, host.best_alpha(truth)[1])["f1"] == 1
    assert host.fdr()[0, 1, 1]
    found = programs.from_pcmci(host)
    assert scores(truth, found.best(truth))["f1"] == 1
    assert (found.fdr() == host.fdr()).all()


def test_cam_pruning_keeps_curves_and_drops_noise() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 3))
    values[1:, 2] += values[:-1, 0] ** 2
    candidates = _edges((0, 2, 1), (1, 2, 1), d=3)
    assert (programs.cam_pruned(candidates, values) == _edges((0, 2, 1), d=3)).all()


@pytest.mark.parametrize("world", WORLDS)
def test_worlds_are_stationary_sparse_and_repeatable(world: str) -> None:
    values, truth = draw(world, 12, 3, 1500)
    again, _ = draw(world, 12, 3, 1500)
    other, _ = draw(world, 12, 4, 1500)
    assert np.array_equal(values, again, equal_nan=True)
    assert not np.array_equal(values, other, equal_nan=True)
    assert np.isnan(values).any() == (world == "missing values")
    first, second = (np.nanstd(half) for half in np.array_split(values, 2))
    assert 0.5 < first / second < 2.0
    assert truth[:, :, 0].any() == (world == "contemporaneous")
    assert 12 < truth.sum() < 12 * 12


def test_the_program_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    assert "refine_pcmci: " in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no benchmark called"):
        main(["run", "nonsense"])


def _report(tmp_path: Path, f1: float) -> str:
    store = Store(tmp_path / "rows.jsonl")
    for seed in range(10):
        numbers = {"f1": f1, "cpu": 1.0}
        store.add(Row("sizes", "CDNOTS refined", 20, 1000, seed, False, numbers, "2026-01-01", "abc"))
        for way, value in (("refined", f1), ("best threshold", 0.9)):
            store.add(Row("rivals", f"VAR: {way}", 20, 1000, seed, False, {"f1": value}))
    front = page.write([store], tmp_path)
    return "\n".join(path.read_text() for path in (front, *sorted((tmp_path / "results").iterdir())))


@pytest.mark.parametrize(("f1", "worse"), [(0.5, True), (0.95, False)])
def test_the_report_says_where_ours_is_worse(tmp_path: Path, f1: float, worse: bool) -> None:
    text = _report(tmp_path, f1)
    against_paper = "**CDNOTS refined is worse than CDNOTS-Gated [paper] at 1 of 1 size**: d 20, T 1000"
    against_rival = "VAR: refined is **worse than** VAR: best threshold"
    assert (against_paper in text) == worse
    assert (against_rival in text) == worse
    assert ("±.00 worse |" in text) == worse
    assert "python -m benchmarks run sizes" in text
    assert "Rows of 2026-01-01 at abc: all by an **older engine** than this one" in text


def test_every_stored_row_is_in_the_report(tmp_path: Path) -> None:
    """The committed rows make pages with every section and figure, and no path of a machine."""
    front = page.write(every_store(), tmp_path).read_text()
    shown = set()
    for one in PAGES:
        text = (tmp_path / "results" / f"{one.name}.md").read_text()
        assert str(Path.home()) not in text
        for section in one.sections:
            assert f"## {section.title}\n" in text
            assert f"(results/{one.name}.md#{page.anchor(section.title)})" in front
            shown |= set(section.benchmarks)
    assert {row.benchmark for row in Evidence(Store().rows()).rows} <= shown
    assert shown == set(benchmark_names())
    assert front.index("## Where ours is worse") < front.index("| F1, T = 1000")
    assert sorted(path.stem for path in (tmp_path / "figures").iterdir())


@pytest.mark.parametrize(
    "name",
    [
        "metrics",
        "studies.penalties",
        "studies.sizes",
        "reporting.evidence",
        "reporting.tables",
        "reporting.page",
    ],
)
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(import_module(f"benchmarks.{name}"))
    assert tried
    assert not failed


@pytest.mark.parametrize("name", ["README.md", "benchmarks/README.md", "benchmarks/RESULTS.md"])
def test_claims_link_to_tables_that_exist(name: str) -> None:
    """Every link into RESULTS.md and the pages behind it ends at a heading."""
    here = Path(__file__).parents[2] / name
    linked = re.findall(r"\(([^()\s]*(?:RESULTS|results/\w+)\.md)#([^)]+)\)", here.read_text())
    assert linked
    for file, place in linked:
        text = (here.parent / file).read_text()
        assert place in {page.anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
