"""Whether the data ask for a search within one step, from what the lagged model leaves.

They do where some pair of residuals stands out by four standard errors and the lagged model explains less
than 90 % of the variance: where it explains more, steps are fine and what is left is the model's misfit. They
do not where hidden causes explain all such pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin.lag0.residuals import Residuals

STANDING_OUT = 4.0  # standard errors: .03 false pairs among 500
_EXPLAINED = 0.9


@dataclass(frozen=True)
class Question:
    """How residuals move together within one step.

    Args:
        pairs: how many stand out.
        possible: of so many.
        strongest: the pair (first, second) that stands out most.
        correlation: of its residuals.
        explained: the share of the variance that the lagged model explains.
        hidden: how many of them a hidden cause explains.
    """

    pairs: int
    possible: int
    strongest: tuple[int, int]
    correlation: float
    explained: float
    hidden: int

    @property
    def asks(self) -> bool:
        """Whether to look for effects within the step."""
        return self.pairs > self.hidden and self.explained < _EXPLAINED


def question(found: Residuals) -> Question:
    """What the residuals ask."""
    d = len(found.z)
    first, second = np.triu_indices(d, 1)
    size = np.abs(found.z[first, second])
    most = int(size.argmax()) if len(size) else 0
    strongest = (int(first[most]), int(second[most])) if len(size) else (0, 0)
    return Question(
        pairs=int((size > STANDING_OUT).sum()),
        possible=len(size),
        strongest=strongest,
        correlation=float(found.correlation[strongest]),
        explained=float(1.0 - found.left.mean()),
        hidden=int((size > STANDING_OUT)[found.hidden[first, second]].sum()),
    )
