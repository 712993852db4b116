"""A host's edges that stay although they are less likely than not, so that refining does no harm.

- **Another lag**: the pair acts, at a lag that the host does not report (of a system in small steps many
  lags tell the same): the strongest of the host's own lags stands for it. Refined CDNOTS +.013
  in F1 over all worlds, refined VAR +.001.
- **Too few rows**: a test at .05 reports .05 M of M possible edges by chance. Where fewer than half of what
  the host reports beyond that are likely, the rows cannot tell which of the others are true, and those
  of them that are significant at .01 stay. A graph in which nothing is likely stays empty. Refined VAR +.005.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin.decide.decision import Decision, kinds

_BY_CHANCE = 0.05
_TELLING = 0.5  # share of what a host reports beyond chance that is likely where the rows can tell
_LEVEL = 0.01


def host_edges(decision: Decision, proposed: BoolArray) -> BoolArray:
    """[cause, effect, lag]: the host's cross edges that stay by its word."""
    cross = kinds(decision.possible)[0]
    likely, mine = decision.likely() & cross, proposed & cross
    found = _at_another_lag(decision, likely, mine)
    kept, reported = int((likely & mine).sum()), int(mine.sum()) - _BY_CHANCE * int(cross.sum())
    if 0 < kept < _TELLING * reported:
        found |= mine & ~likely & (decision.log_p <= np.log(_LEVEL))
    return found


def _at_another_lag(decision: Decision, likely: BoolArray, mine: BoolArray) -> BoolArray:
    """The strongest of the host's lags, of pairs that act at other lags alone."""
    acts = likely.any(axis=2) & ~(likely & mine).any(axis=2) & mine.any(axis=2)
    strongest = np.where(mine, decision.log_p, np.inf).argmin(axis=2)
    found = np.zeros_like(mine)
    cause, effect = np.nonzero(acts)
    found[cause, effect, strongest[cause, effect]] = True
    return found
