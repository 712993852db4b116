"""Values without their trends, steps and cycles: their columns, what they leave, where they are taken out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.prepare.own_past import robust_spread
from grace_plugin.prepare.persistence import Memory
from grace_plugin.prepare.seasons import better_without
from grace_plugin.prepare.terms import Term

# Of a variable's variance in its terms: seasons that lags stand in for are more, lines of chaos and steps of
# heavy noise, which are none, mostly less.
MUCH = 1 / 3
_NOTHING_ELSE = 1e-4  # less is left of a clock or a calendar: whoever gives one as a variable wants it


def stacked(terms: Sequence[Sequence[Term]], lengths: Sequence[int]) -> FloatArray | None:
    """The columns of every series' terms: each is zero in the other series."""
    blocks = [
        (place, np.concatenate([term.columns(rows) for term in some], axis=1))
        for place, (some, rows) in enumerate(zip(terms, lengths, strict=True))
        if some
    ]
    if not blocks:
        return None
    starts = np.concatenate([[0], np.cumsum(lengths)])
    table = np.zeros((starts[-1], sum(block.shape[1] for _, block in blocks)))
    column = 0
    for place, block in blocks:
        table[starts[place] : starts[place + 1], column : column + block.shape[1]] = block
        column += block.shape[1]
    return table


def without(parts: list[FloatArray], controls: Sequence[FloatArray | None]) -> list[FloatArray]:
    """The values with every variable's terms taken out: a step by itself is no long memory."""
    left = [values.copy() for values in parts]
    ends = np.cumsum([0, *map(len, parts)])
    for effect, table in enumerate(controls):
        if table is None:
            continue
        for values, start, stop in zip(left, ends, ends[1:], strict=False):
            inputs = np.column_stack([np.ones(stop - start), table[start:stop]])
            there = np.isfinite(values[:, effect])
            weights = np.linalg.lstsq(inputs[there], values[there, effect], rcond=None)[0]
            values[:, effect] -= inputs @ weights
    return left


def take_out(
    whole: list[FloatArray],
    controls: Sequence[FloatArray | None],
    memory: Memory | None,
) -> BoolArray:
    """Take terms out of the values, in place, where they are much of a variable; [d]: of which.

    Events, most of whose values are one, keep them: what is left would be no events.
    """
    after, there = without(whole, controls), np.flatnonzero([one is not None for one in controls])
    before = np.concatenate(whole)[:, there]
    size, rest = np.nanvar(before, axis=0), np.nanvar(np.concatenate(after)[:, there], axis=0)
    taken = (rest < (1.0 - MUCH) * size) & (rest > _NOTHING_ELSE * size) & (robust_spread(before)[1] > 0.0)
    much = np.zeros(len(controls), dtype=np.bool_)
    much[there] = taken
    if memory is not None:
        much &= ~memory.is_long
    together = np.concatenate(whole)
    if not much.any() or not better_without(
        together, np.where(much, np.concatenate(after), together), controls
    ):
        return np.zeros_like(much)
    for values, left in zip(whole, after, strict=True):
        values[:, much] = left[:, much] + np.nanmean(values[:, much], axis=0)
    return much
