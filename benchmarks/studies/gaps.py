"""Missing values: what is left of a graph, and whether p-values stay right.

A sparse linear process (own memory .2 to .6, six cross effects for five variables, sizes .25 to .5) loses
values at random, in blocks of 20 rows, those of one sensor, or its largest ones. `discover` runs on the gaps
as they are (`fill`, the default, and `drop`) and on data that were filled before: by straight lines, the last
value, the mean, expectation and maximisation of a Gaussian over three neighbouring rows (EM), or, with eight
variables, scikit-learn's iterative imputation; PCMCI runs with its missing flag, at .05 and at its best level
in hindsight. F1 is of lagged cross edges.
Rows called "null" are independent series: the share of p-values of a cross cell beside three own lags that
lie below .05 and .01, pooled over seeds by the table.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
from scipy import stats

import grace_plugin as gp
from benchmarks.core import Job, Row, mean_table
from benchmarks.hosts.pcmci import HostRun
from benchmarks.metrics import measured, scores
from benchmarks.worlds.base import MAX_LAG, BoolArray, FloatArray, Rng
from benchmarks.worlds.process import BURN_IN, run, weights
from grace_plugin.exceptions import DataError
from grace_plugin.series.gaps import fill_gaps
from grace_plugin.series.panel import as_panel

TITLE = "Missing values"
KINDS = ("complete", "random 5 %", "random 20 %", "random 40 %", "blocks 20 %", "sensor 60 %", "large values")
BEST_OF = 10.0 ** -np.arange(1.0, 12.0, 0.1)  # levels among which a host has its best in hindsight
_PCMCI = "PCMCI, missing flag"
_FLAG = 999.0
_OWN_LAGS = 3
_EM_ROUNDS = 10
_MOST_OF_SLOW = 8
_SLOW = "iterative"  # half a minute a data set with twenty variables
_SIZED = ("fill", "lines", "last value", "mean")  # iterative imputation takes too long for so many worlds
_NULL_REPEATS = 12  # worlds a row: 20,160 tests at ten seeds
Fill = Callable[[FloatArray], FloatArray]


def jobs(quick: bool, seeds: Sequence[int] | None = None) -> Iterable[Job]:
    """Every kind of gap and every way to meet it, then the null."""
    chosen = list(seeds if seeds is not None else range(1 if quick else 10))
    kinds = KINDS[2:3] if quick else KINDS
    small, *larger = [(5, 200)] if quick else [(8, 500), (20, 1000)]
    yield from _graphs(*small, kinds, chosen)
    for kind in kinds:
        for method in FILLS if quick else _SIZED:
            for seed in chosen:
                work = partial(_sizes, kind, method, *small, seed, 1 if quick else _NULL_REPEATS)
                yield Job(f"null, {kind}: {method}", *small, seed, work, ours=method == "fill")
    for size in larger:
        yield from _graphs(*size, kinds, chosen)


def _graphs(d: int, rows: int, kinds: Sequence[str], seeds: Sequence[int]) -> Iterator[Job]:
    for kind in kinds:
        for method in (*WAYS, _PCMCI):
            if method == _SLOW and d > _MOST_OF_SLOW:
                continue
            for seed in seeds:
                work = partial(_numbers, kind, method, d, rows, seed)
                yield Job(f"{kind}: {method}", d, rows, seed, work, ours=method != _PCMCI)


@lru_cache(maxsize=4)
def drawn(kind: str, d: int, rows: int, seed: int) -> tuple[FloatArray, BoolArray]:
    """Rows with gaps, and the true graph."""
    rng = np.random.default_rng([seed, d, rows])
    made = weights(rng, d)
    return with_gaps(rng, run(rng, made, rows), kind), made != 0


def with_gaps(rng: Rng, values: FloatArray, kind: str) -> FloatArray:
    """The same with some values missing."""
    gone = np.zeros(values.shape, dtype=bool)
    if kind.startswith("random"):
        gone = rng.random(values.shape) < float(kind.split()[1]) / 100
    elif kind.startswith("blocks"):
        blocks = [(start, one) for start in range(0, len(values) - 19, 20) for one in range(values.shape[1])]
        for place in rng.permutation(len(blocks))[: round(0.2 * len(blocks))]:
            start, one = blocks[place]
            gone[start : start + 20, one] = True
    elif kind.startswith("sensor"):
        gone[rng.random(len(values)) < 0.6, rng.integers(values.shape[1])] = True
    elif kind == "large values":
        gone = (values > np.quantile(values, 0.8, axis=0)) & (rng.random(values.shape) < 0.5)
    return np.where(gone, np.nan, values)


def _numbers(kind: str, method: str, d: int, rows: int, seed: int) -> dict[str, float]:
    values, truth = drawn(kind, d, rows, seed)
    if method == _PCMCI:
        host, spent = measured(lambda: _pcmci(values))
        best = max(f1(truth, host.skeleton(level)) for level in BEST_OF)
        return {"f1": f1(truth, host.skeleton(0.05)), "f1_at_best": best, "cpu": spent["cpu"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, spent = measured(lambda: WAYS[method](values, truth))
    return {"f1": f1(truth, found), "cpu": spent["cpu"]}


def f1(truth: BoolArray, found: BoolArray) -> float:
    """Of lagged edges between different variables."""
    off = ~np.eye(len(truth), dtype=bool)
    return scores(truth[:, :, 1:][off], found[:, :, 1:][off])["f1"]


def _discovered(values: FloatArray, truth: BoolArray, gaps: str = "fill") -> BoolArray:
    try:
        return gp.discover(values, MAX_LAG, gaps=gaps, progress=False).graph
    except DataError:  # nothing is left to learn from
        return np.zeros_like(truth)


def _prefilled(fill: Fill, values: FloatArray, truth: BoolArray) -> BoolArray:
    return _discovered(fill(values), truth)


def _pcmci(values: FloatArray) -> HostRun:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    frame = pp.DataFrame(np.where(np.isnan(values), _FLAG, values), missing_flag=_FLAG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            host = PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0)
            return HostRun(host.run_pcmci(tau_min=1, tau_max=MAX_LAG, pc_alpha=0.05)["p_matrix"], 0.0)
    except ValueError:  # no complete row is left
        d = values.shape[1]
        return HostRun(np.ones((d, d, MAX_LAG + 1)), 0.0)


def _lines(values: FloatArray) -> FloatArray:
    import pandas as pd

    return np.asarray(pd.DataFrame(values).interpolate(limit_direction="both"))


def _last(values: FloatArray) -> FloatArray:
    import pandas as pd

    return np.asarray(pd.DataFrame(values).ffill().bfill())


def _mean(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


def _around(values: FloatArray) -> FloatArray:
    """[T, 3 d]: every row with those before and behind it."""
    empty = np.full((1, values.shape[1]), np.nan)
    return np.hstack([values, np.vstack([empty, values[:-1]]), np.vstack([values[1:], empty])])


def _em(values: FloatArray) -> FloatArray:
    """Means of the unseen under a Gaussian over three neighbouring rows, learned by EM."""
    if not np.isnan(values).any():
        return values
    around = _around(values)
    unseen = np.isnan(around)
    filled = np.where(unseen, np.nanmean(around, axis=0), around)
    covariance = np.diag(np.nanvar(around, axis=0))
    for _ in range(_EM_ROUNDS):
        mean, spread = filled.mean(axis=0), np.zeros_like(covariance)
        for row, gone in zip(filled, unseen, strict=True):
            if not gone.any():
                continue
            known = ~gone
            pull = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, gone)])
            row[gone] = mean[gone] + (row[known] - mean[known]) @ pull
            spread[np.ix_(gone, gone)] += (
                covariance[np.ix_(gone, gone)] - covariance[np.ix_(gone, known)] @ pull
            )
        away = filled - filled.mean(axis=0)
        covariance = (away.T @ away + spread) / len(filled) + 1e-6 * np.eye(len(spread))
    return np.where(np.isnan(values), filled[:, : values.shape[1]], values)


def _iterative(values: FloatArray) -> FloatArray:
    """Each variable from all others of the same row and the rows before and behind it."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    if not np.isnan(values).any():
        return values
    found = IterativeImputer(max_iter=5, random_state=0).fit_transform(_around(values))
    found = found[:, : values.shape[1]]
    return np.where(np.isnan(values), found, values)


def _expected(values: FloatArray) -> FloatArray:
    return np.asarray(fill_gaps(as_panel(values), MAX_LAG).series[0].values)


FILLS: dict[str, Fill] = {
    "fill": _expected,
    "lines": _lines,
    "last value": _last,
    "mean": _mean,
    "EM": _em,
    "iterative": _iterative,
}
WAYS: dict[str, Callable[[FloatArray, BoolArray], BoolArray]] = {
    "fill": _discovered,
    "drop": partial(_discovered, gaps="drop"),
    **{name: partial(_prefilled, fill) for name, fill in FILLS.items() if name != "fill"},
}


def _sizes(kind: str, method: str, d: int, rows: int, seed: int, repeats: int) -> dict[str, float]:
    small = np.concatenate([_null(kind, method, d, rows, [seed, repeat]) for repeat in range(repeats)])
    return {
        "below_05": float((small < 0.05).mean()),
        "below_01": float((small < 0.01).mean()),
        "tests": float(len(small)),
    }


def _null(kind: str, method: str, d: int, rows: int, seed: list[int]) -> FloatArray:
    """p-values of every cross cell of independent series, beside three own lags."""
    rng = np.random.default_rng([*seed, d, rows, 1])
    own, values = rng.uniform(0.2, 0.6, d), rng.normal(size=(rows + BURN_IN, d))
    for t in range(1, len(values)):
        values[t] += own * values[t - 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = FILLS[method](with_gaps(rng, values[BURN_IN:], kind))
    lagged = np.stack([z[_OWN_LAGS - lag : rows - lag] for lag in range(_OWN_LAGS + 1)])
    found = [_beside_own(lagged, effect) for effect in range(d)]
    return np.concatenate(found)


def _beside_own(lagged: FloatArray, effect: int) -> FloatArray:
    n = lagged.shape[1]
    base = np.linalg.qr(np.column_stack([lagged[1:, :, effect].T, np.ones(n)]))[0]
    past = np.delete(lagged[1:], effect, axis=2).transpose(1, 0, 2).reshape(n, -1)
    left = lagged[0, :, effect] - base @ (base.T @ lagged[0, :, effect])
    past_left = past - base @ (base.T @ past)
    gained = np.square(past_left.T @ left) / np.square(past_left).sum(axis=0)
    freedom = n - _OWN_LAGS - 2
    return np.asarray(stats.f.sf(gained / (left @ left - gained) * freedom, 1, freedom))


def table(rows: Sequence[Row]) -> str:
    """Means over seeds: F1 first, the null behind it."""
    graphs = [row for row in rows if not row.method.startswith("null")]
    null = [row for row in rows if row.method.startswith("null")]
    parts = [
        mean_table(graphs, ("f1", "f1_at_best", "cpu")) if graphs else "",
        mean_table(null, ("below_05", "below_01")) if null else "",
    ]
    return "\n\n".join(part for part in parts if part)
