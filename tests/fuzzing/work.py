"""How the work of reading grows with the input, against a plain scan of the same input in the same run.

Reading may cost any number of scans, but not more of them for a longer input. The cost of eight times as much
text, in scans, over that of the text itself, is 1 for linear work, 8 for quadratic; exponential work does
not come back at all, so it is tried on short texts first. No seconds are judged, so a busy machine
makes both slower.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from grace_plugin.exceptions import UnknownResultError
from grace_plugin.hosts.convert import native_of, skeleton_of
from grace_plugin.hosts.registry import find_adapter
from grace_plugin.series.panel import as_panel

GROWTH = 8
LIMIT = 4.0  # between linear (1) and quadratic (8)
_LEAST_SECONDS = 0.01  # for the large input: below it the clock and the caches tell more than the work
_SCAN = re.compile(r"\S+|\s+")

PIECES = (
    *('Creator "" ', "Version 1 ", "comment a ", "# \n", "// \n", "/* */", "/*", '"', " ", "\n", "strict "),
    *("graph", "graph [", "digraph", "{", "[", "]", "node [ id 1 ]", "edge [ ", "a -> b; ", "lag 1 "),
    *("(", ", -1)", "_lag", "1", "x", "<", "\\"),
    *("<?xml ?>", "<!-- ", "-->", "-", "<graphml>", "<graphml "),
)


@dataclass(frozen=True)
class Growth:
    """What was read, and by how much its cost grew beyond that of a scan."""

    what: str
    ratio: float


def recognition(random: Random) -> Growth:
    """A random short pattern, repeated: does any adapter take it for a graph?"""
    pattern = "".join(random.choice(PIECES) for _ in range(random.randrange(1, 5)))
    end = random.choice(("", "x", "graph [", "digraph {", '"'))

    def text(times: int) -> str:
        return pattern * times + end

    _recognised(text(24))  # exponential work would be stuck here, in a text of a few hundred characters
    size = 20_000 // len(pattern)
    return Growth(f"recognising {pattern!r} * n + {end!r}", _growth(text, _recognised, size))


def _recognised(text: str) -> None:
    try:
        find_adapter(text)
    except UnknownResultError:
        return


def _gml(edges: int) -> str:
    nodes = "\n".join(f'node [ id {i} label "v{i}" ]' for i in range(30))
    lines = "\n".join(f"edge [ source {i % 30} target {i * 7 % 30} lag {1 + i % 3} ]" for i in range(edges))
    return f"graph [ directed 1\n{nodes}\n{lines}\n]"


def _graphml(edges: int) -> str:
    nodes = "\n".join(f'<node id="v{i}"/>' for i in range(30))
    lines = "\n".join(
        f'<edge source="v{i % 30}" target="v{i * 7 % 30}"><data key="lag">{1 + i % 3}</data></edge>'
        for i in range(edges)
    )
    return f'<graphml><graph edgedefault="directed">\n{nodes}\n{lines}\n</graph></graphml>'


def _many_keys(count: int) -> str:
    """Defaults for all, and as many edges: no edge may look at every one of them."""
    keys = "\n".join(
        f'<key id="k{i}" for="edge" attr.name="n{i}"><default>{i}</default></key>' for i in range(count)
    )
    return _graphml(count).replace("<graphml>", f"<graphml>\n{keys}\n")


def _pruned(native: Any) -> None:
    adapter = find_adapter(native)
    skeleton = skeleton_of(adapter, native, {})
    native_of(adapter, native, np.zeros_like(skeleton.mask), None, {})


def _wide(columns: int) -> pd.DataFrame:
    return pd.DataFrame(np.zeros((2, columns)), columns=[f"name {i}" for i in range(columns)])


SIZES: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any], int]] = {
    "pruning GML": (_gml, _pruned, 100),
    "pruning GraphML": (_graphml, _pruned, 100),
    "pruning GraphML with many keys": (_many_keys, _pruned, 100),
    "reading edge tuples": (lambda n: [(i % 40, i * 7 % 40, 1 + i % 3) for i in range(n)], _pruned, 500),
    "reading a table of edges": (
        lambda n: pd.DataFrame([(i % 40, i * 7 % 40, 1) for i in range(n)], columns=["from", "to", "lag"]),
        _pruned,
        500,
    ),
    "names of columns": (_wide, as_panel, 2000),
}


def growth_of(what: str) -> Growth:
    """The growth of one of `SIZES`."""
    make, read, size = SIZES[what]
    return Growth(what, _growth(make, read, size))


def _growth(make: Callable[[int], Any], read: Callable[[Any], Any], size: int) -> float:
    """The better of two; 0 where the large input costs too little to tell, as quadratic work never does."""
    small, large = make(size), make(size * GROWTH)
    if _seconds(read, large) < _LEAST_SECONDS:
        return 0.0
    return min(_scans(read, large) / max(_scans(read, small), 1e-9) for _ in range(2))


def _scans(read: Callable[[Any], Any], given: Any) -> float:
    """The cost of reading in scans of the same input."""
    return _seconds(read, given) / max(_seconds(_scan, given), 1e-9)


def _scan(given: Any) -> int:
    if isinstance(given, str):
        return sum(1 for _ in _SCAN.finditer(given))
    if isinstance(given, pd.DataFrame):
        return sum(len(str(name)) for name in given.columns) + sum(
            len(str(row)) for row in given.to_numpy().tolist()
        )
    return sum(len(str(item)) for item in given)


def _seconds(call: Callable[[Any], Any], given: Any) -> float:
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        call(given)
        best = min(best, time.process_time() - start)
    return best
