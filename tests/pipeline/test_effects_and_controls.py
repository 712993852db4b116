"""Only some variables explained, and all judged beside columns that are no nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError, OptionError

NAMES = ["a", "b", "c", "d"]
Edge = tuple[str, str, int]
# Without their controls, the variables move together within a step and slowly, which is told.
_ALONE = pytest.mark.filterwarnings("ignore::grace_plugin.exceptions.DataWarning")


def cross(found: gp.Refinement) -> set[Edge]:
    names = found.names
    return {(names[c], names[e], int(lag)) for c, e, lag in np.argwhere(found.graph) if c != e}


def chain(rows: int = 500, seed: int = 0) -> pd.DataFrame:
    """Each acts on the next one: a -> b at lag 1, b -> c at lag 2, c -> d at lag 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
        x[t, 3] += 0.7 * x[t - 1, 2]
    return pd.DataFrame(x, columns=NAMES)


def driven(rows: int = 800, seed: int = 0) -> pd.DataFrame:
    """A month and a tide drive all of a, b, c, d; only a -> b at lag 1 is an effect among them."""
    rng = np.random.default_rng(seed)
    month = np.arange(rows) // 30 % 12
    push = 2.0 * np.cos(np.arange(12) ** 2)
    tide = np.zeros(rows)
    x = np.zeros((rows, 4))
    noise = rng.normal(size=(rows, 5))
    for t in range(1, rows):
        tide[t] = 0.5 * tide[t - 1] + noise[t, 4]
        x[t] = 0.6 * x[t - 1] + push[month[t]] * np.array([1.0, -1.0, 1.0, 0.5]) + tide[t] + noise[t, :4]
        x[t, 1] += 0.5 * x[t - 1, 0]
    return pd.DataFrame(x, columns=NAMES).assign(month=month, tide=tide)


TRUE = {("a", "b", 1)}


def test_only_what_is_asked_for_is_explained_and_as_before() -> None:
    whole, part = gp.discover(chain(), 2), gp.discover(chain(), 2, effects=["c"])
    assert cross(part) == {("b", "c", 2)}
    np.testing.assert_array_equal(part.graph[:, 2], whole.graph[:, 2])
    assert not part.skeleton.mask[:, [0, 1, 3]].any()
    assert set(part.edges.effect) == {"c"}
    assert cross(gp.discover(chain().to_numpy(), 2, effects=[2, 3])) == {("x1", "x2", 2), ("x2", "x3", 1)}


def test_fewer_effects_are_searched_and_no_others() -> None:
    from grace_plugin.regression import search_blocks

    seen: list[int] = []
    usual = search_blocks.SearchBlocks.selected

    def counted(self: Any, effects: Any, rest: Any) -> Any:
        seen.extend(effects.tolist())
        return usual(self, effects, rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_blocks.SearchBlocks, "selected", counted)
        gp.discover(chain(), 2, effects=["c", "a"])
    assert set(seen) == {0, 2}


def test_edges_of_a_host_into_other_variables_stay_as_they_are() -> None:
    given = [("a", "b", 1), ("c", "b", 1), ("b", "c", 2), ("d", "a", 2), ("a", "d", 1)]
    assert gp.refine(given, chain(), effects=["b"]) == [
        ("a", "b", 1),
        ("b", "c", 2),
        ("d", "a", 2),
        ("a", "d", 1),
    ]
    learned = gp.analyze(given, chain(), effects=["b"])
    assert set(learned.edges.effect) == {"b"}
    assert learned.at(alpha=1e-300).native == [("b", "c", 2), ("d", "a", 2), ("a", "d", 1)]


@pytest.mark.parametrize("engine_options", [{"alpha": "level"}, {"skeleton": "cdnots"}, {"max_lag": "auto"}])
def test_other_ways_to_decide_know_effects_too(engine_options: dict[str, Any]) -> None:
    found = gp.discover(chain(), **{"max_lag": 2, **engine_options}, effects=["c"])
    assert ("b", "c", 2) in cross(found)
    assert not found.graph[:, [0, 1, 3]].any()


def test_causes_within_the_step_of_what_is_asked_for() -> None:
    rng = np.random.default_rng(3)
    x = rng.laplace(size=(900, 3))
    for t in range(1, 900):
        x[t, 0] += 0.7 * x[t - 1, 0]
        x[t, 1] += 0.9 * x[t, 0]
        x[t, 2] += 0.9 * x[t, 1] + 0.5 * x[t - 1, 2]
    found = gp.discover(x, 1, effects=[1], contemporaneous=True)
    assert found.graph[0, 1, 0]
    assert not found.graph[1, 2, 0]
    assert not found.graph[:, [0, 2], 1].any()
    assert not gp.discover(x, 1, effects=[0], contemporaneous=True).graph[:, [1, 2], 1].any()


def test_a_bootstrap_knows_effects_too() -> None:
    stable = gp.bootstrap("basis", chain(), max_lag=2, window=200, runs=4, effects=["d"])
    assert stable.frequency[2, 3, 1] == 1.0
    assert stable.frequency[:, :3].sum() == 0.0
    given = [("a", "b", 1), ("d", "c", 1), ("c", "d", 1), ("b", "d", 1)]
    left = gp.bootstrap(given, chain(), window=200, runs=4, effects=["d"]).native
    assert left == [("a", "b", 1), ("d", "c", 1), ("c", "d", 1)]


@_ALONE
def test_what_drives_all_of_them_makes_edges_that_controls_take_away() -> None:
    table = driven()
    assert cross(gp.discover(table[NAMES], 2)) - TRUE
    found = gp.discover(table, 2, controls=["month", "tide"])
    assert found.names == tuple(NAMES)
    assert cross(found) == TRUE
    assert "Every effect is judged beside controls: month, tide." in found.summary()


@pytest.mark.parametrize(
    "options", [{"alpha": "level"}, {"skeleton": "cdnots"}, {"prepare": "none"}, {"max_lag": "auto"}]
)
def test_controls_hold_for_other_ways_to_decide(options: dict[str, Any]) -> None:
    found = gp.discover(driven(), **{"max_lag": 2, **options}, controls=["month", "tide"])
    assert cross(found) == TRUE


def test_a_table_of_controls_is_matched_by_its_index_or_its_order() -> None:
    table = driven().set_axis(pd.date_range("2001-01-01", periods=800), axis=0)
    beside = table[["month", "tide"]].sample(frac=1.0, random_state=0).sort_index(ascending=False)
    found = gp.discover(table[NAMES], 2, controls=beside.sort_index())
    assert cross(found) == TRUE
    early = table[["month", "tide"]].reindex(pd.date_range("2000-12-01", periods=1000))
    assert cross(gp.discover(table[NAMES], 2, controls=early)) == TRUE
    by_order = gp.discover(table[NAMES].to_numpy(), 2, controls=table[["month", "tide"]].to_numpy())
    assert cross(by_order) == {("x0", "x1", 1)}
    assert cross(gp.discover(table.to_numpy(), 2, controls=[4, 5])) == {("x0", "x1", 1)}


def test_a_host_is_refined_beside_controls() -> None:
    table = driven()
    given = [("a", "b", 1), ("b", "a", 1), ("c", "d", 1), ("a", "c", 2)]
    assert gp.refine(given, table, controls=["month", "tide"]) == [("a", "b", 1)]
    assert gp.refine(given, table[NAMES], controls=table[["month", "tide"]]) == [("a", "b", 1)]


def test_words_and_gaps_in_controls_cost_no_rows() -> None:
    table = driven()
    table["month"] = table["month"].map(lambda number: f"m{number}")
    table.loc[100:110, "month"] = None
    table.loc[200:205, "tide"] = np.nan
    found = gp.discover(table, 2, controls=["month", "tide"])
    assert cross(found) == TRUE
    assert found.outcome.rows_used == gp.discover(driven()[NAMES[:1]], 2).outcome.rows_used


def test_controls_and_effects_beside_a_category() -> None:
    table = driven()
    rng = np.random.default_rng(1)
    sky = rng.integers(0, 3, size=len(table))
    table["c"] += np.concatenate([[0.0], np.array([0.0, 2.0, -2.0])[sky[:-1]]])
    table["sky"] = np.array(["clear", "rain", "snow"])[sky]
    found = gp.discover(table, 1, controls=["month", "tide"], effects=["c", "b"])
    assert cross(found) == {("a", "b", 1), ("sky", "c", 1)}
    assert not gp.discover(table, 1, controls=["month", "tide"], forbid=[("s*", "c")]).graph[4].any()
    believed = gp.discover(table, 1, controls=["month", "tide"], likely={("sky", "a", 1): 50.0})
    plain = gp.discover(table, 1, controls=["month", "tide"])
    chance = [one.outcome.details.levels.probability[4, 0, 1] for one in (plain, believed)]
    odds = [p / (1.0 - p) for p in chance]
    assert odds[1] == pytest.approx(50.0 * odds[0], rel=1e-6)


@_ALONE
def test_several_units_share_a_calendar() -> None:
    days = pd.date_range("2001-01-01", periods=400)
    units = {key: driven(400, seed).set_axis(days, axis=0) for key, seed in (("n", 1), ("s", 2))}
    found = gp.discover(units, 2, controls=["month", "tide"])
    assert cross(found) >= TRUE
    calendar = units["n"][["month"]]
    tables = {key: one[[*NAMES, "tide"]] for key, one in units.items()}
    assert gp.discover(tables, 1, controls=calendar).names == (*NAMES, "tide")


def test_a_bootstrap_judges_beside_controls_too() -> None:
    table = driven()
    stable = gp.bootstrap("basis", table, max_lag=1, window=400, runs=4, controls=["month", "tide"])
    assert stable.pair_frequency[0, 1] == 1.0
    assert stable.graph[~np.eye(4, dtype=bool)].sum() == 1

    def host(rows: Any) -> list[Edge]:
        assert list(rows.columns) == NAMES
        return [("a", "b", 1), ("c", "d", 1)]

    again = gp.bootstrap(host, table, max_lag=1, window=400, runs=3, controls=["month", "tide"])
    assert again.frequency[0, 1, 1] == 1.0
    assert again.frequency[2, 3, 1] < 1.0


def test_both_survive_the_json_form(tmp_path: Any) -> None:
    found = gp.discover(driven(), 1, effects=["b"], controls=["month", "tide"])
    found.to_json(tmp_path / "found.json")
    again = gp.read_json(tmp_path / "found.json")
    assert (again.config.effects, again.config.controls) == (("b",), ("month", "tide"))


def test_what_is_given_is_not_changed() -> None:
    table = driven()
    before = table.copy()
    gp.discover(table, 1, controls=["month", "tide"], effects=["b"])
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize(
    ("wrong", "kind", "told"),
    [
        ({"effects": "b"}, OptionError, "effects='b'; give a list of variables"),
        ({"effects": ["bee"]}, OptionError, "effects names the variable 'bee'"),
        ({"effects": ["b"], "keep": [("b", "c", 1)]}, OptionError, "no edge into one of effects"),
        ({"controls": "month"}, OptionError, "controls='month'; give a list"),
        ({"controls": ["mnth"]}, OptionError, "Did you mean 'month'"),
        ({"controls": [*NAMES, "month", "tide"]}, OptionError, "at least one must be left"),
        ({"controls": np.zeros((7, 1))}, DataError, "controls have 7 rows, the data 800"),
        ({"controls": np.full((800, 1), np.inf)}, DataError, "infinite"),
        ({"controls": np.random.default_rng(0).normal(size=(800, 90))}, DataError, "too many for"),
    ],
)
def test_wrong_words_are_told(wrong: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        gp.discover(driven(), 1, **wrong)


def test_a_graph_with_controls_as_nodes_is_told() -> None:
    graph = gp.Skeleton(np.ones((6, 6, 2)) * (1 - np.eye(6))[:, :, None], names=list(driven().columns))
    with pytest.raises(DataError, match="Controls are no nodes"):
        gp.refine(graph, driven(), controls=["month"])
