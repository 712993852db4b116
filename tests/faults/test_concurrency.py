"""Two at once give what one after the other gives; the caller's process is left as it was."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch

import grace_plugin as gp
from grace_plugin.stability.workers import one_thread

ROOT = Path(__file__).parents[2]


def rows(seed: int, columns: int = 4) -> Any:
    x = np.random.default_rng(seed).normal(size=(300, columns))
    x[1:, 1] += 0.5 * x[:-1, 0]
    x[2:, 2] += 0.6 * np.abs(x[:-2, 1])
    return x


def refined(seed: int) -> list[bytes]:
    """Everything that is learned, by both engines and both verbs, as bytes."""
    data = rows(seed)
    mask = np.ones((4, 4, 3)) * [0, 1, 1]
    found = [
        gp.discover(data, max_lag=2),
        gp.analyze(gp.Skeleton(mask), data),
        gp.analyze(gp.Skeleton(mask), data, engine="neural", epochs=2),
    ]
    return [array.tobytes() for one in found for array in (one.gates, one.graph, one.outcome.p_value)]


def test_two_threads_give_what_one_gives() -> None:
    alone = [refined(seed) for seed in range(4)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(refined, range(4)))
    assert together == alone


def test_two_bootstraps_at_once_leave_the_threads_as_they_were() -> None:
    def run(seed: int) -> bytes:
        return bytes(gp.bootstrap("basis", rows(seed), max_lag=2, window=100, runs=6).gates.tobytes())

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        alone = [run(seed) for seed in range(4)]
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(run, range(4))) == alone
        assert torch.get_num_threads() == 2
        with ThreadPoolExecutor(1) as pool:  # what a new thread inherits
            assert pool.submit(torch.get_num_threads).result() == 2
    finally:
        torch.set_num_threads(before)


def test_two_bootstraps_with_workers_share_their_pool() -> None:
    def run(seed: int) -> bytes:
        return bytes(
            gp.bootstrap("basis", rows(seed), max_lag=1, window=100, runs=6, n_jobs=2).gates.tobytes()
        )

    alone = [
        gp.bootstrap("basis", rows(seed), max_lag=1, window=100, runs=6).gates.tobytes() for seed in (0, 1)
    ]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, (0, 1))) == alone


SCRIPT = """
import hashlib, sys
sys.path.insert(0, "tests/faults")
from test_concurrency import refined
print(hashlib.sha256(b"".join(refined(5))).hexdigest())
"""


@pytest.mark.filterwarnings("ignore:Weak edges are undecided")
def test_two_processes_give_what_one_gives() -> None:
    def start() -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )

    first, second = start(), start()
    together = {first.communicate()[0].strip(), second.communicate()[0].strip()}
    with one_thread():  # as those two have
        alone = hashlib.sha256(b"".join(refined(5))).hexdigest()
    assert together == {alone}


def process_state() -> dict[str, Any]:
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return {
        "torch threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch numbers": (torch.get_default_dtype(), torch.initial_seed(), torch.get_rng_state().tolist()),
        "torch modes": (torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled()),
        "numpy seed": (kind, keys.tolist(), rest),
        "numpy errors": np.geterr(),
        "numpy printing": str(np.get_printoptions()),
        "random": random.getstate(),
        "warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "signals": {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)},
        "path": list(sys.path),
        "pictures": _picture_state(),
    }


def _picture_state() -> Any:
    import matplotlib as mpl

    return mpl.get_backend(), {name: str(value) for name, value in mpl.rcParams.items()}


@contextmanager
def unusual_caller() -> Iterator[None]:
    """A process whose settings are none of the usual ones."""
    before = torch.get_num_threads(), torch.get_default_dtype()
    torch.set_num_threads(3)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(77)
    np.random.seed(78)  # noqa: NPY002
    random.seed(79)
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.filterwarnings("error", message="nothing in particular")
            yield
    finally:
        torch.set_num_threads(before[0])
        torch.set_default_dtype(before[1])


def everything(folder: Path) -> None:
    data = rows(0)
    found = gp.discover(data, max_lag=2)
    gp.analyze(gp.Skeleton(np.ones((4, 4, 3)) * [0, 1, 1]), data, engine="neural", epochs=2)
    for skeleton in ("cdnots", "lasso"):
        gp.discover(data, max_lag=1, skeleton=skeleton)
    gp.bootstrap("basis", data, max_lag=2, window=100, runs=4, cache=folder / "cache")
    found.report(folder / "report.html", data)
    found.to_json(folder / "found.json")
    gp.read_json(folder / "found.json")
    found.explain(0, 1, 1)


def test_nothing_of_the_process_is_changed(tmp_path: Path) -> None:
    everything(tmp_path)  # what is imported and cached once
    with unusual_caller():
        before = process_state()
        everything(tmp_path)
        after = process_state()
    assert [name for name, value in before.items() if after[name] != value] == []


def test_the_caller_s_settings_do_not_change_the_result() -> None:
    usual = refined(3)
    before = torch.get_num_threads()
    with unusual_caller():
        torch.set_num_threads(before)  # sums round differently with another number of threads
        assert refined(3) == usual


def held() -> tuple[int, set[int], list[str]]:
    process = psutil.Process()
    children = {child.pid for child in process.children(recursive=True) if not _tracker(child)}
    return process.num_fds(), children, sorted(file.path for file in process.open_files())


def _tracker(child: psutil.Process) -> bool:
    """Python's own helper that removes shared memory when the process ends; it ends with it."""
    return "resource_tracker" in " ".join(child.cmdline())


def with_workers(folder: Path) -> None:
    gp.bootstrap("basis", rows(0), max_lag=2, window=100, runs=4, n_jobs=2, cache=folder / "cache")


@pytest.mark.parametrize("use", [everything, with_workers])
def test_nothing_is_left_behind(tmp_path: Path, use: Callable[[Path], None]) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    use(tmp_path / "first")
    before, threads = held(), psutil.Process().num_threads()
    use(tmp_path / "second")
    assert held() == before
    assert before[1] == set()
    assert psutil.Process().num_threads() <= threads
    assert not list(tmp_path.rglob("*.part"))
