"""One small refinement that the tests of what people see share."""

from functools import cache

import numpy as np
import pandas as pd

import grace_plugin as gp
from grace_plugin.results.refinement import Refinement

HOSTILE = "<script>document.title='owned'</script>"


@cache
def small_data() -> pd.DataFrame:
    """rain -> river at lag 1, river -> <script> at lag 2 by its square, tea alone."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 4))
    for t in range(2, len(x)):
        x[t, 1] += 0.8 * x[t - 1, 0]
        x[t, 2] += 0.7 * x[t - 2, 1] ** 2
    return pd.DataFrame(x, columns=["rain", "river", HOSTILE, "tea"])


@cache
def small_refinement() -> Refinement:
    mask = np.ones((4, 4, 3), dtype=bool)
    mask[:, :, 0] = False
    return gp.analyze(gp.Skeleton(mask, list(small_data().columns)), small_data())
