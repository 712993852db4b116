"""Does the decision keep its word? False discovery rates, probabilities, intervals, and cuts of one run.

A row is `GRAPHS` graphs of one world (seeds from `seed * GRAPHS` on), with sums over them: at q = .05, .1
and .2 the share of false edges and the power; in ten bins of probability how many cells there are, how many
of them are edges and what was predicted; of linear worlds how many 95 % intervals hold the true coefficient,
for fixed candidates (the true graph) and for kept edges; and by how many cross edges `.at(alpha=.01)` differs
from a run in which the certificate closes edges at that level one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.worlds import make
from benchmarks.worlds.base import BoolArray, FloatArray, Rng
from benchmarks.worlds.paper import scp
from benchmarks.worlds.process import run, weights

TITLE = "The decision: false discovery rates, probabilities, intervals"
GRAPHS = 20
RATES = (0.05, 0.1, 0.2)
BINS = 10
PAPER = "the paper's generator"
_D = 5
_LEVEL = 0.01

Drawn = tuple[FloatArray, BoolArray, FloatArray | None]  # rows, truth, coefficients of a linear world


def _linear(per: float, size: tuple[float, float], heavy: bool) -> Callable[[int, int, int], Drawn]:
    def draw(d: int, rows: int, seed: int) -> Drawn:
        rng = np.random.default_rng([20, seed])
        made = weights(rng, d, per, size)
        noise = _student if heavy else None
        data = run(rng, made, rows) if noise is None else run(rng, made, rows, noise)
        return data, made != 0, made

    return draw


def _student(rng: Rng, shape: tuple[int, int]) -> FloatArray:
    return np.asarray(rng.standard_t(3.0, size=shape))


def _world(name: str, strength: str) -> Callable[[int, int, int], Drawn]:
    def draw(d: int, rows: int, seed: int) -> Drawn:
        made = make(name, 20_000 + seed, d=d, T=rows, strength=strength)
        return made.data, made.truth, None

    return draw


def _paper(d: int, rows: int, seed: int) -> Drawn:
    for attempt in range(10):  # for some seeds the generator finds no stationary process
        try:
            data, truth = scp(d, 500 + seed + 1000 * attempt, rows)
        except RuntimeError:
            continue
        return data, truth, None
    msg = f"The generator finds no stationary process for seed {seed}."
    raise RuntimeError(msg)


KINDS: dict[str, Callable[[int, int, int], Drawn]] = {
    "empty": _linear(0.0, (0.25, 0.5), heavy=False),
    "sparse": _linear(1.2, (0.25, 0.5), heavy=False),
    "dense": _linear(2.0, (0.25, 0.5), heavy=False),
    "weak": _linear(1.2, (0.08, 0.2), heavy=False),
    "strong": _linear(1.2, (0.5, 0.8), heavy=False),
    "nonlinear": _world("monotone", "strong"),
    "even": _world("even", "strong"),
    "empty, t3": _linear(0.0, (0.25, 0.5), heavy=True),
    "sparse, t3": _linear(1.2, (0.25, 0.5), heavy=True),
    PAPER: _paper,
}
SIZES = (100, 300, 1000, 2000)


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Twenty rows of twenty graphs are the 400 of a cell."""
    chosen = seeds if seeds is not None else (range(1) if quick else range(20))
    for seed in chosen:
        for name, draw in KINDS.items():
            for rows in (100,) if quick else SIZES:
                d = 10 if name == PAPER else _D
                count = 2 if quick else GRAPHS
                yield Job(name, d, rows, seed, partial(_row, draw, d, rows, seed, count))


def _row(
    draw: Callable[[int, int, int], Drawn], d: int, rows: int, seed: int, count: int
) -> dict[str, float]:
    total: dict[str, float] = {"graphs": float(count)}
    for place in range(count):
        data, truth, made = draw(d, rows, seed * GRAPHS + place)
        for name, value in _graph(data, truth, made).items():
            total[name] = total.get(name, 0.0) + value
    return {name: round(value, 4) for name, value in total.items()}


def _graph(data: FloatArray, truth: BoolArray, made: FloatArray | None) -> dict[str, float]:
    lags = truth.shape[2] - 1
    cross = np.broadcast_to(~np.eye(len(truth), dtype=bool)[:, :, None], truth.shape).copy()
    cross[:, :, 0] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gp.discover(data, lags, contemporaneous=False, progress=False)
        alone = gp.discover(
            data, lags, contemporaneous=False, alpha=_LEVEL, decide="certificate", progress=False
        )
    numbers = {"false": float((found.graph & ~truth & cross).sum()), "true": float((truth & cross).sum())}
    numbers["apart"] = float(((found.at(alpha=_LEVEL).graph ^ alone.graph) & cross).sum())
    numbers["kept at .01"] = float((alone.graph & cross).sum())
    for rate in RATES:
        graph = found.at(fdr=rate).graph & cross
        share = float((graph & ~truth).sum()) / max(int(graph.sum()), 1)
        numbers |= {f"share {rate}": share, f"square {rate}": share**2}
        numbers[f"hits {rate}"] = float((graph & truth).sum())
    numbers |= _reliability(found, truth, cross)
    if made is not None:
        numbers |= _coverage("kept", found, found.graph & truth & cross, made, data)
        fixed = gp.analyze(gp.Skeleton(truth), data, keep=[tuple(one) for one in np.argwhere(truth).tolist()])
        numbers |= _coverage("fixed", fixed, truth & cross, made, data)
    return numbers


def _reliability(found: gp.Refinement, truth: BoolArray, cross: BoolArray) -> dict[str, float]:
    levels = found.outcome.details.levels
    assert levels is not None
    chance, right = levels.probability[cross], truth[cross]
    place = np.minimum((chance * BINS).astype(int), BINS - 1)
    numbers: dict[str, float] = {}
    for one in range(BINS):
        mine = place == one
        numbers |= {f"cells {one}": float(mine.sum()), f"edges {one}": float(right[mine].sum())}
        numbers[f"predicted {one}"] = float(chance[mine].sum())
    return numbers


def _coverage(
    name: str, found: gp.Refinement, cells: BoolArray, made: FloatArray, data: FloatArray
) -> dict[str, float]:
    scale = data.std(axis=0)
    size = made * scale[:, None, None] / scale[None, :, None]  # in standard deviations of both
    low, high = found.outcome.further("low"), found.outcome.further("high")
    known = cells & ~np.isnan(low)
    inside = known & (low <= size) & (size <= high)
    return {f"{name} inside": float(inside.sum()), f"{name} intervals": float(known.sum())}


def calibration_error(rows: Sequence[Row], first: int = 0) -> float:
    """The mean distance of predicted and true shares over the bins from `first` on, weighted by their cells.

    Nine cells of ten are hopeless and counted as such: without the first bin the error is that of the others.
    """
    totals = {
        name: np.array([sum(row.numbers.get(f"{name} {one}", 0.0) for row in rows) for one in range(BINS)])
        for name in ("cells", "edges", "predicted")
    }
    far = np.abs(totals["edges"] - totals["predicted"])[first:].sum()
    return float(far / max(totals["cells"][first:].sum(), 1.0))


def table(rows: Sequence[Row]) -> str:
    """Rates and shares over all graphs of a cell."""
    shown = []
    for method, d, size in sorted({(row.method, row.d, row.T) for row in rows}):
        same = [row for row in rows if (row.method, row.d, row.T) == (method, d, size)]
        shown.append(Row(same[0].benchmark, method, d, size, 0, False, pooled(same)))
    columns = ["graphs", "false"]
    columns += [f"{word} {rate}" for rate in RATES for word in ("FDR", "error", "power")]
    columns += ["ECE", "ECE above .1", "fixed", "kept", "apart"]
    return mean_table(shown, columns, by=("method", "d", "T"))


def pooled(rows: Sequence[Row]) -> dict[str, float]:
    """The numbers of one cell."""
    total: dict[str, float] = {}
    for row in rows:
        for name, value in row.numbers.items():
            total[name] = total.get(name, 0.0) + value
    graphs = total["graphs"]
    numbers = {"graphs": graphs, "false": total["false"] / graphs, "ECE": calibration_error(rows)}
    numbers["ECE above .1"] = calibration_error(rows, first=1)
    for rate in RATES:
        mean = total[f"share {rate}"] / graphs
        spread = max(total[f"square {rate}"] / graphs - mean**2, 0.0)
        numbers |= {f"FDR {rate}": mean, f"error {rate}": float(np.sqrt(spread / graphs))}
        numbers[f"power {rate}"] = total[f"hits {rate}"] / max(total["true"], 1.0)
    for name in ("fixed", "kept"):
        if total.get(f"{name} intervals"):
            numbers[name] = total[f"{name} inside"] / total[f"{name} intervals"]
    numbers["apart"] = total["apart"] / max(total["kept at .01"], 1.0)
    return numbers
