"""What all tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")  # no test may open a window
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # a host that starts workers starts one
if "PYTEST_XDIST_WORKER" in os.environ:  # beside others of its kind: more threads than cores only wait
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Files that import a package at their head, left out where it is not installed.
_NEEDED = (
    ("torch", "*test_neural*.py"),
    ("dask", "*test_dask*.py"),
    ("tigramite", "*test_verbs.py"),
    ("tigramite", "*test_wrapper.py"),
)
if not os.environ.get("GRACE_REQUIRE_ALL_HOSTS"):
    collect_ignore_glob = [files for package, files in _NEEDED if find_spec(package) is None]

pytest.register_assert_rewrite("grace_plugin.testing.contract")


@pytest.fixture(autouse=True)
def _torch_as_it_was() -> None:
    """gcastle makes float64 the default of the whole process; other tests must not see that."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    """The client of a real cluster: two processes of one thread each on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
