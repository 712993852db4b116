"""Real local clusters with two workers: the same result as on one core, to the bit."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import grace_plugin as gp
from grace_plugin._common import parallel as _parallel
from grace_plugin.exceptions import WorkerWarning
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.result import Stability

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.xdist_group("clusters"),
]  # one process of pytest, so that each is started once


@pytest.fixture(scope="module")
def data() -> Any:
    x = np.random.default_rng(0).normal(size=(500, 3))
    x[1:, 1] += 0.6 * x[:-1, 0]
    x[2:, 2] += 0.4 * np.abs(x[:-2, 1])
    return x


@pytest.fixture(scope="module")
def alone(data: Any) -> Stability:
    return found_in(data)


def found_in(data: Any) -> Stability:
    return bootstrap("basis", data, max_lag=2, window=200, runs=8)


def assert_same(one: Stability, other: Stability) -> None:
    assert one.windows == other.windows
    for mine, theirs in zip(one.records, other.records, strict=True):
        assert mine.run == theirs.run
        assert mine.rows_used == theirs.rows_used
        for name in ("cells", "gates", "kept", "signs"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def threads_of_a_worker(_: int) -> tuple[int, int]:
    import torch

    torch.set_num_threads(2)  # dask itself starts its workers with one
    with _parallel.one_thread():
        return os.getpid(), torch.get_num_threads()


@dataclass(frozen=True)
class Watched:
    """One bootstrap on a cluster, and what was seen meanwhile."""

    found: Stability
    sent: list[int]  # bytes of every parcel that went to the cluster
    workers: list[str]  # who did each run, where the cluster tells


@pytest.fixture(scope="module")
def on_dask(dask_client: Any, data: Any) -> Watched:
    from distributed import get_task_stream

    sent: list[int] = []
    scatter = type(dask_client).scatter

    def counted(client: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        sent.append(values.nbytes)
        return scatter(client, values, *args, **kwargs)

    with (
        pytest.MonkeyPatch.context() as patch,
        get_task_stream(client=dask_client) as stream,
        joblib.parallel_config(backend="dask"),
    ):
        patch.setattr(type(dask_client), "scatter", counted)
        found = found_in(data)
    return Watched(found, sent, [task["worker"] for task in stream.data if "_run" in str(task["key"])])


def test_dask_gives_the_same_to_the_bit(on_dask: Watched, alone: Stability) -> None:
    assert_same(on_dask.found, alone)


def test_dask_workers_share_the_work(on_dask: Watched) -> None:
    assert len(on_dask.workers) == 8
    assert len(set(on_dask.workers)) == 2


def test_dask_workers_get_the_data_once(on_dask: Watched, data: Any) -> None:
    assert len(on_dask.sent) == 1
    assert on_dask.sent[0] > data.nbytes


def test_dask_workers_compute_on_one_thread(dask_client: Any) -> None:
    answers = dask_client.gather(dask_client.map(threads_of_a_worker, range(4)))
    assert {threads for _, threads in answers} == {1}
    assert os.getpid() not in {process for process, _ in answers}


def dying_once(marker: Path) -> Any:
    """A user's function whose first call in a worker ends that worker; never one in this process."""
    here = os.getpid()

    def run(data: Any) -> Any:
        if os.getpid() != here and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return gp.discover(data, max_lag=1)

    return run


def assert_survives(backend: dict[str, Any], marker: Path, data: Any) -> None:
    run = dying_once(marker)
    with joblib.parallel_config(**backend), pytest.warns(WorkerWarning, match="died"):
        found = bootstrap(run, data, window=200, runs=4)
    assert marker.exists()
    assert_same(found, bootstrap(run, data, window=200, runs=4))


def test_a_worker_of_dask_may_die(dask_client: Any, data: Any, tmp_path: Path) -> None:
    assert_survives({"backend": "dask"}, tmp_path / "died", data)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # the default that ray warns it will take
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ray's own start-up
        import ray
        from ray.util.joblib import register_ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        register_ray()
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def on_ray(ray_cluster: None, data: Any) -> Watched:
    sent: list[int] = []
    put = _parallel._put_on_ray

    def counted(parcel: Any) -> Any:
        sent.append(parcel.nbytes)
        return put(parcel)

    with pytest.MonkeyPatch.context() as patch, joblib.parallel_config(backend="ray", n_jobs=2):
        patch.setattr(_parallel, "_put_on_ray", counted)
        found = found_in(data)
    return Watched(found, sent, [])


def test_ray_gives_the_same_to_the_bit(on_ray: Watched, alone: Stability) -> None:
    assert_same(on_ray.found, alone)


def test_ray_holds_the_data_once(on_ray: Watched, data: Any) -> None:
    assert len(on_ray.sent) == 1
    assert on_ray.sent[0] > data.nbytes


def test_a_worker_of_ray_may_die(ray_cluster: None, data: Any, tmp_path: Path) -> None:
    assert_survives({"backend": "ray", "n_jobs": 2}, tmp_path / "died", data)
