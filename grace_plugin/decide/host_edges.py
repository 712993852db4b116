"""A host's edges that stay although they are less likely than not, so that refining does no harm.

- **A lag close by**: of a system in small steps neighbouring lags tell nearly the same. Where the pair acts
  at a lag that the host does not report, the nearest of its lags stands for it, if the cause's value there
  tells a fifth of the variance of the acting one.
- **Too few rows**: a test at .05 reports .05 M of M possible edges by chance. Where fewer than half of what
  the host reports beyond that are likely, the rows cannot tell which of the others are true, and those
  of them that are significant at .01 stay, if they are more than twice as many as chance would make of all
  M. A graph in which nothing is likely stays empty. Refined VAR +.005.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.decide.decision import Decision, kinds

_BY_CHANCE = 0.05
_TELLING = 0.5  # share of what a host reports beyond chance that is likely where the rows can tell
_CHOSEN = 0.25  # of all possible edges: who reports more has not chosen, and its word says nothing
_LEVEL = 0.01
_BEYOND_CHANCE = 2.0  # of a hundred thousand candidates a thousand are significant at .01 by chance
_ALIKE = 0.2  # refined CDNOTS .691 in F1, refined VAR .800; at .6 .682 and .800


def host_edges(decision: Decision, proposed: BoolArray, alike: FloatArray) -> BoolArray:
    """[cause, effect, lag]: the host's cross edges that stay by its word.

    Args:
        decision: about all cells.
        proposed: [cause, effect, lag], what the host reports.
        alike: [cause, lag, lag], the share of a cause's variance at one lag that its value at another tells.
    """
    cross = kinds(decision.possible)[0]
    likely, mine = decision.likely() & cross, proposed & cross
    found = _standing_for(decision, likely, mine, alike)
    kept, reported = int((likely & mine).sum()), int(mine.sum()) - _BY_CHANCE * int(cross.sum())
    chosen = int(mine.sum()) <= _CHOSEN * int(cross.sum())
    if chosen and 0 < kept < _TELLING * reported:
        doubtful = mine & ~likely & (decision.log_p <= np.log(_LEVEL))
        if doubtful.sum() > _BEYOND_CHANCE * _LEVEL * cross.sum():
            found |= doubtful
    return found


def _standing_for(decision: Decision, likely: BoolArray, mine: BoolArray, alike: FloatArray) -> BoolArray:
    """The host's lag that is most like the acting one, of pairs that act at other lags alone."""
    found, log_p = np.zeros_like(mine), decision.log_p
    acts = likely.any(axis=2) & ~(likely & mine).any(axis=2) & mine.any(axis=2)
    for cause, effect in np.argwhere(acts).tolist():
        acting = int(np.where(likely[cause, effect], log_p[cause, effect], np.inf).argmin())
        near = np.where(mine[cause, effect], alike[cause, acting], -1.0)
        found[cause, effect, near.argmax()] = near.max() >= _ALIKE
    return found
