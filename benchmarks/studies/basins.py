"""What `benchmarks/elbe.py` asks of one real basin, asked of ten made-up ones: is a bootstrap worth its time?

A pair counts as found at whichever lag; lags to 12 hours. The bootstrap has its defaults, on logarithms.
Single runs are shown for every transform; the best of them is picked for each basin with its truth in hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from benchmarks.core import Job, Row, mean_table
from benchmarks.studies.elbe import COLUMNS, TRANSFORMS, bootstrap_run, single_run
from benchmarks.worlds import basin
from benchmarks.worlds.paper import REPORTED_SEEDS

TITLE = "Made-up river basins with hidden rain: pairs of gauges"
BOOTSTRAP = "bootstrap, logs"


def jobs(quick: bool, seeds: Sequence[int] | None) -> Iterator[Job]:
    gauges, runs = (8, 4) if quick else (basin.GAUGES, 50)
    for seed in seeds if seeds is not None else REPORTED_SEEDS[: 1 if quick else None]:
        values, truth = basin.draw(seed, gauges)
        flow = pd.DataFrame(values)
        for name, transform in TRANSFORMS.items():
            yield Job(f"single, {name}", gauges, len(flow), seed, single_run(transform(flow), truth))
        run = bootstrap_run(np.log(flow), truth, seed=0, runs=runs, n_jobs=1)
        yield Job(BOOTSTRAP, gauges, len(flow), seed, run)


def best_single(rows: Sequence[Row]) -> list[float]:
    """The highest F1 that any single run has, basin by basin."""
    found: dict[int, float] = {}
    for row in rows:
        if row.method != BOOTSTRAP:
            found[row.seed] = max(found.get(row.seed, 0.0), row.numbers["f1"])
    return list(found.values())


def table(rows: Sequence[Row]) -> str:
    best = np.mean(best_single(rows))
    ours = np.mean([row.numbers["f1"] for row in rows if row.method == BOOTSTRAP])
    remark = f"The best single run of each basin has F1 {best:.3f} in the mean, the bootstrap {ours:.3f}."
    return f"{mean_table(rows, COLUMNS, by=('d', 'method'))}\n\n{remark}"
