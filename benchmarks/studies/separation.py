"""How far apart the penalties lie at which true and false edges close, as rows grow.

In a linear Gaussian process the penalty at which an edge closes is its gain (the fall of the mean negative
log-likelihood of its effect when it opens) times a constant of the gate. A true edge gains a constant, a
false one 1 / (2 T) in the mean, so that their ratio is T times the signal-to-noise ratio of the true edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby, product

import numpy as np
import numpy.typing as npt

from benchmarks.core import Job, Row
from benchmarks.worlds.paper import CACHE, REPORTED_SEEDS

TITLE = "Penalties at which true and false edges close"
PICTURE = CACHE.parents[1] / "docs" / "images" / "separation.png"
FloatArray = npt.NDArray[np.float64]
ROWS = (50, 100, 200, 500, 1000, 2000, 5000)
_CAUSES, _FALSE, _EFFECT = 3, 20, 0.4  # standard deviations of the noise that each true cause adds


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    chosen = seeds if seeds is not None else (range(2) if quick else REPORTED_SEEDS)
    for rows in (100, 1000) if quick else ROWS:
        for seed in chosen:
            yield Job("gains", _CAUSES + _FALSE, rows, seed, partial(_gains, rows, seed))


def _gains(rows: int, seed: int) -> dict[str, float]:
    rng = np.random.default_rng([seed, rows])
    inputs = rng.normal(size=(rows, _CAUSES + _FALSE))
    effect = _EFFECT * inputs[:, :_CAUSES].sum(axis=1) + rng.normal(size=rows)
    true = [_gain(inputs[:, :_CAUSES], place, effect) for place in range(_CAUSES)]
    others = range(_CAUSES, _CAUSES + _FALSE)
    false = [_gain(inputs[:, [*range(_CAUSES), place]], _CAUSES, effect) for place in others]
    return {
        "true": float(np.mean(true)),
        "false": float(np.mean(false)),
        "weakest_true": float(np.min(true)),
        "strongest_false": float(np.max(false)),
        "ratio": float(np.mean(true) / np.mean(false)),
        "foreseen": rows * _EFFECT**2,
        "separable": float(np.min(true) > np.max(false)),
    }


def _gain(inputs: FloatArray, place: int, effect: FloatArray) -> float:
    """Nats per row that the input at `place` brings beside the others."""
    without = _unexplained(np.delete(inputs, place, axis=1), effect)
    return 0.5 * float(np.log(without / _unexplained(inputs, effect)))


def _unexplained(inputs: FloatArray, effect: FloatArray) -> float:
    table = np.column_stack([np.ones(len(effect)), inputs])
    weights = np.linalg.lstsq(table, effect, rcond=None)[0]
    return float(np.square(effect - table @ weights).mean())


def draw(rows: Sequence[Row]) -> None:
    """Write the curve of the corollary to `PICTURE`: every run, their mean, and what is foreseen.

    Only of a whole study: reports are made of fewer rows too.
    """
    from matplotlib.figure import Figure

    lengths = sorted({row.T for row in rows})
    figure = Figure(figsize=(5.0, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.scatter([row.T for row in rows], [row.numbers["ratio"] for row in rows], s=8, color="#3060a0")
    means = [np.mean([row.numbers["ratio"] for row in rows if length == row.T]) for length in lengths]
    axes.plot(lengths, means, color="#3060a0", label="mean of the runs")
    foreseen = [length * _EFFECT**2 for length in lengths]
    axes.plot(lengths, foreseen, color="black", linestyle=":", label="T x SNR")
    axes.set(xscale="log", yscale="log", xlabel="rows T", ylabel="gain of true edges / of false ones")
    axes.legend(frameon=False)
    figure.savefig(PICTURE, dpi=120)


def table(rows: Sequence[Row]) -> str:
    if {(row.T, row.seed) for row in rows} >= set(product(ROWS, REPORTED_SEEDS)):
        draw(rows)
    heads = ("rows", "gain, true", "gain, false", "weakest true", "strongest false")
    lines = [[*heads, "ratio", "T x SNR", "one penalty separates all", "runs"], ["---"] * 9]
    for length, runs in groupby(sorted(rows, key=lambda row: row.T), key=lambda row: row.T):
        numbers = [row.numbers for row in runs]
        mean = {name: float(np.mean([one[name] for one in numbers])) for name in numbers[0]}
        gains = [f"{mean[name]:.2g}" for name in ("true", "false", "weakest_true", "strongest_false")]
        ratios = [f"{mean[name]:.0f}" for name in ("ratio", "foreseen")]
        lines.append([str(length), *gains, *ratios, f"{100 * mean['separable']:.0f} %", str(len(numbers))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
