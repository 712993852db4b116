"""What an edge would be without the odds that a user believes in (`likely`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grace_plugin.decide.decision import Decision
from grace_plugin.graph.background import Knowledge
from grace_plugin.graph.outcome import Reason
from grace_plugin.results.findings import Findings

_SMALL = 0.001  # nearer to 0 or 1 a probability is not told in digits


@dataclass(frozen=True)
class Belief:
    """Of one edge.

    Args:
        odds: the factor that was believed in.
        probability: of the edge with it.
        without: of the edge without it.
        changes: whether the edge stays with it and goes without it, or the other way round.
    """

    odds: float
    probability: float
    without: float
    changes: bool

    @property
    def sentence(self) -> str:
        """For people."""
        likely = f"{self.odds:g} times as likely as others"
        first = f"It was said to be {likely}: its probability is {_shown(self.probability)}"
        end = " and it would have been decided otherwise" if self.changes else ", and nothing would change"
        return f"{first}; without that it would be {_shown(self.without)}{end}."


def _shown(chance: float) -> str:
    if chance > 1.0 - _SMALL:
        return f"above {1.0 - _SMALL:g}"
    return f"below {_SMALL:g}" if chance < _SMALL else f"{chance:.2g}"


def belief_in(findings: Findings, edge: tuple[int, int, int]) -> Belief | None:
    """What is believed of an edge; None where nothing is, or nothing was learned of it."""
    config, outcome = findings.config, findings.outcome
    if not config.likely or "probability" not in outcome.records.further:
        return None
    odds = Knowledge(likely=dict(config.likely)).on(findings.names, findings.skeleton.max_lag).odds[edge]
    chance = float(outcome.further("probability")[edge])
    if odds == 1.0 or np.isnan(chance):
        return None
    without = chance / (chance + odds * (1.0 - chance)) if chance > 0.0 else 0.0
    return Belief(float(odds), chance, without, _changes(findings, edge, chance, without))


def _changes(findings: Findings, edge: tuple[int, int, int], chance: float, without: float) -> bool:
    """Whether the decision rests on the belief: a level does not ask for probabilities."""
    levels, config = findings.outcome.details.levels, findings.config
    if not isinstance(config.alpha, str) or Reason(findings.outcome.reason[edge]) is Reason.KEEP:
        return False
    if config.fdr is None:
        return (chance > 0.5) != (without > 0.5)
    if not isinstance(levels, Decision):
        return False
    plain = replace(levels, cell_odds=None)
    return bool(levels.at_rate(config.fdr)[edge] != plain.at_rate(config.fdr)[edge])
