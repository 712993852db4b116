"""The question among many variables: as among few, in blocks."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.lag0 import ask_many as module
from grace_plugin.lag0.ask_many import ask_many, pairs_among

D, ROWS = 70, 400


def noise(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(D, ROWS)).astype(np.float32)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 20 * D)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_stands_out_of_independent_noise(seed: int) -> None:
    found = ask_many(noise(seed))
    assert found.question.pairs == 0
    assert found.question.possible == D * (D - 1) // 2
    assert not found.size.any()


def test_pairs_within_and_across_blocks_are_counted_once() -> None:
    left = noise()
    left[5] += left[3]
    left[60] -= 0.8 * left[31]
    found = ask_many(left)
    assert found.question.pairs == 2
    assert found.question.strongest == (3, 5)
    assert found.question.correlation == pytest.approx(0.7, abs=0.07)
    assert set(np.flatnonzero(found.size).tolist()) == {3, 5, 31, 60}
    correlation, standing = pairs_among(left, np.array([3, 5, 31, 60]))
    assert np.argwhere(standing).tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]
    assert correlation[2, 3] == pytest.approx(-0.62, abs=0.1)


def test_what_is_barred_does_not_count() -> None:
    left = noise()
    left[5] += left[3]
    barred = np.zeros((D, D), dtype=np.bool_)
    barred[3, 5] = barred[5, 3] = True
    found = ask_many(left, barred).question
    assert (found.pairs, found.possible) == (0, D * (D - 1) // 2 - 1)


def test_copies_and_sizes_that_change_together_say_nothing() -> None:
    size = np.exp(0.3 * np.cumsum(np.random.default_rng(1).normal(size=ROWS))).astype(np.float32)
    left = noise() * size / size.mean()
    left[9] = left[8]
    assert ask_many(left).question.pairs == 0
