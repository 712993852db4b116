"""Graphs as pictures, whatever they come from: a refinement, windows that agree, or plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.exceptions import OptionError
from grace_plugin.show.matrix import draw_matrix, matrix_side
from grace_plugin.show.network import draw_network
from grace_plugin.show.strength import SIGNED, Strengths, draw_colour_bar
from grace_plugin.show.style import BLUE, GREY, MOST_IN_NETWORK, PALE, RED, headed, pyplot
from grace_plugin.show.unrolled import draw_unrolled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from grace_plugin.show.style import Picture

MOST_WITH_ALL = 30  # variables: more of them are shown only if they have an edge to show
STRONGEST = 60  # pairs that a network of many variables shows: more of them hide each other


@dataclass(frozen=True, eq=False)
class Scene:
    """What to draw, and how; arrays are [cause, effect, lag].

    Args:
        names: what to write for the variables.
        before: the candidates.
        after: the edges that are left.
        strengths: of the edges that are left.
        truth: the true edges, or None.
        positions: [variable, 2] or None.
        layout: of a network without positions.
        strongest: how many pairs a network shows.
        page: of a time-series graph of many variables.
        ax: where to draw; None makes a new figure.
        colorbar: whether to draw the scale of the colours.
    """

    names: tuple[str, ...]
    before: BoolArray
    after: BoolArray
    strengths: Strengths
    truth: BoolArray | None = None
    positions: FloatArray | None = None
    layout: str = "auto"
    strongest: int = STRONGEST
    page: int = 1
    ax: Axes | Sequence[Axes] | None = None
    colorbar: bool = True

    def draw(self, kind: str) -> Picture:
        """One of the kinds in `GRAPHS`."""
        figure, axes = GRAPHS[kind](self)
        if self.colorbar and self.truth is None and self.strengths.known and self.after.any():
            draw_colour_bar(figure, axes[-1] if kind == "before_after" else axes, self.strengths)
        _lift_titles(figure, axes if kind == "before_after" else [axes])
        return figure, axes

    @property
    def one(self) -> Axes | None:
        """Where to draw a picture of one graph."""
        return cast("Axes | None", self.ax)

    @property
    def signed(self) -> Strengths | None:
        """The strengths, where colours tell them."""
        return self.strengths if self.truth is None else None

    def layers(self, stage: str) -> dict[str, BoolArray]:
        """Style -> edges, in drawing order."""
        if self.truth is not None:
            shown = self.before if stage == "before" else self.after
            known = _full(self.truth, shown)
            missed = known & ~shown if np.ndim(self.truth) == 3 else np.zeros_like(shown)
            return {f"{GREY} --": missed, RED: shown & ~known, BLUE: shown & known}
        if stage == "before":
            return {GREY: self.before}
        if stage == "matrix":
            return {PALE: self.before & ~self.after, SIGNED: self.after}
        return {SIGNED: self.after}


def _before_after(scene: Scene) -> tuple[Figure, Any]:
    axes: Any = scene.ax
    if axes is None:
        made, axes = pyplot().subplots(1, 2, figsize=two_sizes(len(scene.names)), layout="constrained")
        made.get_layout_engine().set(h_pad=0.12, w_pad=0.08)
    for one, stage in zip(axes, ("before", "after"), strict=True):
        figure, _ = _stage(scene, stage, one)
        one.set_title(_title(scene, stage))
    if scene.truth is not None:
        _truth_legend(figure, scene.truth)
    return figure, axes


def _lift_titles(figure: Any, every: Iterable[Axes]) -> None:
    """Once everything has its place, titles stand above names that reach out of the axes."""
    titled = [axes for axes in every if axes.get_title() and axes.texts]
    if titled:
        figure.draw_without_rendering()
    for axes in titled:
        headed(axes, axes.get_title())


def two_sizes(count: int) -> tuple[float, float]:
    """Inches of a picture of two graphs of as many variables."""
    if count <= MOST_IN_NETWORK:
        return 12.6, 6.6
    return 2.0 * matrix_side(count) + 1.0, matrix_side(count) + 0.4


def _graph(scene: Scene) -> tuple[Figure, Axes]:
    return _stage(scene, "after", scene.one)


def _stage(scene: Scene, stage: str, ax: Axes | None) -> tuple[Figure, Axes]:
    layers = scene.layers(stage)
    if scene.positions is None and scene.layout == "auto" and len(scene.names) > MOST_IN_NETWORK:
        return draw_matrix(layers, scene.names, ax, scene.signed)
    return draw_network(layers, scene.names, scene.positions, ax, layout=scene.layout, strengths=scene.signed)


def _matrix(scene: Scene) -> tuple[Figure, Axes]:
    figure, axes = draw_matrix(scene.layers("matrix"), scene.names, scene.one, scene.signed)
    kept = "kept in colour (numbers are lags), pruned grey"
    axes.set_title("blue: true, red: false" if scene.truth is not None else kept, fontsize=10)
    return figure, axes


def _network(scene: Scene) -> tuple[Figure, Axes]:
    """The strongest pairs; where there are many variables, those without such a pair are left out."""
    size = np.where(scene.after, np.nan_to_num(scene.strengths.size), -1.0).max(axis=2)
    np.fill_diagonal(size, -1.0)
    pairs, count = int((size >= 0).sum()), len(scene.names)
    top = _top(size, scene.strongest)
    layers = {style: graph & top[:, :, None] for style, graph in scene.layers("after").items()}
    shown: IntArray = np.arange(count)
    if count > MOST_WITH_ALL and scene.positions is None:
        linked = (top & (size >= 0)) | (top & (size >= 0)).T
        shown = np.flatnonzero(linked.any(axis=1)) if linked.any() else shown
    cells = np.ix_(shown, shown, np.arange(scene.after.shape[2]))
    figure, axes = draw_network(
        {style: graph[cells] for style, graph in layers.items()},
        [scene.names[index] for index in shown],
        scene.positions,
        scene.one,
        layout=scene.layout,
        strengths=None if scene.signed is None else scene.signed.of_variables(cells),
    )
    words = [f"the {scene.strongest} strongest of {pairs} pairs"] if pairs > scene.strongest else []
    words += [f"{count - len(shown)} variables without such a pair left out"] if len(shown) < count else []
    if words:
        axes.set_title("; ".join(words))
    return figure, axes


def _unrolled(scene: Scene) -> tuple[Figure, Axes]:
    return draw_unrolled(scene.after, scene.names, scene.one, scene.signed, scene.page)


def _top(size: FloatArray, strongest: int) -> BoolArray:
    """[cause, effect]: the strongest pairs, and own pasts."""
    order = np.argsort(-size, axis=None, kind="stable")
    chosen = np.eye(len(size), dtype=np.bool_)
    chosen.flat[order[: max(strongest, 0)]] = True
    return chosen


def _truth_legend(figure: Any, truth: BoolArray) -> None:
    from matplotlib.lines import Line2D

    styles: dict[str, tuple[str, Any]] = {
        "true": (BLUE, "-"),
        "false": (RED, "-"),
        "true, but not found": (GREY, "--"),
    }
    if np.ndim(truth) == 2:
        del styles["true, but not found"]
    lines = [Line2D([], [], color=c, linestyle=s, linewidth=2, label=name) for name, (c, s) in styles.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines), frameon=False)


def _full(truth: BoolArray, mask: BoolArray) -> BoolArray:
    known = np.asarray(truth, dtype=np.bool_)
    if known.ndim == 2 and known.shape == mask.shape[:2]:
        # A graph of pairs says nothing of a variable's own past.
        known = np.repeat((known | np.eye(len(known), dtype=np.bool_))[:, :, None], mask.shape[2], axis=2)
    if known.shape != mask.shape:
        msg = f"truth has shape {known.shape}; expected {mask.shape} or {mask.shape[:2]}."
        raise OptionError(msg)
    return known


def _title(scene: Scene, stage: str) -> str:
    shown = scene.before if stage == "before" else scene.after
    count = int(shown.sum() - (shown[:, :, 0] & shown[:, :, 0].T).sum() // 2)
    words = f"{stage}: {count} edges"
    if scene.truth is not None:
        words += f", {int((shown & ~_full(scene.truth, shown)).sum())} of them false"
    return words


GRAPHS: Mapping[str, Callable[[Scene], Picture]] = {
    "before_after": _before_after,
    "graph": _graph,
    "network": _network,
    "matrix": _matrix,
    "time_series": _unrolled,
}
