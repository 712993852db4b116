"""What the rules did, as stretches of a few variables that can be drawn: those with most to do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.graph.shown import ActedRule, ShownSeries
from grace_plugin.prepare.counts import rooted
from grace_plugin.prepare.note import Note
from grace_plugin.prepare.own_past import usable
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.prepare.terms import KINDS, Term
from grace_plugin.series.panel import Panel

_MOST_SHOWN = 4  # variables a rule: more say nothing new
_MOST_TRIED = 50  # variables a rule, to find the strongest of them
_MOST_ROWS = 2000  # of a variable: a page has no more dots across
_COUNTS = 200  # rows of counts, which jump up and down
_CYCLES = 12  # that are drawn of a cycle: more are a black band

Stretch = tuple[IntArray, FloatArray, FloatArray, float]  # rows, values, taken, strength


def acted_rules(raw: Panel, prepared: Prepared) -> tuple[ActedRule, ...] | None:
    """Every rule that acted, with the variables to draw; None of rows that are read only once."""
    if raw.stream is not None:
        return None
    counts = {place for note in prepared.notes if note.rule == "counts" for place in note.variables}
    return tuple(_acted(note, raw, prepared, counts) for note in prepared.notes)


def _acted(note: Note, raw: Panel, prepared: Prepared, counts: set[int]) -> ActedRule:
    found = [
        _strongest(note.rule, place, raw, prepared, place in counts) for place in note.variables[:_MOST_TRIED]
    ]
    found.sort(key=lambda one: -one.strength)
    return ActedRule(note.rule, note.sentence, len(note.variables), tuple(found[:_MOST_SHOWN]))


def _strongest(rule: str, place: int, raw: Panel, prepared: Prepared, counted: bool) -> ShownSeries:
    """The variable in that of all series in which there is most to see."""
    stretches = []
    for number, (one, after) in enumerate(zip(raw.series, prepared.panel.series, strict=True)):
        values = usable(one.values[:, [place]])[:, 0]
        taken = usable(after.values[:, [place]])[:, 0]
        if rule in KINDS:
            stretches.append(_beside_terms(rule, values, prepared.terms[place][number]))
        else:
            values = rooted(values) if rule == "tails" and counted else values
            stretches.append(_OF_VALUES[rule](values, taken))
    rows, values, taken, strength = max(stretches, key=lambda stretch: stretch[3])
    name = raw.names[place] if raw.names is not None else f"x{place}"
    return ShownSeries(name, rows, values, taken, strength)


def _clipped(values: FloatArray, taken: FloatArray) -> Stretch:
    """About the value that was drawn in farthest; strength in standard deviations of what is left."""
    away = np.nan_to_num(np.abs(values - taken))
    rows = _about(int(away.argmax()), len(values))
    return rows, values[rows], taken[rows], float(away.max() / max(float(np.nanstd(taken)), 1e-300))


def _rooted(values: FloatArray, taken: FloatArray) -> Stretch:
    """The first rows; strength is how far roots are from a straight line of the counts."""
    rows = np.arange(min(_COUNTS, len(values)))
    there = np.isfinite(values) & np.isfinite(taken)
    if there.sum() < 2 or np.ptp(values[there]) == 0.0:
        return rows, values[rows], taken[rows], -1.0
    straight = float(np.corrcoef(values[there], taken[there])[0, 1])
    return rows, values[rows], taken[rows], 1.0 - straight * straight


def _remembered(values: FloatArray, _: FloatArray) -> Stretch:
    """The first rows; strength is the correlation of each value with the last."""
    rows = _about(0, len(values))
    there = np.isfinite(values[1:]) & np.isfinite(values[:-1])
    now, last = values[1:][there], values[:-1][there]
    moves = len(now) > 2 and np.ptp(now) > 0.0 and np.ptp(last) > 0.0
    return rows, values[rows], values[rows], float(np.corrcoef(now, last)[0, 1]) if moves else -1.0


_OF_VALUES: dict[str, Callable[[FloatArray, FloatArray], Stretch]] = {
    "counts": _rooted,
    "tails": _clipped,
    "persistence": _remembered,
}


def _beside_terms(kind: str, values: FloatArray, terms: tuple[Term, ...]) -> Stretch:
    """All terms of the variable by least squares; strength is the share of variance in those of `kind`."""
    mine = [term for term in terms if term.kind == kind]
    if not mine:
        return np.zeros(0, dtype=np.int64), values[:0], values[:0], -1.0
    inputs, owners = _inputs(terms, len(values))
    there = np.flatnonzero(np.isfinite(values))
    if len(there) > _MOST_ROWS:  # by chance: every so many rows would meet a cycle at the same place
        there = np.sort(np.random.default_rng(0).choice(there, _MOST_ROWS, replace=False))
    weights = np.linalg.lstsq(inputs[there], values[there], rcond=None)[0]
    chosen = np.array([owner == kind for owner in owners])
    part = inputs[there][:, chosen] @ weights[chosen]
    share = float(part.var() / max(float(values[there].var()), 1e-300))
    rows = _rows_of(kind, mine, len(values))
    return rows, values[rows], inputs[rows] @ weights, share


def _inputs(terms: tuple[Term, ...], rows: int) -> tuple[FloatArray, list[str]]:
    """[rows, m] a constant and the columns of all terms, and the kind of each."""
    blocks = [term.columns(rows) for term in terms]
    kinds = [term.kind for term, block in zip(terms, blocks, strict=True) for _ in range(block.shape[1])]
    return np.column_stack([np.ones(rows), *blocks]), ["constant", *kinds]


def _rows_of(kind: str, terms: list[Term], length: int) -> IntArray:
    """All rows, thinned out evenly; of cycles the first few."""
    end = length
    if kind == "cycles":
        end = min(length, int(np.ceil(_CYCLES / min(term.place for term in terms))) + 1)
    return np.unique(np.linspace(0, end - 1, min(end, _MOST_ROWS)).round().astype(np.int64))


def _about(row: int, length: int) -> IntArray:
    """As many rows as are drawn, with `row` among them."""
    start = max(0, min(row - _MOST_ROWS // 2, length - _MOST_ROWS))
    return np.arange(start, min(start + _MOST_ROWS, length))
