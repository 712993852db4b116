"""Counting: many weak edges are seen, chance and a few strong ones change nothing."""

from __future__ import annotations

import numpy as np

from grace_plugin.decide.counting import counted
from grace_plugin.decide.decision import make_decision


def _cells(weak: int, seed: int = 0, count: int = 90) -> np.ndarray:
    p = np.random.default_rng(seed).uniform(0.011, 1.0, size=count)
    p[:weak] = np.linspace(0.0005, 0.006, weak)
    return np.log(p)


def test_many_weak_edges_are_kept_and_have_a_probability() -> None:
    found = counted(_cells(8), kept=1)
    assert (found[:8] > 0.5).all()
    assert not found[8:].any()
    assert (np.diff(found[:8]) <= 1e-12).all()


def test_what_the_two_groups_see_is_left_to_them() -> None:
    assert not counted(_cells(8), kept=3).any()


def test_chance_is_not_counted() -> None:
    false = 0
    for seed in range(300):
        false += counted(np.log(np.random.default_rng(seed).uniform(size=90)), kept=0).any()
    assert false <= 3


def test_cells_that_left_a_model_together_are_counted_once() -> None:
    apart, together = _cells(8), _cells(8)
    together[:8] = np.log(0.004)  # the running minimum of one elimination
    assert counted(apart, kept=0)[:8].all()
    assert not counted(together, kept=0).any()


def test_noise_that_is_not_even_is_not_counted() -> None:
    log_p = np.zeros((6, 6, 4))
    possible = np.ones(log_p.shape, dtype=bool)
    possible[:, :, 0] = False
    log_p[possible] = np.log(np.random.default_rng(1).uniform(0.05, 1.0, size=possible.sum()))
    log_p[[0, 2, 3, 4, 5, 0], 1, [1, 1, 2, 3, 1, 3]] = np.log(np.linspace(0.0035, 0.004, 6))
    assert make_decision(log_p, possible).likely()[:, 1].sum() == 6
    assert not make_decision(log_p, possible, uneven=[1]).likely().any()
