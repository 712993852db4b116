"""What users know: required, forbidden and likely edges, in every verb."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import OptionError

# Two of the variables move together within one step, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:What lagged causes leave:grace_plugin.exceptions.DataWarning")
NAMES = ["sun", "wind", "sea", "fish"]


def series(rows: int = 400, seed: int = 0) -> pd.DataFrame:
    """sun -> wind at lag 1, wind -> sea at lag 2, sea -> fish within the step."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    for t in range(2, rows):
        x[t, 1] += 0.7 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1]
    x[:, 3] += 0.8 * x[:, 2]
    return pd.DataFrame(x, columns=NAMES)


def edges(found: gp.Refinement) -> set[tuple[str, str, int]]:
    return {(NAMES[c], NAMES[e], int(lag)) for c, e, lag in np.argwhere(found.graph)}


def test_a_forbidden_edge_is_never_found_and_others_stay() -> None:
    free = edges(gp.discover(series(), 2))
    assert {("sun", "wind", 1), ("wind", "sea", 2)} <= free
    bound = gp.discover(series(), 2, forbid=[("sun", "wind")])
    assert ("wind", "sea", 2) in edges(bound)
    assert not bound.graph[0, 1].any()
    assert not bound.skeleton.mask[0, 1].any()


def test_a_direction_within_the_step_that_cannot_be_leaves_the_other() -> None:
    for forbidden, left in ((("sea", "fish", 0), (3, 2)), (("fish", "sea", 0), (2, 3))):
        found = gp.discover(series(), 2, contemporaneous=True, forbid=[forbidden])
        assert found.graph[(*left, 0)]
        assert not found.graph[(*left[::-1], 0)]


def test_refining_takes_forbidden_edges_out() -> None:
    candidates = [("sun", "wind", 1), ("wind", "sea", 2), ("sea", "sun", 1)]
    left = gp.refine(candidates, series(), forbid=[("*", "sea", 2)])
    assert left == [("sun", "wind", 1)]


def test_tiers_and_exogenous_variables_bind() -> None:
    known = gp.Knowledge(tiers=[["sun"], ["wind", "sea", "fish"]], exogenous=["wind"])
    found = gp.discover(series(), 2, knowledge=known)
    assert not found.graph[1:, 0].any()
    assert not found.graph[[0, 2, 3], 1].any()
    assert found.graph[1, 2, 2]


def test_required_edges_stay_and_contradictions_are_told() -> None:
    known = gp.Knowledge(required=[("fish", "sun", 1)])
    assert ("fish", "sun", 1) in edges(gp.discover(series(), 2, knowledge=known))
    with pytest.raises(OptionError, match=r"required \('fish', 'sun', 1\) and forbidden \('fish', 'sun'\)"):
        gp.discover(series(), 2, keep=[("fish", "sun", 1)], forbid=[("fish", "sun")])


def test_belief_moves_the_probability_of_its_own_edge() -> None:
    cell = ("fish", "sun", 1)

    def chance(**options: Any) -> float:
        table = gp.discover(series(), 2, keep=[cell], **options).edges
        row = table[(table.cause == "fish") & (table.effect == "sun") & (table.lag == 1)]
        return float(row.probability.iloc[0])

    plain, believed, doubted = chance(), chance(likely={cell: 20.0}), chance(likely={cell: 0.05})
    odds = [p / (1 - p) for p in (plain, believed, doubted)]
    assert odds[1] == pytest.approx(20 * odds[0], rel=1e-6)
    assert odds[2] == pytest.approx(0.05 * odds[0], rel=1e-6)


def test_an_explanation_tells_what_the_edge_would_be_without_the_belief() -> None:
    cell = ("sun", "wind", 1)
    plain = gp.discover(series(), 2)
    doubted = gp.discover(series(), 2, likely={("sun", "*"): 0.1})
    told = doubted.explain(*cell)
    assert plain.explain(*cell).belief is None
    assert told.belief is not None
    table = plain.edges.set_index(["cause", "effect", "lag"])
    assert told.belief.without == pytest.approx(table.probability[cell], rel=1e-6)
    assert "It was said to be 0.1 times as likely as others" in told.sentence
    assert "and nothing would change" in told.sentence
    weak = gp.discover(series(60), 2, alpha=0.9).edges  # every cell that entered is in the table
    chance = weak[(weak.probability < 0.5) & (weak.lag > 0)].sort_values("probability").iloc[-1]
    edge = (chance.cause, chance.effect, int(chance.lag))
    believed = gp.discover(series(60), 2, likely={edge: 1e6}).explain(*edge)
    assert believed.kept
    assert believed.belief is not None
    assert believed.belief.changes
    assert "would have been decided otherwise" in str(believed)


def test_a_bootstrap_takes_knowledge_too() -> None:
    known = gp.Knowledge(forbidden=[("sun", "wind", 1)])
    stable = gp.bootstrap("basis", series(), max_lag=2, window=150, runs=4, knowledge=known)
    assert stable.frequency[0, 1, 1] == 0.0
    assert stable.frequency[1, 2, 2] > 0.5


def test_options_survive_the_json_form(tmp_path: Any) -> None:
    found = gp.discover(series(), 2, forbid=[("*", "sun", 1)], likely={("sun", "sea"): 3.0})
    found.to_json(tmp_path / "found.json")
    again = gp.read_json(tmp_path / "found.json")
    assert again.config.forbid == (("*", "sun", 1),)
    assert again.config.likely == ((("sun", "sea"), 3.0),)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"knowledge": {"required": []}}, "give gp.Knowledge"),
        ({"likely": 3}, "give a dict"),
        ({"likely": {("sun", "sea"): -1}}, "give a number from 1e-06"),
        ({"forbid": "sun"}, "forbid='sun'; give a list"),
        ({"forbid": [("sun", "moon")]}, "forbidden names the variable 'moon'"),
    ],
)
def test_wrong_words_are_told(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        gp.discover(series(100), 1, **wrong)
