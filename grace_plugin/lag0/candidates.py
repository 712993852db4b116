"""Which pairs a search within one step looks at: those whose residuals move together.

Two neighbours of an acyclic graph are dependent, marginally and given all others, but for exact
cancellation; so a pair that shows in none of both, nor by a curve, is left out.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.residuals import Residuals
from grace_plugin.lag0.rules import Rules

_NOTICED = 2.6  # standard errors: 1 % of independent pairs
_BENT = 3.9  # of a curve, of which there are several for each pair: 1 of 10,000
_MOST_NEIGHBOURS = 12  # the strongest of each variable


def candidate_rules(found: Residuals, rules: Rules) -> Rules:
    """The same rules, in which only noticed pairs are allowed (required ones always)."""
    strength = np.maximum(np.abs(found.z), np.abs(found.partial_z))
    bent = np.maximum(found.bends, found.bends.T)
    strength = np.where(
        bent > _BENT, np.maximum(strength, bent), np.where(strength > _NOTICED, strength, 0.0)
    )
    near = _strongest(strength)
    required = rules.required | rules.required.T
    return Rules(rules.required, rules.allowed & (near | required))


def _strongest(strength: FloatArray) -> BoolArray:
    """[d, d], symmetric: pairs that are among the strongest of either end."""
    most = min(_MOST_NEIGHBOURS, len(strength))
    least = -np.sort(-strength, axis=0)[most - 1]
    chosen = (strength > 0.0) & (strength >= least)
    return np.asarray(chosen | chosen.T)
