"""What the data ask for before anything is added up, in one order; each rule acts alone and tells.

    counts -> tails -> trends, steps, cycles -> persistence -> noise -> hidden

The first two change values. Trends, steps and cycles of an effect become columns beside which all of its
candidates are judged: subtracting every one of them instead would cost .010 on Gaussian worlds and ruin
persistent ones. Only where they are more than a third of a variable that does not remember long, and all
variables are foretold better without them (`seasons.py`), are they taken out of its values, too: products of
a season tell nothing of what acts (Lorenz-96 under seasons and trends, forcing 10 and 40, 500 rows: pairs F1
.66 to .98 and .07 to 1.00, six seeds; the worlds .9055 and .9058, tuning seeds).
The last three change nothing here: they say how long variables remember, whether p-values
of strong candidates believe the residuals, and whether all lagged values are held against every edge where
what is left of the variables moves together. Data that ask for nothing come back as they are, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.checks import shown
from grace_plugin.exceptions import OptionError
from grace_plugin.prepare.counts import are_counts, rooted
from grace_plugin.prepare.note import Note
from grace_plugin.prepare.own_past import OwnPast, own_past, usable
from grace_plugin.prepare.persistence import Memory, memory_of
from grace_plugin.prepare.shared_terms import shared_terms
from grace_plugin.prepare.steady_trends import steady_trends
from grace_plugin.prepare.tails import clipped, have_tails
from grace_plugin.prepare.terms import KINDS, Term, find_terms
from grace_plugin.prepare.without_terms import MUCH, stacked, take_out, without
from grace_plugin.series.panel import Panel, Series

RULES = ("counts", "tails", *KINDS, "persistence", "noise", "hidden")
_MOST_ROWS = 200_000  # of a series that is looked through for terms
_SHARED_NUMBERS = 1_000_000  # from which on workers share columns (about a second)
_MOST_NUMBERS = 50_000_000  # beyond it nothing is prepared: values are read in chunks there
_SHOWN = 6
_MOST = 2 / 3  # of the variables: seasons and trends are of all, what a slow cause looks like is of a few


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data as rules leave them, and what else rules ask for.

    Args:
        panel: the same panel with values changed where a rule asked for it.
        controls: per effect, [rows of all series one under the other, m] columns or None.
        memory: how long variables remember, where that is asked (`persistence`).
        believes_residuals: whether p-values of strong candidates are made robust to tails and changing noise.
        sees_hidden: whether edges are judged beside all lagged values where something seems to be left out.
        notes: what the rules did, in their order.
        terms: per effect and series, the trends, steps and cycles that `controls` are made of; empty: none.
    """

    panel: Panel
    controls: tuple[FloatArray | None, ...]
    memory: Memory | None
    believes_residuals: bool
    sees_hidden: bool = True
    notes: tuple[Note, ...] = ()
    terms: tuple[tuple[tuple[Term, ...], ...], ...] = ()

    @property
    def controlled(self) -> dict[int, FloatArray]:
        """Effect -> its columns, of those that have some."""
        return {effect: one for effect, one in enumerate(self.controls) if one is not None}

    def without_terms(self, panel: Panel) -> Panel:
        """The same rows without trends, steps and cycles where these are much of most variables.

        For looks at the rows that cannot be made beside them; evidence is never judged on these. What a few
        variables have may be their own slow past or a hidden cause: taken out of some it hides in the others.
        """
        if not self.controlled:
            return panel
        before = [usable(one.values) for one in panel.series]
        after = without(before, self.controls)
        whole, rest = np.concatenate(before), np.concatenate(after)
        much = np.nanvar(rest, axis=0) < (1.0 - MUCH) * np.nanvar(whole, axis=0)
        return _with_columns(panel, after, much) if much.mean() >= _MOST else panel


def prepare(panel: Panel, rules: str | Sequence[str] = "auto", n_jobs: int | None = 1) -> Prepared:
    """Apply `rules`: "auto" (all), "none", or some of them by name, always in the same order.

    `n_jobs` workers share the columns of large data, with the same result.

    >>> from grace_plugin.series.panel import as_panel
    >>> time = np.arange(300)
    >>> wave = np.sin(2 * np.pi * time / 12) + np.random.default_rng(0).normal(size=300)
    >>> print(prepare(as_panel(wave[:, None])).notes[0].sentence)
    Judged beside cycles: x0 (12.0 rows).
    """
    chosen = rule_names(rules)
    plain = Prepared(panel, (None,) * panel.n_variables, None, "noise" in chosen, "hidden" in chosen)
    numbers = sum(one.values.size for one in panel.series)
    if panel.stream is not None or numbers > _MOST_NUMBERS or not set(chosen) - {"noise", "hidden"}:
        return plain
    parts = [_seen(one) for one in panel.series]
    whole = [
        part if one.seen is None else usable(one.values)
        for part, one in zip(parts, panel.series, strict=True)
    ]
    notes: list[Note] = []
    changed, pasts = _transformed(parts, whole, chosen, panel, notes)
    terms = _found_terms(parts, chosen, panel, notes, n_jobs)
    controls = tuple(stacked(some, [len(values) for values in parts]) for some in terms)
    if any(one is not None for one in controls):
        parts = without(parts, controls)
        if "tails" in chosen:
            _draw_in(parts, whole, controls, changed, panel, notes)
        pasts = _anew(pasts, parts, np.flatnonzero([one is not None for one in controls]))
    memory = _memory(parts, pasts, chosen, panel, notes)
    if any(one is not None for one in controls):
        changed |= _taken_out(whole, controls, memory, panel, notes)
    values = _with_columns(panel, whole, changed) if changed.any() else panel
    return replace(plain, panel=values, controls=controls, memory=memory, notes=tuple(notes), terms=terms)


def _seen(one: Series) -> FloatArray:
    """The values that rules go by: what was filled in varies too little, and is NaN."""
    values = usable(one.values)
    if one.seen is not None:
        values[~one.seen] = np.nan
    return values


def rule_names(rules: str | Collection[str]) -> tuple[str, ...]:
    """The rules that `rules` means, in their order."""
    if isinstance(rules, str) and rules in ("auto", "none"):
        return RULES if rules == "auto" else ()
    listed = isinstance(rules, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(name, str) and name in RULES for name in rules):
        msg = f"prepare={shown(rules)}; give 'auto', 'none', or a list of rules out of {list(RULES)}."
        raise OptionError(msg)
    return tuple(name for name in RULES if name in rules)


def _transformed(
    parts: list[FloatArray],
    whole: list[FloatArray],
    chosen: Sequence[str],
    panel: Panel,
    notes: list[Note],
) -> tuple[BoolArray, list[OwnPast] | None]:
    """Change values in place, those seen and all; [d]: which columns were changed.

    And the autoregressions of what was looked through for tails, where they are those of the values still.
    """
    changed = np.zeros(panel.n_variables, dtype=np.bool_)
    pasts: list[OwnPast] = []

    def with_tails(parts: list[FloatArray]) -> BoolArray:
        pasts.extend(own_past(values) for values in parts)
        return have_tails(parts, pasts)

    steps: tuple[tuple[str, Callable[..., BoolArray], Callable[..., FloatArray], str], ...] = (
        ("counts", are_counts, lambda values, _: rooted(values), "Counts taken as their square roots"),
        ("tails", with_tails, clipped, "Clipped at 4 robust standard deviations, because of heavy tails"),
    )
    for rule, asks, act, words in steps:
        if rule not in chosen:
            continue
        found = asks(parts)
        if found.any():
            for values, every in zip(parts, whole, strict=True):
                seen = values[:, found]
                if every is not values:
                    every[:, found] = act(every[:, found], seen)
                values[:, found] = act(seen, seen)
            notes.append(Note(rule, _positions(found), f"{words}: {_listed(panel, _positions(found))}."))
            changed |= found
    return changed, None if changed.any() else pasts or None


def _found_terms(
    parts: list[FloatArray], chosen: Sequence[str], panel: Panel, notes: list[Note], n_jobs: int | None
) -> tuple[tuple[tuple[Term, ...], ...], ...]:
    """Per effect and series."""
    kinds = [kind for kind in KINDS if kind in chosen]
    by_series = [_with_steady(values, _terms(values, kinds, n_jobs), kinds) for values in parts]
    found = tuple(tuple(tuple(terms[effect]) for terms in by_series) for effect in range(panel.n_variables))
    for kind in kinds:
        told = {
            effect: _told([term for terms in found[effect] for term in terms if term.kind == kind])
            for effect in range(panel.n_variables)
            if any(term.kind == kind for terms in found[effect] for term in terms)
        }
        if told:
            words = [f"{_name(panel, effect)}{places}" for effect, places in list(told.items())[:_SHOWN]]
            more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
            notes.append(Note(kind, tuple(told), f"Judged beside {kind}: {', '.join(words)}{more}."))
    return found


def _terms(values: FloatArray, kinds: Sequence[str], n_jobs: int | None) -> list[list[Term]]:
    kinds = kinds if len(values) <= _MOST_ROWS else ()
    if n_jobs == 1 or not kinds or values.size < _SHARED_NUMBERS:
        return find_terms(values, kinds)
    return shared_terms(values, kinds, n_jobs)


def _with_steady(values: FloatArray, terms: list[list[Term]], kinds: Sequence[str]) -> list[list[Term]]:
    """Variables without terms once more: own past stands in for a smooth trend."""
    bare = np.array([not some for some in terms], dtype=np.bool_)
    if not {"trends", "cycles"} <= set(kinds) or not bare.any() or len(values) > _MOST_ROWS:
        return terms
    found = iter(steady_trends(values[:, bare]))
    return [next(found) if one else some for some, one in zip(terms, bare, strict=True)]


def _told(terms: Sequence[Term]) -> str:
    """Where: periods of cycles, rows of steps."""
    if terms[0].kind == "trends":
        return ""
    if terms[0].kind == "steps":
        return f" (from row {', '.join(str(int(term.place)) for term in terms[:3])})"
    return f" ({', '.join(f'{1.0 / term.place:.1f}' for term in terms[:3])} rows)"


def _taken_out(
    whole: list[FloatArray],
    controls: Sequence[FloatArray | None],
    memory: Memory | None,
    panel: Panel,
    notes: list[Note],
) -> BoolArray:
    """Take terms out of the values, in place, where they ask for it, and tell; [d]: of which."""
    much = take_out(whole, controls, memory)
    if much.any():
        last = max(place for place, note in enumerate(notes) if note.rule in KINDS)
        words = f"Taken out of values of which they are much: {_listed(panel, _positions(much))}."
        notes[last] = replace(notes[last], sentence=f"{notes[last].sentence} {words}")
    return much


def _draw_in(
    left: list[FloatArray],
    whole: list[FloatArray],
    controls: Sequence[FloatArray | None],
    changed: BoolArray,
    panel: Panel,
    notes: list[Note],
) -> None:
    """Clip, in place, tails that show only `left` of the terms: a season makes room for values far out."""
    beside = np.flatnonzero([one is not None for one in controls])
    tails = beside[have_tails([values[:, beside] for values in left])]
    if not len(tails):
        return
    for values, every in zip(left, whole, strict=True):
        cut = values[:, tails] - clipped(values[:, tails], values[:, tails])
        values[:, tails] -= cut
        every[:, tails] -= np.nan_to_num(cut)
    changed[tails] = True
    places = tuple(tails.tolist())
    words = "Clipped at 4 robust standard deviations beside their trends, steps and cycles"
    notes.append(Note("tails", places, f"{words}: {_listed(panel, places)}."))


def _anew(pasts: list[OwnPast] | None, parts: list[FloatArray], columns: IntArray) -> list[OwnPast] | None:
    """The autoregressions, those of some columns made again."""
    if pasts is None:
        return None
    found = []
    for past, values in zip(pasts, parts, strict=True):
        residual, weights, mine = past.residual.copy(), past.weights.copy(), own_past(values[:, columns])
        residual[:, columns], weights[columns] = mine.residual, mine.weights
        found.append(OwnPast(residual, weights))
    return found


def _memory(
    parts: list[FloatArray],
    pasts: list[OwnPast] | None,
    chosen: Sequence[str],
    panel: Panel,
    notes: list[Note],
) -> Memory | None:
    if "persistence" not in chosen:
        return None
    memory = memory_of(parts, pasts)
    found = memory.is_long
    if found.any():
        listed = _listed(panel, _positions(found))
        words = f"Long memories; edges between such variables must be clearer: {listed}."
        notes.append(Note("persistence", _positions(found), words))
    return memory


def _with_columns(panel: Panel, parts: list[FloatArray], changed: BoolArray) -> Panel:
    """The panel with some columns replaced; the others as they were."""
    series = []
    for one, values in zip(panel.series, parts, strict=True):
        kept = np.array(one.values, dtype=np.float64)
        kept[:, changed] = values[:, changed]
        series.append(replace(one, values=kept))
    return replace(panel, series=tuple(series))


def _positions(which: BoolArray) -> tuple[int, ...]:
    return tuple(int(place) for place in np.flatnonzero(which))


def _listed(panel: Panel, places: Sequence[int]) -> str:
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return ", ".join(_name(panel, place) for place in places[:_SHOWN]) + more


def _name(panel: Panel, place: int) -> str:
    return panel.names[place] if panel.names is not None else f"x{place}"
