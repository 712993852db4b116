"""Whether the data can carry a graph is told, and only where they cannot."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataWarning
from grace_plugin.pipeline import run as pipeline


def chain(rows: int, strength: float, seed: int = 0, d: int = 6) -> np.ndarray:
    """Every variable moves the next one a step later."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, d))
    for t in range(1, rows):
        x[t] += 0.3 * x[t - 1]
        x[t, 1:] += strength * x[t - 1, :-1]
    return x


def told(data: np.ndarray, max_lag: int = 3) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gp.discover(data, max_lag, progress=False)
    return [str(one.message) for one in found if issubclass(one.category, DataWarning)]


def test_clear_effects_in_many_rows_are_no_reason_to_warn() -> None:
    assert told(chain(500, 0.5)) == []


def test_few_rows_are_told_with_the_effect_that_they_miss() -> None:
    (few,) = (one for one in told(chain(45, 0.5)) if "rows are few" in one)
    assert few.startswith("42 rows are few")
    (least,) = re.findall(r"an effect of (0\.\d\d)", few)
    assert 0.4 < float(least) < 0.5


def test_few_rows_are_told_among_many_variables_at_the_level_where_these_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "MANY_CANDIDATES", 0)
    few = [one for one in told(chain(75, 0.8, d=60), 1) if "rows are few" in one]
    (least,) = re.findall(r"an effect of (0\.\d\d)", *few)
    assert 0.4 < float(least) < 0.6  # at the level of small graphs these rows show one of .36
    assert not any("rows are few" in one for one in told(chain(400, 0.8, d=60), 1))


def test_weak_edges_are_told_with_how_many_are_expected() -> None:
    (weak,) = told(chain(500, 0.13, seed=3))
    told_of = (
        r"Weak edges are undecided: (\d+) that are not likely .* worth ([\d.]+) edges .* the (\d+) likely .*"
    )
    counts = re.fullmatch(told_of, weak)
    assert counts, weak
    doubtful, missed, kept = map(float, counts.groups())
    assert 0 < missed < doubtful
    assert kept < 5  # of five true ones


def test_an_empty_graph_of_noise_is_no_reason_to_warn() -> None:
    assert told(np.random.default_rng(1).normal(size=(500, 6))) == []


def test_what_a_host_left_out_is_not_called_undecided() -> None:
    x = chain(500, 0.13, seed=3)
    theirs = np.zeros((6, 6, 4), dtype=bool)
    theirs[0, 1, 1] = True
    gp.refine(gp.Skeleton(theirs), x, progress=False)  # a warning would be an error here


def test_tests_that_are_all_too_sure_are_told() -> None:
    x = np.random.default_rng(0).normal(8.0, 1.0, 6)
    rows = []
    for step in range(40 * 560):  # Lorenz-96, forty small steps between rows
        slope = (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 5.0
        x = x + 0.01 * slope
        if step % 40 == 0:
            rows.append(x)
    assert any("too sure as well" in one for one in told(np.array(rows)[60:]))


@pytest.mark.parametrize("walks", [True, False])
def test_small_p_values_of_what_wanders_are_not_counted(walks: bool) -> None:
    from grace_plugin.prepare.persistence import memory_of
    from grace_plugin.regression.judge import _uneven
    from grace_plugin.regression.row_model import RowRules

    noise = np.random.default_rng(0).normal(size=(300, 2))
    values = np.column_stack([noise[:, 0], np.cumsum(noise[:, 1]) if walks else noise[:, 1]])
    rules = RowRules(True, None, memory_of([values]), {})
    assert _uneven({0: noise[:, 0]}, rules) == ({0, 1} if walks else {0})
