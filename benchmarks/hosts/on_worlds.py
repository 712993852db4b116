"""What other programs say about a world, stored once: a new engine is scored without running them again.

PCMCI, PCMCI+ (tigramite, partial correlation, .05), VARLiNGAM (lingam), LASSO-VAR with a cross-validated
penalty (what the paper runs by the name of DYNOTEARS, whose own package needs an older Python), CDNOTS (the
paper's first stage), and least squares: every lag by its t-test (VAR), all lags of a pair by an F-test
(Granger, which knows no lags). tigramite leaves out what is missing, the others get straight lines across the
gaps, as their users would draw them; several series are kept apart by all but VARLiNGAM.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cached import cached
from benchmarks.metrics import measured
from benchmarks.worlds import Entry, World
from benchmarks.worlds.base import BoolArray, FloatArray
from benchmarks.worlds.paper import CACHE
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

OPINIONS = CACHE / "worlds"
_MISSING = -99999.0
_SMALLEST = 1e-300


@dataclass(frozen=True)
class Opinion:
    """One program's result, all arrays [cause, effect, lag].

    Attributes:
        graph: what it returns at its own defaults; at lag 0 both directions where it leaves them open.
        strength: -log10 p where `by_p`, else the size of a standardised weight; 0 where it was not looked at.
        cpu: processor seconds when it was run.
    """

    graph: BoolArray
    strength: FloatArray
    by_p: bool
    cpu: float


Program = Callable[[World], tuple[BoolArray, FloatArray]]


def opinion(host: str, world: World, entry: Entry, seed: int) -> Opinion:
    """A program's result on one data set, from the cache where there is one."""

    def make() -> dict[str, Any]:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # hosts warn of their own affairs
            (graph, strength), spent = measured(lambda: _answer(host, world))
        return {"graph": graph, "strength": strength.astype(np.float32), "cpu": spent["cpu"]}

    stored = cached(opinion_file(entry, host, str(seed)), make)
    graph, strength = stored["graph"].astype(np.bool_), stored["strength"].astype(np.float64)
    return Opinion(graph, strength, host not in BY_WEIGHT, float(stored["cpu"]))


def opinion_file(entry: Entry, host: str, seed: str, opinions: Path | None = None) -> Path:
    """Where the result of a program on one data set is kept."""
    return (opinions or OPINIONS) / entry.key.replace("/", "_") / f"{host}_{seed}.npz"


def _answer(host: str, world: World) -> tuple[BoolArray, FloatArray]:
    """What the program says; one that breaks down on some data has found nothing there."""
    try:
        return PROGRAMS[host](world)
    except (ValueError, np.linalg.LinAlgError):
        return np.zeros_like(world.truth), np.zeros(world.truth.shape)


def filled(values: FloatArray) -> FloatArray:
    """Straight lines across the gaps of every column, the nearest value at the ends."""
    made, rows = values.copy(), np.arange(len(values))
    for column in made.T:
        seen = ~np.isnan(column)
        column[~seen] = np.interp(rows[~seen], rows[seen], column[seen])
    return made


def _scaled(world: World) -> list[FloatArray]:
    """Filled series in units of the sd of each variable."""
    parts = [filled(part) for part in world.series]
    together = np.concatenate(parts)
    return [(part - together.mean(axis=0)) / together.std(axis=0) for part in parts]


def certainty(p: FloatArray) -> FloatArray:
    return np.asarray(-np.log10(np.maximum(np.nan_to_num(p, nan=1.0), _SMALLEST)))


def _tigramite(world: World) -> Any:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    parts = {place: np.nan_to_num(part, nan=_MISSING) for place, part in enumerate(world.series)}
    flag = _MISSING if np.isnan(world.data).any() else None
    if len(parts) == 1:
        frame = pp.DataFrame(parts[0], missing_flag=flag)
    else:
        frame = pp.DataFrame(parts, missing_flag=flag, analysis_mode="multiple")
    return PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0)


def pcmci(world: World) -> tuple[BoolArray, FloatArray]:
    found = _tigramite(world).run_pcmci(tau_min=1, tau_max=world.max_lag, pc_alpha=0.05, alpha_level=0.05)
    strength = certainty(found["p_matrix"])
    strength[:, :, 0] = 0.0
    return found["graph"] == "-->", strength


def pcmciplus(world: World) -> tuple[BoolArray, FloatArray]:
    found = _tigramite(world).run_pcmciplus(tau_min=0, tau_max=world.max_lag, pc_alpha=0.05)
    marks = found["graph"]
    return (marks != "") & (marks != "<--"), certainty(found["p_matrix"])


def _lagged_rows(world: World) -> tuple[FloatArray, FloatArray]:
    """Rows with an intercept and all lags [rows, 1 + d lags], and what they explain [rows, d]."""
    lags = world.max_lag
    parts = [part for part in _scaled(world) if len(part) > lags]
    past = [
        np.column_stack([part[lags - lag : len(part) - lag] for lag in range(1, lags + 1)]) for part in parts
    ]
    design = np.concatenate(past)
    return np.column_stack([np.ones(len(design)), design]), np.concatenate([part[lags:] for part in parts])


def var(world: World) -> tuple[BoolArray, FloatArray]:
    """The t-test of every coefficient of a vector autoregression."""
    from scipy.stats import t

    design, now = _lagged_rows(world)
    d, lags = now.shape[1], world.max_lag
    inverse = np.linalg.pinv(design.T @ design)
    beta = inverse @ (design.T @ now)
    dof = len(design) - design.shape[1]
    left = ((now - design @ beta) ** 2).sum(axis=0) / dof
    error = np.sqrt(np.maximum(np.diag(inverse), 1e-300)[:, None] * left)
    p = np.ones((d, d, lags + 1))
    p[:, :, 1:] = (2 * t.sf(np.abs(beta / error), dof))[1:].reshape(lags, d, d).transpose(1, 2, 0)
    return p <= 0.05, certainty(p)


def granger(world: World) -> tuple[BoolArray, FloatArray]:
    """The F-test of all lags of a pair at once, beside the past of all others; every lag gets its answer."""
    from scipy.stats import f

    design, now = _lagged_rows(world)
    d, lags = now.shape[1], world.max_lag
    dof = len(design) - design.shape[1]

    def left(columns: FloatArray) -> FloatArray:
        fitted = columns @ np.linalg.lstsq(columns, now, rcond=None)[0]
        return np.asarray(((now - fitted) ** 2).sum(axis=0))

    whole = left(design)
    p = np.ones((d, d, lags + 1))
    for cause in range(d):
        others = np.ones(design.shape[1], dtype=bool)
        others[1 + cause :: d] = False
        statistic = (left(design[:, others]) - whole) / lags / (whole / dof)
        p[cause, :, 1:] = f.sf(statistic, lags, dof)[:, None]
    return p <= 0.05, certainty(p)


def varlingam(world: World) -> tuple[BoolArray, FloatArray]:
    import lingam

    values = np.concatenate(_scaled(world))
    model = lingam.VARLiNGAM(lags=world.max_lag, criterion=None, prune=True, random_state=0).fit(values)
    weights = np.abs(np.nan_to_num(np.asarray(model.adjacency_matrices_)).transpose(2, 1, 0))
    return weights > 0, weights


def _skeleton(name: str, world: World) -> tuple[BoolArray, FloatArray]:
    found = get_skeleton(name)(Source(as_panel(_scaled(world)), world.max_lag))
    strength = np.where(found.mask, np.abs(np.nan_to_num(np.asarray(found.scores, np.float64))), 0.0)
    return found.mask, strength


def lasso(world: World) -> tuple[BoolArray, FloatArray]:
    return _skeleton("lasso", world)


def cdnots(world: World) -> tuple[BoolArray, FloatArray]:
    return _skeleton("cdnots", world)


WITH_P = ("PCMCI", "PCMCI+", "VAR", "Granger")  # p-values that a false discovery rate can be asked of
PROGRAMS: dict[str, Program] = {
    "VAR": var,
    "Granger": granger,
    "LASSO-VAR": lasso,
    "CDNOTS": cdnots,
    "PCMCI": pcmci,
    "VARLiNGAM": varlingam,
    "PCMCI+": pcmciplus,
}
BY_WEIGHT = ("VARLiNGAM", "LASSO-VAR")
SLOW_AT = {"PCMCI": 50, "PCMCI+": 50, "VARLiNGAM": 50}  # not run from there on: minutes a graph


def runs_at(host: str, d: int) -> bool:
    return d < SLOW_AT.get(host, d + 1)
