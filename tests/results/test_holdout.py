"""A graph on rows that it was not chosen on: what holds, what does not, and what it foretells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError, OptionError

NAMES = ["a", "b", "c"]


def rows(count: int, seed: int, weight: float = 0.7) -> pd.DataFrame:
    """With a -> b at lag 1 of the given weight, b -> c at lag 2, and own pasts."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    for t in range(2, count):
        x[t] += 0.3 * x[t - 1]
        x[t, 1] += weight * x[t - 1, 0]
        x[t, 2] -= 0.7 * x[t - 2, 1]
    return pd.DataFrame(x, columns=NAMES)


def held(checked: Any) -> dict[tuple[str, str, int], bool]:
    table = checked.edges
    return {
        (row.cause, row.effect, row.lag): bool(row.holds)
        for row in table.itertuples()
        if row.cause != row.effect
    }


def test_true_edges_hold_and_foretell() -> None:
    checked = gp.discover(rows(500, 0), 2).holdout(rows(400, 1))
    assert held(checked) == {("a", "b", 1): True, ("b", "c", 2): True}
    assert checked.share == 1.0
    assert checked.edges.same_sign.all()
    share = checked.prediction.set_index("effect")
    assert (share.graph[["b", "c"]] > share.own_past[["b", "c"]] + 0.15).all()
    assert share.graph["b"] == pytest.approx(share.candidates["b"], abs=0.05)
    assert "kept edges hold on 398 new rows" in repr(checked)


def test_an_edge_that_is_gone_does_not_hold_and_foretells_worse_than_nothing() -> None:
    learned = gp.discover(rows(500, 0), 2)
    checked = learned.holdout(rows(400, 1, weight=0.0))
    assert held(checked) == {("a", "b", 1): False, ("b", "c", 2): True}
    row = checked.edges.set_index(["cause", "effect"]).loc[("a", "b")]
    assert row.low < 0.0 < row.high < row.effect_before
    share = checked.prediction.set_index("effect")
    assert share.graph["b"] < share.own_past["b"]


def test_a_hosts_many_edges_foretell_worse_than_those_that_stay() -> None:
    host = [(c, e, lag) for c in NAMES for e in NAMES for lag in range(1, 6)]
    learned = gp.analyze(host, rows(80, 3), names=NAMES)
    share = learned.holdout(rows(600, 4)).prediction
    assert share.graph.mean() > share.candidates.mean()


def test_tests_on_new_rows_have_their_size() -> None:
    rng = np.random.default_rng(5)
    false = [("a", "b", 1), ("b", "a", 1), ("c", "a", 1), ("a", "c", 1), ("b", "c", 1), ("c", "b", 1)]
    p_values = []
    for _ in range(25):
        old, new = rng.normal(size=(2, 120, 3))
        learned = gp.analyze(false, old, names=NAMES, keep=false)
        p_values += learned.holdout(new).edges.p_value.tolist()
    below = np.mean(np.array(p_values) <= 0.05)
    assert len(p_values) == 150
    assert below <= 0.12


def test_new_rows_are_taken_as_the_old_ones_were() -> None:
    table, new = rows(500, 0), rows(400, 1)
    rng = np.random.default_rng(2)
    for part in (table, new):
        part["tide"] = rng.normal(size=len(part)).cumsum() * 0.1
        part[NAMES] += part[["tide"]].to_numpy()
    new.iloc[50:70, 1] = np.nan
    learned = gp.discover(table, 2, controls=["tide"])
    assert held(learned.holdout(new[["c", "tide", "b", "a"]])) == {("a", "b", 1): True, ("b", "c", 2): True}
    units = gp.discover({"n": rows(300, 1), "s": rows(300, 2) + 5.0}, 2)
    assert held(units.holdout({"n": rows(200, 3), "s": rows(200, 4) - 9.0})) == {
        ("a", "b", 1): True,
        ("b", "c", 2): True,
    }


def test_causes_that_act_together_hold_too() -> None:
    def together(count: int, seed: int) -> Any:
        x = np.random.default_rng(seed).normal(size=(count, 3))
        x[1:, 2] += 0.9 * x[:-1, 0] * x[:-1, 1]
        return x

    learned = gp.discover(together(600, 0), 1)
    assert {(0, 2, 1), (1, 2, 1)} <= {tuple(edge) for edge in np.argwhere(learned.graph).tolist()}
    assert learned.holdout(together(500, 1)).share == 1.0


def test_only_the_effects_that_were_asked_for() -> None:
    checked = gp.discover(rows(500, 0), 2, effects=["b"]).holdout(rows(300, 1))
    assert set(checked.edges.effect) == set(checked.prediction.effect) == {"b"}


def test_an_empty_graph_has_nothing_to_hold() -> None:
    x = np.random.default_rng(0).normal(size=(2, 200, 2))
    checked = gp.discover(x[0], 1).holdout(x[1])
    assert (len(checked.edges), checked.share) == (0, 1.0)
    checked.plot()


def test_the_picture_shows_both_tables() -> None:
    figure = gp.discover(rows(500, 0), 2).holdout(rows(300, 1)).plot()
    left, right = figure.axes
    assert len(left.get_yticklabels()) == 5
    assert [label.get_text() for label in right.get_yticklabels()] == NAMES


def test_what_cannot_be_is_told(tmp_path: Any) -> None:
    learned = gp.discover(rows(300, 0), 1)
    learned.to_json(tmp_path / "found.json")
    with pytest.raises(DataError, match="read from a file"):
        gp.read_json(tmp_path / "found.json").holdout(rows(100, 1))
    with pytest.raises(DataError, match="name different variables"):
        learned.holdout(rows(100, 1).rename(columns={"a": "z"}))
    with pytest.raises(DataError, match="complete past"):
        learned.holdout(rows(9, 1))
    with pytest.raises(OptionError, match="level"):
        learned.holdout(rows(100, 1), level=2.0)
