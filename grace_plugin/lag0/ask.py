"""Whether the data ask for a search within one step, from what the lagged model leaves.

They do where some pair of residuals stands out by four standard errors (by more where pairs are so many that
some do by chance), unless hidden causes explain all such pairs. Where none does, but all of them together
would hardly be so large by chance, three are enough: five regions of a slowly sampled brain, 200 rows, have
F1 .51 instead of .30 by that (ten tuning seeds), and of the worlds one of 143 changes. How much the lagged
model explains does not count: where steps are so fine that it foresees everything (coupled Lorenz and
Roessler systems), F1 is .77 with the search and .75 without it (12 tuning seeds); of steps half as long .71
and .72.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtri

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.residuals import Residuals

STANDING_OUT = 4.0  # standard errors: .03 false pairs among 500
_TOGETHER = 3.0  # where all pairs together are beyond chance
_CHANCE_TOGETHER = 1e-4  # of so large a sum of squares
_BY_CHANCE = 0.03  # pairs that may stand out where nothing acts: at 4.0, of 300 variables, three do
LEAST_CORRELATION = 0.05  # with many rows any misfit stands out; so little changes no graph


@dataclass(frozen=True)
class Question:
    """How residuals move together within one step.

    Args:
        pairs: how many stand out.
        possible: of so many.
        strongest: the pair (first, second) that stands out most.
        correlation: of its residuals.
        hidden: how many of them a hidden cause explains.
    """

    pairs: int
    possible: int
    strongest: tuple[int, int]
    correlation: float
    hidden: int

    @property
    def asks(self) -> bool:
        """Whether to look for effects within the step."""
        return self.pairs > self.hidden


def standing_out(variables: int, least: float = STANDING_OUT) -> float:
    """Standard errors by which a pair of residuals stands out among all pairs.

    >>> standing_out(20), round(standing_out(300), 2)
    (4.0, 4.97)
    """
    pairs = max(variables * (variables - 1) // 2, 1)
    return max(least, float(-ndtri(0.5 * _BY_CHANCE / pairs)))


def pairs_standing_out(found: Residuals, among: BoolArray | None = None) -> BoolArray:
    """[d, d]: the pairs that stand out, by their standard error and by their size."""
    large = np.abs(found.correlation) > LEAST_CORRELATION
    size = np.where(large if among is None else large & among, np.abs(found.z), 0.0)
    standing = size > standing_out(len(size))
    if not standing.any() and _beyond_chance(found.z):
        standing = size > standing_out(len(size), _TOGETHER)
    return np.asarray(standing)


def _beyond_chance(z: FloatArray) -> bool:
    """Whether all pairs together are larger than chance makes them."""
    first, second = np.triu_indices(len(z), 1)
    return bool(chdtrc(max(len(first), 1), float(np.square(z[first, second]).sum())) < _CHANCE_TOGETHER)


def question(found: Residuals, among: BoolArray | None = None) -> Question:
    """What the residuals ask; `among` [d, d] are the pairs that matter, all by default."""
    first, second = np.triu_indices(len(found.z), 1)
    if among is not None:
        counts = among[first, second]
        first, second = first[counts], second[counts]
    size = np.abs(found.z[first, second])
    most = int(size.argmax()) if len(size) else 0
    strongest = (int(first[most]), int(second[most])) if len(size) else (0, 0)
    seen = pairs_standing_out(found)[first, second]
    return Question(
        pairs=int(seen.sum()),
        possible=len(size),
        strongest=strongest,
        correlation=float(found.correlation[strongest]),
        hidden=int((seen & found.hidden[first, second]).sum()),
    )
