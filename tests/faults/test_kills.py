"""Killed processes and dying workers: what they leave is whole, and the next call goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grace_plugin as gp
from benchmarks.core import Store
from grace_plugin._common.npz import read_npz
from grace_plugin.exceptions import WorkerError, WorkerWarning
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.run_store import RunCache

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
KILLS = 25


def rows() -> Any:
    x = np.random.default_rng(0).normal(size=(300, 2))
    x[1:, 1] += 0.5 * x[:-1, 0]
    return x


# Forks a victim for every line it is sent: that costs one start of Python, not one per kill. A script before
# it defines `work()`, which is what gets killed, and `answer()`, which is what is printed at the end.
FORKS = """
import os, sys
print("ready", flush=True)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print(answer(), flush=True)
"""


def killed_again_and_again(
    script: str, place: Path, longest: float, seed: int, look: Callable[[], None]
) -> tuple[int, str]:
    """Kill `work()` of `script` after up to `longest` seconds, KILLS times, looking at what it left.

    Returns how often it was killed before it had ended, and the answer of the run after that.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", script + FORKS, str(place)],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    chance = random.Random(seed)
    assert process.stdout.readline() == "ready\n"
    killed = 0
    for _ in range(KILLS):
        process.stdin.write("\n")
        process.stdin.flush()
        victim = int(process.stdout.readline())
        time.sleep(chance.uniform(0.0, longest))
        os.kill(victim, signal.SIGKILL)
        killed += process.stdout.readline() == f"{-signal.SIGKILL}\n"
        look()
    process.stdin.close()
    answer = process.stdout.readline().strip()
    assert process.wait() == 0
    process.stdout.close()
    return killed, answer


BOOTSTRAP = """
import sys
import numpy as np
import torch
torch.set_num_threads(1)
from grace_plugin.stability.bootstrapping import bootstrap
x = np.random.default_rng(0).normal(size=(300, 2))
x[1:, 1] += 0.5 * x[:-1, 0]
def run(folder):
    found = bootstrap("basis", x, max_lag=1, window=80, runs=40, cache=folder, steps=40)
    return found.gates.tobytes() + found.presence.tobytes()
run(None)
def work():
    run(sys.argv[1])
def answer():
    return run(sys.argv[1]) == run(None)
"""


def test_a_bootstrap_killed_many_times_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    def look() -> None:
        cache = RunCache(tmp_path, next(tmp_path.iterdir()).name) if any(tmp_path.iterdir()) else None
        for file in tmp_path.rglob("run-*.npz"):
            assert cache is not None
            assert cache.load(int(file.stem[4:])) is not None  # whole, or not there

    killed, same = killed_again_and_again(BOOTSTRAP, tmp_path, 0.06, 0, look)
    assert same == "True"
    assert killed >= 5


BENCHMARK = """
import os, sys, time
from pathlib import Path
from benchmarks.core import Job, Store, run_jobs
def run(seed):
    time.sleep(0.002)
    return {"f1": 1.0 / (seed + 3), "seconds": float(seed) * 0.1}
jobs = [Job("m", 2, 3, seed, lambda seed=seed: run(seed)) for seed in range(40)]
sys.stderr = open(os.devnull, "w")
def work():
    return run_jobs("x", jobs, Store(Path(sys.argv[1])), quick=False)
def answer():
    return [row.numbers for row in work()] == [run(seed) for seed in range(40)]
"""


def test_a_benchmark_killed_many_times_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    def look() -> None:
        Store(path).rows()  # can be read at any time

    killed, same = killed_again_and_again(BENCHMARK, path, 0.02, 1, look)
    assert same == "True"
    assert killed >= 5


CACHED = """
import sys
from pathlib import Path
import numpy as np
from benchmarks.cached import cached
numbers = np.random.default_rng(0).normal(size=(200, 200))
def made(name):
    return cached(Path(sys.argv[1]) / name, lambda: {"numbers": numbers})["numbers"]
def work():
    for count in range(200):
        made(f"{count}.npz")
def answer():
    return all(np.array_equal(made(f"{count}.npz"), numbers) for count in range(200))
"""


def test_cache_files_of_the_benchmarks_are_whole_or_not_there(tmp_path: Path) -> None:
    def look() -> None:
        for file in tmp_path.glob("[0-9]*.npz"):
            assert read_npz(file)["numbers"].shape == (200, 200)

    killed, same = killed_again_and_again(CACHED, tmp_path, 0.06, 2, look)
    assert same == "True"
    assert killed >= 5


def test_a_worker_that_dies_costs_only_its_windows(tmp_path: Path) -> None:
    marker, here = tmp_path / "died", os.getpid()

    def run(data: Any) -> Any:
        if os.getpid() != here and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return gp.discover(data, max_lag=1)

    with pytest.warns(WorkerWarning, match="run again"):
        found = bootstrap(run, rows(), window=80, runs=6, n_jobs=2)
    assert marker.exists()
    whole = bootstrap(run, rows(), window=80, runs=6)
    np.testing.assert_array_equal(found.gates, whole.gates)


def test_a_window_that_kills_every_worker_is_a_sentence_and_the_next_call_goes_on(tmp_path: Path) -> None:
    mended, cache, here = tmp_path / "mended", tmp_path / "cache", os.getpid()

    def run(data: Any) -> Any:
        if os.getpid() != here and not mended.exists() and any(cache.rglob("run-*.npz")):
            os.kill(os.getpid(), signal.SIGKILL)
        return gp.discover(data, max_lag=1)

    call: dict[str, Any] = {"window": 80, "runs": 6, "cache": cache}
    with pytest.warns(WorkerWarning), pytest.raises(WorkerError, match=r"died.*n_jobs.*cache="):
        bootstrap(run, rows(), n_jobs=2, **call)
    mended.touch()
    finished = len(list(cache.rglob("run-*.npz")))
    assert 0 < finished < 6
    resumed = bootstrap(run, rows(), n_jobs=2, **call)
    whole = bootstrap(run, rows(), window=80, runs=6)
    np.testing.assert_array_equal(resumed.gates, whole.gates)
