"""One small process whose noise or mean a test disturbs, and the edges that it does not have."""

from __future__ import annotations

import numpy as np

import grace_plugin as gp

D = 6


def driven(pushes: np.ndarray) -> np.ndarray:
    """[T, D]: every variable remembers itself, and x0 moves x1 two rows later."""
    x = pushes.copy()
    for t in range(2, len(x)):
        x[t] += 0.4 * x[t - 1]
        x[t, 1] += 0.5 * x[t - 2, 0]
    return x


def false_edges(found: gp.Refinement) -> int:
    """How many there are beside the true ones, none of which may be missing."""
    truth = np.zeros(found.graph.shape, dtype=bool)
    truth[range(D), range(D), 1] = truth[0, 1, 2] = True
    assert found.graph[truth].all()
    return int((found.graph & ~truth).sum())
