"""How far back the data ask one to look, for `max_lag="auto"`."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.config import RefineConfig
from grace_plugin.engines.additive.engine import AdditiveEngine
from grace_plugin.series.panel import Panel
from grace_plugin.skeletons import Source, get_skeleton

_AUTO_LAGS = (10, 20, 40)  # searched one after the other, while the last lag is still needed
_AUTO_CAUTION = 0.01  # expected false edges that "auto" could take for the largest lag
_ROWS_PER_LAG = 20


def with_needed_lags(panel: Panel, basis: tuple[str, ...], config: RefineConfig) -> Source:
    """The data with the largest lag that they need, and moments without another reading."""
    panel = panel.loaded()
    longest = max(len(one.values) for one in panel.series) // _ROWS_PER_LAG
    needed = 1
    for most in _AUTO_LAGS:
        source = Source(panel, max(1, min(most, longest)), basis, config.progress)
        found = get_skeleton("basis")(source)
        cautious = RefineConfig(
            alpha=_AUTO_CAUTION / (source.n_variables**2 * source.max_lag),
            progress=config.progress,
        )
        graph = AdditiveEngine().refine_moments(found, source.moments, cautious).graph
        needed = max(1, int(np.flatnonzero(graph.any(axis=(0, 1))).max(initial=0)))
        if needed < source.max_lag or source.max_lag == longest:
            break
    return source.with_moments(source.moments.with_max_lag(needed))
