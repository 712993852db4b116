"""One budget for all that is on by default: discover() against what it was before, and against PCMCI.

`before` is the commit at which the rooms of the house stood and none of the later rules (probabilities,
products, effects within one step, preparing) had been added. Both run in turn, each in a process of its own,
on the same rows; processor seconds on one thread, the least of three calls after a first one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds.paper import FloatArray, scp

TITLE = (
    "Budget: discover() with everything on, against before and against PCMCI (CPU seconds, T = 1000, lags 5)"
)
BEFORE = "7fe10ab"
_ROOT = Path(__file__).parents[2]
_ROWS, _LAGS, _TURNS = 1000, 5, 2
_TIMED = """
import json, sys, time
import numpy as np
import grace_plugin as gp
values = np.load(sys.argv[1])
def seconds():
    start = time.process_time()
    gp.discover(values, max_lag=int(sys.argv[2]), progress=False)
    return time.process_time() - start
seconds()
print(json.dumps(min(seconds() for _ in range(3))))
"""


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    wanted = methods or ("before", "pcmci")
    for seed in seeds if seeds is not None else (0,):
        for d in (10,) if quick else (20, 50, 100):
            if "before" in wanted:
                yield Job("against before", d, _ROWS, seed, partial(against_before, d, seed))
        for d in (10,) if quick else (50, 100):
            if "pcmci" in wanted:
                yield Job("against PCMCI", d, _ROWS, seed, partial(against_pcmci, d, seed))


def against_before(d: int, seed: int) -> dict[str, float]:
    """Seconds of both, and the ratio."""
    values = _values(d, seed)
    old, new = [], []
    with _library_of(BEFORE) as tree:
        for _ in range(_TURNS):
            old.append(_discover_seconds(values, tree))
            new.append(_discover_seconds(values, _ROOT))
    return {"before": min(old), "seconds": min(new), "ratio": min(new) / min(old)}


def against_pcmci(d: int, seed: int) -> dict[str, float]:
    """Seconds of PCMCI on one thread, of discover, and of refining PCMCI's own result."""
    import time

    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    import grace_plugin as gp
    from grace_plugin.stability.workers import one_thread

    values = _values(d, seed)
    frame = pp.DataFrame(values)
    host = PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0)
    with one_thread():
        start = time.process_time()
        results = host.run_pcmci(tau_min=1, tau_max=_LAGS, pc_alpha=0.05, alpha_level=0.05)
        theirs = time.process_time() - start
        refining = []
        for _ in range(3):
            start = time.process_time()
            gp.refine(results, frame, progress=False)
            refining.append(time.process_time() - start)
    ours = _discover_seconds(values, _ROOT)
    return {
        "pcmci": theirs,
        "seconds": ours,
        "times_faster": theirs / ours,
        "refine": min(refining),
        "share": min(refining) / theirs,
    }


def _values(d: int, seed: int) -> FloatArray:
    """The paper's generator; seeds for which it finds no stationary process give way to the next ones."""
    for tried in range(seed, seed + 100, 10):
        try:
            return scp(d, tried, _ROWS)[0]
        except RuntimeError:
            continue
    msg = f"No stationary process of {d} variables."
    raise RuntimeError(msg)


def _discover_seconds(values: FloatArray, tree: Path) -> float:
    """In a process of its own, with the library of a tree."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(tree), "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        np.save(path, values)
        done = subprocess.run(
            [sys.executable, "-c", _TIMED, str(path), str(_LAGS)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,
        )
    return float(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def _library_of(commit: str) -> Iterator[Path]:
    """A folder with the library as it was, from this repository."""
    archive = ["git", "archive", commit, "grace_plugin", "adapters"]
    packed = subprocess.run(archive, check=True, stdout=subprocess.PIPE, cwd=_ROOT)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=packed.stdout)
        (Path(folder) / "grace_plugin" / "adapters").symlink_to(Path(folder) / "adapters")
        yield Path(folder)


def table(rows: Sequence[Row]) -> str:
    columns = ("before", "seconds", "ratio", "pcmci", "times_faster", "refine", "share")
    return mean_table(rows, columns)
