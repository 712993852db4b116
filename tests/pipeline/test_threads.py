"""Calls run on one thread of BLAS and give back what there was; sums of many rows keep their threads."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import grace_plugin as gp
from grace_plugin._common.config import RefineConfig
from grace_plugin.pipeline.threads import enough_threads
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons.source import Source


def threads_of_blas() -> set[int]:
    return {one["num_threads"] for one in ThreadpoolController().select(user_api="blas").info()}


@pytest.mark.parametrize(
    ("rows", "columns", "engine", "wanted"),
    [
        (1000, 10, "additive", {1}),
        (1000, 300, "additive", {1}),
        (20_000, 30, "additive", {2}),
        (1000, 10, "neural", {2}),
    ],
)
def test_only_small_sums_are_held_to_one_thread(
    rows: int, columns: int, engine: str, wanted: set[int]
) -> None:
    panel = as_panel(np.zeros((rows, columns)))
    with threadpool_limits(limits=2, user_api="blas"):
        if threads_of_blas() != {2}:
            pytest.skip("this BLAS has one thread")
        with enough_threads(panel, 2, RefineConfig(engine=engine)):
            assert threads_of_blas() == wanted
        assert threads_of_blas() == {2}


def test_discover_runs_on_one_thread_and_gives_back_what_there_was() -> None:
    inside: list[set[int]] = []

    def skeleton(source: Source) -> gp.Skeleton:
        inside.append(threads_of_blas())
        return gp.Skeleton(np.ones((3, 3, source.max_lag + 1)) * (np.arange(source.max_lag + 1) > 0))

    data = np.random.default_rng(0).normal(size=(200, 3))
    with threadpool_limits(limits=2, user_api="blas"):
        before = threads_of_blas()
        gp.discover(data, max_lag=1, skeleton=skeleton, progress=False)
        assert threads_of_blas() == before
    assert inside
    assert inside[0] == {1}
