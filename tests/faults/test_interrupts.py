"""Ctrl-C amid long work: the process ends at once, with what Python says of it, and no worker stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no process groups that a signal could be sent to"
)

_BEGIN = "import numpy as np, grace_plugin as gp\nrng = np.random.default_rng(0)\n"
# Each of them would run for minutes; `label` is that of the bar that is shown while it is amid its work.
_WORK = {
    "many variables": (
        "gp.discover(rng.normal(size=(500, 1000)), max_lag=1, progress=True, n_jobs=2)",
        "judging effects",
    ),
    "a host's graph": (
        "mask = (rng.random((250, 250, 6)) < 0.3) & (np.arange(6) > 0)\n"
        "gp.refine(gp.Skeleton(mask), rng.normal(size=(2000, 250)), progress=True)",
        "searching",
    ),
    "windows": (
        "gp.bootstrap('basis', rng.normal(size=(3000, 30)), max_lag=3, window=600, runs=2000, "
        "contemporaneous=False, progress=True, n_jobs=2)",
        "windows",
    ),
}
_BEGUN, _ENDED = 300.0, 30.0  # seconds on the busiest machine; on a quiet one it takes less than one


@pytest.mark.parametrize("name", _WORK)
def test_ctrl_c_ends_the_work_and_its_workers(name: str) -> None:
    work, label = _WORK[name]
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN + work],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        shown = _until(process, label)
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does: everybody hears it
        shown += process.communicate(timeout=_ENDED)[1].decode(errors="replace")
        assert process.returncode == -signal.SIGINT, shown[-2000:]
        assert "KeyboardInterrupt" in shown
        assert _ends(process.pid), "a worker is still there"
    finally:
        if _group_lives(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _until(process: subprocess.Popen[bytes], label: str) -> str:
    """What the process shows until its bar tells of the work, and of the time that is left."""
    assert process.stderr is not None
    shown, until = "", time.monotonic() + _BEGUN
    while time.monotonic() < until and process.poll() is None:
        shown += os.read(process.stderr.fileno(), 65536).decode(errors="replace")
        if label in shown and "<" in shown.split(label)[-1]:  # elapsed<left
            return shown
    pytest.fail(f"no bar {label!r}: {shown[-2000:]}")


def _ends(group: int) -> bool:
    """Whether all processes of a group end, soon."""
    until = time.monotonic() + _ENDED
    while _group_lives(group) and time.monotonic() < until:
        time.sleep(0.05)
    return not _group_lives(group)


def _group_lives(group: int) -> bool:
    found = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True)
    listed = [line.split() for line in found.stdout.splitlines()]
    return any(int(number) == group and not state.startswith("Z") for number, state in listed)
