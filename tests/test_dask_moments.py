"""Moments of Dask collections, on a real local cluster, against those of the same numbers in memory."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

from grace_plugin.exceptions import DataError
from grace_plugin.moments import Moments
from grace_plugin.panel import as_panel

LAG = 4


def values(gaps: int = 5) -> np.ndarray:
    rng = np.random.default_rng(gaps)
    made = rng.normal(size=(1000, 6)) * [1, 10, 0.1, 1, 1, 1] + [0, 5, 0, 0, 0, -3]
    made[rng.choice(1000, gaps, replace=False), rng.integers(0, 6, gaps)] = np.nan
    return made


def assert_same(found: Moments, data: np.ndarray) -> None:
    local = Moments.of(as_panel(data), LAG, reference=found)
    assert (found.rows, found.rows_given) == (local.rows, local.rows_given)
    np.testing.assert_allclose(found.first, local.first, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.second, local.second, rtol=1e-10, atol=1e-9)


def test_an_array_on_a_cluster(dask_client: Any) -> None:
    data = values()
    lazy = da.from_array(data, chunks=(130, 4))  # columns are cut as well
    found = Moments.of(lazy, LAG)
    assert_same(found, data)
    streamed = Moments.of(as_panel(iter([data[:130], data[130:]])), LAG)
    np.testing.assert_array_equal(found.center, streamed.center)
    np.testing.assert_array_equal(found.scale, streamed.scale)


def test_a_table_on_a_cluster(dask_client: Any) -> None:
    import dask.dataframe as dd

    data = values()
    lazy = dd.from_pandas(pd.DataFrame(data, columns=list("abcdef")), npartitions=7)
    assert_same(Moments.of(lazy, LAG), data)


@pytest.mark.parametrize("chunks", [(1000,), (1, 2, 997), (3,) * 333 + (1,), (500, 0, 500), (996, 4)])
@pytest.mark.parametrize("gaps", [0, 90])
def test_windows_continue_across_any_borders(chunks: tuple[int, ...], gaps: int) -> None:
    data = values(gaps)
    whole = Moments.of(as_panel(data), LAG)
    with dask.config.set(scheduler="synchronous"):
        found = Moments.of(da.from_array(data, chunks=(chunks, 6)), LAG, reference=whole)
    assert_same(found, data)
    np.testing.assert_array_equal(found.center, whole.center)
    if not gaps:
        assert len(found.products.signs) == 2  # borders between chunks are gone


def test_parts_of_a_cluster_and_of_this_machine_add_up() -> None:
    data = values()
    local = Moments.of(as_panel(data), LAG)
    with dask.config.set(scheduler="synchronous"):
        far = Moments.of(da.from_array(data, chunks=(300, 6)), LAG, reference=local)
    assert (local + far).rows == 2 * local.rows


def test_wrong_collections_are_refused() -> None:
    with pytest.raises(DataError, match=r"shape \(7,\)"):
        Moments.of(da.zeros(7), LAG)
