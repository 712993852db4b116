"""Every benchmark runs at its quick size, so that none rots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import benchmark_names, load, main
from benchmarks.core import Job, Row, Store, mean_table, run_jobs
from benchmarks.hosts import HostRun
from benchmarks.metrics import scores


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", benchmark_names())
def test_quick_mode_makes_rows_and_a_table(name: str, tmp_path: Path) -> None:
    module = load(name)
    rows = run_jobs(name, module.jobs(True, None), Store(tmp_path / "rows.jsonl"), quick=True)
    assert rows
    assert all(np.isfinite(value) for row in rows for value in row.numbers.values())
    assert "|" in module.table(rows)


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


def test_scores_by_hand() -> None:
    truth = np.zeros((2, 2, 2), bool)
    truth[0, 1, 1] = truth[1, 1, 1] = True
    found = np.zeros_like(truth)
    found[0, 1, 1] = found[1, 0, 1] = found[0, 0, 1] = True
    assert scores(truth, found) == pytest.approx({"precision": 1 / 3, "recall": 0.5, "f1": 0.4, "shd": 3})


def test_the_best_alpha_is_the_best() -> None:
    truth = np.zeros((2, 2, 2), bool)
    truth[0, 1, 1] = True
    p = np.ones((2, 2, 2))
    p[0, 1, 1], p[1, 0, 1] = 1e-6, 1e-3
    host = HostRun(p, 1.0)
    assert scores(truth, host.skeleton(0.05))["f1"] < 1
    assert scores(truth, host.best_alpha(truth)[1])["f1"] == 1
    assert host.fdr()[0, 1, 1]


def test_the_program_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    assert "refine_pcmci: " in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no benchmark called"):
        main(["run", "nonsense"])
