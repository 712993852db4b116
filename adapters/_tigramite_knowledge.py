"""tigramite's `link_assumptions` as background knowledge, and back.

{effect: {(cause, -lag): mark}}: a link that is not there cannot be, "-->" must be, all others may be. At lag
0 a mark that begins with "<" says that the cause does not act on the effect, but maybe the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import AdapterError
from grace_plugin.graph.background import Knowledge, KnownCells

LinkAssumptions = dict[int, dict[tuple[int, int], str]]

_MUST_BE = "-->"
_LAGGED, _OPEN, _FORWARD, _BACKWARD = "o?>", "o?o", "-?>", "<?-"


def is_link_assumptions(obj: object) -> bool:
    """Whether `obj` is {effect: {(cause, -lag): mark}}."""
    return (
        isinstance(obj, Mapping)
        and bool(obj)
        and all(isinstance(effect, (int, np.integer)) for effect in obj)
        and all(isinstance(links, Mapping) for links in obj.values())
        and all(
            isinstance(source, tuple) and len(source) == 2 and isinstance(mark, str)
            for links in obj.values()
            for source, mark in links.items()
        )
    )


def read_link_assumptions(
    given: Mapping[int, Mapping[tuple[int, int], str]], names: Sequence[str] | None, max_lag: int | None
) -> Knowledge:
    """What must be and what cannot be, up to the largest lag that is spoken of, or `max_lag`."""
    count = len(names) if names is not None else max(given) + 1
    lags = [abs(lag) for links in given.values() for _, lag in links]
    most = max(lags, default=0) if max_lag is None else max_lag
    may, must = np.zeros((2, count, count, most + 1), dtype=np.bool_)
    for effect, links in given.items():
        for (cause, lag), mark in links.items():
            if not (0 <= cause < count and 0 <= effect < count):
                msg = f"link_assumptions speak of variables {cause} and {effect}; there are {count}."
                raise AdapterError(msg)
            if abs(lag) <= most and mark and not mark.startswith("<"):
                may[cause, effect, abs(lag)] = True
                must[cause, effect, abs(lag)] = mark == _MUST_BE
    may[:, [effect for effect in range(count) if effect not in given]] = True
    return Knowledge(required=_edges(must, names), forbidden=_edges(~may, names))


def write_link_assumptions(known: KnownCells) -> LinkAssumptions:
    """The same of every link; odds have no place there."""
    count, lags = len(known.required), known.required.shape[2]
    found: LinkAssumptions = {effect: {} for effect in range(count)}
    for cause, effect, lag in np.ndindex(count, count, lags):
        mark = _mark(known, cause, effect, lag)
        if mark and not (cause == effect and lag == 0):
            found[effect][cause, -lag] = mark
    return found


def _mark(known: KnownCells, cause: int, effect: int, lag: int) -> str:
    there = known.required[cause, effect, lag]
    may = not known.forbidden[cause, effect, lag]
    if lag:
        return _MUST_BE if there else (_LAGGED if may else "")
    back = not known.forbidden[effect, cause, 0]
    if there:
        return _MUST_BE
    if known.required[effect, cause, 0]:
        return "<--"
    return {(True, True): _OPEN, (True, False): _FORWARD, (False, True): _BACKWARD}.get((may, back), "")


def _edges(cells: BoolArray, names: Sequence[str] | None) -> list[Any]:
    """The cells but those of a variable on itself within a step, by name where there are names."""
    own = np.arange(len(cells))
    cells = cells.copy()
    cells[own, own, 0] = False
    called: Sequence[Any] = range(len(cells)) if names is None else names
    return [(called[cause], called[effect], int(lag)) for cause, effect, lag in np.argwhere(cells)]
