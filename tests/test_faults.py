"""Killed processes, dying workers, full disks and folders that cannot be written."""

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
from grace_plugin.bootstrapping import bootstrap
from grace_plugin.exceptions import FileError, WorkerError
from grace_plugin.files import write_text, written
from grace_plugin.moments import Moments
from grace_plugin.npz import read_npz
from grace_plugin.panel import as_panel
from grace_plugin.run_cache import RunCache, RunRecord

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
KILLS = 25


def rows(seed: int = 0) -> Any:
    x = np.random.default_rng(seed).normal(size=(300, 2))
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
from grace_plugin.bootstrapping import bootstrap
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
from benchmarks._cached import cached
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


def test_a_worker_that_dies_is_a_sentence_and_the_next_call_goes_on(tmp_path: Path) -> None:
    marker, cache = tmp_path / "died", tmp_path / "cache"

    def run(data: Any) -> Any:
        if not marker.exists() and any(cache.rglob("run-*.npz")):
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return gp.discover(data, max_lag=1)

    call: dict[str, Any] = {"window": 80, "runs": 6, "cache": cache}
    with pytest.raises(WorkerError, match=r"died.*n_jobs.*cache="):
        bootstrap(run, rows(), n_jobs=2, **call)
    assert marker.exists()
    resumed = bootstrap(run, rows(), n_jobs=2, **call)
    whole = bootstrap(run, rows(), window=80, runs=6)
    np.testing.assert_array_equal(resumed.gates, whole.gates)


# What a full disk does: a write beyond the limit fails with an OSError.
FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import matplotlib; matplotlib.use("Agg")
import numpy as np
import grace_plugin as gp
from grace_plugin.cli_io import write_picture, write_result
from grace_plugin.moments import Moments
from grace_plugin.panel import as_panel
folder = Path(sys.argv[1])
x = np.random.default_rng(0).normal(size=(300, 8))
found = gp.analyze(gp.Skeleton(np.ones((8, 8, 3)) * [0, 1, 1]), x)
figure = found.plot()[0]
sums = Moments.of(as_panel(x), 2)
writers = {
    "report.html": found.report,
    "plain.json": found.to_json,
    "sums.npz": sums.save,
    "picture.png": lambda path: write_picture(figure, path),
    **{f"out.{kind}": lambda path: write_result(found, path) for kind in "json csv npz dot gml".split()},
}
for name in writers:
    (folder / name).write_text("good")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
for name, write in writers.items():
    try:
        write(folder / name)
    except gp.GraceError as error:
        print(name, type(error).__name__, error)
"""


def test_a_full_disk_leaves_the_good_file_and_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 9
    for line in lines:
        name, kind, sentence = line.split(" ", 2)
        assert kind == "FileError"
        assert sentence.startswith(f"{tmp_path / name} cannot be written (File too large)")
    assert {path.read_text() for path in tmp_path.iterdir()} == {"good"}
    assert len(list(tmp_path.iterdir())) == 9  # no drafts either


@pytest.mark.parametrize(
    "error", [MemoryError(), KeyboardInterrupt(), OSError(28, "No space left on device")]
)
def test_any_interruption_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "report.html"
    path.write_text("good")
    expected = FileError if isinstance(error, OSError) else type(error)

    def interrupted() -> None:
        with written(path) as file:
            file.write(b"half of")
            raise error

    with pytest.raises(expected):
        interrupted()
    assert path.read_text() == "good"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "real.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_to_and_not_replaced() -> None:
    write_text("/dev/null", "text")
    assert Path("/dev/null").is_char_device()


def test_a_folder_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be written \(Is a directory\)"):
        write_text(tmp_path, "text")
    with pytest.raises(FileError, match=r"No such file or directory"):
        write_text(tmp_path / "nowhere" / "file", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    for place in (file, file / "deeper"):
        with pytest.raises(FileError, match=r"cache=.* cannot be used as a folder"):
            bootstrap("basis", rows(), max_lag=1, window=80, runs=2, cache=place)


def test_a_cache_that_stops_taking_files_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = RunCache(tmp_path, "key")
    cache.save(RunRecord(0, (2, 2, 2), np.array([1])))

    def refuse(self: Path, *_: object, **__: object) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(FileError, match=r"run-00001.npz cannot be written \(Permission denied\)"):
            cache.save(RunRecord(1, (2, 2, 2), np.array([1])))
    assert cache.load(0) is not None
    assert cache.load(1) is None


def test_moments_get_the_ending_that_numpy_gives(tmp_path: Path) -> None:
    moments = Moments.of(as_panel(rows()), 1)
    moments.save(tmp_path / "sums")
    assert Moments.load(tmp_path / "sums.npz").rows == moments.rows
