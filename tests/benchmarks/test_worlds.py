"""Worlds are what they say: edges stand where the data have them, off is off, and nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.worlds import (
    World,
    chaotic,
    make,
    worlds,
)
from benchmarks.worlds.process import spectral_radius, weights, within_step

FOREIGN = {entry.world for entry in worlds("by others")}
OWN = sorted({entry.world for entry in worlds()} - FOREIGN)
# What a linear regression cannot see where the knob is off, or what has no such position
_NOT_LINEAR = {"averaged", "subsampled", "chaos_in_season", "chaos_measured", "chaos_in_classes"} | {
    entry.world for entry in worlds("chaotic", "applied")
}
LINEAR_WHEN_OFF = [name for name in OWN if name not in _NOT_LINEAR]


def _t_values(data: np.ndarray, lags: int, now: np.ndarray | None = None) -> np.ndarray:
    """[cause, effect, lag] of regressions on all lags, and on the true parents within the step."""
    d = data.shape[1]
    past = np.column_stack([data[lags - lag : len(data) - lag] for lag in range(1, lags + 1)])
    found = np.zeros((d, d, lags + 1))
    for effect in range(d):
        parents = np.flatnonzero(now[:, effect]) if now is not None else np.array([], dtype=int)
        design = np.column_stack([past, data[lags:, parents], np.ones(len(past))])
        inverse = np.linalg.pinv(design.T @ design)
        beta = inverse @ design.T @ data[lags:, effect]
        left = data[lags:, effect] - design @ beta
        t = beta / np.sqrt(np.diag(inverse) * (left @ left) / (len(design) - design.shape[1]))
        found[:, effect, 1:] = t[: d * lags].reshape(lags, d).T
        found[parents, effect, 0] = t[d * lags : -1]
    return np.abs(found)


def _agrees(world: World, level: float = 4.5) -> None:
    """Every true cell stands out, no other one does: not its transpose, not the lag beside it."""
    t = _t_values(world.data, world.max_lag, world.truth[:, :, 0])
    np.testing.assert_array_equal(t > level, world.truth)


@pytest.mark.parametrize("name", LINEAR_WHEN_OFF)
def test_where_the_knob_is_off_a_regression_finds_the_truth(name: str) -> None:
    _agrees(make(name, 2000, d=5, T=2000, strength="off"), level=4.2)


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("linear_var", "strong"),
        ("linear_var", "weak"),
        ("own_past", "medium"),
        ("dense", "strong"),
        ("cancelling_paths", "strong"),
        ("within_step_gaussian", "strong"),
        ("within_step_laplace", "strong"),
        ("within_step_uniform", "strong"),
        ("within_step_many", "strong"),
        ("hidden_fast", "weak"),
        ("skewed", "strong"),
        ("counts", "medium"),
        ("sparse_events", "medium"),
        ("binary", "strong"),
        ("saturating", "strong"),
        ("rounded", "weak"),
        ("variance_shift", "weak"),
        ("tigramite_linear", "strong"),
        ("tigramite_within_step", "strong"),
        ("lingam_simulated", "strong"),
        ("gcastle_gaussian", "strong"),
        ("gcastle_exponential", "strong"),
    ],
)
def test_a_regression_finds_the_cells_of_the_truth(name: str, strength: str) -> None:
    _agrees(make(name, 2001, d=5, T=4000, strength=strength))


@pytest.mark.parametrize("name", OWN)
def test_a_graph_belongs_to_a_strength_and_null_worlds_have_none(name: str) -> None:
    world = make(name, 3, d=6, T=250, strength="strong")
    again, other = (make(name, seed, d=6, T=250, strength="strong") for seed in (3, 4))
    np.testing.assert_array_equal(world.data, again.data)
    assert not np.array_equal(world.data, other.data, equal_nan=True)
    assert world.data.shape == (250, 6)
    assert np.isnan(world.data).any() == ("missing" in name)
    assert (np.nanstd(world.data, axis=0) > 0).all()
    cross = world.truth[~np.eye(6, dtype=bool)]
    assert cross.any() != world.null
    assert world.null == name.startswith("null_")
    assert sum(len(part) for part in world.series) == 250


def test_products_act_where_they_say_and_parts_do_not() -> None:
    world = make("products", 5, d=6, T=4000, strength="strong")
    data = world.data - world.data.mean(axis=0)
    for effect in (0, 3):
        causes = [(c, lag) for c, lag in np.argwhere(world.truth[:, effect]) if c != effect]
        (a, first), (b, second) = causes if len(causes) == 2 else (causes[0], causes[0])
        together = data[3 - first : -first or None, a] * data[3 - second : -second or None, b]
        rows = min(len(together), len(data) - 3)
        assert abs(np.corrcoef(together[:rows], data[3 : 3 + rows, effect])[0, 1]) > 0.3
        assert abs(np.corrcoef(data[3 - first : -first, a][:rows], data[3 : 3 + rows, effect])[0, 1]) < 0.1


def test_paths_cancel() -> None:
    world = make("cancelling_paths", 6, d=3, T=20_000, strength="strong")
    z = int(np.argmax(world.truth.any(axis=2).sum(axis=0)))
    x = int(np.flatnonzero(world.truth[:, z, 2])[0])
    assert abs(np.corrcoef(world.data[:-2, x], world.data[2:, z])[0, 1]) < 0.03


def test_who_stands_in_whose_equation() -> None:
    links = chaotic.lorenz_links(6, drives=True)
    assert np.argwhere(links).tolist() == sorted(
        [[1, 0], [0, 1], [2, 1], [0, 2], [1, 2], [4, 3], [3, 4], [5, 4], [3, 5], [4, 5], [0, 3]]
    )
    truth = make("lorenz96", 0, d=6, T=50, strength="medium").truth
    assert np.flatnonzero(truth[:, 3, 1]).tolist() == [1, 2, 3, 4]  # the two before, itself, the one after
    assert not truth[:, :, [0, 2, 3]].any()
    truth = make("predator_prey", 0, d=6, T=50, strength="medium").truth[:, :, 1]
    assert (truth == truth.T).all()
    assert truth[0, 3]
    assert not truth[0, 1]


def test_water_runs_down_and_slow_sampling_puts_effects_within_a_step() -> None:
    world = make("rivers", 1, d=8, T=200)
    assert (world.truth[~np.eye(8, dtype=bool)].reshape(8, -1).sum(axis=1) == [0, *[1] * 7]).all()
    assert make("averaged", 1, T=50, strength="strong").truth[:, :, 0].any()
    assert not make("averaged", 1, T=50, strength="off").truth[:, :, 0].any()


def test_processes_die_out_and_effects_within_a_step_have_an_order() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        made = within_step(rng, weights(rng, 8, per=4.0), 1.0, (0.3, 0.8))
        assert spectral_radius(made) <= 0.95
        assert not np.linalg.matrix_power((made[:, :, 0] != 0).astype(int), 8).any()
    known = np.zeros((2, 2, 4))
    known[0, 0, 1], known[0, 1, 0], known[1, 1, 2] = 0.5, 3.0, 0.49
    assert spectral_radius(known) == pytest.approx(0.7)


def test_names_that_are_unknown_are_told() -> None:
    with pytest.raises(ValueError, match="no world and no group"):
        worlds("nonsense")
    with pytest.raises(ValueError, match="strength is one of"):
        make("trends", 0, strength="huge")


def test_who_acts_in_chaos_of_the_field_stands_where_the_equation_has_it() -> None:
    for name in ("chaos_in_season", "chaos_measured", "chaos_in_classes"):
        pairs = make(name, 2000, d=8, T=100).truth.any(axis=2)
        assert np.flatnonzero(pairs[:, 0]).tolist() == [0, 1, 6, 7]  # x1, x6 and x7 act on x0
        assert np.flatnonzero(pairs[3]).tolist() == [2, 3, 4, 5]


def test_closed_gaps_are_closed_and_held_values_repeat() -> None:
    held = make("gaps_held", 2000, d=6, T=1000).data
    repeated = np.mean(np.diff(held, axis=0) == 0.0)
    assert np.isfinite(held).all()
    assert 0.35 < repeated < 0.45
    assert np.isfinite(make("gaps_interpolated", 2000, d=6, T=1000).data).all()
