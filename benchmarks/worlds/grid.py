"""Which worlds at which sizes and strengths are studied, on which seeds, and the hashes that freeze them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.worlds.base import KINDS, STRENGTHS, Kind, World, draw_world

TUNING = range(1000, 1020)  # for choosing rules, levels and constants
REPORTED = range(20)  # for the tables, and for nothing else
FROZEN = Path(__file__).parent / "frozen.json"
_MODULES = {  # and the groups of worlds in the order of every table
    "linear": "linear",
    "within_step": "within a step",
    "sampling": "slow sampling",
    "hidden": "hidden causes",
    "measurement": "measurement",
    "gaps": "gaps",
    "drifts": "drifts",
    "noise": "noise",
    "scales": "scales",
    "mechanisms": "mechanisms",
    "together": "acting together",
    "chaotic": "chaotic",
    "applied": "applied",
    "several": "two at once",
    "handed_on": "handed on",
    "foreign": "by others",
    "nulls": "nothing acts",
}
_DIGITS = 6  # significant digits that a hash sees: the last bits are the machine's


@dataclass(frozen=True)
class Entry:
    """One line of the grid."""

    world: str
    d: int
    T: int
    strength: str

    @property
    def key(self) -> str:
        return f"{self.world}/{self.strength}/{self.d}x{self.T}"

    @property
    def group(self) -> str:
        return kinds()[self.world].group


@cache
def kinds() -> dict[str, Kind]:
    """All worlds by name, in the order of their groups."""
    for name in _MODULES:
        import_module(f"benchmarks.worlds.{name}")
    order = list(_MODULES.values())
    return dict(sorted(KINDS.items(), key=lambda item: order.index(item[1].group)))


def worlds(*chosen: str) -> list[Entry]:
    """The grid: every entry, or those whose world or group is named."""
    known = {kind.name for kind in kinds().values()} | {kind.group for kind in kinds().values()}
    for name in chosen:
        if name not in known:
            msg = f"There is no world and no group of worlds called {name!r}; known are {sorted(known)}."
            raise ValueError(msg)
    return [
        Entry(kind.name, d, rows, strength)
        for kind in kinds().values()
        if not chosen or {kind.name, kind.group} & set(chosen)
        for d, rows in kind.sizes
        for strength in kind.strengths
    ]


def make(entry: Entry | str, seed: int, d: int = 6, T: int = 500, strength: str = "strong") -> World:  # noqa: N803
    """One data set: of an entry of the grid, or of a world by name at any size and strength."""
    if isinstance(entry, str):
        entry = Entry(entry, d, T, strength)
    if entry.strength not in STRENGTHS:
        msg = f"strength is one of {list(STRENGTHS)}, not {entry.strength!r}."
        raise ValueError(msg)
    return draw_world(kinds()[entry.world], seed, entry.d, entry.T, entry.strength)


def one_split(seeds: Iterable[int]) -> str:
    """ "tuning" or "reported"; refuses a mixture of both, and seeds of neither.

    >>> one_split([0, 3]), one_split([1000])
    ('reported', 'tuning')
    """
    found = set(seeds)
    for name, members in (("tuning", TUNING), ("reported", REPORTED)):
        if found and found <= set(members):
            return name
    msg = (
        f"Seeds {sorted(found)} are neither all for tuning ({TUNING[0]} to {TUNING[-1]}) nor all for "
        f"reporting ({REPORTED[0]} to {REPORTED[-1]}). They stay apart: run one kind at a time."
    )
    raise ValueError(msg)


def fingerprint(world: World) -> str:
    """Twelve characters that change when the data, the graph or their parts do."""
    values = world.data
    size = np.where((values == 0) | np.isnan(values), 1.0, np.abs(values))
    scale = 10.0 ** (np.floor(np.log10(size)) - _DIGITS + 1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rounded = np.where(np.isnan(values), np.nan, np.round(values / scale)).astype("<f8") + 0.0
    seen = hashlib.sha256(rounded.tobytes())
    seen.update(np.packbits(world.truth).tobytes() + repr((world.truth.shape, world.parts)).encode())
    return seen.hexdigest()[:12]


@cache
def frozen() -> dict[str, dict[str, str]]:
    """For each entry and seed the hash of its data set."""
    found: dict[str, dict[str, str]] = json.loads(FROZEN.read_text()) if FROZEN.exists() else {}
    return found


def verified(entry: Entry, seed: int) -> World:
    """The data set, after a look whether it is the frozen one."""
    made = make(entry, seed)
    expected = frozen().get(entry.key, {}).get(str(seed))
    if fingerprint(made) != expected:
        msg = (
            f"{entry.key}, seed {seed} is not the data set that was frozen ({fingerprint(made)} instead of "
            f"{expected}). A world is added, never altered: give the new one a name of its own, and run "
            "`python -m benchmarks freeze`."
        )
        raise RuntimeError(msg)
    return made


def freeze(path: Path = FROZEN, seeds: Sequence[int] = (*REPORTED, *TUNING)) -> int:
    """Add the hashes of entries that have none; those that exist stay. Returns how many are new."""
    stored = json.loads(path.read_text()) if path.exists() else {}
    new = [entry for entry in worlds() if entry.key not in stored]
    for entry in new:
        stored[entry.key] = {str(seed): fingerprint(make(entry, seed)) for seed in seeds}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in stored.items())
    path.write_text("{\n" + lines + "\n}\n")
    frozen.cache_clear()
    return len(new)
