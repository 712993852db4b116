"""The paper's method, run here: its network from CDNOTS skeletons, in all cells of its main tables.

`preset="paper"` is the paper's network, penalty and gates; "neural" has the default options of that engine.
Both refine the same skeletons of our CDNOTS, whose candidates within a step are left out: the paper's
experiments are about lagged effects. One seed of all cells comes before the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import RESULTS, Job, Row, Store
from benchmarks.metrics import graded, measured, scores
from benchmarks.reporting import paper
from benchmarks.reporting.beside import Column, above_and_below, beside, outside
from benchmarks.worlds.paper import REPORTED_SEEDS, BoolArray, FloatArray, scp
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

TITLE = "The paper's method, run here: F1, precision, recall, SHD and time by d and T"
STORE = Store(RESULTS.with_name("paper.jsonl"))
MAX_LAG = 5
PRESET, DEFAULT, BY_ROW = "preset paper", "neural", "one hidden layer, one draw a row"
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
OPTIONS: dict[str, dict[str, Any]] = {
    PRESET: {"preset": "paper"},
    DEFAULT: {},
    # Trains to the last epoch, where one draw a step lets patience end it at random.
    BY_ROW: {"preset": "paper", "gate_noise": "row", "decoder_layers": 1, "initial_weights": "uniform"},
}
SIZES, ROWS = (20, 30, 50, 70, 100), (300, 500, 1000, 2000)
Numbers = dict[str, float]


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are names, or sizes such as `d20` and `T300` that leave out the other cells."""
    wanted = set(methods or ())
    cells = [(5, 200)] if quick else sorted(product(SIZES, ROWS), key=lambda cell: cell[0] * cell[1])
    cells = [cell for cell in cells if wanted_cell(cell, wanted)]
    names = [name for name in OPTIONS if name in wanted or not wanted & set(OPTIONS)]
    chosen = list(seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS))
    for seed, name, (d, rows) in product(chosen, names, cells):
        yield Job(name, d, rows, seed, partial(refined, OPTIONS[name], d, rows, seed))


def wanted_cell(cell: tuple[int, int], wanted: set[str]) -> bool:
    """Whether the sizes that are wanted, if any are, hold this cell."""
    for letter, size in zip("dT", cell, strict=True):
        of_kind = {word for word in wanted if word[0] == letter and word[1:].isdigit()}
        if of_kind and f"{letter}{size}" not in of_kind:
            return False
    return True


def refined(options: dict[str, Any], d: int, rows: int, seed: int) -> Numbers:
    """One graph: our CDNOTS skeleton, and what the neural engine with these options leaves of it."""
    try:
        values, truth = scp(d, seed, rows)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}
    skeleton, before = measured(lambda: lagged_cdnots(values, MAX_LAG))
    numbers = gated(skeleton, values, truth, options)
    return {**numbers, "cpu": numbers["cpu"] + before["cpu"]}


def lagged_cdnots(values: FloatArray, max_lag: int, **options: Any) -> gp.Skeleton:
    """Our CDNOTS without its candidates within a step."""
    mask = get_skeleton("cdnots")(Source(as_panel(values), max_lag), **options).mask.copy()
    mask[:, :, 0] = False
    return gp.Skeleton(mask)


def gated(skeleton: gp.Skeleton, values: FloatArray, truth: BoolArray, options: dict[str, Any]) -> Numbers:
    """What the neural engine leaves of a skeleton, that skeleton itself, and F1 at other thresholds."""
    found, spent = measured(lambda: gp.analyze(skeleton, values, engine="neural", progress=False, **options))
    strength = np.where(skeleton.mask, found.gates + found.graph, -1.0)
    raw = graded(truth, skeleton.mask, skeleton.mask.astype(float))
    return {
        **graded(truth, found.graph, strength),
        **{f"skeleton_{name}": raw[name] for name in ("f1", "precision", "recall", "shd", "pair_auroc")},
        **{f"f1_at_{level}": scores(truth, found.gates > level)["f1"] for level in THRESHOLDS},
        "cpu": spent["cpu"],
        "epochs": float(max(found.outcome.details.epochs, default=0)),
    }


CDNOTS = Column("CDNOTS F1", "skeleton_f1", paper.F1["CDNOTS"])
COLUMNS = (
    Column("F1", "f1", paper.F1["CDNOTS-Gated"]),
    Column("precision", "precision", paper.PRECISION["CDNOTS-Gated"]),
    Column("recall", "recall", paper.RECALL["CDNOTS-Gated"]),
    Column("SHD", "shd", paper.SHD["CDNOTS-Gated"], digits=0),
    Column("pair F1", "pair_f1", paper.PAIR_F1["CDNOTS-Gated"]),
    CDNOTS,
    Column("CDNOTS SHD", "skeleton_shd", paper.SHD["CDNOTS"], digits=0),
    Column("seconds", "cpu", paper.SECONDS["CDNOTS-Gated"], digits=0),
)


def table(rows: Sequence[Row]) -> str:
    parts = []
    for name in OPTIONS:
        made = [row for row in rows if row.method == name and row.numbers]
        if made:
            spread = paper.F1_SPREAD["CDNOTS-Gated"]
            if name == DEFAULT:
                off = above_and_below(made, COLUMNS[0], spread)
            else:
                off = outside(made, COLUMNS[0], spread, (CDNOTS,))
            parts.append(f"{name}: here / in the paper.\n\n{beside(made, COLUMNS)}\n{off}")
    return "\n\n".join(parts)
