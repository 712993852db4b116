"""Small worlds with known graphs, each one idea, each with a knob from off to strong. To tune on them:

    from benchmarks.worlds import TUNING, make, worlds
    for entry in worlds():                  # or worlds("noise"), worlds("nothing acts"), worlds("trends")
        for seed in TUNING[:5]: world = make(entry, seed)   # .data [T, d], .truth [cause, effect, lag]

Tune on seeds 1000 to 1019 alone; reported are 0 to 19, and the study refuses a mixture. Every data set of
every entry is frozen by a hash in `frozen.json`: a world is added, never altered. `make("trends", 1000, d=8,
T=300, strength="weak")` draws anything else. A world with `.parts` holds several series (`.series`); where
`.scored == "pairs"`, the lag of an edge means nothing; `.null`: nothing acts on anything else.
"""

from benchmarks.worlds.base import KINDS, MAX_LAG, STRENGTHS, Kind, World
from benchmarks.worlds.grid import REPORTED, TUNING, Entry, make, one_split, worlds

__all__ = [
    "KINDS",
    "MAX_LAG",
    "REPORTED",
    "STRENGTHS",
    "TUNING",
    "Entry",
    "Kind",
    "World",
    "make",
    "one_split",
    "worlds",
]
