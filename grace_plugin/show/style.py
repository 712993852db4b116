"""Colours, axes and words that all pictures share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import GraceError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Picture: TypeAlias = tuple[Figure, Any]  # one axes or several, as of matplotlib's own subplots()

# Told apart with every kind of colour vision (Okabe and Ito).
BLUE = "#0072B2"
RED = "#D55E00"
GREY = "#8a8f98"
PALE = "#d5d9e0"
INK = "#20242c"
PAPER = "#f4f6f9"

MOST_IN_NETWORK = 15  # more variables than that are a hairball: a matrix is drawn instead


SHEET = str(files("grace_plugin.show") / "templates" / "grace.mplstyle")


@contextmanager
def sheet() -> Iterator[None]:
    """Pictures get the style of this library; all else stays as the user has it."""
    pyplot()  # says how to get it
    import matplotlib as mpl

    with mpl.rc_context(rc=mpl.rc_params_from_file(SHEET, use_default_template=False)):
        yield
        interactive = mpl.is_interactive()
    # A notebook settles this with its first figure: put back, it would show no second one.
    mpl.interactive(interactive)


def pyplot() -> ModuleType:
    """matplotlib.pyplot, or one sentence on how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = "Pictures need matplotlib, which is not installed; run: pip install 'grace-plugin[plot]'."
        raise GraceError(msg) from error
    return plt


def axes_for(ax: Axes | None, size: tuple[float, float]) -> tuple[Figure, Axes]:
    """The given axes with their figure, or new ones."""
    if ax is not None:
        figure: Any = ax.figure
        return figure, ax
    made: tuple[Figure, Axes] = pyplot().subplots(figsize=size, layout="constrained")
    return made


def headed(axes: Axes, words: str) -> None:
    """A title above everything that is written in the axes, names beside their nodes included."""
    top = axes.get_window_extent().y1
    tops = [text.get_window_extent().y1 for text in axes.texts if text.get_text()]
    reach = max(0.0, max(tops, default=top) - top) * 72.0 / axes.figure.dpi
    pad = 6.0 + 1.15 * reach  # letters are wider at few dots per inch
    axes.set_title(words, fontsize=10, pad=pad)


def lag_words(lags: Iterable[int]) -> str:
    """Lags as people write them.

    >>> lag_words([1, 2, 3, 5])
    '1-3, 5'
    """
    ordered = sorted(int(lag) for lag in lags)
    runs: list[list[int]] = []
    for lag in ordered:
        if runs and lag == runs[-1][-1] + 1:
            runs[-1].append(lag)
        else:
            runs.append([lag])
    return ", ".join(_run_words(run) for run in runs)


def _run_words(run: list[int]) -> str:
    if len(run) > 2:
        return f"{run[0]}-{run[-1]}"
    return ", ".join(map(str, run))


@dataclass(frozen=True)
class Link:
    """A pair of different variables with the lags of its edges; `open` where no direction is known."""

    cause: int
    effect: int
    lags: tuple[int, ...]
    open: bool = False


def links_of(graph: BoolArray) -> list[Link]:
    """Every pair that has an edge; an open pair at lag 0 is a link of its own, once."""
    now = graph[:, :, 0]
    both = now & now.T
    directed = graph.copy()
    directed[:, :, 0] &= ~both
    links = [
        Link(int(cause), int(effect), tuple(np.flatnonzero(directed[cause, effect]).tolist()))
        for cause, effect in np.argwhere(directed.any(axis=2))
        if cause != effect
    ]
    return links + [Link(int(one), int(other), (0,), True) for one, other in np.argwhere(np.triu(both, 1))]
