"""Each rule acts where the data ask for it, alone, and tells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grace_plugin.exceptions import OptionError
from grace_plugin.prepare.counts import are_counts
from grace_plugin.prepare.own_past import largest_root, own_past
from grace_plugin.prepare.persistence import memory_of
from grace_plugin.prepare.preparing import RULES, Prepared, prepare, rule_names
from grace_plugin.prepare.tails import have_tails
from grace_plugin.prepare.without_terms import without
from grace_plugin.series.panel import as_panel

ROWS = 400
TIME = np.arange(ROWS)


def gaussian(seed: int = 1000, d: int = 4) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(ROWS, d))
    for t in range(1, ROWS):
        values[t] += 0.4 * values[t - 1]
    return values


def spoilt() -> np.ndarray:
    """Column 0 counts, 1 outliers, 2 a cycle, 3 a walk, 4 a step, 5 a trend."""
    rng = np.random.default_rng(1001)
    values = rng.normal(size=(ROWS, 6))
    values[:, 0] = rng.poisson(3.0, ROWS)
    values[rng.choice(ROWS, 8, replace=False), 1] += 20.0
    values[:, 2] += 2.0 * np.sin(2 * np.pi * TIME / 10)
    values[:, 3] = np.cumsum(values[:, 3])
    values[:, 4] += 3.0 * (TIME >= 150)
    values[:, 5] += 0.01 * TIME
    return values


def acted(prepared: Prepared) -> dict[str, tuple[int, ...]]:
    return {note.rule: note.variables for note in prepared.notes}


def test_data_that_ask_for_nothing_come_back_to_the_bit() -> None:
    panel = as_panel(gaussian())
    prepared = prepare(panel)
    assert prepared.panel is panel
    assert prepared.notes == ()
    assert prepared.controls == (None,) * 4
    assert prepared.memory is not None
    assert not prepared.memory.is_long.any()
    assert prepared.believes_residuals


def test_every_rule_names_its_variables() -> None:
    assert acted(prepare(as_panel(spoilt()))) == {
        "counts": (0,),
        "tails": (1,),
        "cycles": (2,),
        "persistence": (3,),
        "steps": (4,),
        "trends": (5,),
    }


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in ("noise", "hidden")])
def test_a_rule_acts_alone_and_can_be_left_out_alone(rule: str) -> None:
    panel = as_panel(spoilt())
    assert list(acted(prepare(panel, [rule]))) == [rule]
    assert rule not in acted(prepare(panel, [other for other in RULES if other != rule]))


def test_only_the_columns_that_ask_are_changed() -> None:
    values = spoilt()
    after = prepare(as_panel(values)).panel.series[0].values
    np.testing.assert_array_equal(after[:, 2:], values[:, 2:])
    np.testing.assert_allclose(after[:, 0], np.sqrt(values[:, 0] + 0.375))
    assert np.abs(after[:, 1]).max() < 6.0
    assert (after[:, 1] != values[:, 1]).sum() < 12


def test_none_does_nothing_and_auto_is_all() -> None:
    panel = as_panel(spoilt())
    prepared = prepare(panel, "none")
    assert prepared.panel is panel
    assert not prepared.notes
    assert not prepared.believes_residuals
    assert rule_names("auto") == RULES
    assert rule_names(["tails", "counts"]) == ("counts", "tails")


@pytest.mark.parametrize("rules", ["tails", ["tail"], 3, None, [None], {"tails": 1}])
def test_unknown_rules_are_refused(rules: object) -> None:
    with pytest.raises(OptionError, match="give 'auto', 'none', or a list of rules"):
        rule_names(rules)


def test_each_series_has_its_own_drift() -> None:
    first, second = gaussian(1, 2), gaussian(2, 2)
    first[:, 0] += 0.02 * TIME
    second[:, 0] += 3.0 * (TIME >= 200)
    table = prepare(as_panel([first, second])).controls[0]
    assert table is not None
    np.testing.assert_array_equal((table != 0.0).any(axis=1)[[0, ROWS, ROWS + 399]], [True, False, True])
    assert table.shape == (2 * ROWS, 2)


def test_a_stream_is_left_alone() -> None:
    prepared = prepare(as_panel(iter([spoilt()[:200], spoilt()[200:]])))
    assert prepared.notes == ()
    np.testing.assert_array_equal(np.concatenate(list(prepared.panel.stream or ())), spoilt())


def test_infinite_and_missing_columns_are_left_to_those_who_refuse_them() -> None:
    values = spoilt()
    values[3, 0], values[4, 1], values[:, 2] = np.inf, 1e300, np.nan
    after = prepare(as_panel(values)).panel.series[0].values
    np.testing.assert_array_equal(after[:, :3], values[:, :3])


def test_events_keep_their_size_and_long_memories_their_pushes() -> None:
    rng = np.random.default_rng(1002)
    events = np.where(rng.random(ROWS) < 0.03, 5.0, 0.0)
    remembered = rng.standard_cauchy(ROWS)
    for t in range(1, ROWS):
        remembered[t] += 0.9 * remembered[t - 1]
    forgotten = rng.standard_cauchy(ROWS)
    assert have_tails([np.stack([events, remembered, forgotten], axis=1)]).tolist() == [False, False, True]


def test_gaussian_columns_have_no_tails_in_a_thousand() -> None:
    assert not have_tails([np.random.default_rng(0).normal(size=(300, 1000))]).any()


def test_switches_codes_below_zero_and_halves_are_no_counts() -> None:
    rng = np.random.default_rng(0)
    columns = [
        rng.integers(0, 2, 99),
        rng.integers(-3, 3, 99),
        rng.integers(0, 9, 99) / 2,
        rng.integers(0, 9, 99),
    ]
    assert are_counts([np.stack(columns, axis=1).astype(float)]).tolist() == [False, False, False, True]


@given(st.floats(0.6, 0.98), st.integers(0, 5))
@settings(max_examples=15, deadline=None)
def test_the_root_of_an_autoregression_is_found(own: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(4000, 1))
    for t in range(1, len(values)):
        values[t] += own * values[t - 1]
    found = own_past(values)
    assert abs(found.weights.sum() - own) < 0.1
    assert abs(largest_root(found.weights)[0] - own) < 0.3


@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6))
@settings(max_examples=10, deadline=None)
def test_units_change_no_finding(scale: float, shift: float) -> None:
    values = np.round(spoilt()[:, 1:], 3)
    plain, moved = prepare(as_panel(values)), prepare(as_panel(values * scale + shift * scale))
    assert acted(plain) == acted(moved)


def test_short_series_remember_as_all_of_them_say() -> None:
    """Ten series of 25 rows: own past .4 is no long memory because one of them looks like it."""
    rng = np.random.default_rng(0)
    parts = []
    for _ in range(10):
        values = rng.normal(size=(25, 2))
        for t in range(1, 25):
            values[t] += np.array([0.4, 1.0]) * values[t - 1]
        parts.append(values)
    alone = [bool(memory_of([values]).is_long[0]) for values in parts]
    assert any(alone)
    assert memory_of(parts).is_long.tolist() == [False, True]


def test_memories_are_those_of_what_terms_leave() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 3)).cumsum(axis=0) * np.array([1.0, 0.0, 0.0]) + rng.normal(size=(400, 3))
    values[:, 1] += 3.0 * np.sin(2.0 * np.pi * np.arange(400) / 12.0)
    made = prepare(as_panel(values))
    assert [one is not None for one in made.controls[1:]] == [True, False]
    assert made.memory is not None
    anew = memory_of(without([values], made.controls))
    np.testing.assert_allclose(made.memory.root, anew.root, rtol=1e-10)


def test_terms_are_taken_out_where_they_are_much_of_most_variables() -> None:
    rng = np.random.default_rng(1002)
    values = rng.normal(size=(ROWS, 3))
    values[:, :2] += 3.0 * np.sin(2 * np.pi * TIME / 40)[:, None]
    values[:, 2] += 0.5 * np.sin(2 * np.pi * TIME / 10)
    panel = as_panel(values)
    found = prepare(panel)
    assert set(found.controlled) == {0, 1, 2}
    left = found.without_terms(panel).series[0].values
    assert (left[:, :2].var(axis=0) < 0.3 * values[:, :2].var(axis=0)).all()
    np.testing.assert_array_equal(left[:, 2], values[:, 2])
    few = as_panel(values[:, 1:])  # one of two alone has much
    assert prepare(few).without_terms(few) is few
    quiet = as_panel(gaussian())
    assert prepare(quiet).without_terms(quiet) is quiet


def test_a_season_makes_no_room_for_values_far_out() -> None:
    rng = np.random.default_rng(1003)
    values = gaussian(1003, 2) + 6.0 * np.sin(2 * np.pi * TIME / 50)[:, None]
    far = rng.choice(ROWS, 8, replace=False)
    values[far, 0] += 15.0
    before = values.copy()
    found = prepare(as_panel(values))
    after = found.panel.series[0].values
    wave = 6.0 * np.sin(2 * np.pi * TIME[far] / 50)
    assert np.abs(after[far, 0] - wave).max() < 7.0  # 4 robust standard deviations of what the wave leaves
    np.testing.assert_array_equal(after[:, 1], before[:, 1])
    np.testing.assert_array_equal(values, before)
    told = [note for note in found.notes if note.rule == "tails"]
    assert told[-1].variables == (0,)
    assert "beside their trends, steps and cycles" in told[-1].sentence
