"""What was done to the data, and what lagged causes leave of them within one step."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from grace_plugin.graph.shown import ActedRule
from grace_plugin.show.report.figures import NO_MATPLOTLIB, embedded
from grace_plugin.show.report.subject import Subject
from grace_plugin.show.rules import draw_rule, rule_size
from grace_plugin.show.step_pairs import draw_step_pairs, step_size
from grace_plugin.show.style import sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOT_KEPT = (
    "<p class=soft>What was done to the data is not drawn: that needs rows that stay in memory, and a result "
    "that was not read from a file. The sentences at the top say what it was.</p>"
)


def rules(subject: Subject) -> str:
    """A sentence and a picture for each rule of `prepare` that acted; nothing where none did."""
    acted = subject.result.outcome.details.acted
    if acted is None:
        return _NOT_KEPT if subject.result.outcome.details.notes else ""
    return "".join(_rule(one) for one in acted)


def _rule(acted: ActedRule) -> str:
    shown = len(acted.series)
    some = f" Drawn: the {shown} with most to do of {acted.count}." if shown < acted.count else ""
    words = ", ".join(one.name for one in acted.series)
    if not acted.series:
        return f"<p>{escape(acted.sentence)}</p>"
    image = _image(rule_size(acted), lambda figure: draw_rule(acted, figure), f"{acted.rule}: {words}")
    return f"<p>{escape(acted.sentence)}{some}</p>{image}"


def within_step(subject: Subject) -> str:
    """The correlations of residuals at lag 0, where they were asked."""
    pairs = subject.result.outcome.details.step
    if pairs is None:
        return ""
    verb = "pair stands" if pairs.pairs == 1 else "pairs stand"
    told = f"{pairs.pairs} {verb} out (framed)" if pairs.pairs else "No pair stands out"
    few = len(pairs.names) < pairs.variables
    some = f" Drawn: the {len(pairs.names)} most correlated of {pairs.variables} variables." if few else ""
    image = _image(
        step_size(pairs), lambda figure: draw_step_pairs(pairs, figure), "correlations of residuals at lag 0"
    )
    return (
        "<p>Correlations within one step of what lagged causes leave of the variables. "
        f"{told}: effects faster than the sampling, a hidden common cause or common noise would show "
        f"here.{some}</p>{image}"
    )


def _image(size: tuple[float, float], draw: Callable[[Figure], None], words: str) -> str:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return NO_MATPLOTLIB
    with sheet():
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        return embedded(figure, words)
