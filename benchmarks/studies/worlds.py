"""Every method on every world: `discover` and its rules one by one, each host raw in five ways and refined.

A host's row holds F1 at its default ("f1"), at a false discovery rate of .05 ("fdr_f1"), at the best level in
hindsight ("best_f1"), and at fixed levels ("at_00", ...), from which the report takes the one that was best
over the tuning seeds. Null worlds have no F1 that means anything: there "false" counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import grace_plugin as gp
from benchmarks.core import NOT_THERE, Job, Row
from benchmarks.hosts.graphs import host_graph
from benchmarks.hosts.on_worlds import BY_WEIGHT, PROGRAMS, WITH_P, opinion, runs_at
from benchmarks.metrics import measured
from benchmarks.packed import PackedStore
from benchmarks.studies._world_scores import (
    LEVELS,
    SIZES,
    Numbers,
    best_in_hindsight,
    curve,
    fdr,
    scored,
)
from benchmarks.worlds import REPORTED, Entry, World, one_split, worlds
from benchmarks.worlds.base import FloatArray
from benchmarks.worlds.grid import kinds, verified
from benchmarks.worlds.paper import CACHE
from grace_plugin.exceptions import DataError, DataWarning, OptionError

TITLE = "Small worlds: every method where one assumption fails"
STORE = PackedStore(CACHE / "worlds.jsonl", Path(__file__).parents[1] / "worlds.jsonl")
RULES: dict[str, dict[str, Any]] = {  # `discover` as it is, and each of its rules switched off
    "discover": {},
    "discover, interactions=False": {"interactions": False},
    "discover, contemporaneous=False": {"contemporaneous": False},
    "discover, prepare='none'": {"prepare": "none"},
    "discover, alpha='level'": {"alpha": "level"},
}
REFINED = tuple(f"{host} refined" for host in PROGRAMS)
OURS = (*RULES, *REFINED)
METHODS = (*PROGRAMS, *OURS)
QUICK = ("linear_var", "heavy_tails", "within_step_laplace", "genes", "missing_at_random", "null_white")
_LARGE = 20
_HOSTS_OF_QUICK = ("VAR", "PCMCI")


def jobs(
    quick: bool, seeds: Sequence[int] | None = None, methods: Sequence[str] | None = None
) -> Iterable[Job]:
    """Seed by seed, so that an interrupted run has as many seeds of every world, and large ones last."""
    chosen = list(seeds if seeds is not None else (range(1) if quick else REPORTED))
    one_split(chosen)
    entries = [worlds(name)[0] for name in QUICK] if quick else worlds()
    for large in (False, True):  # a host on 50 variables takes as long as on all other worlds together
        for seed in chosen:
            for entry in (one for one in entries if (one.d >= _LARGE) == large):
                for method in wanted(methods, quick):
                    if runs_at(method.removesuffix(" refined"), entry.d):
                        yield _job(entry, method, seed)


def wanted(methods: Sequence[str] | None, quick: bool = False) -> list[str]:
    """Names of methods; "hosts", "ours", and of ours "refined" and "rules" stand for several."""
    groups = {"hosts": tuple(PROGRAMS), "ours": OURS, "refined": REFINED, "rules": tuple(RULES)}
    if methods is None:
        few = (*_HOSTS_OF_QUICK, "discover", *(f"{host} refined" for host in _HOSTS_OF_QUICK))
        return list(few if quick else METHODS)
    for name in methods:
        if name not in (*groups, *METHODS):
            msg = f"There is no method called {name!r}; known are {[*groups, *METHODS]}."
            raise SystemExit(msg)
    named = [one for name in methods for one in groups.get(name, (name,))]
    return [method for method in METHODS if method in named]


def title(entry: Entry, method: str) -> str:
    return f"{entry.world}/{entry.strength}: {method}"


def _job(entry: Entry, method: str, seed: int) -> Job:
    def run() -> Numbers:
        world = _drawn(entry, seed)
        if method in PROGRAMS:
            return rounded(of_host(method, world, entry, seed))
        return rounded(of_ours(method, world, entry, seed))

    return Job(title(entry, method), entry.d, entry.T, seed, run, ours=method in OURS)


@lru_cache(maxsize=2)
def _drawn(entry: Entry, seed: int) -> World:
    return verified(entry, seed)


def rounded(numbers: Numbers) -> Numbers:
    """Four digits are more than twenty seeds can tell, and the rows stay small."""
    return {name: round(value, 4) for name, value in numbers.items()}


def of_host(host: str, world: World, entry: Entry, seed: int) -> Numbers:
    said = opinion(host, world, entry, seed)
    numbers = {**scored(world, said.graph, said.strength), "cpu": said.cpu}
    levels = SIZES if host in BY_WEIGHT else LEVELS
    at = curve(world, said.graph, said.strength, levels)
    numbers |= {f"at_{place:02d}": value for place, value in enumerate(at)}
    numbers["best_f1"] = best_in_hindsight(world, said.graph, said.strength)
    if host in WITH_P:
        corrected = scored(world, fdr(said.strength))
        numbers |= {"fdr_f1": corrected["f1"], "fdr_false": corrected["false"]}
    return numbers


def of_ours(method: str, world: World, entry: Entry, seed: int) -> Numbers:
    data: Any = world.series if world.parts else world.data
    if method in REFINED:
        graph = host_graph(method.removesuffix(" refined"), world, entry, seed)
        return _judged(world, lambda: gp.analyze(gp.Skeleton(graph), data, progress=False))
    try:
        return _judged(world, lambda: gp.discover(data, world.max_lag, progress=False, **RULES[method]))
    except gp.GraceError as error:
        if method != "discover" and isinstance(error, OptionError):
            return {NOT_THERE: 1.0}
        raise


def _judged(world: World, call: Callable[[], gp.Refinement]) -> Numbers:
    """The numbers of one call, with the warnings that it gave; data that it refuses are an empty graph."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found, spent = measured(call)
        except DataError:
            return {**scored(world, np.zeros_like(world.truth)), "warned": 1.0, "refused": 1.0}
    warned = sum(issubclass(one.category, DataWarning) for one in told)
    return {**scored(world, found.graph, strength_of(found)), "warned": float(warned), "cpu": spent["cpu"]}


def strength_of(found: gp.Refinement) -> FloatArray:
    """The ranking of every cell where the library gives one, else -log10 p, what was kept on top."""
    ranking = getattr(found, "scores", None)
    if ranking is not None:
        return np.asarray(ranking, np.float64)
    level = -np.log10(np.maximum(np.nan_to_num(found.outcome.p_value, nan=1.0), 1e-300))
    return np.asarray(level + 1000.0 * found.graph)


def table(rows: Sequence[Row]) -> str:
    """Means over worlds and seeds of each method; worlds one by one are in the report."""
    made = [row for row in rows if NOT_THERE not in row.numbers]
    lines = ["| method | F1 | precision | recall | AUROC | false edges, null worlds | cpu | data sets |"]
    lines.append("|" + " --- |" * 8)
    for method in METHODS:
        mine = [row for row in made if row.method.endswith(f": {method}")]
        real = [row.numbers for row in mine if not is_null(row)]
        null = [row.numbers for row in mine if is_null(row)]
        cells = [_mean(real, name) for name in ("f1", "precision", "recall", "auroc")]
        cells += [_mean(null, "false"), _mean([*real, *null], "cpu"), str(len(mine))]
        if mine:
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def is_null(row: Row) -> bool:
    return kinds()[row.method.split("/")[0]].null


def _mean(numbers: Sequence[Numbers], name: str) -> str:
    values = [one[name] for one in numbers if name in one]
    return f"{np.mean(values):.3f}" if values else ""
