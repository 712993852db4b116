"""Trends, steps and cycles are found where they are, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from scipy.signal import lfilter

from grace_plugin.prepare import terms
from grace_plugin.prepare.shared_terms import shared_terms
from grace_plugin.prepare.terms import Term

ROWS = 500
TIME = np.arange(ROWS)


def find_terms(values: np.ndarray, kinds: Collection[str] = terms.KINDS) -> list[Term]:
    """Of one column."""
    return terms.find_terms(values[:, None], kinds)[0]


def noise(seed: int, own: float = 0.4) -> np.ndarray:
    pushes = np.random.default_rng(seed).normal(size=ROWS + 200)
    return np.asarray(lfilter([1.0], [1.0, -own], pushes))[200:]


@pytest.mark.parametrize(
    ("period", "own"), [(7.0, 0.0), (24.5, 0.0), (365.0, 0.0), (7.0, 0.9), (12.0, 0.9), (24.5, 0.9)]
)
def test_a_cycle_has_its_period(period: float, own: float) -> None:
    found = find_terms(noise(1000, own) + 2.0 * np.sin(2 * np.pi * TIME / period + 1.0), ["cycles"])
    assert [term.kind for term in found] == ["cycles"]
    assert abs(ROWS * (found[0].place - 1.0 / period)) < 0.3  # cycles over all rows


def test_the_mean_of_a_season_is_a_cycle_and_its_harmonics() -> None:
    found = find_terms(noise(1001) + 3.0 * (TIME % 12 == 0))
    multiples = sorted(12.0 * term.place for term in found)
    assert len(multiples) >= 4
    np.testing.assert_allclose(multiples, np.rint(multiples), atol=0.05)


@pytest.mark.parametrize("row", [60, 250, 430])
def test_a_step_is_where_it_is(row: int) -> None:
    found = find_terms(noise(1002) + 4.0 * (row <= TIME))
    assert [term.kind for term in found] == ["steps"]
    assert abs(found[0].place - row) <= 3


def test_a_trend_is_one() -> None:
    assert [term.kind for term in find_terms(noise(1003) + 0.01 * TIME)] == ["trends"]


def test_what_was_found_takes_the_mean_out() -> None:
    mean = 0.01 * TIME + 2.0 * (TIME >= 300) + 2.0 * np.cos(2 * np.pi * TIME / 12)
    found = find_terms(noise(1004) + mean)
    assert {term.kind for term in found} == {"trends", "steps", "cycles"}
    table = np.column_stack([np.ones(ROWS), *[term.columns(ROWS) for term in found]])
    left = mean - table @ np.linalg.lstsq(table, mean, rcond=None)[0]
    assert left.var() < 0.02 * mean.var()


def test_kinds_that_were_not_asked_for_are_not_found() -> None:
    mean = 0.01 * TIME + 2.0 * np.cos(2 * np.pi * TIME / 12)
    assert all(term.kind == "cycles" for term in find_terms(noise(1005) + mean, ["cycles"]))
    assert find_terms(noise(1005) + mean, []) == []


def test_gaps_hide_no_cycle() -> None:
    values = noise(1006) + 2.0 * np.sin(2 * np.pi * TIME / 12)
    values[np.random.default_rng(0).random(ROWS) < 0.1] = np.nan
    found = find_terms(values)
    assert len(found) == 1
    assert found[0].place == pytest.approx(1 / 12, abs=1e-3)


KINDS_OF_NOISE = {
    "white": lambda rng: rng.normal(size=ROWS),
    "Cauchy": lambda rng: rng.standard_cauchy(ROWS),
    "t2": lambda rng: rng.standard_t(2, ROWS),
    "lognormal": lambda rng: rng.lognormal(size=ROWS),
    "own past .9": lambda rng: lfilter([1.0], [1.0, -0.9], rng.normal(size=ROWS + 99))[99:],
    "moving average": lambda rng: lfilter([1.0, -0.9], [1.0], rng.normal(size=ROWS)),
    "noisy oscillator": lambda rng: lfilter([1.0], [1.0, -1.6, 0.9], rng.normal(size=ROWS + 99))[99:],
}


@pytest.mark.parametrize("kind", KINDS_OF_NOISE)
def test_noise_has_no_terms(kind: str) -> None:
    """The level is .002 for each of three kinds: .6 of 100 are expected, 4 or more are not."""
    rng = np.random.default_rng(2000)
    assert sum(bool(find_terms(KINDS_OF_NOISE[kind](rng))) for _ in range(100)) <= 3


def test_persistent_noise_has_few_lines() -> None:
    rng = np.random.default_rng(2001)
    walks = (np.cumsum(rng.normal(size=ROWS)) for _ in range(100))
    assert sum(bool(find_terms(walk, ["cycles"])) for walk in walks) <= 4


@pytest.mark.parametrize("values", [np.ones(ROWS), np.full(ROWS, np.nan), np.arange(30.0), np.zeros(3)])
def test_constant_empty_and_short_columns_have_none(values: np.ndarray) -> None:
    assert find_terms(values) == []


def test_columns_of_terms() -> None:
    np.testing.assert_array_equal(Term("trends").columns(3)[:, 0], [-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(Term("steps", 2).columns(4)[:, 0], [0.0, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(
        Term("cycles", 0.25).columns(4), [[1, 0], [0, 1], [-1, 0], [0, -1]], atol=1e-12
    )


def test_columns_are_looked_at_together_as_if_alone() -> None:
    """A walk, a cycle with gaps, a constant, a season, noise."""
    table = np.stack([np.cumsum(noise(1)), noise(2), np.ones(ROWS), noise(3), noise(4)], axis=1)
    table[:, 1] += 2.0 * np.sin(2 * np.pi * TIME / 12)
    table[100:130, 1] = np.nan
    table[:, 3] += 3.0 * (TIME % 7 == 0)
    assert terms.find_terms(table) == [find_terms(table[:, column]) for column in range(5)]


def test_workers_that_share_columns_find_the_same_to_the_bit() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(1000, 43))  # blocks of ten columns, the last one shorter
    values[:, ::7] += np.sin(np.arange(1000) / 9.0)[:, None]
    values[300:, 5] += 2.0
    assert shared_terms(values, terms.KINDS, 2) == terms.find_terms(values)
