"""tigramite's edge marks: which cells of a graph array are candidates, and clearing some of them.

A graph array is [cause, effect, lag] like ours. An entry names the mark at the cause's end, the line
and the mark at the effect's end; entries at lag 0 are mirrored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError

KNOWN_MARKS = (
    *("---", "o--", "--o", "o-o", "o->", "<-o", "-->", "<--", "<->"),
    *("x-o", "o-x", "x--", "--x", "x->", "<-x", "x-x", "<-+", "+->"),
)


def is_graph_array(obj: object) -> TypeGuard[npt.NDArray[Any]]:
    """Whether `obj` looks like an array of edge marks [cause, effect, lag]."""
    return (
        isinstance(obj, np.ndarray)
        and obj.ndim == 3
        and obj.shape[0] == obj.shape[1]
        and obj.dtype.kind in "UO"
    )


def checked_graph(obj: object) -> npt.NDArray[Any]:
    """`obj` as an array of text, or an error that says what a graph is."""
    if not is_graph_array(obj) or obj.size == 0:
        shape, dtype = getattr(obj, "shape", None), getattr(obj, "dtype", type(obj).__name__)
        msg = (
            f"The graph has shape {shape} and dtype {dtype}; expected tigramite's edge marks as an array of "
            "strings (N, N, tau_max + 1)."
        )
        raise AdapterError(msg)
    return obj.astype(str)


def candidates(graph: npt.NDArray[Any]) -> BoolArray:
    """The cells that hold an edge.

    At lags > 0 every known mark is one: time gives the direction, whatever the mark says of
    confounding. At lag 0 an arrowhead at one end only is a direction; anything else is an unoriented
    pair, both of whose cells are set. Marks that are not known are no candidates.
    """
    mask = np.isin(graph, KNOWN_MARKS)
    now = graph[:, :, 0]
    ends_here = _at(now, 2) == ">"
    ends_there = _at(now, 0) == "<"
    known_now = mask[:, :, 0] & ~np.eye(len(now), dtype=np.bool_)
    forward = known_now & (ends_here | ~ends_there)  # the cause is the first index, or may be
    backward = known_now & (ends_there | ~ends_here)
    mask[:, :, 0] = forward | backward.T
    return mask


def link_of(mark: str) -> tuple[bool, bool]:
    """Whether a link at lag 0 may run forward (from the first variable), and whether backward.

    >>> link_of("-->"), link_of("<-o"), link_of("o-o")
    ((True, False), (False, True), (True, True))
    """
    if mark not in KNOWN_MARKS:
        msg = f"The link mark {mark!r} is not one of tigramite's: {', '.join(KNOWN_MARKS)}."
        raise AdapterError(msg)
    ends_here, ends_there = mark[2] == ">", mark[0] == "<"
    return ends_here or not ends_there, ends_there or not ends_here


def _at(marks: npt.NDArray[Any], position: int) -> npt.NDArray[np.str_]:
    """The character at one position of every mark; empty marks give an empty one."""
    characters = np.ascontiguousarray(marks.astype("<U3")).view("<U1").reshape(*marks.shape, 3)
    one: npt.NDArray[np.str_] = characters[..., position]
    return one


def oriented(graph: npt.NDArray[Any], directions: BoolArray) -> npt.NDArray[Any]:
    """A copy in which edges at lag 0 point as `directions` [cause, effect] say, where both ends allow it.

    A circle and a conflict (`x`) are open; a tail or an arrowhead that is set stays.
    """
    now = graph[:, :, 0]
    middle = np.isin(now, KNOWN_MARKS) & (_at(now, 1) == "-")
    may = middle & np.isin(_at(now, 0), ["o", "x", "-"]) & np.isin(_at(now, 2), ["o", "x", ">"])
    chosen = directions & may & ~directions.T
    made = graph.copy()
    made[:, :, 0][chosen] = "-->"
    made[:, :, 0][chosen.T] = "<--"
    return made


def pruned_cells(before: BoolArray, kept: BoolArray) -> BoolArray:
    """The cells to clear: at lag 0 both mirrored ones, and only if no direction of the pair is kept."""
    gone = before & ~kept
    pair_was = before[:, :, 0] | before[:, :, 0].T
    pair_is = kept[:, :, 0] | kept[:, :, 0].T
    gone[:, :, 0] = pair_was & ~pair_is
    return gone


def cleared(results: Mapping[str, Any], gone: BoolArray, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of `results` named in `values`, as copies with that value in the cells `gone`."""
    made = {}
    for key, value in values.items():
        array = results.get(key)
        if isinstance(array, np.ndarray) and array.shape[:3] == gone.shape:
            made[key] = array.copy()
            made[key][gone] = value
    return made
