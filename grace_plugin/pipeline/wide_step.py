"""What is asked of effects within one step where variables are so many that they are not looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray, Single
from grace_plugin.graph.shown import StepPairs
from grace_plugin.lag0.ask_many import ask_many, pairs_among
from grace_plugin.pipeline.wide_knowledge import WideKnowledge
from grace_plugin.pipeline.within_step import MOST_SHOWN, StepLook


def look_among_many(
    left: Mapping[int, Single], known: WideKnowledge, names: tuple[str, ...]
) -> StepLook | None:
    """Whether what causes leave of the effects [n] moves together; None where there is no pair of them."""
    if len(left) < 2:
        return None
    effects = np.array(sorted(left), dtype=np.int64)
    residuals = np.stack([left[effect] for effect in effects.tolist()])
    barred = _barred(known, effects)
    found = ask_many(residuals, barred)
    some = np.sort(np.argsort(-found.size, kind="stable")[:MOST_SHOWN])
    correlation, standing = pairs_among(residuals, some, barred)
    chosen, pairs = tuple(names[effect] for effect in effects[some]), found.question.pairs
    shown = StepPairs(chosen, correlation, standing, pairs, len(effects))
    one, other = (int(effects[place]) for place in found.question.strongest)
    return StepLook(replace(found.question, strongest=(one, other)), shown, None, many=True)


def _barred(known: WideKnowledge, effects: IntArray) -> BoolArray | None:
    """[e, e]: pairs that a user rules out both ways within the step."""
    if known.forbidden is None:
        return None
    never = known.forbidden[:, :, 0]
    return (never & never.T)[np.ix_(effects, effects)]
