"""How much the price of an open gate matters: the paper's fixed values and rules, and ours.

The paper's lambda is a price in a loss that is averaged over effects and divided by the steps of an epoch;
here it is turned into nats per sample of one effect in the same way. "gates only" decides as the paper does;
"certified" is the default, where the exact test has the last word. All on CDNOTS skeletons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.metrics import graded, measured
from benchmarks.studies.sizes import MAX_LAG, certainty
from benchmarks.worlds.paper import REPORTED_SEEDS, scp

TITLE = "Penalty sensitivity (the paper's lambda), additive engine on CDNOTS skeletons"
FIXED = (0.01, 0.05, 0.1, 0.5)
SEEDS = {50: 5, 100: 2}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    for d in (20,) if quick else SEEDS:
        chosen = seeds if seeds is not None else REPORTED_SEEDS[: 1 if quick else SEEDS[d]]
        for seed in chosen:
            for rows in (300,) if quick else (500, 1000):
                for decide in ("gates", "both"):
                    for penalty in (0.1, "auto") if quick else (*FIXED, "paper", "auto"):
                        yield _job(decide, penalty, d, rows, seed)


def _job(decide: str, penalty: float | str, d: int, rows: int, seed: int) -> Job:
    def run() -> dict[str, float]:
        values, truth = scp(d, seed, rows)
        price = penalty if isinstance(penalty, str) else in_nats(penalty, d, rows - MAX_LAG)
        found, spent = measured(
            lambda: gp.discover(values, MAX_LAG, "cdnots", penalty=price, decide=decide, progress=False)
        )
        return {**graded(truth, found.graph, certainty(found)), **spent, "penalty": found.penalty}

    word = "gates only" if decide == "gates" else "certified"
    return Job(f"{word}: {penalty if isinstance(penalty, str) else f'lambda={penalty}'}", d, rows, seed, run)


def in_nats(penalty: float, d: int, rows: int) -> float:
    """The paper's lambda as nats per sample of one effect: its loss averages over d and over steps.

    >>> in_nats(0.01, 50, 1000)
    0.0625
    """
    batch = max(32, min(rows // 8, 256))
    return penalty * d / -(-rows // batch)


def table(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: (row.d, row.T, row.method))
    return mean_table(ordered, ("precision", "recall", "f1", "penalty", "cpu"))
