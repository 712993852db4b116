"""Of a pair with more kept lags than are free, each must be worth the price of a crowded pair.

With lag concentration of weight w, an open lag of a pair beyond its free ones costs (1 + w) prices of a gate
(see `gate_training`). Where a test has the last word it asks the same: while a pair has more lags than are
free, its weakest lag must gain (1 + w) prices beside all other kept edges of its effect, or goes. One lag
goes at a time, and the model is fitted anew.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.engines.additive.gate_training import LagConcentration
from grace_plugin.regression.regressions import Batch
from grace_plugin.regression.sweep import SweptModel, Tests, certify


def crowded_effects(graph: BoolArray, free: float) -> BoolArray:
    """[effect]: which have a cause at more lags than are free; `graph` is [cause, effect, lag]."""
    return np.asarray((graph.sum(axis=2) > free).any(axis=0))


def thin_out(
    batch: Batch, keep: BoolArray, price: FloatArray, concentration: LagConcentration
) -> tuple[BoolArray, Tests]:
    """Which of the edges of a batch stay [B, K], and their tests; `price` [B] is that of one open gate.

    Edges of `keep` stay, and count as lags of their pair.
    """
    model = SweptModel(batch)
    tests = certify(model, batch.live, np.ones(batch.live.shape), batch.live, alpha=1.0, reopen=False)
    least = (1.0 + concentration.weight) * price[:, None]
    while True:
        weak = _crowded(batch, model.active, concentration.free) & ~keep & (tests.gain < least)
        rows = np.flatnonzero(weak.any(axis=1))
        if not rows.size:
            return model.active, tests
        model.flip(rows, np.where(weak, tests.gain, np.inf)[rows].argmin(axis=1))
        tests = model.tests()


def _crowded(batch: Batch, active: BoolArray, free: float) -> BoolArray:
    """[B, K]: active edges whose pair has more lags than are free."""
    same = batch.causes[:, :, None] == batch.causes[:, None, :]
    lags = (same & active[:, None, :]).sum(axis=2)
    return np.asarray(active & (lags > free))
