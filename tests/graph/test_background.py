"""Words about edges become the right cells, and contradictions are told by their lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge

NAMES = ("rain", "river", "crop", "price")


def cells(tensor: np.ndarray) -> set[tuple[str, str, int]]:
    return {(NAMES[c], NAMES[e], int(lag)) for c, e, lag in np.argwhere(tensor)}


def test_an_edge_is_its_own_cell() -> None:
    known = Knowledge(required=[("rain", "river", 2)], forbidden=[("river", "rain", -1)]).on(NAMES, 3)
    assert cells(known.required) == {("rain", "river", 2)}
    assert cells(known.forbidden) == {("river", "rain", 1)}


def test_a_pair_means_all_lags_and_a_star_every_other_variable() -> None:
    known = Knowledge(forbidden=[("crop", "rain"), ("price", "*", 0)]).on(NAMES, 2)
    pair = {("crop", "rain", lag) for lag in range(3)}
    now = {("price", other, 0) for other in ("rain", "river", "crop")}
    assert cells(known.forbidden) == pair | now


def test_own_past_is_named_by_itself_only() -> None:
    assert cells(Knowledge(required=[("rain", "rain", "*")]).on(NAMES, 2).required) == {
        ("rain", "rain", 1),
        ("rain", "rain", 2),
    }
    assert not Knowledge(forbidden=[("*", "*")]).on(NAMES, 2).forbidden[0, 0].any()


def test_tiers_forbid_what_runs_upwards() -> None:
    tiers = [["rain"], ["river", "crop"], ["price"]]
    upwards = {("river", "rain"), ("crop", "rain"), ("price", "rain"), ("price", "river"), ("price", "crop")}
    at_all_lags = Knowledge(tiers=tiers).on(NAMES, 1).forbidden
    now = Knowledge(tiers=tiers, tier_lags="now").on(NAMES, 1).forbidden
    assert cells(at_all_lags) == {(*pair, lag) for pair in upwards for lag in (0, 1)}
    assert cells(now) == {(*pair, 0) for pair in upwards}


def test_nothing_acts_on_what_is_exogenous_but_its_own_past() -> None:
    forbidden = Knowledge(exogenous=["rain"]).on(NAMES, 1).forbidden
    assert cells(forbidden) == {(other, "rain", lag) for other in NAMES[1:] for lag in (0, 1)}


def test_odds_multiply() -> None:
    known = Knowledge(likely={("rain", "*"): 2.0, ("rain", "river", 1): 5.0}).on(NAMES, 1)
    assert known.odds[0, 1].tolist() == [2.0, 10.0]
    assert known.odds[1, 0].tolist() == [1.0, 1.0]


def test_short_options_are_added() -> None:
    known = Knowledge(exogenous=["rain"]).with_edges(keep=[("rain", "river", 1)], forbid=[("crop", "price")])
    assert ("rain", "river", 1) in known.required
    assert ("crop", "price") in known.forbidden
    assert known.exogenous == ("rain",)
    assert not Knowledge()
    assert known


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"required": [("a", "river")]}, "required names the variable 'a'"),
        ({"required": [("rian", "river")]}, "Did you mean 'rain'"),
        ({"forbidden": ["rain"]}, "give \\(cause, effect, lag\\)"),
        ({"forbidden": "rain"}, "give a list"),
        ({"required": [("rain", "river", 9)]}, "beyond the graph's largest lag 2"),
        ({"required": [("rain", "river", 1.5)]}, "whole number or '\\*'"),
        ({"likely": {("rain", "river"): 0}}, "give a number from 1e-06"),
        ({"tiers": ["rain"]}, "give a list of variables for each tier"),
        ({"tier_lags": "later"}, "is not one of \\['all', 'now'\\]"),
        (
            {"required": [("river", "rain", 1)], "exogenous": ["rain"]},
            "required \\('river', 'rain', 1\\) and exogenous 'rain' contradict",
        ),
        (
            {"required": [("crop", "river", 1)], "forbidden": [("*", "river", 1)]},
            "and forbidden \\('\\*', 'river', 1\\) contradict",
        ),
    ],
)
def test_what_cannot_be_is_told(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        Knowledge(**wrong).on(NAMES, 2)  # type: ignore[arg-type]


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))
def test_positions_and_names_say_the_same(cause: int, effect: int, lag: int) -> None:
    by_name = Knowledge(forbidden=[(NAMES[cause], NAMES[effect], lag)]).on(NAMES, 2).forbidden
    by_place = Knowledge(forbidden=[(cause, effect, lag)]).on(NAMES, 2).forbidden
    expected = np.zeros((4, 4, 3), dtype=bool)
    expected[cause, effect, lag] = cause != effect or lag > 0
    np.testing.assert_array_equal(by_name, expected)
    np.testing.assert_array_equal(by_place, expected)
