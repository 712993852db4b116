"""`prepare=` reaches every verb, and what its rules did is told."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import grace_plugin as gp
from grace_plugin.cli.commands import main
from grace_plugin.exceptions import OptionError

pytestmark = pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")
ROWS, D = 400, 5
TIME = np.arange(ROWS)
MASK = np.ones((D, D, 3), dtype=bool)
MASK[:, :, 0] = False


def cyclic(seed: int) -> np.ndarray:
    """Every variable has the cycle of 12 rows; x0 moves x1 one row later."""
    x = np.random.default_rng(seed).normal(size=(ROWS, D))
    x[1:, 1] += 0.6 * x[:-1, 0]
    return x + 1.5 * np.sin(2 * np.pi * (TIME[:, None] / 12 + np.arange(D) / D))


def cross(graph: np.ndarray) -> np.ndarray:
    lagged = graph.copy()
    lagged[np.arange(D), np.arange(D)] = lagged[:, :, 0] = False
    return lagged


def test_discover_and_refine_judge_beside_cycles_and_say_so() -> None:
    for run in (
        lambda x, **options: gp.discover(x, 2, contemporaneous=False, **options),
        lambda x, **options: gp.analyze(gp.Skeleton(MASK), x, **options),
    ):
        plain = [cross(run(cyclic(seed), prepare="none").graph).sum() for seed in range(3)]
        found = [run(cyclic(seed)) for seed in range(3)]
        assert all(one.graph[0, 1, 1] for one in found)
        assert sum(cross(one.graph).sum() for one in found) <= 4 < sum(plain)
        assert "Judged beside cycles: x0 (12.0 rows)" in found[0].summary()


def test_each_window_of_a_bootstrap_is_prepared_too() -> None:
    options = {"max_lag": 2, "window": 250, "runs": 6, "contemporaneous": False, "progress": False}
    found = gp.bootstrap("basis", cyclic(1), **options)
    plain = gp.bootstrap("basis", cyclic(1), prepare="none", **options)
    assert found.frequency[0, 1, 1] == 1.0
    assert cross(found.frequency).sum() < 0.5 * cross(plain.frequency).sum()


def test_summaries_name_clipped_and_counted_variables() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 3))
    x[:, 0], x[rng.choice(ROWS, 8), 1] = rng.poisson(4.0, ROWS), 30.0
    told = gp.discover(pd.DataFrame(x, columns=["hits", "load", "heat"]), 1).summary()
    assert "Counts taken as their square roots: hits." in told
    assert "because of heavy tails: load." in told


def test_clean_data_say_nothing_and_give_the_same_graph() -> None:
    x = np.random.default_rng(3).normal(size=(ROWS, 4))
    x[1:, 1] += 0.5 * x[:-1, 0]
    auto, none = gp.discover(x, 2), gp.discover(x, 2, prepare="none")
    np.testing.assert_array_equal(auto.graph, none.graph)
    np.testing.assert_array_equal(auto.outcome.p_value, none.outcome.p_value)
    assert auto.outcome.details.notes == ()


def test_unknown_rules_are_refused_by_every_verb() -> None:
    for call in (
        lambda: gp.discover(cyclic(0), 1, prepare="all"),
        lambda: gp.analyze(gp.Skeleton(MASK), cyclic(0), prepare=["cycle"]),
    ):
        with pytest.raises(OptionError, match="give 'auto', 'none', or a list of rules"):
            call()


def test_the_command_line_takes_rules(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    pd.DataFrame(cyclic(0), columns=list("abcde")).to_csv(data, index=False)
    arguments = ["discover", str(data), "--max-lag", "2"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = CliRunner().invoke(main, arguments)
        some = CliRunner().invoke(main, [*arguments, "--prepare", "tails,trends"])
        wrong = CliRunner().invoke(main, [*arguments, "--prepare", "cycle"])
    assert "Judged beside cycles" in auto.output
    assert some.exit_code == 0
    assert "Judged beside cycles" not in some.output
    assert wrong.exit_code != 0
    assert "'cycles'" in wrong.output
