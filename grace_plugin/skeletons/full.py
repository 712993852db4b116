"""Every candidate: the refiner alone decides. For few variables, or as a reference."""

from __future__ import annotations

import numpy as np

from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.skeletons.source import Source


def full_skeleton(source: Source) -> Skeleton:
    """All edges of lag 1 and more."""
    d = source.n_variables
    mask = np.ones((d, d, source.max_lag + 1), dtype=np.bool_)
    mask[:, :, 0] = False
    return source.skeleton(mask)
