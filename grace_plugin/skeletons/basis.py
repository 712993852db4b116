"""Forward selection on group F-tests of nonlinear features: nonlinear candidates at linear cost.

The features of a candidate enter together, tested linearly and as a whole. Of the Gram matrix only
the rows of candidates that enter are ever used, so the memory for an effect is a few vectors.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.checks import number, whole
from grace_plugin._common.progress import progress_bar
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.regression.evidence import BLOCK_NUMBERS, USUAL_PARENTS
from grace_plugin.regression.forward import Candidates, Selection, select_forward
from grace_plugin.regression.regressions import NONLINEAR_ROWS
from grace_plugin.skeletons.source import Source


def basis_skeleton(source: Source, *, entry: float = 1e-3, max_parents: int | None = None) -> Skeleton:
    """Candidates that enter a stepwise regression of each effect.

    Args:
        source: the data.
        entry: a candidate enters while its p-value is below.
        max_parents: at most so many per effect; by default as many as a fifth of the rows can carry.
    """
    number("entry", entry, 0.0, 1.0)
    most_given = None if max_parents is None else whole("max_parents", max_parents, 1)
    moments = source.moments
    if moments.rows < NONLINEAR_ROWS:
        moments = moments.linear()
    width = len(moments.basis)
    most = max(1, moments.rows // (5 * width)) if most_given is None else most_given
    begun = source.forward if most_given is None and moments is source.moments else None
    if begun is not None and begun.entry >= entry:
        return source.skeleton(*_tensors(begun.candidates, begun.selection.until(entry)))
    candidates = Candidates(moments, 1)
    mask, scores = _select(candidates, entry, most, source.progress, source.effects)
    return source.skeleton(mask, scores)


def _tensors(candidates: Candidates, found: Selection) -> tuple[BoolArray, FloatArray]:
    """[cause, effect, lag]: whether each candidate entered, and its gain."""
    d = candidates.n_variables
    mask = np.zeros((d, d, candidates.first_lag + candidates.count // d), dtype=np.bool_)
    gain = np.zeros(mask.shape)
    cause, lag = candidates.place(found.candidate)
    mask[cause, found.effect, lag], gain[cause, found.effect, lag] = True, found.gain
    return mask, gain


def _select(
    candidates: Candidates,
    entry: float,
    most: int,
    progress: bool | None,
    explained: IntArray | None = None,
) -> tuple[BoolArray, FloatArray]:
    """Block after block of effects: whether each candidate entered, and its gain."""
    d, width = candidates.n_variables, candidates.width
    mask, gain = _tensors(candidates, Selection.of_nothing())
    per_effect = candidates.count * width * width * min(most, USUAL_PARENTS)
    asked = np.arange(d) if explained is None else explained
    size = max(1, min(len(asked), BLOCK_NUMBERS // per_effect))
    starts = range(0, len(asked), size)
    with progress_bar(len(starts), "candidates", progress) as tick:
        for start in starts:
            effects = asked[start : start + size]
            entered, gained = _tensors(candidates, select_forward(candidates, effects, entry, most))
            mask[:, effects], gain[:, effects] = entered[:, effects], gained[:, effects]
            tick()
    return mask, gain
