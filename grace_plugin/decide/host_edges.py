"""A host's edges that stay although they are less likely than not, so that refining does no harm.

- **A lag close by**: of a system in small steps neighbouring lags tell nearly the same. Where the pair acts
  at a lag that the host does not report, the nearest of its lags stands for it, if the cause's value there
  tells a fifth of the variance of the acting one. A host that looks within one step may report lag 0 instead.
- **The best F1**: cutting at one half is right where edges are clearly likely or not. Where they are not, the
  F1 that is expected of the host's edges is largest at a lower probability, half of that F1.
- **Nothing is likely**: the graph stays empty, unless more of the host's edges have small p-values than
  chance makes of all possible edges three times in a hundred.

On tuning seeds 1002 and 1003 of the worlds F1 rises by .001 (CDNOTS, LASSO-VAR) to .009 (PCMCI+) against a
plain rule, p <= .01 where few of the reported edges are likely. Prior odds of a host's edges, estimated from
how many others of like evidence it leaves out, gained nothing; believing it where the bulk of all tests is
inflated floods data whose noise comes in spells; keeping its small p-values where weak edges are open
(`undecided.py`) gained .001 to .003 and kept six edges in one of eight graphs of noise.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.decide.decision import HALF, Decision, kinds

_ALIKE = 0.2  # refined CDNOTS .691 in F1, refined VAR .800; at .6 .682 and .800
_LEVEL = 0.01  # p-values beyond it are not counted: they were not confirmed on the rows
_CHANCE = 0.03  # of so many small p-values in a graph without edges


def host_edges(
    decision: Decision, proposed: BoolArray, alike: FloatArray, open_pairs: BoolArray | None = None
) -> BoolArray:
    """[cause, effect, lag]: the host's edges between variables that stay by its word.

    Those within one step stay whatever else is decided of them.

    Args:
        decision: about all cells.
        proposed: [cause, effect, lag], what the host reports in one direction.
        alike: [cause, lag, lag], the share of a cause's variance at one lag that its value at another tells.
        open_pairs: [cause, effect], what it reports within one step in no direction.
    """
    cross = kinds(decision.possible)[0]
    likely, mine, log_p = decision.likely() & cross, proposed & cross, decision.log_p
    acting = np.where(likely, log_p, np.inf).argmin(
        axis=2
    )  # the lag of each pair with the strongest evidence
    found = _standing_for(likely, mine, alike, acting)
    if (likely & mine).any():
        found |= _of_best_f1(decision.probability, mine, cross)
    elif not likely.any():
        found |= _not_by_chance(log_p, mine, cross)
    close_by = likely.any(axis=2) & (alike[np.arange(len(mine))[:, None], acting, 0] >= _ALIKE)
    apart = ~((likely | found) & mine).any(axis=2)  # pairs of which no other lag stays
    found[:, :, 0] = proposed[:, :, 0] & apart & close_by
    if open_pairs is not None:
        found[:, :, 0] |= open_pairs & apart & apart.T & (close_by | close_by.T)
    return found


def _of_best_f1(probability: FloatArray, mine: BoolArray, cross: BoolArray) -> BoolArray:
    """The likeliest of the host's edges below one half, as many as promise the best F1 with the rest."""
    chance, true = np.sort(probability[mine])[::-1], float(probability[cross].sum())
    promised = 2.0 * np.cumsum(chance) / (np.arange(1, len(chance) + 1) + true)
    cut = min(float(chance[promised.argmax()]), HALF)
    return np.asarray(mine & (probability <= HALF) & (probability >= cut))


def _not_by_chance(log_p: FloatArray, mine: BoolArray, cross: BoolArray) -> BoolArray:
    """What stays of a graph in which nothing is likely."""
    small = np.sort(log_p[mine & (log_p <= np.log(_LEVEL))])
    seen = np.arange(1, len(small) + 1, dtype=np.float64)
    rare = np.flatnonzero(gammainc(seen, cross.sum() * np.exp(small)) <= _CHANCE)
    return np.asarray(mine & (log_p <= (small[rare[-1]] if len(rare) else -np.inf)))


def _standing_for(likely: BoolArray, mine: BoolArray, alike: FloatArray, acting: IntArray) -> BoolArray:
    """The host's lag that is most like the acting one, of pairs that act at other lags alone."""
    found = np.zeros_like(mine)
    acts = likely.any(axis=2) & ~(likely & mine).any(axis=2) & mine.any(axis=2)
    for cause, effect in np.argwhere(acts).tolist():
        near = np.where(mine[cause, effect], alike[cause, acting[cause, effect]], -1.0)
        found[cause, effect, near.argmax()] = near.max() >= _ALIKE
    return found
