"""Why an edge stayed or went: a sentence with its numbers, its rival, and the fitted curve."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import Variable
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.outcome import Reason
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.additive_fit import AdditiveFit, ResponseCurve
from grace_plugin.results.belief import Belief, belief_in
from grace_plugin.results.display import short_number
from grace_plugin.results.findings import Findings
from grace_plugin.results.surface import ResponseSurface, partner_of, surface_of
from grace_plugin.series.gaps import fill_gaps

if TYPE_CHECKING:
    from grace_plugin.series.forms import Data

Edge = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why one edge stayed or went; print it for the sentence.

    Args:
        cause: the name of the cause.
        effect: the name of the effect.
        lag: steps between the two.
        sentence: the reason with its numbers.
        kept: whether the edge stayed.
        reason: which part decided: "skeleton", "gate", "certificate", "keep", "host" or "small".
        gate: from 0 (closed) to 1 (open).
        gain: what the edge adds to all kept edges, in nats per sample.
        p_value: of the test of that gain.
        rival: for an edge that went, the kept edge into the same effect that took its place; for one that
            stayed, the pruned edge whose place it took; (cause, effect, lag) or None.
        rival_gain: the gain that the loser of the two would have without the winner.
        curve: the fitted response of the effect to the cause, or None.
        no_curve: why there is no curve.
        levels: the words of cause and effect, where they hold words.
        surface: of an edge that acts together with another, the answer to both; None where it acts alone.
        belief: what `likely=` says of the edge, and what it would be without that; None where nothing.
    """

    cause: str
    effect: str
    lag: int
    sentence: str
    kept: bool
    reason: str
    gate: float
    gain: float
    p_value: float
    rival: tuple[str, str, int] | None
    rival_gain: float | None
    curve: ResponseCurve | None
    no_curve: str = ""
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    belief: Belief | None = None
    surface: ResponseSurface | None = None

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Explanation: {self.sentence}>"

    def _repr_html_(self) -> str:
        return _html(self)


def _html(explanation: Explanation) -> str:
    """The sentence with its numbers, and the fitted curve as a small line."""
    numbers = {
        "verdict": "kept" if explanation.kept else "pruned",
        "decided by": explanation.reason,
        "gate": f"{explanation.gate:.2f}",
        "gain": short_number(explanation.gain),
        "p": short_number(explanation.p_value),
    }
    head = "".join(f"<th>{name}</th>" for name in numbers)
    body = "".join(f"<td>{escape(value)}</td>" for value in numbers.values())
    return (
        '<div style="max-width:46em;font-family:system-ui,sans-serif">'
        f'<p style="margin:.3em 0">{escape(explanation.sentence)}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"
        f"{_line(explanation)}</div>"
    )


def _line(explanation: Explanation) -> str:
    """The curve with its interval as SVG, from the lowest to the highest value of the cause."""
    curve = explanation.curve
    if curve is None:
        return ""
    top, height = float(curve.high.max()), max(float(curve.high.max() - curve.low.min()), 1e-300)
    across = np.linspace(4.0, 236.0, len(curve.effect))

    def points(values: FloatArray) -> list[str]:
        down = 4.0 + 92.0 * (top - values) / height
        return [f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True)]

    words = f"{explanation.effect} answers to {explanation.cause}, with its 95 % interval"
    line = " ".join(points(curve.effect))
    band = " ".join([*points(curve.low), *reversed(points(curve.high))])
    return (
        f'<svg width="240" height="100" role="img" aria-label="{escape(words)}">'
        f'<polygon points="{band}" fill="#0072B2" opacity="0.18"/>'
        f'<polyline points="{line}" fill="none" stroke="#0072B2" stroke-width="2"/></svg>'
    )


def explain(
    refinement: Findings, cause: Variable, effect: Variable, lag: int, data: Data | None = None
) -> Explanation:
    """See `Refinement.explain`."""
    if refinement.parts:
        msg = (
            f"This result holds several graphs; explain one of them with .parts[name].explain(...); "
            f"the names are {list(refinement.parts)}."
        )
        raise OptionError(msg)
    edge = _found(refinement, cause, effect, lag)
    levels = _levels(refinement, edge)
    belief = belief_in(refinement, edge)
    fit, no_fit = (None, "a variable of words has no curve.") if levels else _fit(refinement, data)
    rival, rival_gain = (None, None) if fit is None else _rival(refinement, fit, edge)
    outcome = refinement.outcome
    kept, reason = bool(outcome.graph[edge]), str(Reason(outcome.reason[edge]))
    named = None if rival is None else _named(refinement, rival)
    sample = outcome.details.sample
    values = None if sample is None or sample.shape[1] != len(refinement.names) else sample[:, edge[0]]
    curve = None if fit is None else fit.curve(_model(refinement, edge), edge, values)
    surface = None
    if fit is not None and curve is not None:
        surface = surface_of(refinement, fit, _model(refinement, edge), edge, curve)
    return Explanation(
        *_named(refinement, edge),
        sentence=_sentence(refinement, edge, named, rival_gain)
        + ("" if belief is None else f" {belief.sentence}")
        + _words(levels),
        kept=kept,
        reason=reason,
        gate=float(outcome.gates[edge]),
        gain=float(outcome.gain[edge]),
        p_value=float(outcome.p_value[edge]),
        rival=named,
        rival_gain=rival_gain,
        curve=curve,
        no_curve=no_fit,
        levels=levels,
        belief=belief,
        surface=surface,
    )


def _levels(refinement: Findings, edge: Edge) -> dict[str, tuple[str, ...]]:
    known = refinement.outcome.details.words
    names = (refinement.names[edge[0]], refinement.names[edge[1]])
    return {name: known[name] for name in names if name in known}


def _words(levels: Mapping[str, tuple[str, ...]]) -> str:
    return "".join(f" {name} is one of {', '.join(labels)}." for name, labels in levels.items())


def arrow(edge: tuple[str, str, int]) -> str:
    """An edge in words.

    >>> arrow(("rain", "river", 2))
    'rain -> river at lag 2'
    """
    return f"{edge[0]} -> {edge[1]} at lag {edge[2]}"


def _fit(refinement: Findings, data: Data | None) -> tuple[AdditiveFit | None, str]:
    moments = refinement.outcome.details.moments
    if data is not None:
        from grace_plugin.hosts.convert import matched, read_panel

        panel = read_panel(data, {})
        assert panel is not None
        _, panel = matched(refinement.skeleton, panel)
        if refinement.config.gaps == "fill":
            panel = fill_gaps(panel, refinement.skeleton.max_lag)
        moments = Moments.of(panel, refinement.skeleton.max_lag)
    if not isinstance(moments, Moments):
        how = "a result read from a file" if refinement.config.engine == "additive" else "this engine"
        return None, f"{how} keeps no moments of the data; pass them: explain(cause, effect, lag, data=...)."
    return AdditiveFit(moments), ""


def _rival(refinement: Findings, fit: AdditiveFit, edge: Edge) -> tuple[Edge | None, float | None]:
    """The edge whose presence makes the most of a difference to this one, and the loser's gain without it."""
    graph, others = refinement.graph, _model(refinement, edge)
    if graph[edge]:
        candidates = _into(refinement.skeleton.mask & ~graph, edge[1])
        without = [fit.gain(others, loser) for loser in candidates]
        present = [fit.gain([*others, edge], loser) for loser in candidates]
    else:
        candidates = [winner for winner in others if graph[winner]]
        without = [fit.gain([one for one in others if one != winner], edge) for winner in candidates]
        present = [fit.gain(others, edge)] * len(candidates)
    rises = np.subtract(without, present)
    # Features of pure noise gain half of this; less of a rise is no reason to speak of a rival.
    noticeable = len(fit.moments.basis) / fit.moments.rows
    if not rises.size or rises.max() < noticeable:
        return None, None
    best = int(rises.argmax())
    return candidates[best], float(without[best])


def _model(refinement: Findings, edge: Edge) -> list[Edge]:
    """The other edges that this one was judged beside: those that stayed into the same effect.

    An unoriented pair is judged beside what both of its ends keep.
    """
    cause, effect, lag = edge
    others = _into(refinement.graph, effect)
    if lag == 0 and refinement.skeleton.unoriented[cause, effect]:
        others += [(c, effect, one) for c, _, one in _into(refinement.graph, cause)]
    own = {edge, (effect, effect, 0)}
    return [other for other in dict.fromkeys(others) if other not in own]


def _into(graph: BoolArray, effect: int) -> list[Edge]:
    return [(int(cause), effect, int(lag)) for cause, lag in np.argwhere(graph[:, effect])]


def _sentence(
    refinement: Findings, edge: Edge, rival: tuple[str, str, int] | None, rival_gain: float | None
) -> str:
    words = arrow(_named(refinement, edge))
    if Reason(refinement.outcome.reason[edge]) is Reason.SKELETON:
        return f"{words} was never a candidate: the graph that was refined does not have it."
    share = _percent(-np.expm1(-2.0 * (rival_gain or 0.0)))
    if refinement.graph[edge]:
        first = f"{words} stayed{_kept_words(refinement, edge)} {_test_words(refinement, edge)}"
        first += _partner_words(refinement, edge)
        took = (
            ""
            if rival is None
            else f"; it took the place of {arrow(rival)}, which would otherwise explain {share}"
        )
    else:
        first = f"{words} went{_pruned_words(refinement, edge)} {_test_words(refinement, edge)}"
        took = (
            ""
            if rival is None
            else f"; {arrow(rival)} took its place, without which it would explain {share}"
        )
    return f"{first}{took}."


_WHY_KEPT = {
    Reason.KEEP: " because it is required",
    Reason.HOST: " by the host's word (the rows cannot decide, or it stands for a lag that is not reported)",
}


def _kept_words(refinement: Findings, edge: Edge) -> str:
    outcome, effect = refinement.outcome, refinement.names[edge[1]]
    why = _WHY_KEPT.get(Reason(outcome.reason[edge]), "")
    larger = _percent(np.expm1(2.0 * outcome.gain[edge]))
    return f"{why}: without it the unexplained variance of {effect} would be {larger} larger"


def _partner_words(refinement: Findings, edge: Edge) -> str:
    partner = partner_of(refinement, edge)
    if partner is None:
        return ""
    return f"; it acts together with {refinement.names[partner[0]]} at lag {partner[1]}"


def _pruned_words(refinement: Findings, edge: Edge) -> str:
    outcome, effect = refinement.outcome, refinement.names[edge[1]]
    by_gate = Reason(outcome.reason[edge]) is Reason.GATE
    gate = f" (its gate closed at {outcome.gates[edge]:.2g})" if by_gate else " (its gate was open)"
    gate = " (small beside the others)" if Reason(outcome.reason[edge]) is Reason.SMALL else gate
    share = _percent(-np.expm1(-2.0 * outcome.gain[edge]))
    return f"{gate}: beside the edges that stayed it would explain {share} of what they leave of {effect}"


def _test_words(refinement: Findings, edge: Edge) -> str:
    gain, p_value, alpha = refinement.outcome.gain[edge], refinement.outcome.p_value[edge], refinement.alpha
    level = "below" if p_value <= alpha else "above"
    decision = refinement.outcome.details.levels
    together = "; lags of one pair count together" if decision is not None and decision.lags_together else ""
    return f"(gain {gain:.3g} nats per sample; p = {p_value:.2g}, {level} the level {alpha:.2g}{together})"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def _named(refinement: Findings, edge: Edge) -> tuple[str, str, int]:
    return refinement.names[edge[0]], refinement.names[edge[1]], edge[2]


def _found(refinement: Findings, cause: Variable, effect: Variable, lag: int) -> Edge:
    names, largest = refinement.names, refinement.skeleton.max_lag
    if isinstance(lag, bool) or not isinstance(lag, (int, np.integer)) or abs(int(lag)) > largest:
        msg = f"lag={lag!r}; give a whole number from 0 to {largest}."
        raise OptionError(msg)
    return _index(names, cause), _index(names, effect), abs(int(lag))


def _index(names: tuple[str, ...], which: Variable) -> int:
    if isinstance(which, (int, np.integer)) and not isinstance(which, bool) and 0 <= which < len(names):
        return int(which)
    if str(which) in names:
        return names.index(str(which))
    close = difflib.get_close_matches(str(which), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    msg = f"There is no variable {which!r}; give a name or a position from 0 to {len(names) - 1}.{hint}"
    raise OptionError(msg)
