"""What is kept of the rules for pictures: which variable, which rows, which values."""

import numpy as np
import pandas as pd

from grace_plugin._common.arrays import FloatArray
from grace_plugin.graph.shown import ActedRule
from grace_plugin.prepare.preparing import prepare
from grace_plugin.prepare.shown import acted_rules
from grace_plugin.series.panel import as_panel

ROWS = 600
FAR = [40, 150, 333, 471]


def world() -> FloatArray:
    """A step in 0, a larger one in 1, values far out in 2, a cycle of 12 in 3, counts in 4, noise in 5."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(ROWS, 6))
    x[250:, 0] += 2.0
    x[400:, 1] += 6.0
    x[FAR, 2] = [30.0, -25.0, 28.0, 60.0]
    x[:, 3] += 2.0 * np.sin(2.0 * np.pi * np.arange(ROWS) / 12.0)
    x[:, 4] = rng.poisson(3.0, size=ROWS)
    return x


def acted(x: FloatArray, rules: str | list[str] = "auto") -> dict[str, ActedRule]:
    panel = as_panel(x)
    found = acted_rules(panel, prepare(panel, rules))
    assert found is not None
    return {one.rule: one for one in found}


def test_values_far_out_are_shown_with_what_became_of_them() -> None:
    found = acted(world())["tails"]
    (one,) = found.series
    assert (one.name, found.count) == ("x2", 1)
    assert one.rows[one.values != one.taken].tolist() == FAR
    assert one.values[471] == 60.0
    assert 3.0 < one.taken[471] < 5.0
    assert found.sentence.endswith("because of heavy tails: x2.")


def test_the_strongest_step_comes_first_at_its_row() -> None:
    found = acted(world())["steps"]
    assert [one.name for one in found.series] == ["x1", "x0"]
    for one, row, height in zip(found.series, (400, 250), (6.0, 2.0), strict=True):
        jumps = np.diff(one.taken)
        assert one.rows[int(np.abs(jumps).argmax()) + 1] == row
        assert abs(jumps.max() - height) < 0.3


def test_twelve_cycles_are_drawn_over_the_values() -> None:
    (one,) = acted(world())["cycles"].series
    assert (one.name, one.rows[0]) == ("x3", 0)
    assert 143 <= one.rows[-1] <= 146
    wave = 2.0 * np.sin(2.0 * np.pi * one.rows / 12.0)
    assert np.abs(one.taken - wave).max() < 0.4
    assert 0.5 < one.strength < 0.8


def test_counts_are_shown_beside_their_roots() -> None:
    x = world()
    (one,) = acted(x)["counts"].series
    np.testing.assert_array_equal(one.values, x[:200, 4])
    np.testing.assert_allclose(one.taken, np.sqrt(x[:200, 4] + 0.375))


def test_nothing_is_kept_where_no_rule_acted() -> None:
    assert acted(np.random.default_rng(1).normal(size=(300, 3))) == {}
    assert acted(world(), "none") == {}


def test_rows_that_are_read_once_keep_nothing() -> None:
    panel = as_panel(iter([world()]))
    assert acted_rules(panel, prepare(panel)) is None


def test_of_many_variables_four_are_kept_and_of_long_series_few_rows() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(9000, 6))
    x[5000:] += np.arange(1.0, 7.0)
    found = acted(x)["steps"]
    assert (found.count, [one.name for one in found.series]) == (6, ["x5", "x4", "x3", "x2"])
    assert all(len(one.rows) == 2000 and one.rows[-1] == 8999 for one in found.series)


def test_of_several_series_the_one_in_which_it_happens_is_shown() -> None:
    rng = np.random.default_rng(3)
    calm, shifted = (pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"]) for _ in range(2))
    shifted.loc[100:, "b"] += 5.0
    panel = as_panel([calm, shifted])
    found = {one.rule: one for one in acted_rules(panel, prepare(panel)) or ()}
    (one,) = found["steps"].series
    assert one.name == "b"
    np.testing.assert_array_equal(one.values, shifted["b"])
