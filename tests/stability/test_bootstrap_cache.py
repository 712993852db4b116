from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.stability.run_store import RunCache, RunRecord, _encoded

ROOT = Path(__file__).parents[2]


def rows(seed: int = 0) -> Any:
    x = np.random.default_rng(seed).normal(size=(400, 2))
    x[1:, 1] += 0.7 * x[:-1, 0]
    return x


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.npz"))


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    record = RunRecord(
        3, (2, 2, 2), np.array([1, 5]), np.array([0.25, 1.0]), np.array([False, True]), np.int8([0, -1]), 77
    )
    cache = RunCache(tmp_path, "key")
    cache.save(record)
    again = cache.load(3)
    assert again is not None
    assert (again.run, again.shape, again.rows_used, again.failure) == (3, (2, 2, 2), 77, "")
    for name in ("cells", "gates", "kept", "signs"):
        np.testing.assert_array_equal(getattr(again, name), getattr(record, name))
        assert getattr(again, name).dtype == getattr(record, name).dtype
    assert cache.load(4) is None


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    cache = RunCache(tmp_path, "key")
    cache.save(RunRecord(0, (2, 2, 2), np.array([1])))
    (path,) = files(tmp_path)
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[-30] ^= 1
    path.write_bytes({"cut": bytes(content[:-20]), "flip": bytes(content), "empty": b""}[damage])
    assert cache.load(0) is None


def test_failed_runs_are_tried_again(tmp_path: Path) -> None:
    cache = RunCache(tmp_path, "key")
    cache.save(RunRecord(0, failure="MemoryError: "))
    assert files(tmp_path) == []


def test_finished_runs_are_not_repeated_and_a_half_written_one_is(tmp_path: Path) -> None:
    calls: list[int] = []

    def run(data: Any) -> Skeleton:
        calls.append(len(data))
        return Skeleton(np.ones((2, 2, 2)) * [0, 1])

    first = bootstrap(run, rows(), window=100, runs=5, cache=tmp_path, cache_key="counts its calls")
    assert len(calls) == len(files(tmp_path)) == 5
    path = files(tmp_path)[2]
    path.write_bytes(path.read_bytes()[:-40])
    again = bootstrap(run, rows(), window=100, runs=5, cache=tmp_path, cache_key="counts its calls")
    assert len(calls) == 6
    np.testing.assert_array_equal(first.gates, again.gates)


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"window": 90}, {"alpha": 0.2}, {"max_lag": 1}, {"data": rows(1)}]
)
def test_another_call_uses_none_of_it(tmp_path: Path, change: dict[str, Any]) -> None:
    call = {"data": rows(), "max_lag": 2, "window": 100, "runs": 2, "cache": tmp_path}
    bootstrap("basis", **call)
    bootstrap("basis", **call)
    assert len(files(tmp_path)) == 2
    bootstrap("basis", **{**call, **change})
    assert len(files(tmp_path)) == 4


def test_a_threshold_or_more_workers_use_all_of_it(tmp_path: Path) -> None:
    call = {"max_lag": 2, "window": 100, "runs": 2, "cache": tmp_path}
    bootstrap("basis", rows(), **call)
    bootstrap("basis", rows(), threshold=0.5, level="lag", n_jobs=2, progress=False, **call)
    assert len(files(tmp_path)) == 2


SCRIPT = """
import sys, time
import numpy as np
from grace_plugin.stability.bootstrapping import bootstrap
from grace_plugin.pipeline.discovery import discover

def run(data):
    time.sleep(float(sys.argv[2]))
    return discover(data, max_lag=2)

x = np.random.default_rng(0).normal(size=(400, 2))
x[1:, 1] += 0.3 * x[:-1, 0]
found = bootstrap(run, x, window=100, runs=12, cache=sys.argv[1])
whole = bootstrap(run, x, window=100, runs=12)
print(np.array_equal(found.gates, whole.gates) and np.array_equal(found.presence, whole.presence))
"""


def test_killed_half_way_and_resumed_gives_the_same(tmp_path: Path) -> None:
    def start(pause: float) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path), str(pause)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )

    victim = start(pause=0.3)
    deadline = time.monotonic() + 60
    while len(files(tmp_path)) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    victim.send_signal(signal.SIGKILL)
    assert victim.communicate()[0] == ""
    done = {path: path.stat().st_mtime_ns for path in files(tmp_path)}
    assert 4 <= len(done) < 12
    assert start(pause=0.0).communicate()[0] == "True\n"
    assert len(files(tmp_path)) == 12
    assert done == {path: path.stat().st_mtime_ns for path in done}  # what was there was used


@pytest.mark.parametrize(
    "change",
    [
        {"run": 1},
        {"shape": (3, 3, 2)},
        {"shape": (2, 2)},
        {"shape": (2, 2, 10**12)},
        {"cells": np.array([8])},
        {"cells": np.array([-1])},
        {"cells": np.array([[1]])},
        {"gates": np.array([0.5, 0.5])},
        {"gates": np.array([np.nan])},
        {"kept": np.array([1.0])},
        {"signs": np.array(["a"])},
        {"rows_used": -1},
    ],
)
def test_a_right_digest_does_not_make_a_record_right(tmp_path: Path, change: dict[str, Any]) -> None:
    good = RunRecord(
        0, (2, 2, 2), np.array([1]), np.array([0.5]), np.array([True]), np.array([1], dtype=np.int8), 9
    )
    body = _encoded(replace(good, **change))
    cache = RunCache(tmp_path, "key", variables=2)
    (cache.folder / "run-00000.npz").write_bytes(hashlib.sha256(body).digest() + body)
    assert cache.load(0) is None
    cache.save(good)
    assert cache.load(0) is not None
