"""Where weak edges hide among inflated tests: how many small p-values there are beyond those of chance.

Two groups need edges that stand apart. In a short record, or one of weak effects, they do not: a number of
edges at p = .001 to .01 looks like tests that are all a little inflated, and hardly any cell is likelier an
edge than not. Counting still sees them. Of M cells without an edge M a have a p-value below a; with R(a) of
them seen, about R(a) - M a are edges. So where the two groups keep fewer than a third of those, and a graph
without edges would show so many three times in a thousand, the cut is the level that promises the best F1
with at most a quarter false, and the probability of a cell at p is one minus the share of chance, M p / R(p).

Cells that left a model one after the other share the p-value of the last of them (`backward.py`): together
they are one surprise, and R counts them once. Counted each for itself, chance made 5 to 7 false edges in 6 of
340 graphs where nothing acts, mostly of slow series; counted once, in one, and weak effects stay found.

Only cells below .01 count, whose p-values were confirmed on the rows, and only those of effects whose noise
has light tails and an even size and that do not wander as random walks do: elsewhere what is left of heavy
noise, or of two that wander, would be counted (8 random walks, 100 rows: 1.3 false edges a graph, not .9).
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc

from grace_plugin._common.arrays import FloatArray

_LEVEL = 0.01
_CHANCE = 0.003  # of so many small p-values in a graph without edges
_SEEN = 1.0 / 3.0  # share of the counted edges that the two groups keep where they do well
_FALSE = 0.25


def counted(log_p: FloatArray, kept: int) -> FloatArray:
    """The probability of every cell that counting keeps, 0 of all others.

    Args:
        log_p: the evidence of all cells that could be edges.
        kept: how many of them the two groups keep.

    >>> weak = np.concatenate([np.linspace(0.003, 0.004, 6), np.linspace(0.02, 1.0, 54)])
    >>> counted(np.log(weak), kept=0).round(2)[:7]
    array([0.82, 0.82, 0.82, 0.82, 0.82, 0.82, 0.  ])
    >>> bool(counted(np.log(weak), kept=3).any())
    False
    """
    found = np.zeros(log_p.shape)
    small = np.sort(log_p[log_p <= np.log(_LEVEL)])
    if not len(small):
        return found
    seen = np.searchsorted(np.unique(small), small, side="right")
    by_chance = len(log_p) * np.exp(small)
    true = seen - by_chance
    most = float(true.max())
    if kept >= _SEEN * most:
        return found
    promised = np.where(by_chance <= _FALSE * seen, 2.0 * true / (seen + most), 0.0)
    cut = int(promised.argmax())
    if promised[cut] <= 0.0 or gammainc(float(seen[cut]), float(by_chance[cut])) > _CHANCE:
        return found
    chance = np.maximum.accumulate(by_chance / seen)
    inside = log_p <= small[cut]
    found[inside] = 1.0 - np.interp(log_p[inside], small, chance)
    return found
