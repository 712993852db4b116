"""`n_jobs=` below the wide path and of a host's graph: large searches are shared, to the same bit."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common import parallel
from grace_plugin.regression import evidence, search_blocks

D = 12


def world(heavy: bool = False) -> Any:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, D))
    if heavy:  # p-values believe the residuals
        x = np.sinh(x)
    for t in range(2, len(x)):
        x[t] += 0.4 * x[t - 1]
        x[t, 1:4] += 0.5 * x[t - 1, :3]
        x[t, 7] += 0.5 * x[t - 1, 5] * x[t - 1, 6]
        x[t, 9] += 0.6 * np.abs(x[t - 2, 8])
    return x + np.linspace(0.0, 2.0, len(x))[:, None] * (np.arange(D) == 4)  # one is judged beside a trend


def refined(x: Any, n_jobs: int = 1) -> gp.Refinement:
    mask = np.ones((D, D, 3), dtype=np.bool_)
    mask[:, :, 0] = False
    mask[10, 11] = False
    return gp.analyze(gp.Skeleton(mask), x, n_jobs=n_jobs, keep=[(10, 3, 1)], progress=False)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough of them for two workers, which are asked for however little there is to do."""
    monkeypatch.setattr(parallel, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(evidence, "BLOCK_NUMBERS", 10_000)
    monkeypatch.setattr(search_blocks, "_BATCH_NUMBERS", 20_000)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pieces that went to workers."""
    sent: list[str] = []
    usual = parallel.run_through

    def noted(worker: Any, items: Any, n_jobs: Any) -> Any:
        sent.extend(type(item).__name__ for item in items)
        return usual(worker, items, n_jobs)

    monkeypatch.setattr(parallel, "run_through", noted)
    return sent


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("heavy", [False, True])
def test_two_processes_refine_to_the_bit(shared: list[str], heavy: bool) -> None:
    x = world(heavy)
    alone = refined(x)
    assert not shared
    together = refined(x, n_jobs=2)
    assert set(shared) == {"ForwardPiece", "BackwardPiece"}
    assert min(shared.count(name) for name in set(shared)) > 2
    assert {"gain", "p_value", "probability"} <= set(alone.edges)
    assert alone.edges.equals(together.edges)
    assert alone.summary() == together.summary()


@pytest.mark.usefixtures("small_pieces")
def test_two_processes_discover_to_the_bit(shared: list[str]) -> None:
    alone = gp.discover(world(), max_lag=2, progress=False)
    together = gp.discover(world(), max_lag=2, n_jobs=2, progress=False)
    assert {"ForwardPiece", "BackwardPiece"} <= set(shared)
    assert alone.edges.equals(together.edges)


def test_little_work_stays_in_one_process(shared: list[str]) -> None:
    refined(world(), n_jobs=2)
    assert not shared


@pytest.mark.usefixtures("small_pieces")
def test_workers_do_not_ask_for_others() -> None:
    def asks(n_jobs: int | None) -> bool:
        return parallel.has_workers(n_jobs)

    class Asking:
        def begin(self) -> None: ...

        def run(self, n_jobs: int | None) -> bool:
            return asks(n_jobs)

    assert asks(2)
    assert not asks(1)
    assert list(parallel.run_through(Asking(), [2, 2], 2)) == [False, False]


@pytest.mark.cluster
@pytest.mark.xdist_group("clusters")
@pytest.mark.usefixtures("small_pieces")
def test_a_cluster_refines_to_the_bit(dask_client: Any, shared: list[str]) -> None:
    alone = refined(world())
    assert not shared
    with joblib.parallel_config(backend="dask"):
        together = refined(world())
    assert shared
    assert dask_client.scheduler_info()["workers"]
    assert alone.edges.equals(together.edges)
