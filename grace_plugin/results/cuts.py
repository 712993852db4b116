"""Readings of one column: the evidence of every possible edge, cut here or there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import number
from grace_plugin._common.config import LEAST_ALPHA
from grace_plugin.decide.decision import Decision
from grace_plugin.decide.path import Path as Cuts
from grace_plugin.decide.path import least_effect
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.knowledge import unasked_edges
from grace_plugin.graph.outcome import EdgeRecords, Outcome, Reason, joined
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.results.findings import Findings

if TYPE_CHECKING:
    import pandas as pd

F = TypeVar("F", bound=Findings)

_TIE_BREAK = 1e-3  # of -ln p, so that certain edges keep their order


def levels_of(refinement: Findings) -> Decision:
    """What all cells tell; an error that says why where it is not known."""
    levels = refinement.outcome.details.levels
    if not isinstance(levels, Decision):
        msg = (
            "This result does not hold the evidence of every possible edge: it was read from a file, joins "
            'several graphs, or was made by alpha="level", penalty= or decide= of one\'s own, or by the '
            "neural engine. Run discover or analyze on the data with alpha='auto' or a number."
        )
        raise OptionError(msg)
    return levels


def scores(refinement: Findings) -> FloatArray:
    """[cause, effect, lag]: ln(1 + odds) of every cell, ties broken by its level; 0 is impossible."""
    levels = levels_of(refinement)
    chance = np.clip(levels.probability, 0.0, 1.0 - 1e-12)
    found = -np.log1p(-chance) - _TIE_BREAK * levels.log_p
    return np.where(levels.possible, found, 0.0)


def pair_table(refinement: Findings) -> pd.DataFrame:
    """One row per ordered pair of variables, over all of its lags, the likeliest first."""
    import pandas as pd

    levels, names = levels_of(refinement), np.array(refinement.names, dtype=object)
    cause, effect = np.nonzero(~np.eye(len(names), dtype=np.bool_))
    tried = np.maximum(levels.possible.sum(axis=2), 1)
    p_value = np.minimum(1.0, tried * np.exp(levels.log_p.min(axis=2)))
    chance = levels.probability.max(axis=2)
    table = pd.DataFrame(
        {
            "cause": names[cause],
            "effect": names[effect],
            "lag": levels.log_p.argmin(axis=2)[cause, effect],
            "score": scores(refinement).max(axis=2)[cause, effect],
            "p_value": p_value[cause, effect],
            "probability": chance[cause, effect],
            "kept": np.asarray(refinement.graph.any(axis=2))[cause, effect],
        }
    )
    table = table.sort_values("score", ascending=False, kind="stable", ignore_index=True)
    mean = (1.0 - table["probability"]).cumsum() / np.arange(1, len(table) + 1)
    table.insert(5, "q_value", mean)
    return table


def path_table(refinement: Findings) -> pd.DataFrame:
    """What every cut would keep, the strictest first."""
    import pandas as pd

    return pd.DataFrame(vars(Cuts.of(levels_of(refinement))))


def detectable(refinement: Findings) -> float:
    """The smallest standardised effect that these rows show at the level of the decision, one time in two."""
    return least_effect(refinement.alpha, refinement.outcome.rows_used)


def cut_at(refinement: F, alpha: float | None, fdr: float | None, probability: float | None) -> F:
    """The same result with another cut, without a new run."""
    wanted, level = _wanted(levels_of(refinement), alpha, fdr, probability)
    skeleton, outcome = refinement.skeleton, refinement.outcome
    if not outcome.details.searched:
        wanted = wanted & skeleton.mask[:, :, : wanted.shape[2]]
    mask = skeleton.mask.copy()
    mask[:, :, 1:] |= wanted[:, :, 1:]
    cut = _cut_outcome(outcome, wanted, level)
    grown = Skeleton(mask, skeleton.names if skeleton.named else None, skeleton.scores, skeleton.required)
    config = replace(refinement.config, alpha="auto" if alpha is None else alpha, fdr=fdr)
    return replace(refinement, native=_native(refinement, cut), skeleton=grown, outcome=cut, config=config)


def _wanted(
    levels: Decision, alpha: float | None, fdr: float | None, probability: float | None
) -> tuple[BoolArray, float]:
    given = {"alpha": alpha, "fdr": fdr, "probability": probability}
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        msg = f"at() takes one of alpha=, fdr= and probability=, not {sorted(named) or 'none of them'}."
        raise OptionError(msg)
    name, value = next(iter(named.items()))
    cut = number(name, value, 0.0, 1.0)
    if name == "alpha":
        return levels.at_level(max(cut, LEAST_ALPHA)), cut
    chosen = levels.at_rate(cut) if name == "fdr" else levels.likely(cut)
    return chosen, float(np.exp(levels.log_p[chosen].max(initial=-690.0)))


def _cut_outcome(outcome: Outcome, wanted: BoolArray, level: float) -> Outcome:
    """Lagged candidates by the new cut; required edges and open pairs within one step as they were."""
    records = _with_new(outcome, wanted)
    settled = (records.lag == 0) | (records.reason == int(Reason.KEEP))
    by_word = records.reason == int(Reason.HOST)  # of the cut that was left
    kept = np.where(settled, records.kept & ~by_word, wanted[records.cells])
    reason = np.where(by_word, np.int8(Reason.CERTIFICATE), records.reason)
    return replace(outcome, records=replace(records, kept=kept, reason=reason), alpha=level)


def _with_new(outcome: Outcome, wanted: BoolArray) -> EdgeRecords:
    """The records, and those of cells that were no candidates."""
    records, levels = outcome.records, outcome.details.levels
    assert levels is not None
    new = wanted.copy()
    new[records.cells] = False
    new[:, :, 0] = False
    if not new.any():
        return records
    cause, effect, lag = np.nonzero(new)
    nothing, unknown = np.zeros(len(cause)), np.full(len(cause), np.nan)
    further: dict[str, FloatArray] = dict.fromkeys(records.further, unknown)
    for name, column in (("probability", levels.probability), ("q_value", levels.q_value)):
        if name in further:
            further[name] = column[cause, effect, lag]
    more = EdgeRecords(
        cause,
        effect,
        lag,
        nothing,
        unknown,
        np.exp(levels.log_p[cause, effect, lag]),
        np.full(len(cause), int(Reason.CERTIFICATE), dtype=np.int8),
        np.ones(len(cause), dtype=np.bool_),
        further,
    )

    return joined(records, more)


def _native(refinement: Findings, outcome: Outcome) -> object:
    """The host's own kind of object at the new cut."""
    if not refinement.adapter:
        old = refinement.skeleton
        return Skeleton(outcome.graph, old.names if old.named else None, old.scores)
    from grace_plugin.hosts.convert import native_of, skeleton_of
    from grace_plugin.hosts.registry import get_adapter

    adapter, graph = get_adapter(refinement.adapter), outcome.graph
    if refinement.config.effects:
        graph = graph | unasked_edges(refinement.config, skeleton_of(adapter, refinement.source, {}))
    return native_of(adapter, refinement.source, graph, outcome, {})
