"""The F-test of nested regressions.

With RSS_0 unexplained without q more features, RSS_1 with them, and m degrees of freedom left,
F = ((RSS_0 - RSS_1) / q) / (RSS_1 / m) follows F(q, m) where the q features add nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import FloatArray, IntArray


def f_test(rss_without: FloatArray, rss: FloatArray, dof: IntArray, dof_left: IntArray) -> FloatArray:
    """p-values of `dof` more features; 1 where no degree of freedom is left to tell.

    Args:
        rss_without: residual sum of squares (or variance) without the features.
        rss: the same with them.
        dof: how many features they are.
        dof_left: degrees of freedom of the residuals of the larger model.
    """
    usable = (dof_left > 0) & (dof > 0)
    dof_left = np.where(usable, dof_left, 1)
    dof = np.where(usable, dof, 1)
    ratio = np.maximum(rss_without - rss, 0.0) / dof / (rss / dof_left)
    return np.where(usable, fdtrc(dof, dof_left, ratio), 1.0)
