"""Pictures inside the page."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING

from grace_plugin._common.config import Variable
from grace_plugin.show import plot
from grace_plugin.show.report.subject import Subject
from grace_plugin.show.scene import two_sizes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CURVES = 6
_SIZES = {"gates": (6.0, 3.5), "response": (5.0, 3.5)}  # inches
NO_MATPLOTLIB = "<p class=soft>Pictures need matplotlib: pip install 'grace-plugin[plot]'.</p>"


def before_and_after(subject: Subject) -> str:
    """The host's graph and what is left of it."""
    return picture(subject, "before_after", "the graph before and after")


def gates(subject: Subject) -> str:
    """The histogram of the gates."""
    return picture(subject, "gates", "histogram of the gates")


def curves(subject: Subject) -> str:
    """The response curves of the strongest kept edges, each with its sentence."""
    result = subject.result
    table = result.edges
    cross = table[table.kept & (table.cause != table.effect)].head(_CURVES)
    if result.parts or not len(cross):
        return "<p class=soft>There is no kept edge between different variables of one graph.</p>"
    first = cross.iloc[0]
    explained = result.explain(first.cause, first.effect, int(first.lag))
    if explained.curve is None:
        return f"<p class=soft>There are no curves: {escape(explained.no_curve)}</p>"
    items = []
    for row in cross.itertuples():
        edge = (row.cause, row.effect, int(row.lag))
        drawn = picture(subject, "response", "response curve", edge=edge)
        items.append(f"<div>{drawn}<p><small>{escape(str(result.explain(*edge)))}</small></p></div>")
    return f'<p>The {len(items)} strongest kept edges.</p><div class="curves">{"".join(items)}</div>'


def picture(
    subject: Subject, kind: str, words: str, edge: tuple[Variable, Variable, int] | None = None
) -> str:
    """One kind of `plot` as an image; `words` are for those who cannot see it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return NO_MATPLOTLIB
    two = kind == "before_after"
    size = two_sizes(len(subject.result.names)) if two else _SIZES[kind]
    figure = Figure(figsize=size, layout="constrained")  # not pyplot's: no window opens
    axes = figure.subplots(1, 2 if two else 1)
    plot(subject.result, kind, ax=axes, edge=edge)
    return embedded(figure, words)


def embedded(figure: Figure, words: str) -> str:
    """A figure as an image inside the page; `words` are for those who cannot see it."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110)
    code = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{code}">'
