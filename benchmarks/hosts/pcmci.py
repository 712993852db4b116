"""Host results that benchmarks refine, cached because the hosts take minutes; one thread each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cached import cached
from benchmarks.worlds.paper import CACHE, BoolArray, FloatArray


@dataclass(frozen=True)
class HostRun:
    """p-values [cause, effect, lag] of one run and how long it took when it was made."""

    p_matrix: FloatArray
    seconds: float

    def skeleton(self, alpha: float) -> BoolArray:
        found = self.p_matrix <= alpha
        found[:, :, 0] = False
        return found

    def best_alpha(self, truth: BoolArray, grid: Any = None) -> tuple[float, BoolArray]:
        """The level that an oracle would choose for this very graph: the highest F1 of any."""
        from benchmarks.metrics import scores

        levels = 10.0 ** -np.arange(1.3, 12.0, 0.1) if grid is None else grid
        best = max(levels, key=lambda level: scores(truth, self.skeleton(level))["f1"])
        return float(best), self.skeleton(float(best))

    def fdr(self, level: float = 0.05) -> BoolArray:
        """Benjamini-Hochberg over all lagged entries."""
        from scipy.stats import false_discovery_control

        lagged = self.p_matrix[:, :, 1:]
        adjusted = false_discovery_control(lagged.ravel()).reshape(lagged.shape)
        found = np.zeros(self.p_matrix.shape, dtype=np.bool_)
        found[:, :, 1:] = adjusted <= level
        return found


def pcmci(values: FloatArray, key: str, max_lag: int = 5) -> HostRun:
    """tigramite's PCMCI with partial correlation, pc_alpha 0.05, lags from 1."""

    def make() -> dict[str, Any]:
        from tigramite import data_processing as pp
        from tigramite.independence_tests.parcorr import ParCorr
        from tigramite.pcmci import PCMCI

        host = PCMCI(dataframe=pp.DataFrame(values), cond_ind_test=ParCorr(), verbosity=0)
        start = time.perf_counter()
        results = host.run_pcmci(tau_min=1, tau_max=max_lag, pc_alpha=0.05, alpha_level=0.05)
        return {"p_matrix": results["p_matrix"], "seconds": time.perf_counter() - start}

    stored = cached(CACHE / f"pcmci_{key}.npz", make)
    return HostRun(stored["p_matrix"], float(stored["seconds"]))
