"""What costs what: the moments pass against one matrix product, gates against T, memory at d = 300."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from benchmarks.core import Job, Row, mean_table

TITLE = "Time and memory of the parts"


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    d = 10 if quick else 50
    rows = 5_000 if quick else 100_000
    yield Job("moments pass over one matrix product", d, rows, 0, partial(_moments, d, rows))
    d, few, many = (5, 1_000, 20_000) if quick else (20, 10_000, 1_000_000)
    for size in (few, many):
        yield Job("gates and certificate after moments", d, size, 0, partial(_after_moments, d, size))
    big = 10 if quick else 300
    yield Job("peak memory, 5 % of all candidates", big, 1000, 0, lambda: _memory(big))


def _best_of(times: int, action: Callable[[], object]) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _moments(d: int, rows: int) -> dict[str, float]:
    from grace_plugin.moments.sums import Moments
    from grace_plugin.series.panel import as_panel

    values = np.random.default_rng(0).normal(size=(rows, d))
    features = np.random.default_rng(1).normal(size=(rows, 6 * d * 3))
    ours = _best_of(3, lambda: Moments.of(as_panel(values), 5))
    product = _best_of(3, lambda: features.T @ features)
    return {"seconds": ours, "ratio": ours / product}


def _after_moments(d: int, rows: int) -> dict[str, float]:
    from grace_plugin import Skeleton
    from grace_plugin._common.config import make_config
    from grace_plugin.engines.additive.engine import AdditiveEngine
    from grace_plugin.moments.sums import Moments
    from grace_plugin.series.panel import as_panel

    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, d))
    mask = rng.random((d, d, 6)) < 0.2
    mask[:, :, 0] = False
    moments = Moments.of(as_panel(values), 5)
    engine = AdditiveEngine()
    config = make_config({}, engine.options)
    seconds = _best_of(3, lambda: engine.refine_moments(Skeleton(mask), moments, config))
    return {"seconds": seconds}


def _memory(d: int) -> dict[str, float]:
    """In a process of its own: the peak of this one would be somebody else's."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"from benchmarks.studies.scaling import refine_and_weigh; refine_and_weigh({d})",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, gibibytes = (float(number) for number in done.stdout.split())
    return {"seconds": seconds, "peak_gib": gibibytes}


def refine_and_weigh(d: int) -> None:
    import grace_plugin as gp

    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, d))
    mask = rng.random((d, d, 6)) < 0.05
    mask[:, :, 0] = False
    start = time.perf_counter()
    gp.analyze(gp.Skeleton(mask), values)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(time.perf_counter() - start, peak)


def table(rows: Sequence[Row]) -> str:
    return mean_table(rows, ("seconds", "ratio", "peak_gib"))
