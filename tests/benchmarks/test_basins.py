"""The made-up river basins: water runs from cause to effect, and the oracle of single runs is one."""

from __future__ import annotations

import numpy as np

from benchmarks.core import Row
from benchmarks.hosts.programs import Found
from benchmarks.studies.basins import BOOTSTRAP, best_single
from benchmarks.studies.elbe_hosts import _pairs
from benchmarks.worlds.basin import GAUGES, HOURS, MAIN, draw


def test_all_water_runs_down_to_the_last_gauge_of_the_main_river() -> None:
    flow, truth = draw(7)
    assert flow.shape == (HOURS, GAUGES)
    assert (flow > 0).all()
    np.testing.assert_array_equal(truth.sum(axis=1), np.arange(GAUGES) != MAIN - 1)
    assert truth[range(MAIN - 1), range(1, MAIN)].all()
    for cause, effect in np.argwhere(truth):  # what arrives is at least what was sent, but for errors
        assert flow[:, effect].mean() > 0.98 * flow[:, cause].mean()


def test_water_arrives_later() -> None:
    flow, truth = draw(7)
    moves = np.diff(np.log(flow), axis=0)
    moves = (moves - moves.mean(axis=0)) / moves.std(axis=0)
    sides = [(c, e) for c, e in np.argwhere(truth) if e >= MAIN]  # the large river drowns the others
    later = np.mean([(moves[:-2, c] * moves[2:, e]).mean() for c, e in sides])
    earlier = np.mean([(moves[2:, c] * moves[:-2, e]).mean() for c, e in sides])
    assert later > earlier + 0.05


def test_a_seed_is_a_basin() -> None:
    for one, other in zip(draw(3, 10), draw(3, 10), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(draw(3, 10)[0], draw(4, 10)[0])


def test_the_best_single_run_is_picked_basin_by_basin() -> None:
    f1 = {("single, a", 0): 0.1, ("single, b", 0): 0.3, ("single, a", 1): 0.5, ("single, b", 1): 0.2}
    f1 |= {(BOOTSTRAP, 0): 0.9, (BOOTSTRAP, 1): 0.9}
    rows = [Row("basins", name, 4, 9, seed, False, {"f1": value}) for (name, seed), value in f1.items()]
    assert best_single(rows) == [0.3, 0.5]


def test_a_pair_is_as_certain_as_its_best_lag_and_memory_is_no_pair() -> None:
    strength = np.zeros((2, 2, 3))
    strength[0, 0, 1], strength[0, 1], strength[1, 0, 0] = 9.0, (8.0, 2.0, 5.0), 7.0
    pairs = _pairs(Found(strength > 1, strength, None, {}))
    np.testing.assert_array_equal(pairs.strength, [[0.0, 5.0], [0.0, 0.0]])
    np.testing.assert_array_equal(pairs.best(np.array([[False, True], [False, False]])), pairs.strength > 0)
