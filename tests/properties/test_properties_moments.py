"""Properties of sums, gates and the certificate; the bounds are those of rounding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grace_plugin.engines import hard_concrete as gates
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.regressions import Regressions
from grace_plugin.regression.sweep import SweptModel
from grace_plugin.series.panel import as_panel
from tests.support.property_cases import examples, seeds

ROUNDING = 1e-9  # per window, in standardised units


def data(seed: int, rows: int = 80, d: int = 3, holes: bool = True) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, d))
    if holes:
        x[rng.random(x.shape) < 0.02] = np.nan
    return x


def close(one: Moments, other: Moments, bound: float = ROUNDING) -> None:
    assert one.rows == other.rows
    np.testing.assert_allclose(one.second / one.rows, other.second / one.rows, atol=bound)
    np.testing.assert_allclose(one.first / one.rows, other.first / one.rows, atol=bound)


@examples(20)
@given(seeds, st.integers(0, 3), st.integers(1, 30))
def test_p01_chunks_change_nothing(seed: int, max_lag: int, size: int) -> None:
    x = data(seed)
    whole = Moments.of(as_panel(x), max_lag)
    chunks = (x[start : start + size] for start in range(0, len(x), size))
    close(whole, Moments.of(as_panel(chunks), max_lag, reference=whole))


@examples(20)
@given(seeds, st.integers(0, 3), st.integers(20, 60))
def test_p02_datasets_add_up(seed: int, max_lag: int, cut: int) -> None:
    x = data(seed)
    both = Moments.of(as_panel([x[:cut], x[cut:]]), max_lag)
    parts = [Moments.of(as_panel(part), max_lag, reference=both) for part in (x[:cut], x[cut:])]
    close(both, parts[0] + parts[1])


@examples(20)
@given(seeds, st.permutations(range(3)))
def test_p03_permuting_variables_permutes_the_sums(seed: int, order: list[int]) -> None:
    x = data(seed)
    plain, moved = Moments.of(as_panel(x), 2), Moments.of(as_panel(x[:, order]), 2)
    k, d = len(plain.basis), 3
    columns = [(lag * d + v) * k + f for lag in range(3) for v in order for f in range(k)]
    np.testing.assert_allclose(moved.second, plain.second[np.ix_(columns, columns)], atol=1e-8)


@examples(20)
@given(seeds, st.floats(-12, 12), st.floats(-3, 3))
def test_p04_units_change_nothing(seed: int, magnitude: float, offset: float) -> None:
    x, scale = data(seed), 10.0**magnitude
    close(Moments.of(as_panel(x), 2), Moments.of(as_panel((x + offset) * scale), 2), 1e-8)


@examples(20)
@given(seeds, st.integers(0, 2))
def test_p05_smaller_lags_and_bases_are_read_off(seed: int, max_lag: int) -> None:
    sums = Moments.of(as_panel(data(seed)), 3)
    width = (max_lag + 1) * 3 * len(sums.basis)
    shorter = sums.with_max_lag(max_lag)
    np.testing.assert_allclose(shorter.second, sums.second[:width, :width], atol=1e-9)
    linear = np.arange(0, len(sums.first), len(sums.basis))
    np.testing.assert_allclose(sums.linear().second, sums.second[np.ix_(linear, linear)], atol=1e-9)


@examples(10)
@given(seeds)
def test_p06_what_is_saved_comes_back(tmp_path_factory: object, seed: int) -> None:
    path = Path(tmp_path_factory.mktemp("sums")) / "sums.npz"  # type: ignore[attr-defined]
    sums = Moments.of(as_panel(data(seed)), 2)
    sums.save(path)
    again = Moments.load(path)
    assert np.array_equal(again.second, sums.second)
    assert (again.rows, again.basis, again.max_lag) == (sums.rows, sums.basis, sums.max_lag)


@examples(20)
@given(seeds, st.integers(0, 3))
def test_p07_covariances_are_positive(seed: int, max_lag: int) -> None:
    sums = Moments.of(as_panel(data(seed)), max_lag)
    every = np.arange(len(sums.first))
    assert np.linalg.eigvalsh(sums.covariance(every, every)).min() > -1e-9


@examples(20)
@given(seeds, st.integers(0, 4))
def test_p08_only_complete_windows_count(seed: int, max_lag: int) -> None:
    x = data(seed)
    present = ~np.isnan(x).any(axis=1)
    windows = sum(present[t - max_lag : t + 1].all() for t in range(max_lag, len(x)))
    assert Moments.of(as_panel(x), max_lag).rows == windows


@examples(50)
@given(st.floats(-30, 30), st.floats(0, 10))
def test_p09_gates_open_with_log_alpha(at: float, step: float) -> None:
    low, high = gates.deterministic(np.array([at, at + step]))
    assert 0.0 <= low <= high <= 1.0


@examples(50)
@given(st.floats(-30, 30))
def test_p10_moments_of_gates_are_those_of_numbers_from_0_to_1(at: float) -> None:
    log_alpha = np.array([at])
    mean, variance, _, _ = gates.GateMoments()(log_alpha)
    assert 0.0 <= mean <= gates.open_probability(log_alpha) + 1e-12
    assert -1e-12 <= variance <= mean * (1.0 - mean) + 1e-12


def swept(seed: int) -> tuple[SweptModel, np.ndarray]:
    x = data(seed, rows=120, holes=False)
    x[1:, 0] += 0.5 * x[:-1, 1]
    regressions = Regressions(Moments.of(as_panel(x), 2, ("linear",)), ("a", "b", "c"))
    parents = [np.array([[v, lag] for v in range(3) for lag in (1, 2)])]
    return SweptModel(regressions.gather(np.array([0]), parents)), x


@examples(20)
@given(seeds, st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_p11_taking_an_edge_in_and_out_again_changes_nothing(seed: int, moves: list[int]) -> None:
    model, _ = swept(seed)
    before = model.tests()
    for candidate in (*moves, *reversed(moves)):
        model.flip(np.array([0]), np.array([candidate]))
    after = model.tests()
    assert not model.active.any()
    np.testing.assert_allclose(after.gain, before.gain, atol=1e-8)
    np.testing.assert_allclose(after.p_value, before.p_value, atol=1e-6)


@examples(20)
@given(seeds, st.integers(0, 5))
def test_p12_gains_are_those_of_least_squares(seed: int, candidate: int) -> None:
    model, x = swept(seed)
    others = [place for place in range(6) if place != candidate]
    for other in others:
        model.flip(np.array([0]), np.array([other]))
    columns = np.column_stack([x[2 - lag : len(x) - lag, v] for v in range(3) for lag in (1, 2)])
    target = x[2:, 0]

    def left(chosen: list[int]) -> float:
        design = np.column_stack([np.ones(len(target)), columns[:, chosen]])
        return float(np.square(target - design @ np.linalg.lstsq(design, target, rcond=None)[0]).sum())

    expected = 0.5 * np.log(left(others) / left([*others, candidate]))
    assert abs(model.tests().gain[0, candidate] - expected) < 1e-8
