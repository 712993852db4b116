"""Pictures of a `Stability`: edges over time, and edges between places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.show.labels import chosen_labels
from grace_plugin.show.scene import GRAPHS, STRONGEST, Scene
from grace_plugin.show.strength import Strengths
from grace_plugin.show.style import BLUE, GREY, INK, PALE, RED, axes_for, pyplot, sheet
from grace_plugin.stability.tables import pair_table, time_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from grace_plugin.show.style import Picture
    from grace_plugin.stability.agreement import Agreement

_MOST_TICKS = 8
_NAMED_PLACES = 60


def plot_stability(
    stability: Agreement,
    kind: str,
    *,
    ax: Axes | None,
    truth: BoolArray | None,
    positions: FloatArray | pd.DataFrame | None,
    labels: Mapping[str, str] | Sequence[str] | None,
    layout: str,
    strongest: int | None,
    page: int,
    colorbar: bool,
) -> Picture:
    """See `Stability.plot`."""
    graphs = tuple(name for name in GRAPHS if name != "before_after")
    if kind not in (*graphs, "over_time", "map"):
        msg = f"kind={kind!r}; give one of {[*graphs, 'over_time', 'map']}."
        raise OptionError(msg)
    if kind == "map" and not hasattr(positions, "columns"):
        msg = 'kind="map" needs positions=, a table with the columns lat and lon and one row per variable.'
        raise OptionError(msg)
    with sheet():
        if kind in graphs:
            return Scene(
                chosen_labels(stability.names, labels),
                stability.frequency > 0.0,
                stability.graph,
                _strengths(stability),
                truth=truth,
                positions=positions,
                layout=layout,
                strongest=STRONGEST if strongest is None else strongest,
                page=page,
                ax=ax,
                colorbar=colorbar,
            ).draw(kind)
        if kind == "over_time":
            figure = draw_over_time(stability, time_table(stability), ax)
        else:
            share = stability.pair_frequency
            figure = draw_map(stability.names, stability.pair_graph, positions, truth, share, ax)
    return figure, figure.axes[0] if ax is None else ax


def _strengths(stability: Agreement) -> Strengths:
    graph, pairs = stability.graph, stability.level == "pair"
    share = stability.pair_frequency[:, :, None] if pairs else stability.frequency
    size = np.where(graph, np.broadcast_to(share, graph.shape), np.nan)
    return Strengths(size, _signs(stability), True, 1.0, "share of windows, with the sign of the effect")


def _signs(stability: Agreement) -> FloatArray:
    """[cause, effect, lag]: the sign that most windows agree on, the same for all lags of a pair."""
    place = {name: index for index, name in enumerate(stability.names)}
    signs = np.zeros(stability.shape)
    for row in pair_table(stability).itertuples():
        signs[place[row.cause], place[row.effect]] = 1.0 if row.sign == "+" else -1.0
    return signs


def draw_over_time(stability: Agreement, table: pd.DataFrame, ax: Axes | None = None) -> Figure:
    """Edge by window: colour is the lag at which the edge was seen, blank where it was not."""
    height = max(2.2, 1.4 + 0.28 * len(table))
    figure, axes = axes_for(ax, (9.0, height))
    largest = max(1, stability.shape[2] - 1)
    colours = pyplot().get_cmap("viridis", largest + 1)
    image = axes.imshow(
        table.to_numpy(), aspect="auto", cmap=colours, vmin=-0.5, vmax=largest + 0.5, interpolation="nearest"
    )
    axes.set_facecolor("white")
    shares = [
        stability.pair_frequency[stability.names.index(c), stability.names.index(e)] for c, e in table.index
    ]
    labels = [f"{c} → {e}  {share:.0%}" for (c, e), share in zip(table.index, shares, strict=True)]
    axes.set_yticks(range(len(table)), labels, fontsize=8)
    places = np.unique(np.linspace(0, table.shape[1] - 1, _MOST_TICKS).round().astype(int))
    axes.set_xticks(places, [_when(table.columns[place]) for place in places], fontsize=8)
    axes.set_yticks(np.arange(len(table) + 1) - 0.5, minor=True)
    axes.grid(which="minor", axis="y", color=PALE, linewidth=0.6)
    axes.tick_params(which="both", length=0)
    axes.set_xlabel("middle of the window (windows in time order)")
    axes.set_title("Where each edge appears, and at which lag", loc="left", color=INK, fontsize=10)
    figure.colorbar(image, ax=axes, label="lag", ticks=_lag_ticks(largest), pad=0.01)
    return figure


def _when(moment: Any) -> str:
    return f"{moment:%Y-%m-%d}" if hasattr(moment, "year") else str(moment)


def _lag_ticks(largest: int) -> list[int]:
    step = max(1, -(-largest // 6))
    return list(range(0, largest + 1, step))


def draw_map(
    names: tuple[str, ...],
    found: BoolArray,
    positions: pd.DataFrame,
    truth: BoolArray | None = None,
    frequency: FloatArray | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Arrows between places; `positions` has `lat` and `lon` per variable.

    With `truth` [cause, effect]: blue arrows are right, dashed grey ones missed, orange ones false.
    The width of an arrow grows with its frequency.
    """
    x, y = _coordinates(names, positions)
    figure, axes = axes_for(ax, (9.0, 6.5))
    off = ~np.eye(len(names), dtype=np.bool_)
    found = found & off
    true = found if truth is None else truth & off
    kinds = [("missed", true & ~found, GREY, "--", 1), ("false", found & ~true, RED, "-", 2)]
    kinds.append(("kept" if truth is None else "right", found & true, BLUE, "-", 3))
    for label, edges, colour, style, order in kinds:
        for cause, effect in np.argwhere(edges):
            share = 0.5 if frequency is None or style == "--" else float(frequency[cause, effect])
            _arrow(
                axes, (x[cause], y[cause]), (x[effect], y[effect]), colour, style, 0.6 + 1.8 * share, order
            )
        if truth is not None or label == "kept":
            axes.plot([], [], color=colour, linestyle=style, label=f"{label} ({int(edges.sum())})")
    axes.scatter(x, y, s=28, color="white", edgecolor=INK, linewidth=1.0, zorder=5)
    if len(names) <= _NAMED_PLACES:
        for name, across, up in zip(names, x, y, strict=True):
            axes.annotate(
                name, (across, up), xytext=(4, 4), textcoords="offset points", fontsize=7, color=INK, zorder=6
            )
    axes.set_aspect(1.0 / np.cos(np.deg2rad(np.mean(y))))
    axes.set_xlabel("longitude")
    axes.set_ylabel("latitude")
    axes.legend(loc="best", frameon=False, fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure


def _coordinates(names: tuple[str, ...], positions: pd.DataFrame) -> tuple[Any, Any]:
    missing = [name for name in names if name not in positions.index]
    if missing or not {"lat", "lon"} <= set(positions.columns):
        msg = (
            f"positions must have the columns lat and lon and one row per variable; missing rows: {missing}, "
            f"columns given: {list(positions.columns)}."
        )
        raise DataError(msg)
    rows = positions.loc[list(names)]
    return rows["lon"].to_numpy(float), rows["lat"].to_numpy(float)


def _arrow(
    axes: Any,
    start: tuple[float, float],
    stop: tuple[float, float],
    colour: str,
    style: str,
    width: float,
    order: int,
) -> None:
    axes.annotate(
        "",
        xy=stop,
        xytext=start,
        zorder=order,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linestyle": style,
            "linewidth": width,
            "shrinkA": 3,
            "shrinkB": 4,
            "connectionstyle": "arc3,rad=0.12",
            "alpha": 0.65 if style == "--" else 0.9,
        },
    )
