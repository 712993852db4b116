"""Are p-values what they say? Shares of p-values below every level, where each candidate is false.

On noise every cross edge is false. Among the edges that PCMCI reports at alpha 0.05 the false ones were
chosen because they look true in these very rows, so their p-values cannot be uniform there; in rows that
PCMCI did not see they should be. A share above its level means false edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts import programs
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, ar_noise
from benchmarks.worlds.paper_like import draw
from grace_plugin.moments.features import DEFAULT_BASIS, RICH_BASIS

TITLE = "Calibration: shares of false candidates with p-values below a level"
EXPONENTS = np.arange(0, 26) / 5.0  # levels 1 to 1e-5
NULL, SAME, FRESH = (
    "noise, every cross edge",
    "false edges of PCMCI, same rows",
    "false edges of PCMCI, fresh rows",
)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS)
    d, rows = (5, 200) if quick else (10, 1000)
    for seed in chosen:
        yield Job(f"{NULL}: certificate", d, rows, seed, partial(_noise, d, rows, seed))
        yield Job(f"{NULL}: PCMCI", d, rows, seed, partial(_noise_pcmci, d, rows, seed))
        yield Job(f"{SAME}: certificate", d, rows, seed, partial(_selected, d, rows, seed, fresh=False))
        yield Job(f"{FRESH}: certificate", d, rows, seed, partial(_selected, d, rows, seed, fresh=True))
        rich = f"{FRESH}: certificate, four features"  # those of discover
        yield Job(rich, d, rows, seed, partial(_selected, d, rows, seed, fresh=True, basis=RICH_BASIS))


def shares(p_values: FloatArray) -> dict[str, float]:
    """How many there are, and how many are at or below each level."""
    kept = p_values[np.isfinite(p_values)]
    levels = {level(exponent): float((kept <= 10.0**-exponent).sum()) for exponent in EXPONENTS}
    return {"tests": float(len(kept)), **levels}


def level(exponent: float) -> str:
    return f"at 1e-{exponent:.1f}"


def _cross(d: int) -> BoolArray:
    mask = np.ones((d, d, 6), dtype=bool)
    mask[:, :, 0] = False
    mask[np.arange(d), np.arange(d)] = False
    return mask


def _noise(d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = ar_noise(d, seed, rows)
    result = gp.analyze(gp.Skeleton(_cross(d) | truth), values, progress=False)
    return shares(result.outcome.p_value[_cross(d)])


def _noise_pcmci(d: int, rows: int, seed: int) -> dict[str, float]:
    values, _ = ar_noise(d, seed, rows)
    found = programs.run("PCMCI", values, f"noise_{d}_{seed}_{rows}")
    assert found.p_matrix is not None
    return shares(found.p_matrix[_cross(d)])


def _selected(
    d: int, rows: int, seed: int, fresh: bool, basis: tuple[str, ...] = DEFAULT_BASIS
) -> dict[str, float]:
    """False edges among candidates; the certificate looks at the same rows or at as many that follow."""
    values, truth = draw("plain", d, seed, 2 * rows)
    found = programs.run("PCMCI", values[:rows], f"calibration_{d}_{seed}_{rows}")
    seen = values[rows:] if fresh else values[:rows]
    result = gp.analyze(gp.Skeleton(found.graph | truth), seen, basis=basis, progress=False)
    return shares(result.outcome.p_value[found.graph & ~truth])


def table(rows: Sequence[Row]) -> str:
    """Shares over all seeds together."""
    shown: list[Row] = []
    for method in sorted({row.method for row in rows}):
        same = [row for row in rows if row.method == method]
        tests = sum(row.numbers["tests"] for row in same)
        pooled = {"tests": tests}
        for exponent, name in ((1.0, "<= 0.1"), (2.0, "<= 0.01"), (3.0, "<= 0.001"), (4.0, "<= 0.0001")):
            pooled[name] = sum(row.numbers[level(exponent)] for row in same) / max(tests, 1)
        shown.append(Row(same[0].benchmark, method, same[0].d, same[0].T, 0, False, pooled))
    return mean_table(shown, ("tests", "<= 0.1", "<= 0.01", "<= 0.001", "<= 0.0001"), by=("d", "T", "method"))
