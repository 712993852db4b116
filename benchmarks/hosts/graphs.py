"""What other programs found on the worlds, in little room: refining starts from it without a new run of them.

One line holds the graphs of a program on all seeds of a world: bits of [cause, effect, lag] in C order,
compressed, as text. Worlds are frozen, so a stored graph never grows old.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.hosts.on_worlds import OPINIONS, PROGRAMS, opinion, opinion_file
from benchmarks.worlds import Entry, World, worlds
from benchmarks.worlds.base import BoolArray
from grace_plugin._common.files import written
from grace_plugin._common.npz import read_npz

STORED = Path(__file__).parents[1] / "host_graphs.jsonl"
Key = tuple[str, str, int]  # entry, program, seed


def host_graph(host: str, world: World, entry: Entry, seed: int) -> BoolArray:
    """What a program returns at its own defaults: as stored, or run now."""
    known = stored().get((entry.key, host, seed))
    if known is None:
        return opinion(host, world, entry, seed).graph
    return as_graph(known, world.truth.shape)


def as_text(graph: BoolArray) -> str:
    return base64.b85encode(zlib.compress(np.packbits(graph).tobytes(), 9)).decode()


def as_graph(text: str, shape: tuple[int, ...]) -> BoolArray:
    """The graph of a text.

    >>> as_graph(as_text(np.eye(3, dtype=bool)), (3, 3)).sum()
    np.int64(3)
    """
    packed = np.frombuffer(zlib.decompress(base64.b85decode(text)), np.uint8)
    return np.unpackbits(packed, count=int(np.prod(shape))).astype(np.bool_).reshape(shape)


@cache
def stored(path: Path = STORED) -> dict[Key, str]:
    """Every graph that is kept in the repository."""
    found: dict[Key, str] = {}
    for text in path.read_text().splitlines() if path.exists() else ():
        line = json.loads(text)
        for seed, graph in line["graphs"].items():
            found[line["world"], line["host"], int(seed)] = graph
    return found


def pack(path: Path = STORED, opinions: Path = OPINIONS) -> int:
    """Add the graphs of all runs that are cached here; how many there are then."""
    found = {**stored(path), **dict(_cached(opinions))}
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for (entry, host, seed), graph in sorted(found.items()):
        lines.setdefault((entry, host), {})[str(seed)] = graph
    with written(path) as file:
        for (entry, host), graphs in lines.items():
            line = {"world": entry, "host": host, "graphs": graphs}
            file.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
    stored.cache_clear()
    return len(found)


def _cached(opinions: Path) -> Iterator[tuple[Key, str]]:
    for entry in worlds():
        for host in PROGRAMS:
            for file in sorted(opinion_file(entry, host, "0", opinions).parent.glob(f"{host}_*.npz")):
                seed = int(file.stem.removeprefix(f"{host}_"))
                yield (entry.key, host, seed), as_text(read_npz(file)["graph"].astype(np.bool_))
