"""The paper's engine on other skeletons and other graphs: PCMCI, LASSO-VAR, Lorenz-96, topologies.

`preset="paper"` throughout. "DYNO-Gated" starts from the authors' own LASSO-VAR, "LASSO-Gated" from ours,
whose weights are standardised and fewer. Topologies come from the authors' own generator (`topology_scp` of
`causalts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.cached import cached
from benchmarks.core import Job, Row
from benchmarks.hosts import programs
from benchmarks.hosts.pcmci import pcmci
from benchmarks.metrics import scores
from benchmarks.reporting import paper
from benchmarks.reporting.beside import Column, beside
from benchmarks.studies.neural import lorenz96
from benchmarks.studies.paper_table import (
    MAX_LAG,
    ROWS,
    SIZES,
    STORE,
    Numbers,
    gated,
    lagged_cdnots,
    wanted_cell,
)
from benchmarks.worlds.paper import CACHE, REPORTED_SEEDS, BoolArray, FloatArray, scp

TITLE = "The paper's engine on PCMCI and LASSO-VAR skeletons, on Lorenz-96 and on other topologies"
__all__ = ["STORE", "TITLE", "jobs", "table"]
TOPOLOGIES = {"scale-free": "scale_free", "Erdos-Renyi": "erdos_renyi", "small-world": "small_world"}
_LARGEST_WEIGHT = 0.05  # the paper's threshold of LASSO weights, chosen there with the truth at hand
Data = tuple[FloatArray, BoolArray]
Key = tuple[int, int]


def pcmci_gated(d: int, rows: int, seed: int) -> Numbers:
    values, truth = scp(d, seed, rows)
    host = pcmci(values, f"scp_{d}_{seed}_{rows}")
    return _gated(host.skeleton(0.05), values, truth)


def lasso_gated(d: int, rows: int, seed: int) -> Numbers:
    values, truth = scp(d, seed, rows)
    host = programs.run("LASSO-VAR", values, f"scp_{d}_{seed}_{rows}")
    numbers = _gated(host.graph & (host.strength > _LARGEST_WEIGHT), values, truth)
    best = host.best(truth)
    oracle = float(host.strength[best].min()) if best.any() else 0.0
    return {**numbers, "oracle_threshold": oracle}


def dyno_gated(d: int, rows: int, seed: int) -> Numbers:
    """The same from the authors' own LASSO-VAR, with the F1 of all its weights (t = 0)."""
    values, truth = scp(d, seed, rows)
    host = programs.run("LASSO-VAR (causalts)", values, f"scp_{d}_{seed}_{rows}")
    numbers = _gated(host.graph & (host.strength > _LARGEST_WEIGHT), values, truth)
    best = host.best(truth)
    return {
        **numbers,
        "every_f1": scores(truth, host.graph)["f1"],
        "oracle_f1": scores(truth, best)["f1"],
        "oracle_threshold": float(host.strength[best].min()) if best.any() else 0.0,
    }


def lorenz_gated(d: int, rows: int, seed: int) -> Numbers:
    values, truth = lorenz96(d, seed, rows)
    return gated(lagged_cdnots(values, 1), values, truth, {"preset": "paper"})


def topology_gated(kind: str, d: int, rows: int, seed: int) -> Numbers:
    values, truth = topology(kind, d, rows, seed)
    return gated(lagged_cdnots(values, MAX_LAG), values, truth, {"preset": "paper"})


def topology(kind: str, d: int, rows: int, seed: int) -> Data:
    """The authors' generator: [T, d] and the truth [cause, effect, lag]."""

    def make() -> dict[str, Any]:
        from causalts.synthetic_data.synthetic_datasets import topology_scp

        made = topology_scp(TOPOLOGIES[kind], seed, n_vars=d, max_lag=MAX_LAG, T=rows)
        return {
            "values": made["df"].to_numpy(np.float64),
            "truth": np.asarray(made["ground_truth"], np.bool_),
        }

    stored = cached(CACHE / f"topology_{TOPOLOGIES[kind]}_{d}_{rows}_{seed}.npz", make)
    return stored["values"], stored["truth"]


def _gated(mask: BoolArray, values: FloatArray, truth: BoolArray) -> Numbers:
    return gated(gp.Skeleton(mask), values, truth, {"preset": "paper"})


F1, RAW = "f1", "skeleton_f1"
_LASSO = paper.DYNOTEARS
METHODS: dict[str, tuple[Callable[..., Numbers], Sequence[Key], tuple[Column, ...]]] = {
    "PCMCI-Gated": (
        pcmci_gated,
        list(product(SIZES, ROWS)),
        (
            Column("F1", F1, paper.F1["PCMCI-Gated"]),
            Column("precision", "precision", paper.PRECISION["PCMCI-Gated"]),
            Column("recall", "recall", paper.RECALL["PCMCI-Gated"]),
            Column("SHD", "shd", paper.SHD["PCMCI-Gated"], digits=0),
            Column("PCMCI F1", RAW, paper.F1["PCMCI"]),
            Column("PCMCI SHD", "skeleton_shd", paper.SHD["PCMCI"], digits=0),
        ),
    ),
    "LASSO-Gated": (
        lasso_gated,
        list(_LASSO["t=0.05"]),
        (
            Column("F1", F1, _LASSO["t=0.05 refined"]),
            Column("F1 of t = 0.05", RAW, _LASSO["t=0.05"]),
            Column("best threshold", "oracle_threshold", {}),
        ),
    ),
    "DYNO-Gated": (
        dyno_gated,
        list(_LASSO["t=0.05"]),
        (
            Column("F1", F1, _LASSO["t=0.05 refined"]),
            Column("F1 of t = 0.05", RAW, _LASSO["t=0.05"]),
            Column("F1 of t = 0", "every_f1", _LASSO["t=0"]),
            Column("F1 of the best threshold", "oracle_f1", {}),
            Column("best threshold", "oracle_threshold", {}),
        ),
    ),
    "Lorenz-96": (
        lorenz_gated,
        list(paper.LORENZ["GRACE"]),
        (
            Column("F1", F1, paper.LORENZ["GRACE"]),
            Column("precision", "precision", paper.LORENZ_PRECISION["GRACE"]),
            Column("recall", "recall", paper.LORENZ_RECALL["GRACE"]),
            Column("CDNOTS F1", RAW, paper.LORENZ["CDNOTS"]),
        ),
    ),
    **{
        kind: (
            partial(topology_gated, kind),
            [(50, 1000), (70, 1000), (100, 1000)],
            (
                Column("pair AUROC", "pair_auroc", {(50, 1000): paper.TOPOLOGY_AUROC[kind]["GRACE"]}),
                Column("F1", F1, {}),
                Column("pair F1", "pair_f1", {}),
                Column("CDNOTS F1", RAW, {}),
            ),
        )
        for kind in TOPOLOGIES
    },
}


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """`methods` are names of the tables, or sizes such as `d20` and `T300` that leave out other cells."""
    wanted = set(methods or ())
    names = [name for name in METHODS if name in wanted or not wanted & set(METHODS)]
    chosen = list(seeds if seeds is not None else (range(1) if quick else REPORTED_SEEDS))
    for name in names:
        run, sizes, _ = METHODS[name]
        cells = [(8, 200)] if quick else [cell for cell in sizes if wanted_cell(cell, wanted)]
        for (d, rows), seed in product(cells, chosen):
            yield Job(name, d, rows, seed, partial(_one, run, d, rows, seed))


def _one(run: Callable[..., Numbers], d: int, rows: int, seed: int) -> Numbers:
    try:
        return run(d, rows, seed)
    except RuntimeError:  # the generator found no stationary process for this seed
        return {}


def table(rows: Sequence[Row]) -> str:
    parts = []
    for name, (_, _, columns) in METHODS.items():
        made = [row for row in rows if row.method == name and row.numbers]
        if made:
            parts.append(f"{name}: here / in the paper.\n\n{beside(made, columns)}")
    return "\n\n".join(parts)
