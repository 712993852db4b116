"""What prepared data ask of the tests reaches them."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.prepare.preparing import prepare
from grace_plugin.regression.asked_for import effect_columns, row_rules
from grace_plugin.regression.evidence import SearchSpace
from grace_plugin.regression.judge import judge
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.series.panel import as_panel

ROWS, LAGS = 400, 2
TIME = np.arange(ROWS)


def false_cells(values: np.ndarray | list[np.ndarray], rules: str | list[str]) -> int:
    """Cross cells below .001."""
    prepared = prepare(as_panel(values), rules)
    moments = Moments.of(prepared.panel, LAGS, DEFAULT_BASIS)
    rows = LaggedRows.of(prepared.panel, LAGS, moments.center, moments.scale)
    space = SearchSpace(columns=effect_columns(prepared, rows))
    found = np.exp(judge(moments, rows, space, row_rules(prepared)).evidence.dense()) < 1e-3
    d = len(found)
    found[np.arange(d), np.arange(d)] = found[:, :, 0] = False
    return int(found.sum())


def noise(seed: int, d: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(ROWS, d))


WORLDS = {
    "cycles": lambda seed: noise(seed) + 1.5 * np.sin(2 * np.pi * (TIME[:, None] / 12 + np.arange(6) / 6)),
    "trends": lambda seed: noise(seed) + 0.01 * TIME[:, None],
    "steps": lambda seed: noise(seed) + 2.0 * (TIME[:, None] >= 150 + 20 * np.arange(6)),
    "tails": lambda seed: noise(seed) + 15.0 * (np.random.default_rng(seed).random((ROWS, 6)) < 0.01),
    "persistence": lambda seed: np.cumsum(noise(seed), axis=0),
    "noise": lambda seed: noise(seed) * np.exp(np.cumsum(noise(seed, 1), axis=0) * 0.1 - 0.5),
}


@pytest.mark.parametrize("rule", WORLDS)
def test_each_rule_takes_its_false_edges_away(rule: str) -> None:
    """Six independent series, 60 possible cells, of which .06 are expected below .001."""
    seeds = range(20 if rule == "persistence" else 4)
    plain = sum(false_cells(WORLDS[rule](seed), "none") for seed in seeds)
    ruled = sum(false_cells(WORLDS[rule](seed), "auto") for seed in seeds)
    assert ruled <= 3 < plain


def test_drifts_of_several_series_are_each_its_own() -> None:
    parts = [noise(7) + 0.01 * TIME[:, None], noise(8) - 2.0 * (TIME[:, None] >= 200)]
    assert false_cells(parts, "auto") <= 1 < false_cells(parts, "none")


def test_data_that_ask_for_nothing_are_tested_plainly() -> None:
    prepared = prepare(as_panel(noise(9)), "none")
    assert row_rules(prepared).retest is None
    assert effect_columns(prepared, LaggedRows(noise(9), np.arange(2, ROWS), LAGS)) == {}
