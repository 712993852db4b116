"""Does the decision keep its word? False discovery rates, probabilities, intervals, and cuts of one run.

A row is `GRAPHS` graphs of one world (seeds from `seed * GRAPHS` on), with sums over them: at q = .05, .1
and .2 the share of false edges and the power, three cuts of one run; in ten bins of probability how many
cells there are, how many of them are edges and what was predicted; of linear worlds how many 95 % intervals
of kept edges hold the true coefficient, by its size. Of the first `CLOSER` graphs also intervals of fixed
candidates (the true graph), and by how many cross edges `.at(alpha=.01)` differs from a run in which the
certificate closes edges at that level one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

import grace_plugin as gp
from benchmarks.core import Job, Row
from benchmarks.studies._decision_measures import (
    RATES,
    STRENGTHS,
    Numbers,
    calibration_error,
    cross_cells,
    fixed_coverage,
    kept_coverage,
    rates,
    reliability,
    summed,
)
from benchmarks.worlds import make
from benchmarks.worlds.base import BoolArray, FloatArray, Rng
from benchmarks.worlds.paper import scp
from benchmarks.worlds.process import gaussian, run, weights

TITLE = "The decision: false discovery rates, probabilities, intervals"
GRAPHS = 20
CLOSER = 4
PAPER = "the paper's generator"
SIZES = (100, 500, 2000)
_ROWS_OF_PAPER = 5  # of twenty graphs: its generator takes longer than `discover`
_D = 5
_LEVEL = 0.01

Drawn = tuple[FloatArray, BoolArray, FloatArray | None]  # rows, truth, coefficients of a linear world
Draw = Callable[[int, int, int], Drawn]


def _student(rng: Rng, shape: tuple[int, int]) -> FloatArray:
    return np.asarray(rng.standard_t(3.0, size=shape))


def _linear(per: float, size: tuple[float, float], heavy: bool) -> Draw:
    def draw(d: int, rows: int, seed: int) -> Drawn:
        rng = np.random.default_rng([20, seed])
        made = weights(rng, d, per, size)
        return run(rng, made, rows, _student if heavy else gaussian), made != 0, made

    return draw


def _world(name: str, strength: str) -> Draw:
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


_LINEAR = {
    "empty": (0.0, (0.25, 0.5)),
    "sparse": (1.2, (0.25, 0.5)),
    "dense": (2.0, (0.25, 0.5)),
    "weak": (1.2, (0.08, 0.2)),
    "strong": (1.2, (0.5, 0.8)),
}
KINDS: dict[str, Draw] = {
    **{name: _linear(*kind, heavy=False) for name, kind in _LINEAR.items()},
    "nonlinear": _world("monotone", "strong"),
    "even": _world("even", "strong"),
    **{f"{name}, t3": _linear(*kind, heavy=True) for name, kind in _LINEAR.items()},
    PAPER: _paper,
}


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Twenty rows of twenty graphs are the 400 of a cell; 100 of the paper's generator."""
    chosen = seeds if seeds is not None else (range(1) if quick else range(20))
    for rows in (100,) if quick else SIZES:
        for seed in chosen:
            for name, draw in KINDS.items():
                if name != PAPER or seed < _ROWS_OF_PAPER:
                    d, count = 10 if name == PAPER else _D, 2 if quick else GRAPHS
                    yield Job(name, d, rows, seed, partial(_row, draw, d, rows, seed, count))


def _row(draw: Draw, d: int, rows: int, seed: int, count: int) -> Numbers:
    total: Numbers = {"graphs": float(count)}
    for place in range(count):
        data, truth, made = draw(d, rows, seed * GRAPHS + place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbers = _graph(data, truth, made, closer=place < CLOSER)
        for name, value in numbers.items():
            total[name] = total.get(name, 0.0) + value
    return {name: round(value, 4) for name, value in total.items()}


def _graph(data: FloatArray, truth: BoolArray, made: FloatArray | None, closer: bool) -> Numbers:
    lags, cross = truth.shape[2] - 1, cross_cells(truth)
    found = gp.discover(data, lags, contemporaneous=False, progress=False)
    numbers = {"false": float((found.graph & ~truth & cross).sum()), "true": float((truth & cross).sum())}
    numbers |= {**rates(found, truth, cross), **reliability(found, truth, cross)}
    if made is not None:
        numbers |= kept_coverage(found, found.graph & truth & cross, made)
    if closer:
        numbers |= _apart(found, data, lags, cross)
        numbers |= {} if made is None else fixed_coverage(data, made)
    return numbers


def _apart(found: gp.Refinement, data: FloatArray, lags: int, cross: BoolArray) -> Numbers:
    alone = gp.discover(
        data, lags, contemporaneous=False, alpha=_LEVEL, decide="certificate", progress=False
    ).graph
    differ = (found.at(alpha=_LEVEL).graph ^ alone) & cross
    return {"apart": float(differ.sum()), "kept at .01": float((alone & cross).sum())}


def table(rows: Sequence[Row]) -> str:
    """Rates over all graphs of a cell with their verdict, then what intervals hold."""
    cells = sorted({(row.method, row.d, row.T) for row in rows})
    head = ("method", "d", "T", "graphs", "false", *(f"q = {q}" for q in RATES), "held", "ECE", "apart")
    lines = [_line(*head)]
    lines.append("|" + " --- |" * len(head))
    missed = 0
    for method, d, size in cells:
        same = [row for row in rows if (row.method, row.d, row.T) == (method, d, size)]
        total = summed(same)
        above = [f"{q}" for q in RATES if not _held(total, q)]
        missed += len(above)
        lines.append(
            _line(
                *(method, d, size, int(total["graphs"]), f"{total['false'] / total['graphs']:.2f}"),
                *(_rate(total, q) for q in RATES),
                f"not {', '.join(above)}" if above else "yes",
                f"{calibration_error(same):.3f}",
                f"{total['apart'] / max(total['kept at .01'], 1.0):.3f}",
            )
        )
    said = (
        f"At q: the false discovery rate and its standard error, and the power. Held: at most q within two"
        f" standard errors; missed {missed} of {len(cells) * len(RATES)} times. ECE: calibration error of the"
        " probabilities of all cells. Apart: share of edges by which a cut at .01 differs from a run there."
    )
    return "\n".join([*lines, "", said, "", *_intervals(rows), "", _of_fixed(rows)])


def _rate(total: Numbers, rate: float) -> str:
    mean, error = _mean_and_error(total, rate)
    power = f", {total[f'hits {rate}'] / total['true']:.2f}" if total["true"] else ""
    return f"{mean:.3f} ± {error:.3f}{power}"


def _held(total: Numbers, rate: float) -> bool:
    mean, error = _mean_and_error(total, rate)
    return mean - 2.0 * error <= rate


def _mean_and_error(total: Numbers, rate: float) -> tuple[float, float]:
    graphs = total["graphs"]
    mean = total[f"share {rate}"] / graphs
    return mean, float(np.sqrt(max(total[f"square {rate}"] / graphs - mean**2, 0.0) / graphs))


def _intervals(rows: Sequence[Row]) -> list[str]:
    """Kept edges of linear worlds, by the size of their effect."""
    lines = [_line("effect", "T", "kept edges", "inside their interval", "looks larger by")]
    lines.append("|" + " --- |" * 5)
    for name in STRENGTHS:
        for size in sorted({row.T for row in rows}):
            total = summed([row for row in rows if size == row.T])
            kept = total.get(f"kept {name}", 0.0)
            if kept:
                inside, larger = total[f"inside {name}"] / kept, total[f"looks {name}"] / kept - 1.0
                lines.append(_line(name, size, int(kept), f"{inside:.3f}", f"{larger:+.0%}"))
    return lines


def _of_fixed(rows: Sequence[Row]) -> str:
    shares = []
    for size in sorted({row.T for row in rows}):
        for heavy in (False, True):
            total = summed([row for row in rows if size == row.T and ("t3" in row.method) == heavy])
            if total.get("fixed intervals"):
                share = total["fixed inside"] / total["fixed intervals"]
                noise = "t3" if heavy else "Gaussian"
                shares.append(f"{share:.3f} (T = {size}, {noise}, {total['fixed intervals']:.0f})")
    return f"95 % intervals of fixed candidates that hold the true coefficient: {'; '.join(shares)}."


def _line(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"
