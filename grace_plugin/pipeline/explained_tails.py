"""A tail that its causes explain is no tail: values far out that follow from a few others stay as they are.

Preparing sees a variable beside its own past alone. Squares and products of causes make values far out there
that the causes explain; clipping those throws away what tells of them. So where preparing clips, the values
as they came are searched once: a variable of which the strong cells explain nearly everything, and leave no
residuals far out, is given back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grace_plugin.moments.sums import Moments
from grace_plugin.prepare.note import Note
from grace_plugin.prepare.own_past import robust_spread
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.regression.evidence import SearchSpace, search
from grace_plugin.regression.judge import STRONG, strong_cells
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.row_model import RowModel, RowRules
from grace_plugin.series.panel import Panel

_EXPLAINED = 0.85  # share of the variance; the paper's generator .90 to .99, noise with tails below .80
_MOST_CAUSES = 8
_FAR_OUT, _SHARE = 6.0, 0.002  # as where tails are looked for: robust deviations, and rows that may lie there
_LEAST_ROWS = 100


def with_explained_tails(
    prepared: Prepared, raw: Panel, max_lag: int, basis: tuple[str, ...], names: Sequence[str] | None
) -> Prepared:
    """The same with the values as they came of variables whose tails are explained."""
    clipped = sorted({v for note in prepared.notes if note.rule == "tails" for v in note.variables})
    if not clipped or sum(len(one.values) for one in raw.series) < _LEAST_ROWS:
        return prepared
    moments = Moments.of(raw, max_lag, basis)
    rows = LaggedRows.of(raw, max_lag, moments.center, moments.scale)
    found = search(moments, SearchSpace(effects=np.array(clipped)))
    freed = []
    for effect in clipped:
        cells = strong_cells(found, effect, STRONG, _MOST_CAUSES + 1)
        if 0 < len(cells) <= _MOST_CAUSES and _is_explained(RowModel(rows, effect, cells, basis, RowRules())):
            freed.append(effect)
    return _given_back(prepared, raw, freed, names) if freed else prepared


def _is_explained(model: RowModel) -> bool:
    residual = model.residual(np.ones(len(model.cells), dtype=np.bool_))
    center, width = robust_spread(residual[:, None])
    far = int((np.abs(residual - center[0]) > _FAR_OUT * width[0]).sum())
    left = float(residual.var() / max(model.target.var(), 1e-300))
    return far < 1.0 + _SHARE * len(residual) and left <= 1.0 - _EXPLAINED


def _given_back(prepared: Prepared, raw: Panel, freed: list[int], names: Sequence[str] | None) -> Prepared:
    series = []
    for one, before in zip(prepared.panel.series, raw.series, strict=True):
        values = np.array(one.values, dtype=np.float64)
        values[:, freed] = np.asarray(before.values, dtype=np.float64)[:, freed]
        series.append(replace(one, values=values))
    notes = tuple(note for one in prepared.notes if (note := _without(one, freed, names)) is not None)
    return replace(prepared, panel=replace(prepared.panel, series=tuple(series)), notes=notes)


def _without(note: Note, freed: list[int], names: Sequence[str] | None) -> Note | None:
    """What is left to tell of the tails."""
    if note.rule != "tails":
        return note
    left = tuple(v for v in note.variables if v not in freed)
    if not left:
        return None
    words = note.sentence.partition(":")[0]
    told = ", ".join(names[v] if names is not None else f"x{v}" for v in left)
    return replace(note, variables=left, sentence=f"{words}: {told}.")
