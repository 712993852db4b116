"""What the score of a variable gains or loses by one cause within the step more, or less."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.lag0.node_models import Key, NodeModels
from grace_plugin.lag0.rules import Rules


class NodeScores:
    """The scores that climbs over graphs share, each computed once.

    Args:
        models: of every variable.
        rules: what may be a cause.
        against: [cause, effect], nats that an edge costs besides.
    """

    def __init__(self, models: NodeModels, rules: Rules, against: FloatArray | None = None) -> None:
        self.models, self.rules = models, rules
        self._against = np.zeros(rules.allowed.shape) if against is None else against
        self._possible = [np.flatnonzero(causes).tolist() for causes in rules.allowed.T]
        self._scores: dict[Key, float] = {}
        self._toggles: dict[Key, FloatArray] = {}

    def has(self, keys: Iterable[Key]) -> bool:
        """Whether all of these are computed."""
        return all(key in self._toggles for key in keys)

    def prepare(self, keys: Iterable[Key]) -> None:
        """Compute what will be asked for of these."""
        new = [key for key in dict.fromkeys(keys) if key not in self._toggles]
        self.models.prepare(one for key in new for one in (key, *self._next_to(key)))
        for key in new:
            self._toggles[key] = self._toggled(key)

    def score(self, key: Key) -> float:
        """Of a variable with some causes."""
        known = self._scores.get(key)
        if known is None:
            effect, causes = key
            price = sum(float(self._against[cause, effect]) for cause in sorted(causes))
            known = self._scores[key] = self.models.score(effect, causes) + price
        return known

    def toggles(self, key: Key) -> FloatArray:
        """[d]: how the score changes if one becomes, or is no longer, a cause; inf where that may not be."""
        if key not in self._toggles:
            self.prepare([key])
        return self._toggles[key]

    def _next_to(self, key: Key) -> list[Key]:
        effect, causes = key
        return [(effect, causes ^ {cause}) for cause in self._possible[effect]]

    def _toggled(self, key: Key) -> FloatArray:
        found, now = np.full(len(self._possible), np.inf), self.score(key)
        found[self._possible[key[0]]] = [self.score(one) - now for one in self._next_to(key)]
        return found
