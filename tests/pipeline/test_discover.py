"""From data alone to a Refinement."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import grace_plugin as gp
from grace_plugin.exceptions import DataError, DataWarning, OptionError
from grace_plugin.moments.sums import Moments
from grace_plugin.skeletons import Source


def mixed(rows: int = 600, seed: int = 0) -> np.ndarray:
    """0 -> 1 linear at lag 1, 1 -> 2 through |x| at lag 3."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    x[1:, 1] += 0.8 * x[:-1, 0]
    x[3:, 2] += np.abs(x[:-3, 1])
    return x


MIXED = {(0, 1, 1), (1, 2, 3)}


@pytest.mark.parametrize("skeleton", ["basis", "full"])
def test_finds_the_graph(skeleton: str) -> None:
    found = gp.discover(mixed(), 3, skeleton)
    assert set(found.native) == MIXED
    assert isinstance(found.native, gp.Skeleton)
    assert found.edges.kept.sum() == 2


def test_every_skeleton_and_the_refiner_share_one_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = Moments.of.__func__  # type: ignore[attr-defined]

    def counted(cls: type[Moments], *args: object, **options: object) -> Moments:
        calls.append(1)
        return original(cls, *args, **options)

    monkeypatch.setattr(Moments, "of", classmethod(counted))
    for skeleton in ("basis", "cdnots", "full"):
        calls.clear()
        gp.discover(mixed(), 3, skeleton)
        assert len(calls) == 1, skeleton


def test_every_form_of_data_gives_the_same() -> None:
    x = mixed()
    reference = set(gp.discover(x, 3).native)
    frame = pd.DataFrame(x, columns=list("abcd"))
    assert set(gp.discover(frame, 3).native) == reference
    assert gp.discover(frame, 3).names == ("a", "b", "c", "d")
    assert set(gp.discover([x[:300], x[300:]], 3).native) == reference
    assert set(gp.discover(iter([x[:300], x[300:]]), 3).native) == reference


@pytest.mark.host
def test_a_tigramite_frame_with_its_missing_flag() -> None:
    from tigramite.data_processing import DataFrame

    x = mixed()
    x[50:53, 2] = 999.0
    frame = DataFrame(x, var_names=list("abcd"), missing_flag=999.0)
    found = gp.discover(frame, 3)
    assert set(found.native) == MIXED
    assert found.outcome.rows_used == 600 - 5 - 8
    assert found.edges.attrs == {"rows_used": 587, "rows_given": 600, "alpha": found.alpha}


def test_the_input_is_not_changed_and_the_output_repeats() -> None:
    x = mixed()
    before = x.copy()
    first, second = gp.discover(x, 3), gp.discover(x, 3)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(first.gates, second.gates)
    np.testing.assert_array_equal(first.outcome.p_value, second.outcome.p_value)


def test_independent_noise_gives_next_to_nothing() -> None:
    noise = np.random.default_rng(3).normal(size=(1000, 15))
    assert len(gp.discover(noise, 3).native) <= 2


@pytest.mark.parametrize("skeleton", ["basis", "cdnots"])
def test_contemporaneous_edges_where_they_are_searched(skeleton: str) -> None:
    x = mixed()
    x[:, 3] += x[:, 0]
    options = {"contemporaneous": True} if skeleton == "basis" else {}
    found = gp.discover(x, 3, skeleton, **options)
    assert found.graph[0, 3, 0] or found.graph[3, 0, 0]
    assert {(0, 3, 0), (3, 0, 0)} & set(found.native)
    with pytest.warns(DataWarning, match="1 of 6 pairs moves together within one step .strongest: x0 and x3"):
        without = gp.discover(x, 3, skeleton, contemporaneous=False)
    assert not without.graph[:, :, 0].any()


def test_known_edges_are_candidates_and_kept() -> None:
    x = mixed()
    found = gp.discover(x, 3, keep=[(3, 0, 2), (0, 1)])
    assert found.graph[3, 0, 2]
    # A pair means the lags that were found for it, not all of them.
    assert found.graph[0, 1].sum() == 1
    assert set(found.native) == MIXED | {(3, 0, 2)}
    whole_pair = gp.discover(x, 3, keep=[(3, 0)])
    assert whole_pair.graph[3, 0].tolist() == [False, True, True, True]


def test_options_reach_skeleton_and_refiner() -> None:
    x = mixed()
    few = gp.discover(x, 3, max_parents=1, alpha=1e-4)
    assert few.alpha == 1e-4
    assert few.skeleton.mask.sum(axis=(0, 2)).max() == 1
    linear = gp.discover(x, 3, basis=("linear",))
    assert (1, 2, 3) not in set(linear.native)


def test_the_level_gets_stricter_with_rows() -> None:
    few, many = (gp.discover(mixed(rows), 3, alpha="level") for rows in (400, 2000))
    assert few.alpha == pytest.approx(1e-3)
    assert many.alpha == pytest.approx(1e-3 * 500 / 1995)


def test_richer_features_where_rows_allow_them() -> None:
    few, many = (gp.discover(mixed(rows), 3).outcome.details.basis for rows in (700, 900))
    assert few == ("linear", "square", "absolute")
    assert many == (*few, "bump")
    chosen = gp.discover(mixed(900), 3, basis=("linear", "square"))
    assert chosen.outcome.details.basis == ("linear", "square")


def test_a_function_serves_as_skeleton() -> None:
    def lag_three(source: Source) -> gp.Skeleton:
        mask = np.zeros((4, 4, source.max_lag + 1), dtype=bool)
        mask[:, :, 3] = True
        return source.skeleton(mask)

    assert set(gp.discover(mixed(), 3, lag_three).native) == {(1, 2, 3)}


def test_effects_from_before_the_largest_lag_are_not_mistaken() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(600, 2))
    for t in range(4, 600):
        x[t, 0] += 0.8 * x[t - 1, 0]
        x[t, 1] += 0.8 * x[t - 4, 0]
    naive = gp.discover(x, 2, control_lag=0)
    aware = gp.discover(x, 2)
    assert naive.graph[0, 1, 2]  # the stand-in
    assert set(aware.native) == {(0, 0, 1)}
    assert aware.gates.shape == aware.outcome.p_value.shape == (2, 2, 3)
    assert aware.skeleton.max_lag == aware.outcome.details.moments.max_lag == 2


def test_known_edges_must_lie_within_the_lags_asked_for() -> None:
    with pytest.raises(OptionError, match="beyond the graph's largest lag 2"):
        gp.discover(mixed(200), 2, keep=[(0, 1, 4)])


def test_automatic_lag() -> None:
    found = gp.discover(mixed(), "auto")
    assert found.skeleton.max_lag == 3
    assert set(found.native) == MIXED


def test_automatic_lag_goes_on_where_the_last_one_is_needed() -> None:
    x = np.random.default_rng(4).normal(size=(800, 2))
    for t in range(14, 800):
        x[t] += 0.7 * np.array([x[t - 10, 0], x[t - 14, 0]])
    found = gp.discover(x, "auto")
    assert found.skeleton.max_lag == 14


def test_automatic_lag_of_few_rows_and_of_noise() -> None:
    noise = np.random.default_rng(5).normal(size=(60, 2))
    assert gp.discover(noise, "auto").skeleton.max_lag == 1


@pytest.mark.parametrize("lag", [0, -1, 2.5, "all", True])
def test_lags_are_checked(lag: object) -> None:
    with pytest.raises(OptionError, match="'auto'"):
        gp.discover(mixed(50), lag)  # type: ignore[arg-type]


def test_errors_say_what_to_do() -> None:
    x = mixed(100)
    with pytest.raises(OptionError, match="Did you mean 'max_parents'"):
        gp.discover(x, 3, max_parent=2)
    with pytest.raises(OptionError, match="known are"):
        gp.discover(x, 3, "pc")
    with pytest.raises(OptionError, match="refine"):
        gp.discover(x, 3, gp.Skeleton(np.ones((4, 4, 2)) * [0, 1]))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="needs data"):
        gp.discover(None, 3)
    with pytest.raises(DataError, match="at least 20"):
        gp.discover(x[:15], 3)
    x[:, 2] = 1.0
    with pytest.raises(DataError, match="constant"):
        gp.discover(x, 3)


def test_many_variables_stay_within_bounds() -> None:
    """Wide data: more candidate features than rows."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(150, 60))
    x[1:, 1] += 1.5 * x[:-1, 0]
    found = gp.discover(x, 2)
    assert found.graph[0, 1, 1]
    assert found.graph.sum() <= 4
