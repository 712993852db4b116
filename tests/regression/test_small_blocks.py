"""Linear algebra of many small blocks at once, beside what numpy says of each."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS, expand
from grace_plugin.regression.backward import _quadratics
from grace_plugin.regression.small_factors import inverse_factors
from grace_plugin.regression.waves import _beyond_usual


def blocks(width: int, seed: int = 0) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(20, width, width + 3))
    return np.asarray(made @ made.transpose(0, 2, 1))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_quadratic_forms_without_the_first_row_and_with_it(width: int) -> None:
    given, vectors = blocks(width), np.random.default_rng(1).normal(size=(20, width))
    bent, whole = _quadratics(given, vectors)
    for place in range(20):
        rest = vectors[place, 1:]
        expected = vectors[place] @ np.linalg.solve(given[place], vectors[place])
        assert whole[place] == pytest.approx(expected)
        assert bent[place] == pytest.approx(rest @ np.linalg.solve(given[place, 1:, 1:], rest))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_inverse_factors_whiten_their_blocks(width: int) -> None:
    given = blocks(width)
    inverse, pivots = inverse_factors(np.moveaxis(given, 0, -1), np.ones((width, 20), dtype=np.bool_))
    for place in range(20):
        whitened = inverse[:, :, place] @ given[place] @ inverse[:, :, place].T
        np.testing.assert_allclose(whitened, np.eye(width), atol=1e-9)
        lower = np.linalg.cholesky(given[place])
        np.testing.assert_allclose(pivots[:, place], np.square(lower.diagonal()))


def test_the_bump_beside_the_usual_features_of_binary_and_constant_values_too() -> None:
    past = np.random.default_rng(2).normal(size=(300, 4))
    past[:, 1], past[:, 2], past[:, 3] = np.sign(past[:, 1]), np.round(past[:, 2]), 0.0
    found = _beyond_usual(past)
    usual = len(DEFAULT_BASIS)
    for place in range(4):
        features = expand(past[:, [place]], RICH_BASIS)
        table = np.column_stack([np.ones(300), features[:, :usual]])
        left = features[:, usual] - table @ np.linalg.lstsq(table, features[:, usual], rcond=None)[0]
        np.testing.assert_allclose(found[:, place], left, atol=1e-10)
