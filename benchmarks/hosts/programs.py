"""What other programs find: a graph, how certain they are of each edge, p-values where they have any.

Every run is cached on disk, because the hosts take long and several methods start from the same run.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.cached import cached
from benchmarks.hosts.pcmci import HostRun
from benchmarks.metrics import measured
from benchmarks.worlds.paper import CACHE, BoolArray, FloatArray
from grace_plugin.series.panel import as_panel
from grace_plugin.skeletons import Source, get_skeleton

MISSING_FLAG = -99999.0


@dataclass(frozen=True)
class Found:
    """All arrays [cause, effect, lag]; `strength` is larger for edges that are more certain."""

    graph: BoolArray
    strength: FloatArray
    p_matrix: FloatArray | None
    spent: dict[str, float]

    def fdr(self, level: float = 0.05) -> BoolArray:
        """Benjamini-Hochberg over all lagged entries; lag 0 as the host had it."""
        assert self.p_matrix is not None
        found = HostRun(self.p_matrix, 0.0).fdr(level)
        found[:, :, 0] = self.graph[:, :, 0]
        return found

    def best(self, truth: BoolArray) -> BoolArray:
        """The graph at the threshold that an oracle would choose for this truth: the highest F1."""
        order = np.argsort(-self.strength, axis=None, kind="stable")
        order = order[: int((self.strength > 0).sum())]
        hits = np.cumsum(truth.ravel()[order])
        f1 = 2 * hits / (np.arange(1, len(order) + 1) + truth.sum())
        last = np.append(np.diff(self.strength.ravel()[order]) != 0, True)  # ties stay together
        cut = int(np.argmax(np.where(last, f1, 0.0)))
        return np.asarray(self.strength >= self.strength.ravel()[order[cut]]) & (self.strength > 0)


Host = Callable[[FloatArray, int], tuple[BoolArray, FloatArray, FloatArray | None]]


def run(name: str, values: FloatArray, key: str, max_lag: int = 5) -> Found:
    """The result of one host, from the cache where there is one."""

    def make() -> dict[str, Any]:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # hosts warn of their own affairs
            (graph, strength, p), spent = measured(lambda: HOSTS[name](values, max_lag))
        return {"graph": graph, "strength": strength, **spent, **({} if p is None else {"p": p})}

    stored = cached(CACHE / f"host_{name.replace(' ', '_')}_{key}.npz", make)
    spent = {str(part): float(stored[part]) for part in ("seconds", "cpu", "peak_mib") if part in stored}
    return Found(stored["graph"].astype(np.bool_), stored["strength"], stored.get("p"), spent)


def from_pcmci(host: HostRun) -> Found:
    """The runs that the benchmark of PCMCI has made already."""
    strength = _certainty(host.p_matrix)
    strength[:, :, 0] = 0.0
    return Found(host.skeleton(0.05), strength, host.p_matrix, {"seconds": host.seconds})


def _certainty(p: FloatArray) -> FloatArray:
    return np.asarray(-np.log10(np.maximum(p, 1e-300)))


def _tigramite(values: FloatArray) -> Any:
    from tigramite import data_processing as pp
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    filled = np.nan_to_num(values, nan=MISSING_FLAG)
    frame = pp.DataFrame(filled, missing_flag=MISSING_FLAG if np.isnan(values).any() else None)
    return PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0)


def pcmci(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, FloatArray]:
    found = _tigramite(values).run_pcmci(tau_min=1, tau_max=max_lag, pc_alpha=0.05, alpha_level=0.05)
    return found["graph"] != "", _certainty(found["p_matrix"]), found["p_matrix"]


def pcmciplus(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, FloatArray]:
    found = _tigramite(values).run_pcmciplus(tau_min=0, tau_max=max_lag, pc_alpha=0.05)
    marks = found["graph"]
    graph = (marks != "") & (marks != "<--")
    return graph, _certainty(found["p_matrix"]), found["p_matrix"]


def var(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, FloatArray]:
    """statsmodels' vector autoregression, the t-test of every coefficient."""
    from statsmodels.tsa.api import VAR

    d = values.shape[1]
    p = np.ones((d, d, max_lag + 1))
    tests = np.asarray(VAR(values).fit(max_lag).pvalues)[1:]
    p[:, :, 1:] = tests.reshape(max_lag, d, d).transpose(1, 2, 0)
    return p <= 0.05, _certainty(p), p


def granger(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, FloatArray]:
    """statsmodels' F-test of all lags of a pair at once, given all others: it knows no lags."""
    from statsmodels.tsa.api import VAR

    d = values.shape[1]
    fitted = VAR(values).fit(max_lag)
    p = np.ones((d, d, max_lag + 1))
    for effect in range(d):
        for cause in range(d):
            p[cause, effect, 1:] = fitted.test_causality(effect, [cause], kind="f").pvalue
    return p <= 0.05, _certainty(p), p


def lasso(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, None]:
    """LASSO-VAR with a cross-validated penalty, which the paper calls DYNOTEARS; every weight an edge."""
    found = get_skeleton("lasso")(Source(as_panel(values), max_lag))
    return found.mask, np.asarray(found.scores), None


def varlingam(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, None]:
    import lingam

    model = lingam.VARLiNGAM(lags=max_lag, criterion=None, prune=True, random_state=0).fit(values)
    weights = np.abs(np.nan_to_num(np.asarray(model.adjacency_matrices_)).transpose(2, 1, 0))
    return weights > 0, weights, None


def pc_algorithm(values: FloatArray, max_lag: int, **options: Any) -> tuple[BoolArray, FloatArray, None]:
    """causal-learn's PC on lagged columns, time running forward."""
    from causallearn.search.ConstraintBased.PC import pc

    frame = _frame(values)
    lagged, forward = gp.lag_expand(frame, max_lag), gp.lagged_knowledge(frame.columns, max_lag)
    told = {"node_names": list(lagged), "background_knowledge": forward, "show_progress": False}
    np.random.seed(0)  # noqa: NPY002  (randomised tests draw from numpy's global state)
    mask = gp.get_adapter("causal-learn").to_skeleton(pc(lagged.to_numpy(), 0.05, **told, **options)).mask
    return mask, mask.astype(float), None


def causalts_cdnots(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, None]:
    import causalts
    from causalts.ci_tests.parcorr import PartialCorr

    found = causalts.run_cdnots(_frame(values), PartialCorr(), num_lags=max_lag, alpha=0.05)
    mask = gp.get_adapter("causalts").to_skeleton(found).mask
    return mask, mask.astype(float), None


def causalts_lasso(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, None]:
    """The authors' own LASSO-VAR, which their paper calls DYNOTEARS: weights in the units of the data."""
    from causalts.baselines import lasso_var_discovery

    weights = np.abs(np.asarray(lasso_var_discovery(_frame(values), max_lag=max_lag)[1], np.float64))
    return weights > 0, weights, None


def causalts_grace(values: FloatArray, max_lag: int) -> tuple[BoolArray, FloatArray, None]:
    from causalts.grace import run_cdnots_gated

    found = run_cdnots_gated(_frame(values), max_lag=max_lag, verbose=False, device="cpu", model_seed=0)
    skeleton = gp.get_adapter("causalts").to_skeleton(found)
    return skeleton.mask, np.asarray(skeleton.scores), None


def _frame(values: FloatArray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"x{one}" for one in range(values.shape[1])])


HOSTS: dict[str, Host] = {
    "PCMCI": pcmci,
    "PCMCI+": pcmciplus,
    "VAR": var,
    "Granger": granger,
    "LASSO-VAR": lasso,
    "VARLiNGAM": varlingam,
    "PC": pc_algorithm,
    "PC with RCIT": partial(pc_algorithm, indep_test="rcit"),
    "CDNOTS (causalts)": causalts_cdnots,
    "LASSO-VAR (causalts)": causalts_lasso,
    "GRACE (causalts)": causalts_grace,
}


def cam_pruned(mask: BoolArray, values: FloatArray, alpha: float = 0.001) -> BoolArray:
    """CAM's pruning: an additive spline regression per effect, and an F-test for each candidate's splines.

    scikit-learn's splines (five knots, cubic), CAM's level of 0.001, every candidate tested beside all
    others. Lag 0 is not looked at.
    """
    from sklearn.preprocessing import SplineTransformer

    max_lag = mask.shape[2] - 1
    kept = np.zeros_like(mask)
    for effect in range(len(mask)):
        parents = [(cause, lag) for cause, lag in np.argwhere(mask[:, effect]) if lag > 0]
        blocks = [
            SplineTransformer(n_knots=5, degree=3, include_bias=False).fit_transform(
                values[max_lag - lag : len(values) - lag, [cause]]
            )
            for cause, lag in parents
        ]
        for place, p in zip(parents, _block_tests(blocks, values[max_lag:, effect]), strict=True):
            kept[place[0], effect, place[1]] = p <= alpha
    return kept


def _block_tests(blocks: list[FloatArray], target: FloatArray) -> list[float]:
    """The p-value of leaving out each block."""
    from scipy.stats import f

    def unexplained(chosen: list[FloatArray]) -> float:
        design = np.column_stack([np.ones(len(target)), *chosen])
        fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
        return float(((target - fitted) ** 2).sum())

    whole = unexplained(blocks)
    free = len(target) - 1 - sum(block.shape[1] for block in blocks)
    tests = []
    for left_out, block in enumerate(blocks):
        without = unexplained(blocks[:left_out] + blocks[left_out + 1 :])
        statistic = (without - whole) / block.shape[1] / (whole / free)
        tests.append(float(f.sf(statistic, block.shape[1], free)))
    return tests
