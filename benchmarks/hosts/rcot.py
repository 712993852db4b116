"""The authors' CDNOTS with RCoT, a randomised nonlinear test of independence, as the paper has it.

The package's own RCoT takes 0.2 seconds a test on a processor, and a graph of 20 variables asks for 40,000
of them; causal-learn's takes 0.007, so that one graph takes minutes. What took minutes is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import grace_plugin as gp
from benchmarks.cached import cached
from benchmarks.metrics import measured
from benchmarks.worlds.paper import CACHE, BoolArray, FloatArray

STORED = Path(__file__).with_name("stored")


class Rcot:
    """What `causalts.run_cdnots` asks of a test: `data` to be set [rows, columns], and calls."""

    data: FloatArray | None = None
    _test: Any = None

    def __call__(self, one: int, other: int, given: Sequence[int] = ()) -> tuple[float, float]:
        """p-value and a statistic, which nobody reads, of two columns given others."""
        if self._test is None:
            from causallearn.utils.cit import CIT

            np.random.seed(0)  # noqa: NPY002  (its random features come from numpy's global state)
            self._test = CIT(self.data, "rcit", rcit=False)  # RCIT without the joint features is RCoT
        return float(self._test(int(one), int(other), [int(column) for column in given])), 0.0


def rcot_cdnots(values: FloatArray, key: str, max_lag: int = 5) -> tuple[BoolArray, float]:
    """Lagged candidates [cause, effect, lag], and the processor time they took when they were made."""

    def make() -> dict[str, Any]:
        import causalts

        frame = pd.DataFrame(values, columns=[f"x{one}" for one in range(values.shape[1])])
        found, spent = measured(lambda: causalts.run_cdnots(frame, Rcot(), num_lags=max_lag, alpha=0.05))
        mask = gp.get_adapter("causalts").to_skeleton(found).mask.copy()
        mask[:, :, 0] = False
        return {"mask": mask, "cpu": spent["cpu"]}

    name = f"rcot_{key}.npz"
    kept = cached(STORED / name if (STORED / name).exists() else CACHE / name, make)
    return kept["mask"].astype(np.bool_), float(kept["cpu"])
