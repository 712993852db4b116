"""The default decision beside the level rule of version 0.1, on new graphs of the paper's generator.

Seeds 200 to 239 were used for nothing else. "decision alone" is the default without the rules that the level
rule does not have (products, preparation, effects within one step): what the decision itself costs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.stats import t as student

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.metrics import graded, measured
from benchmarks.worlds.paper import scp

TITLE = "The decision beside the level rule: the paper's generator, 40 new graphs"
SEEDS = range(200, 240)
MAX_LAG = 5
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "decision alone": {"interactions": False, "prepare": "none", "contemporaneous": False},
    "level": {"alpha": "level"},
}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d in (20,) if quick else (20, 50, 100):
        for seed in seeds if seeds is not None else (SEEDS[:1] if quick else SEEDS):
            for rows in (300,) if quick else (300, 1000):
                for name in WAYS:
                    yield _job(name, d, rows, seed)


def _job(name: str, d: int, rows: int, seed: int) -> Job:
    def run() -> dict[str, float]:
        try:
            values, truth = scp(d, seed, rows)
        except RuntimeError:  # the generator found no stationary process for this seed
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, spent = measured(lambda: gp.discover(values, MAX_LAG, progress=False, **WAYS[name]))
        numbers = graded(truth, found.graph, found.graph.astype(float))
        kept = {key: numbers[key] for key in ("precision", "recall", "f1")}
        return {key: round(value, 4) for key, value in {**kept, "cpu": spent["cpu"]}.items()}

    return Job(name, d, rows, seed, run)


def table(rows: Sequence[Row]) -> str:
    """F1 of both, the paired difference with its 95 % interval, and the ratio of processor times."""
    lines = ["| d | T | default | level | difference | 95 % interval | time | decision alone | graphs |"]
    lines.append("|" + " --- |" * 9)
    for d, size in sorted({(row.d, row.T) for row in rows}):
        by_way = {
            name: {
                row.seed: row.numbers
                for row in rows
                if (row.method, row.d, row.T) == (name, d, size) and row.numbers
            }
            for name in WAYS
        }
        both = sorted(set(by_way["default"]) & set(by_way["level"]))
        if both:
            lines.append(f"| {d} | {size} | " + " | ".join(_cells(by_way, both)) + " |")
    said = "Time: median ratio of processor times to the level rule's, side by side on one machine."
    return "\n".join([*lines, "", said])


def _cells(by_way: dict[str, dict[int, dict[str, float]]], both: Sequence[int]) -> list[str]:
    ours, theirs = ([by_way[name][seed]["f1"] for seed in both] for name in ("default", "level"))
    apart = np.subtract(ours, theirs)
    mean, count = float(apart.mean()), len(apart)
    half = float(student.isf(0.025, count - 1) * apart.std(ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    return [
        f"{np.mean(ours):.3f}",
        f"{np.mean(theirs):.3f}",
        f"{mean:+.4f}",
        f"{mean - half:+.4f} to {mean + half:+.4f}",
        *(_ratio(by_way[name], by_way["level"]) for name in ("default", "decision alone")),
        str(count),
    ]


def _ratio(ours: dict[int, dict[str, float]], theirs: dict[int, dict[str, float]]) -> str:
    ratios = [ours[seed]["cpu"] / theirs[seed]["cpu"] for seed in ours if seed in theirs]
    return f"{np.median(ratios):.2f}" if ratios else ""
