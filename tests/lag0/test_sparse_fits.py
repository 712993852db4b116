"""Sparse models that are fitted side by side are those of one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.lag0.sparse_fits import sparse_fits

PRICE, ROWS = 5.4, 400


def left(correlation: np.ndarray, target: int, columns: list[int]) -> float:
    gram, cross = correlation[np.ix_(columns, columns)], correlation[columns, target]
    return float(1.0 - cross @ np.linalg.solve(gram, cross)) if columns else 1.0


def one_by_one(correlation: np.ndarray, usable: list[int], first: list[int], target: int) -> list[int]:
    """Forward, then backward, every model solved from the start."""

    def cost(columns: list[int]) -> float:
        return 0.5 * ROWS * np.log(left(correlation, target, columns)) + PRICE * len(columns)

    chosen = list(first)
    while wider := [[*chosen, one] for one in usable if one not in chosen]:
        best = min(wider, key=cost)
        if cost(best) >= cost(chosen):
            break
        chosen = best
    while chosen:
        best = min(([one for one in chosen if one != out] for out in chosen), key=cost)
        if cost(best) >= cost(chosen):
            break
        chosen = best
    return sorted(chosen)


@pytest.mark.parametrize("seed", range(5))
def test_models_side_by_side_are_those_of_one_after_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(ROWS, 14)) @ (np.eye(14) + 0.35 * rng.normal(size=(14, 14)))
    correlation = np.corrcoef(mixed.T)
    target = rng.integers(14, size=12)
    usable = rng.random((12, 14)) < 0.6
    usable[np.arange(12), target] = False
    usable[3] = False  # nothing to choose from
    first = usable & (rng.random((12, 14)) < 0.3)
    fits = sparse_fits(correlation, usable, first, target, ROWS, PRICE)
    for fit, mine, begun, effect in zip(fits, usable, first, target, strict=True):
        chosen = one_by_one(
            correlation, np.flatnonzero(mine).tolist(), np.flatnonzero(begun).tolist(), effect
        )
        assert fit.columns.tolist() == chosen
        assert fit.left == pytest.approx(left(correlation, effect, chosen))
        gram = correlation[np.ix_(chosen, chosen)]
        assert np.allclose(gram @ fit.weights, correlation[chosen, effect])


def test_a_copy_of_what_is_in_the_model_does_not_enter() -> None:
    correlation = np.array([[1.0, 0.7, 0.7], [0.7, 1.0, 1.0], [0.7, 1.0, 1.0]])
    usable = np.array([[False, True, True]])
    for first in (usable, np.zeros_like(usable)):
        fit = sparse_fits(correlation, usable, first, np.array([0]), ROWS, PRICE)[0]
        assert fit.columns.tolist() == [1]
        assert fit.weights == pytest.approx([0.7])
