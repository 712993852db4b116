"""Noise that changes over time: rows count for what they are worth, and wild spells decide nothing alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin.regression import noise_weights
from grace_plugin.regression.noise_weights import row_weights
from tests.support.disturbed import D, driven, false_edges


def spells(rows: int, seed: int, calm: float = 0.2) -> np.ndarray:
    """[rows]: the size of the noise, large in some stretches of 40 rows."""
    rng = np.random.default_rng(seed)
    return np.where(np.repeat(rng.random(rows // 40 + 1) < 0.2, 40)[:rows], 1.0, calm)


def storm(seed: int, rows: int = 1000) -> np.ndarray:
    """The noise of all variables comes in spells."""
    return driven(np.random.default_rng(seed).normal(size=(rows, D)) * spells(rows, seed)[:, None])


def test_weights_follow_the_noise() -> None:
    size = spells(2000, 0)
    weights = row_weights(size * np.random.default_rng(1).normal(size=2000))
    assert weights is not None
    assert weights.mean() == pytest.approx(1.0)
    assert weights[size < 1.0].mean() > 5.0 * weights[size == 1.0].mean()


@pytest.mark.parametrize("draw", ["normal", "standard_t", "uniform", "autocorrelated"])
def test_noise_that_does_not_change_gets_no_weights(draw: str) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        residual = {
            "normal": lambda r: r.normal(size=800),
            "standard_t": lambda r: r.standard_t(4, size=800),
            "uniform": lambda r: r.uniform(-1, 1, size=800),
            "autocorrelated": lambda r: np.convolve(r.normal(size=802), [1.0, 0.4, 0.2], mode="valid"),
        }[draw](rng)
        assert row_weights(residual) is None


def test_residuals_of_zero_get_no_weights() -> None:
    assert row_weights(np.zeros(100)) is None


def test_scale_does_not_matter() -> None:
    residual = spells(800, 3) * np.random.default_rng(3).normal(size=800)
    np.testing.assert_allclose(row_weights(residual), row_weights(1e6 * residual))


def test_wild_spells_make_few_false_edges() -> None:
    once = twice = 0
    for seed in range(5):
        x = storm(seed)
        once += false_edges(gp.discover(x, 3, second_look=False, alpha="level", progress=False))
        found = gp.discover(x, 3, alpha="level", progress=False)
        twice += false_edges(found)
    assert twice <= once / 3


def test_an_effect_with_one_edge_is_weighed_too() -> None:
    """Two variables that share nothing but their storms."""
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 1] = True

    def p_value(x: np.ndarray, **options: object) -> float:
        found = gp.analyze(gp.Skeleton(mask), x, decide="certificate", **options)  # gates change no p-value
        return float(found.outcome.p_value[0, 1, 1])

    p_once, p_twice = [], []
    for seed in range(30):
        size = spells(600, seed, calm=0.05)
        x = np.random.default_rng(seed).normal(size=(600, 2)) * size[:, None]
        p_once.append(p_value(x, second_look=False))
        p_twice.append(p_value(x, keep=[("x0", "x1", 1)]))
    assert np.mean(np.array(p_once) < 0.01) > 0.05  # far too sure of itself
    assert np.mean(np.array(p_twice) < 0.01) <= 0.05


def test_required_edges_stay_whatever_the_weights_say() -> None:
    found = gp.discover(storm(0), 3, keep=[("x3", "x4", 2)], progress=False)
    assert found.graph[3, 4, 2]


def test_linear_effects_are_weighed_without_curves() -> None:
    options: dict[str, Any] = {"basis": ("linear",), "alpha": "level", "progress": False}
    loose = false_edges(gp.discover(storm(1), 3, second_look=False, **options))
    assert false_edges(gp.discover(storm(1), 3, **options)) < loose


def test_quiet_rows_count_for_more() -> None:
    """An effect that only the quiet half shows: its p-value falls by orders of magnitude."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(800, 2))
    x[:, 1] *= np.where(np.arange(800) < 400, 4.0, 0.4)
    x[1:, 1] += 0.15 * x[:-1, 0]
    mask = np.zeros((2, 2, 2), dtype=bool)
    mask[0, 1, 1] = True
    options = {"keep": [("x0", "x1", 1)], "basis": ("linear",), "alpha": "level"}
    once = gp.analyze(gp.Skeleton(mask), x, second_look=False, **options).outcome.p_value[0, 1, 1]
    twice = gp.analyze(gp.Skeleton(mask), x, **options).outcome.p_value[0, 1, 1]
    assert twice < 1e-4 * once


@pytest.mark.parametrize("rows", [5, 60, 1000])
def test_neighbours_by_transforms_are_those_one_by_one(rows: int) -> None:
    square = np.square(np.random.default_rng(rows).standard_t(3, size=rows))
    for spell, found in zip(noise_weights._SPELLS, noise_weights._of_neighbours(square), strict=True):
        away = np.abs(np.subtract.outer(np.arange(rows), np.arange(rows)))
        weight = np.where(
            (away > 0) & (away <= int(4.0 * spell)), np.exp(-0.5 * np.square(away / spell)), 0.0
        )
        np.testing.assert_allclose(found, weight @ square / weight.sum(axis=1), rtol=1e-9)
