"""Lags beyond those that were asked for, as controls: looked at, never reported.

An effect from before `max_lag` reaches the effect's later past through the cause's own memory. Without
that lag among the candidates its nearest stand-in looks like a true edge, and no test can tell.
"""

from __future__ import annotations

from dataclasses import replace

from grace_plugin._common.config import RefineConfig
from grace_plugin.graph.knowledge import kept_edges
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.panel import Panel

_ROWS_PER_LAG = 20


def looked_at(panel: Panel, max_lag: int, control_lag: int) -> int:
    """The largest lag to look at: at least `max_lag`, and `control_lag` where rows suffice."""
    if panel.stream is None:
        longest = max((len(one.values) for one in panel.series), default=0)
        control_lag = min(control_lag, longest // _ROWS_PER_LAG)
    return max(max_lag, control_lag)


def cut(refinement: Refinement, max_lag: int) -> Refinement:
    """The same result as if lags beyond `max_lag` had not been looked at."""
    if refinement.skeleton.max_lag == max_lag:
        return refinement
    skeleton = cut_skeleton(refinement.skeleton, max_lag)
    outcome = _cut_outcome(refinement.outcome, max_lag)
    pruned = Skeleton(outcome.graph, skeleton.names if skeleton.named else None, skeleton.scores)
    return replace(refinement, native=pruned, skeleton=skeleton, outcome=outcome)


def cut_skeleton(skeleton: Skeleton, max_lag: int) -> Skeleton:
    """The candidates of lags up to `max_lag`."""
    lags = slice(max_lag + 1)
    return Skeleton(
        skeleton.mask[:, :, lags],
        skeleton.names if skeleton.named else None,
        None if skeleton.scores is None else skeleton.scores[:, :, lags],
        None if skeleton.required is None else skeleton.required[:, :, lags],
    )


def check_kept(found: Skeleton, max_lag: int, config: RefineConfig) -> None:
    """Refuse `keep` edges beyond the lags that were asked for, with the usual message."""
    everything = cut_skeleton(found, max_lag)
    mask = everything.mask | True
    mask[range(len(mask)), range(len(mask)), 0] = False
    kept_edges(config, Skeleton(mask, found.names))


def _cut_outcome(outcome: Outcome, max_lag: int) -> Outcome:
    lags = slice(max_lag + 1)
    details = dict(outcome.details)
    if isinstance(moments := details.get("moments"), Moments):
        details["moments"] = moments.with_max_lag(max_lag)
    return replace(
        outcome,
        gates=outcome.gates[:, :, lags],
        graph=outcome.graph[:, :, lags],
        gain=outcome.gain[:, :, lags],
        p_value=outcome.p_value[:, :, lags],
        reason=outcome.reason[:, :, lags],
        details=details,
    )
