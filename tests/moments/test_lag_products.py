"""The compact form of the moment matrix says the same as the plain one, in every way it is asked."""

from __future__ import annotations

import numpy as np
import pytest

from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel

LAG, COLUMNS = 3, 14


def values(gaps: int, rows: int = 200) -> np.ndarray:
    rng = np.random.default_rng(gaps)
    made = rng.normal(size=(rows, COLUMNS))
    made[rng.choice(rows, gaps, replace=False), 0] = np.nan
    return made


def plain(moments: Moments, data: np.ndarray) -> np.ndarray:
    """Every complete window as one long row."""
    standard = (data - moments.center) / moments.scale
    windows = [
        standard[t - LAG : t + 1][::-1].ravel()
        for t in range(LAG, len(data))
        if not np.isnan(data[t - LAG : t + 1]).any()
    ]
    return np.array(windows).T @ np.array(windows)


@pytest.mark.parametrize("gaps", [0, 1, 2, 40])  # no, few and many borders
def test_rows_entries_and_the_whole_agree_with_plain_sums(gaps: int) -> None:
    data = values(gaps)
    moments = Moments.of(as_panel(data), LAG, ("linear",))
    products, expected = moments.products, plain(moments, data)
    assert (products.corrections is None) == (gaps <= 1)
    np.testing.assert_allclose(products.dense(), expected, atol=1e-10)
    rng = np.random.default_rng(9)
    some, others = rng.integers(0, len(expected), (5, 4, 6)), rng.integers(0, len(expected), (5, 4, 7))
    entries = expected[some[..., :, None], others[..., None, :]]
    np.testing.assert_allclose(products.outer(some, others), entries, atol=1e-10)
    np.testing.assert_allclose(products.rows(some, 2), expected[some, 2 * COLUMNS :], atol=1e-10)


@pytest.mark.parametrize("gaps", [0, 1, 40])
def test_parts_are_parts_of_the_whole(gaps: int) -> None:
    moments = Moments.of(as_panel(values(gaps)), LAG)
    whole, width = moments.second, 3 * COLUMNS
    np.testing.assert_allclose(moments.with_max_lag(1).second, whole[: 2 * width, : 2 * width])
    np.testing.assert_allclose(moments.linear().second, whole[::3, ::3])
    np.testing.assert_array_equal(moments.linear().first, moments.first[::3])


def test_borders_between_chunks_cancel() -> None:
    data = values(0)
    whole = Moments.of(as_panel(data), LAG)
    pieces = Moments.of(
        as_panel(data[start : start + 11] for start in range(0, 200, 11)), LAG, reference=whole
    )
    assert len(whole.products.signs) == len(pieces.products.signs) == 2
    np.testing.assert_array_equal(pieces.products.borders, whole.products.borders)


def test_borders_of_neighbouring_parts_cancel() -> None:
    data = values(0)
    whole = Moments.of(as_panel(data), LAG)
    before = Moments.of(as_panel(data[:90]), LAG, reference=whole)
    after = Moments.of(as_panel(data[90 - LAG :]), LAG, reference=whole)
    both = before + after
    assert (both.rows, len(both.products.signs)) == (whole.rows, 2)
    np.testing.assert_allclose(both.second, whole.second, atol=1e-10)


def test_adding_parts_of_both_kinds() -> None:
    one, other = values(0), values(40)
    first = Moments.of(as_panel(one), LAG, ("linear",))
    second = Moments.of(as_panel(other), LAG, ("linear",), reference=first)
    assert first.products.corrections is None
    assert second.products.corrections is not None
    expected = plain(first, one) + plain(first, other)
    for total in (first + second, second + first):
        np.testing.assert_allclose(total.second, expected, atol=1e-10)


def test_a_sixth_of_the_full_matrix_is_held() -> None:
    moments = Moments.of(as_panel(np.random.default_rng(0).normal(size=(300, 60))), 5)
    full = (6 * 60 * 3) ** 2 * 8
    assert moments.products.nbytes < 0.18 * full
