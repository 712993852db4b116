"""How a graph is compared with the truth; arrays are bool [cause, effect, lag]."""

from __future__ import annotations

from typing import Any

import numpy as np


def scores(truth: Any, found: Any) -> dict[str, float]:
    """precision, recall, f1 and shd per (cause, effect, lag).

    >>> scores(np.array([[[1]]], bool), np.array([[[1]]], bool))["f1"]
    1.0
    """
    truth, found = np.asarray(truth, bool), np.asarray(found, bool)
    hits = int((truth & found).sum())
    return {
        "precision": hits / max(int(found.sum()), 1),
        "recall": hits / max(int(truth.sum()), 1),
        "f1": 2 * hits / max(int(truth.sum() + found.sum()), 1),
        "shd": float((truth ^ found).sum()),
    }
