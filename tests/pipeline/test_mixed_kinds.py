"""Words, counts and numbers side by side, with the edges that are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning

EDGES = {("sky", "river", 1), ("river", "mood", 2), ("count", "river", 2), ("sky", "road", 1)}


def world(rows: int = 700, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sky = np.zeros(rows, dtype=int)
    mood, road, count = np.zeros(rows, dtype=int), np.zeros(rows, dtype=int), rng.poisson(2.0, rows)
    river, free = rng.normal(size=rows), rng.normal(size=rows)
    level = np.array([0.0, 1.5, -1.0])
    for t in range(2, rows):
        sky[t] = sky[t - 1] if rng.random() < 0.3 else rng.integers(3)
        river[t] += level[sky[t - 1]] + 0.5 * (count[t - 2] - 2.0)
        mood[t] = 1 + np.sign(river[t - 2]) if rng.random() < 0.6 else rng.integers(3)
        road[t] = sky[t - 1] if rng.random() < 0.5 else rng.integers(3)
    return pd.DataFrame(
        {
            "sky": np.array(["dry", "wet", "ice"])[sky],
            "mood": pd.Categorical.from_codes(mood, ["sad", "so", "glad"]),
            "road": np.array(["u", "v", "w"])[road],
            "count": count,
            "river": river,
            "free": free,
        }
    )


def cross(found: gp.Refinement) -> set[tuple[str, str, int]]:
    table = found.edges[found.edges.kept]
    return {(row.cause, row.effect, row.lag) for row in table.itertuples() if row.cause != row.effect}


def test_every_variable_is_named_once_and_the_edges_are_right() -> None:
    found = gp.discover(world(), max_lag=2)
    assert found.names == ("sky", "mood", "road", "count", "river", "free")
    assert cross(found) == EDGES
    assert found.graph.shape == (6, 6, 3)
    assert not found.edges.duplicated(["cause", "effect", "lag"]).any()


def test_levels_are_told() -> None:
    found = gp.discover(world(), max_lag=2)
    told = found.explain("sky", "river", 1)
    assert told.levels == {"sky": ("dry", "ice", "wet")}
    assert str(told).endswith("sky is one of dry, ice, wet.")
    again = gp.read_json(found.to_json())
    assert again.explain("sky", "river", 1).levels == told.levels


def test_levels_are_drawn_beside_the_name() -> None:
    figure, _ = gp.discover(world(400), max_lag=2).plot(kind="network")
    written = " ".join(text.get_text() for text in figure.findobj(Text))  # a line each
    assert "sky (dry, ice, wet)" in written
    assert "river (" not in written


def test_a_given_graph_is_pruned_by_the_names_of_the_table() -> None:
    table = world()
    mask = np.zeros((6, 6, 3), dtype=bool)
    for cause, effect, lag in [(0, 4, 1), (4, 0, 1), (5, 2, 2), (4, 1, 2), (0, 2, 1)]:
        mask[cause, effect, lag] = True
    skeleton = gp.Skeleton(mask, list(table.columns))
    pruned = gp.analyze(skeleton, table)
    assert cross(pruned) == {("sky", "river", 1), ("river", "mood", 2), ("sky", "road", 1)}
    kept = gp.analyze(skeleton, table, keep=[("river", "sky", 1)])
    assert cross(kept) == {*cross(pruned), ("river", "sky", 1)}


def test_gaps_in_words_are_filled() -> None:
    table = world(900)
    hidden = np.random.default_rng(3).random(len(table)) < 0.15
    table.loc[hidden, "sky"] = None
    table.loc[np.roll(hidden, 7), "river"] = np.nan
    assert cross(gp.discover(table, max_lag=2)) == EDGES


def test_windows_of_a_bootstrap_take_words() -> None:
    found = gp.bootstrap("basis", world(), max_lag=2, runs=4, window=500)
    assert found.graph[0, 4, 1]
    assert found.frequency.shape == (6, 6, 3)


def test_independent_words_stay_alone() -> None:
    rng = np.random.default_rng(4)
    false = 0
    for _ in range(8):
        table = pd.DataFrame({name: rng.choice(list("pqrs"), 250) for name in "abcd"})
        table["x"] = rng.normal(size=250)
        false += len(cross(gp.discover(table, max_lag=2)))
    assert false <= 2


@pytest.mark.parametrize("engine", ["additive"])
def test_two_levels_and_ranks_are_one_column(engine: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(500, 2))
    x[1:, 1] += 0.8 * x[:-1, 0]
    table = pd.DataFrame(x, columns=["a", "b"])
    table["a"] = pd.cut(table.a, 5, labels=["p", "q", "r", "s", "t"], ordered=True)
    table["side"] = np.where(rng.random(500) < 0.5, "left", "right")
    found = gp.discover(table, max_lag=1, engine=engine)
    assert cross(found) == {("a", "b", 1)}


def test_a_word_is_a_given_cause_as_a_whole() -> None:
    """sky(t - 1) drives road; beside some of its columns alone sky(t - 2) would seem to as well."""
    units = {name: world(500, seed) for seed, name in enumerate(("one", "two", "three"), 1)}
    assert cross(gp.discover(units, max_lag=2)) == EDGES


def test_by_unit_judges_a_word_by_all_its_levels() -> None:
    units = {"one": world(500, 1), "two": world(500, 2), "dry": world(500, 3).query("sky != 'ice'")}
    units["dry"] = units["dry"].reset_index(drop=True)
    units["two"]["river"] = np.random.default_rng(5).normal(size=500)
    found = gp.discover(units, max_lag=2)
    table = found.by_unit().set_index(["cause", "effect", "unit"])
    assert table.loc[("sky", "river", "one"), "shows"]
    assert not table.loc[("sky", "river", "two"), "shows"]
    assert table.loc[("sky", "road", "two"), "shows"]
    assert table.loc[("sky", "road", "two"), "weight"] == pytest.approx(0.65, abs=0.1)
    assert table.loc[("sky", "road", "dry"), "shows"]  # a unit that lacks a level
    again = gp.read_json(found.to_json()).by_unit(units)
    assert again.shows.tolist() == found.by_unit().shows.tolist()


def faster_than_the_step(rows: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(101)
    sky, x = np.zeros(rows, dtype=int), rng.normal(size=(rows, 3))
    for t in range(1, rows):
        sky[t] = sky[t - 1] if rng.random() < 0.4 else rng.integers(3)
        x[t, 0] += 0.5 * x[t - 1, 0] + 1.2 * (0.0, 1.0, -1.0)[sky[t]]
        x[t, 1] += 0.4 * x[t - 1, 1] + 0.6 * x[t, 0]
        x[t, 2] += 0.5 * x[t - 1, 1] + 0.3 * x[t - 1, 2]
    return pd.DataFrame(x, columns=["rain", "river", "lake"]).assign(sky=np.array(["u", "v", "w"])[sky])


def test_effects_within_a_step_are_found_beside_words() -> None:
    """Those of numbers have a direction; a word and what it goes with are an open pair."""
    with pytest.warns(DataWarning, match="within one step"):
        found = gp.discover(faster_than_the_step(), max_lag=2)
    assert {("rain", "river", 0), ("river", "lake", 1)} < cross(found)
    pair = found.edges.query("kept and lag == 0 and not oriented")
    assert pair[["cause", "effect"]].to_numpy().tolist() == [["rain", "sky"]]
    assert pair.probability.item() > 0.99
    with pytest.warns(DataWarning, match="within one step"):
        told = gp.discover(faster_than_the_step(), max_lag=2, forbid=[("rain", "sky", 0)])
    assert cross(told) == {("sky", "rain", 0), ("rain", "river", 0), ("river", "lake", 1)}
    assert told.edges.oriented.all()


def test_columns_of_one_word_are_no_effects_of_each_other() -> None:
    found = gp.discover(world(), max_lag=2, contemporaneous=True)
    assert cross(found) == EDGES


def test_the_lag_is_suggested_for_words_and_units() -> None:
    table = world(600)
    table["river"] = np.r_[np.zeros(4), (table.sky == "wet").to_numpy(float)[:-4]] + 0.5 * table.free
    lag = gp.suggest_max_lag(table[["sky", "river"]])
    assert (lag.max_lag, lag.strongest) == (4, ("sky", "river"))
    rng = np.random.default_rng(0)
    units = {name: rng.normal(size=(150, 2)) + 50.0 * name for name in range(4)}
    assert gp.suggest_max_lag(units).max_lag == 1
