"""Many rows and many variables: time and peak memory, each in a process of its own.

Seconds are of processor time, so that a shared machine tells the same; one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import partial

from benchmarks.core import Job, Row, mean_table

TITLE = "Big: long files in one pass, many variables from data alone, one hub (one thread, CPU seconds)"
_LONG, _LONG_QUICK = 10_000_000, 20_000
_MEASURES = "benchmarks.studies._big_measures"
_WIDE, _WIDE_QUICK = (100, 300, 1000, 3000), (20, 40)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    d, rows = (5, _LONG_QUICK) if quick else (50, _LONG)
    for kind in ("memory-mapped .npy", "Parquet"):
        yield Job(kind, d, rows, 0, partial(in_own_process, _MEASURES, "long_file", kind, d, rows))
    for seed in seeds if seeds is not None else (0,):
        for d in _WIDE_QUICK if quick else _WIDE:
            yield Job("discover", d, 2000, seed, partial(in_own_process, _MEASURES, "discover", d, seed))
        hub = 60 if quick else 600
        yield Job("hub", hub, 3000, seed, partial(in_own_process, _MEASURES, "hub", hub, seed))


def in_own_process(module: str, function: str, *arguments: object) -> dict[str, float]:
    """The numbers that a function of a module prints, called in a new process."""
    code = f"from {module} import {function}; {function}{tuple(arguments)!r}"
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, env=one_thread
    )
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def table(rows: Sequence[Row]) -> str:
    made = mean_table(rows, ("seconds", "GiB", "bare_seconds", "ratio", "precision", "recall", "f1"))
    wide = [row for row in rows if row.method == "discover"]
    if len({row.d for row in wide}) < 2:
        return made
    time, memory = slope(wide, "seconds"), slope(wide, "GiB")
    return f"{made}\n\nSlopes against d on log-log axes: time {time:.2f}, memory {memory:.2f}."


def slope(rows: Sequence[Row], name: str) -> float:
    import numpy as np

    d, value = zip(*[(row.d, row.numbers[name]) for row in rows], strict=True)
    return float(np.polyfit(np.log(d), np.log(value), 1)[0])
