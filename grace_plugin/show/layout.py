"""Where the variables of a network stand, and how far its arrows bend to stay clear of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.exceptions import OptionError
from grace_plugin.show.graphviz import in_layers

LAYOUTS = ("auto", "circle", "kamada_kawai", "spring", "graphviz")
MOST_ON_CIRCLE = 15  # variables in the data's order; more of them are sorted by their neighbours

_BENDS = (
    0.16,
    0.3,
    0.06,
    0.44,
)  # shares of an arrow's length: two opposite arrows must not lie on each other
_ALONG: FloatArray = np.linspace(0.08, 0.92, 17, dtype=np.float64)[:, None]
_SEED = 0
_APART = 3.0  # steps
_ROOM = 1.0  # of a name in a square of side 2, times the root of how many there are; names are wide
_PUSHES = 200
_IN_ROW = 8  # variables without an edge


def circle(count: int) -> FloatArray:
    """Positions [count, 2] on the unit circle, the first at the top, clockwise."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(count) / max(count, 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def placed(layout: str, graph: BoolArray) -> FloatArray:
    """Positions [variable, 2] for a graph [cause, effect, lag], the same in every run."""
    if layout not in LAYOUTS:
        msg = f"layout={layout!r}; give one of {list(LAYOUTS)}, or positions=."
        raise OptionError(msg)
    if layout == "circle" or (layout == "auto" and len(graph) <= MOST_ON_CIRCLE):
        return circle(len(graph))
    if layout == "graphviz":
        return filling(in_layers(graph))
    found = _near_neighbours(graph, "kamada_kawai" if layout == "auto" else layout)
    return _sorted_circle(found) if layout == "auto" else found


def _near_neighbours(graph: BoolArray, layout: str) -> FloatArray:
    """The layout of networkx for the pairs that have an edge; variables without one stand in rows below."""
    import networkx as nx

    pairs = (graph.any(axis=2) | graph.any(axis=2).T) & ~np.eye(len(graph), dtype=np.bool_)
    joined = np.flatnonzero(pairs.any(axis=1))
    links = nx.from_numpy_array(pairs[np.ix_(joined, joined)])
    if layout == "spring":
        found = nx.spring_layout(links, seed=_SEED, iterations=200, k=2.2 / np.sqrt(max(len(joined), 1)))
    else:
        start = dict(enumerate(circle(len(joined))))
        found = nx.kamada_kawai_layout(links, dist=_distances(links), pos=start) if len(joined) else {}
    places = _rows_below(len(graph))
    if len(joined):
        places[joined] = filling(_apart(filling(np.array([found[node] for node in range(len(joined))]))))
        alone = np.setdiff1d(np.arange(len(graph)), joined)
        places[alone] = _rows_below(len(alone))
    return places


def _apart(places: FloatArray) -> FloatArray:
    """Pushed away from each other until every name has room, or for as long as that helps."""
    room = _ROOM * np.array([2.0, 1.0]) / np.sqrt(len(places))
    itself = np.eye(len(places), dtype=np.bool_)
    for _ in range(_PUSHES):
        off = (places[:, None] - places[None]) / room
        far = np.linalg.norm(off, axis=2) + itself
        push = np.maximum(1.0 - far, 0.0) * ~itself
        if not push.any():
            break
        places = places + 0.25 * room * (off / np.maximum(far, 1e-9)[..., None] * push[..., None]).sum(axis=1)
    return places


def filling(places: FloatArray) -> FloatArray:
    """Stretched to the square from -1 to 1."""
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    return np.asarray(
        np.where(extent > 0, 2.0 * (places - low) / np.where(extent > 0, extent, 1.0) - 1.0, 0.0)
    )


def _rows_below(count: int) -> FloatArray:
    row, column = np.divmod(np.arange(count), _IN_ROW)
    across = np.linspace(-1.0, 1.0, min(count, _IN_ROW)) if count > 1 else np.zeros(1)
    return np.stack([across[column] if count else column, -1.35 - 0.25 * row], axis=1).astype(np.float64)


def _distances(links: object) -> dict[int, dict[int, float]]:
    """Steps between variables; those that no path joins stand three steps apart."""
    import networkx as nx

    steps = {node: dict(found) for node, found in nx.all_pairs_shortest_path_length(links)}
    return {node: {other: found.get(other, _APART) for other in steps} for node, found in steps.items()}


def _sorted_circle(places: FloatArray) -> FloatArray:
    """Variables on a circle in the order of their angle, so that neighbours stand side by side."""
    off = places - places.mean(axis=0)
    order = np.argsort(-np.arctan2(off[:, 1], off[:, 0]), kind="stable")
    found = np.empty_like(places)
    found[order] = circle(len(places))
    return found


def bend_past(
    ends: tuple[FloatArray, FloatArray], others: FloatArray, room: float, one_way: bool, bulge: float = 0.0
) -> float:
    """The bend that keeps an arrow `room` away from other variables, or the one that comes closest to it.

    Args:
        ends: where the arrow starts and ends.
        others: positions of the other variables.
        room: what counts as clear.
        one_way: no arrow comes back, so that this one may bend to both sides; the inner side is preferred.
        bulge: how much more the arrows between near variables bend.
    """
    start, end = ends
    extent = max(float(np.ptp(others, axis=0).max()), 1e-12) if len(others) else 1.0
    near = max(0.0, 1.0 - float(np.linalg.norm(end - start)) / extent)
    bends = [bend * (1.0 + bulge * near**2) for bend in _BENDS]
    if one_way and len(others):
        inner = np.sign((others.mean(axis=0) - start) @ np.array([end[1] - start[1], start[0] - end[0]])) or 1
        bends = [float(inner) * bend for bend in bends] + [-float(inner) * bend for bend in bends]
    return max(bends, key=lambda bend: _clearance(ends, others, bend, room))


def _clearance(ends: tuple[FloatArray, FloatArray], others: FloatArray, bend: float, room: float) -> float:
    if not len(others):
        return room
    way = along(ends, bend, _ALONG)
    nearest = np.linalg.norm(way[:, None, :] - others[None], axis=2).min()
    return float(min(nearest, room))


def along(ends: tuple[FloatArray, FloatArray], bend: float, share: FloatArray | float) -> FloatArray:
    """Points on a bent arrow at shares of its way."""
    start, end = ends
    bent = (start + end) / 2 + bend * np.array([end[1] - start[1], start[0] - end[0]])
    way: FloatArray = (1 - share) ** 2 * start + 2 * share * (1 - share) * bent + share**2 * end
    return way


def on_circle(places: FloatArray) -> bool:
    """Whether all variables are equally far from the middle."""
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1)
    return len(places) > 2 and bool(np.ptp(radius) < 1e-6 * max(float(radius.max()), 1e-12))


def given(positions: Sequence[Sequence[float]] | FloatArray, count: int) -> FloatArray:
    """The user's positions as [variable, 2]."""
    places = np.asarray(positions, dtype=np.float64)
    if places.shape != (count, 2) or not np.isfinite(places).all():
        msg = f"positions has shape {places.shape}; give finite numbers of shape {(count, 2)}."
        raise OptionError(msg)
    return places
