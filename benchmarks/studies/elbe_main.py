"""The Elbe's main branch as in the paper: twelve gauges, six-hour means, 2019 to 2023, windows of a month.

`--rivers FILE` names the East German discharge file of CausalRivers (a column of times, one column a gauge),
which has to be downloaded from there; `rivers_ts_east_germany.csv` is its name. Without it the study runs
on a made-up branch of the same form (`benchmarks.worlds.elbe_like`): its figures say how the methods compare
where rain is hidden, travel times change and regimes shift, and nothing about the Elbe.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import pcmci
from benchmarks.reporting import paper
from benchmarks.studies.elbe import COLUMNS, Numbers, pair_numbers
from benchmarks.studies.neural import cdnots
from benchmarks.studies.paper_table import STORE
from benchmarks.worlds.elbe_like import GAUGES, chain, main_branch
from benchmarks.worlds.paper import BoolArray
from grace_plugin.exceptions import DataError

TITLE = "The Elbe's main branch by the paper's protocol"
__all__ = ["STORE", "TITLE", "jobs", "read_rivers", "table"]
MAX_LAG = 5
WINDOW = 4 * 30  # rows of six hours in a month
RUNS, THRESHOLD = 50, 0.7
_QUICK_HOURS = 6 * 200
PRESET: dict[str, Any] = {"engine": "neural", "preset": "paper"}
MADE_UP = "made-up: "


def read_rivers(path: str | Path) -> pd.DataFrame:
    """Six-hour means of the twelve gauges, 2019 to 2023, upstream first; only complete rows."""
    table = pd.read_csv(path, index_col=0, parse_dates=True)
    table.columns = table.columns.map(str)
    missing = [name for name in GAUGES if name not in table.columns]
    if missing or not isinstance(table.index, pd.DatetimeIndex):
        what = f"lacks the columns {missing}" if missing else "has no times in its first column"
        wanted = "the East German file of CausalRivers: times, then one column a gauge"
        msg = f"{Path(path).name} {what}; give {wanted}."
        raise DataError(msg)
    return six_hourly(table)


def six_hourly(table: pd.DataFrame) -> pd.DataFrame:
    chosen = table.loc["2019":"2023", GAUGES]
    return chosen.resample("6h").mean().dropna()


def jobs(
    quick: bool,
    seeds: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    rivers: str | None = None,
) -> Iterable[Job]:
    """All rows on the file, or on made-up branches of as many seeds."""
    runs = 4 if quick else RUNS
    for seed in [0] if rivers else (seeds if seeds is not None else range(1 if quick else 5)):
        data = read_rivers(rivers) if rivers else _made_up(seed, quick)
        label = "" if rivers else MADE_UP
        key = f"elbe_{'main' if rivers else 'like'}_{len(data)}_{seed}"
        for name, run in _methods(data, seed, runs, key).items():
            if not methods or name in methods:
                yield Job(label + name, len(GAUGES), len(data), seed, run)


def _made_up(seed: int, quick: bool) -> pd.DataFrame:
    made = main_branch(seed, years=1, outages=0.0)[:_QUICK_HOURS] if quick else main_branch(seed)
    return six_hourly(made)


def _methods(data: pd.DataFrame, seed: int, runs: int, key: str) -> dict[str, Callable[[], Numbers]]:
    truth = chain(list(data.columns))
    return {
        "CDNOTS": partial(_skeleton, data, truth),
        "PCMCI, alpha 0.05": partial(_pcmci, data, truth, key, False),
        "PCMCI, best alpha": partial(_pcmci, data, truth, key, True),
        "single run, preset": partial(_single, data, truth, PRESET),
        "single run": partial(_single, data, truth, {}),
        "bootstrap, preset": partial(_bootstrap, data, truth, "cdnots", seed, runs, PRESET),
        "bootstrap, CDNOTS": partial(_bootstrap, data, truth, "cdnots", seed, runs, {}),
        "bootstrap": partial(_bootstrap, data, truth, "basis", seed, runs, {}),
    }


def _skeleton(data: pd.DataFrame, truth: BoolArray) -> Numbers:
    started = time.perf_counter()
    found = cdnots(data.to_numpy(), MAX_LAG)
    assert found.scores is not None
    strength = np.where(found.mask, np.nan_to_num(found.scores), 0.0).max(axis=2)
    return pair_numbers(truth, found.mask.any(axis=2), strength, time.perf_counter() - started)


def _pcmci(data: pd.DataFrame, truth: BoolArray, key: str, best: bool) -> Numbers:
    host = pcmci(data.to_numpy(), key, MAX_LAG)
    levels = 10.0 ** -np.arange(1.3, 300.0, 0.5) if best else [0.05]
    p_pairs = host.p_matrix[:, :, 1:].min(axis=2)
    return max((_at(truth, p_pairs, level, host.seconds) for level in levels), key=lambda one: one["f1"])


def _at(truth: BoolArray, p_pairs: Any, level: float, seconds: float) -> Numbers:
    return pair_numbers(truth, p_pairs <= level, -np.log10(np.maximum(p_pairs, 1e-300)), seconds)


def _single(data: pd.DataFrame, truth: BoolArray, options: dict[str, Any]) -> Numbers:
    started = time.perf_counter()
    found = gp.discover(data, MAX_LAG, skeleton="cdnots", progress=False, contemporaneous=False, **options)
    strength = np.where(found.skeleton.mask, found.gates + found.graph, 0.0).max(axis=2)
    return pair_numbers(truth, found.graph.any(axis=2), strength, time.perf_counter() - started)


def _bootstrap(
    data: pd.DataFrame, truth: BoolArray, source: str, seed: int, runs: int, options: dict[str, Any]
) -> Numbers:
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*windows failed and do not count")
        stable = gp.bootstrap(
            source,
            data,
            max_lag=MAX_LAG,
            window=WINDOW,
            runs=runs,
            threshold=THRESHOLD,
            seed=seed,
            contemporaneous=False,
            **options,
        )
    seconds = time.perf_counter() - started
    return pair_numbers(truth, stable.pair_graph, stable.pair_frequency, seconds)


def table(rows: Sequence[Row]) -> str:
    numbers = mean_table([row for row in rows if row.numbers], COLUMNS, by=("d", "method"))
    said = [
        f"{name}: AUROC {one['auroc']:.3f}, precision {one['precision']:.3f}, recall {one['recall']:.3f}, "
        f"F1 {one['f1']:.3f}, {one['false']:.0f} false"
        for name, one in paper.ELBE.items()
    ]
    made_up = any(row.method.startswith(MADE_UP) for row in rows)
    note = "The rows here are from a made-up branch: the real file was not run. " if made_up else ""
    return f"{numbers}\n\n{note}The paper, on the real one: {'; '.join(said)}."
