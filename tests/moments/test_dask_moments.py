"""Moments of Dask collections, on a real local cluster, against those of the same numbers in memory."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask.base import DaskMethodsMixin

import grace_plugin as gp
from grace_plugin.exceptions import DataError
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import as_panel

LAG = 4

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("dask moments")]  # one cluster


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


@pytest.mark.parametrize("chunks", [(1000,), (1, 2, 997), (3,) * 33 + (901,), (500, 0, 500), (996, 4)])
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


def process() -> np.ndarray:
    """0 -> 1 at lag 1, 1 -> 2 at lag 2; three alone."""
    data = np.random.default_rng(0).normal(size=(1000, 6)) * [1, 10, 0.1, 1, 1, 1]
    data[1:, 1] += 8.0 * data[:-1, 0]
    data[2:, 2] += 0.008 * data[:-2, 1]
    return data


TRUE = {(0, 1, 1), (1, 2, 2)}


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all numbers that were brought to this process."""
    sizes: list[int] = []
    compute = DaskMethodsMixin.compute

    def counted(self: Any, **options: Any) -> Any:
        found = compute(self, **options)
        sizes.append(np.size(found))
        return found

    monkeypatch.setattr(DaskMethodsMixin, "compute", counted)
    return sizes


def test_discover_does_not_load_an_array(dask_client: Any, computed: list[int]) -> None:
    data = process()
    found = gp.discover(da.from_array(data, chunks=(100, 4)), 3)
    assert set(found.native) == TRUE
    assert 0 < max(computed) <= 100 * 6  # the chunk that standardises


def test_refine_does_not_load_a_table_and_matches_its_columns(dask_client: Any, computed: list[int]) -> None:
    import dask.dataframe as dd

    frame = pd.DataFrame(process(), columns=list("abcdef"))
    lazy = dd.from_pandas(frame[list("fedcba")], npartitions=10)
    mask = np.ones((6, 6, 4), dtype=bool) & (np.arange(4) > 0)
    refined = gp.refine(gp.Skeleton(mask, list("abcdef")), lazy)
    assert set(refined) == TRUE
    assert 0 < max(computed) <= 100 * 6


@pytest.mark.neural
def test_what_needs_rows_loads_them() -> None:
    lazy = da.from_array(process(), chunks=(300, 6))
    mask = np.zeros((6, 6, 3), dtype=bool)
    mask[0, 1, 1] = mask[3, 4, 1] = True
    with dask.config.set(scheduler="synchronous"):
        trained = gp.analyze(gp.Skeleton(mask), lazy, engine="neural")
        stable = gp.bootstrap("basis", lazy, max_lag=2, window=400, runs=3)
    assert trained.graph[0, 1, 1]
    assert {(int(cause), int(effect)) for cause, effect, _ in np.argwhere(stable.graph)} == {(0, 1), (1, 2)}


def test_the_largest_lag_can_be_searched() -> None:
    with dask.config.set(scheduler="synchronous"):
        found = gp.discover(da.from_array(process(), chunks=(300, 6)), "auto")
    assert set(found.native) == TRUE


def test_missing_values_of_tables_are_read() -> None:
    import dask.dataframe as dd

    frame = pd.DataFrame(process(), columns=list("abcdef")).astype("Float64")
    frame.iloc[5, 2] = pd.NA
    with dask.config.set(scheduler="synchronous"):
        found = gp.discover(dd.from_pandas(frame, npartitions=3), 2)
    assert set(found.native) == TRUE
    assert found.names == tuple("abcdef")


def test_wrong_columns_are_refused_without_reading() -> None:
    import dask.dataframe as dd

    frame = pd.DataFrame({"a": np.arange(50.0), "b": pd.date_range("2000", periods=50)})
    with pytest.raises(DataError, match=r"\['b'\] do not hold real numbers"):
        gp.discover(dd.from_pandas(frame, npartitions=2), 1)
    with pytest.raises(DataError, match=r"dtype complex128 .* expected real numbers"):
        gp.discover(da.zeros((50, 2), dtype=complex), 1)
    with pytest.raises(DataError, match="infinite"), dask.config.set(scheduler="synchronous"):
        gp.discover(da.full((50, 2), np.inf), 1)
