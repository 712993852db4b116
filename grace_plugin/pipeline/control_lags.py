"""Lags beyond those that were asked for, as controls: looked at, never reported.

An effect from before `max_lag` reaches the effect's later past through the cause's own memory. Without
that lag among the candidates its nearest stand-in looks like a true edge, and no test can tell.
Refining hosts' graphs of lags up to 2 where effects reach back 4 steps, F1 rises from .61 to .91 (linear),
from .76 to .96 (bent) and from .74 to .99 (the paper's generator); graphs of all lags stay as they are.
"""

from __future__ import annotations

import numpy as np

from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.series.panel import Panel
from grace_plugin.skeletons import Source, get_skeleton

_ROWS_PER_LAG = 20


def looked_at(panel: Panel, max_lag: int, control_lag: int) -> int:
    """The largest lag to look at: at least `max_lag`, and `control_lag` where rows suffice.

    A graph without lags speaks of rows whose past nobody asks for.
    """
    if max_lag == 0:
        return 0
    if panel.stream is None:
        longest = max((len(one.values) for one in panel.series), default=0)
        control_lag = min(control_lag, longest // _ROWS_PER_LAG)
    return max(max_lag, control_lag)


def with_controls(skeleton: Skeleton, search: Source) -> Skeleton:
    """The candidates, and those of later lags that a search through all lags finds."""
    beyond = search.max_lag - skeleton.max_lag
    if beyond <= 0:
        return skeleton
    room = ((0, 0), (0, 0), (0, beyond))
    mask = np.pad(skeleton.mask, room)
    mask[:, :, -beyond:] = get_skeleton("basis")(search).mask[:, :, -beyond:]
    scores = None if skeleton.scores is None else np.pad(skeleton.scores, room)
    required = None if skeleton.required is None else np.pad(skeleton.required, room)
    return Skeleton(mask, skeleton.names if skeleton.named else None, scores, required)


def cut_skeleton(skeleton: Skeleton, max_lag: int) -> Skeleton:
    """The candidates of lags up to `max_lag`."""
    if skeleton.max_lag == max_lag:
        return skeleton
    lags = slice(max_lag + 1)
    return Skeleton(
        skeleton.mask[:, :, lags],
        skeleton.names if skeleton.named else None,
        None if skeleton.scores is None else skeleton.scores[:, :, lags],
        None if skeleton.required is None else skeleton.required[:, :, lags],
    )
