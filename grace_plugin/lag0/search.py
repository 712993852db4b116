"""Greedy search over acyclic graphs within one step: add, delete, turn round; then turn every edge by force.

Every move changes the causes of one or two variables, so only their columns of `toggle` are scored anew:
toggle[i, j] is what the score of j gains or loses if i becomes, or is no longer, one of its causes.
"""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.node_models import NodeModels
from grace_plugin.lag0.rules import Rules, reaches

_ENOUGH = 1e-6  # nats a move must win
_MOST_MOVES = 20  # per variable
_MOST_SCORES = 50_000  # beyond them (some 30 s) the graph is taken as it is


class Climb:
    """One graph on its way to a better one."""

    def __init__(self, models: NodeModels, rules: Rules, against: FloatArray | None = None) -> None:
        self.models, self.rules = models, rules
        self.against = np.zeros(rules.allowed.shape) if against is None else against
        d = len(rules.allowed)
        self.parents: list[set[int]] = [set(np.flatnonzero(rules.required[:, effect])) for effect in range(d)]
        self.locked = rules.required.copy()
        self.toggle = np.full((d, d), np.inf)
        self._possible = [np.flatnonzero(rules.allowed[:, effect]) for effect in range(d)]
        for effect in range(d):
            self._rescore(effect)

    def copy(self) -> Climb:
        other = object.__new__(Climb)
        other.models, other.rules, other._possible = self.models, self.rules, self._possible
        other.against = self.against
        other.parents = [set(causes) for causes in self.parents]
        other.locked, other.toggle = self.locked.copy(), self.toggle.copy()
        return other

    @property
    def score(self) -> float:
        return sum(self._score(effect, causes) for effect, causes in enumerate(self.parents))

    @property
    def graph(self) -> BoolArray:
        """[cause, effect]."""
        graph = np.zeros_like(self.rules.allowed)
        for effect, causes in enumerate(self.parents):
            graph[list(causes), effect] = True
        return graph

    def run(self) -> Climb:
        """Take the best move until none wins."""
        for _ in range(_MOST_MOVES * len(self.parents)):
            if not self._step():
                break
        return self

    def turn(self, cause: int, effect: int) -> None:
        """Turn an edge round, and with it those by which a path would close a cycle."""
        self.parents[effect].discard(cause)
        for middle in [one for one in self.parents[effect] if one != cause]:
            if self.locked[middle, effect] or not reaches(self.parents, cause, middle):
                continue
            self.parents[effect].discard(middle)
            if self.rules.allowed[effect, middle]:
                self.parents[middle].add(effect)
                self._rescore(middle)
        self.parents[cause].add(effect)
        self._rescore(cause)
        self._rescore(effect)

    def gather(self, centre: int, towards: bool) -> bool:
        """Turn all edges of a variable towards it, or away; whether any could be, and none closes a cycle."""
        away = [one for one, causes in enumerate(self.parents) if centre in causes]
        turned = [
            (centre, one) if towards else (one, centre)
            for one in (away if towards else [*self.parents[centre]])
        ]
        turned = [edge for edge in turned if not self.locked[edge] and self.rules.allowed[edge[::-1]]]
        for cause, effect in turned:
            self.parents[effect].discard(cause)
            self.parents[cause].add(effect)
        if not turned or reaches(self.parents, centre, centre):
            return False
        for changed in {node for edge in turned for node in edge}:
            self._rescore(changed)
        return True

    def _rescore(self, effect: int) -> None:
        causes = self.parents[effect]
        now = self._score(effect, causes)
        for cause in self._possible[effect]:
            self.toggle[cause, effect] = self._score(effect, causes ^ {int(cause)}) - now

    def _score(self, effect: int, causes: set[int]) -> float:
        price = float(self.against[list(causes), effect].sum()) if causes else 0.0
        return self.models.score(effect, frozenset(causes)) + price

    def _step(self) -> bool:
        graph = self.graph
        free = graph & ~self.locked
        apart = ~graph & ~graph.T
        change = np.where(apart, self.toggle, np.inf)
        change[free] = self.toggle[free]
        turned = np.where(free & self.rules.allowed.T, self.toggle + self.toggle.T, np.inf)
        both = np.concatenate([change.ravel(), turned.ravel()])
        winning = np.flatnonzero(both < -_ENOUGH)
        for move in winning[np.argsort(both[winning], kind="stable")]:
            cause, effect = (int(one) for one in np.unravel_index(move % change.size, change.shape))
            if self._take(cause, effect, turning=bool(move >= change.size)):
                return True
        return False

    def _take(self, cause: int, effect: int, turning: bool) -> bool:
        """Make the move unless it closes a cycle."""
        causes = self.parents[effect]
        if turning:
            if reaches(self.parents, cause, effect, skip=(cause, effect)):
                return False
            causes.discard(cause)
            self.parents[cause].add(effect)
            self._rescore(cause)
        elif cause in causes:
            causes.discard(cause)
        elif reaches(self.parents, effect, cause):
            return False
        else:
            causes.add(cause)
        self._rescore(effect)
        return True


def best_graph(
    models: NodeModels, rules: Rules, against: FloatArray | None = None
) -> tuple[Climb, FloatArray]:
    """The best graph found, and how sure each of its edges is that it points the right way.

    Every edge is turned round in turn and held so while the others adapt; then every variable is made an
    effect of all its neighbours, and a cause of all of them: several causes of one effect may look, one by
    one, better the other way. Whatever comes out better is the new best graph.

    Returns:
        The graph, and [cause, effect]: nats by which it beats the best one found with that edge turned
        round; infinite where it may not be turned, 0 where there is no edge.
    """
    best = Climb(models, rules, against).run()
    while True:
        found, better = _all_turned(best)
        better = better or _all_gathered(best)
        if better is None:
            return best, found
        best = better


def _all_turned(best: Climb) -> tuple[FloatArray, Climb | None]:
    """The gap of every edge; or the first better graph that comes of it."""
    found = np.zeros(best.toggle.shape)
    score = best.score
    for cause, effect in np.argwhere(best.graph):
        other = _turned(best, int(cause), int(effect))
        if other is None:
            found[cause, effect] = np.inf
            continue
        gap = other.score - score
        if gap < -_ENOUGH and best.models.count <= _MOST_SCORES:
            other.locked[effect, cause] = False
            return found, other.run()
        found[cause, effect] = max(gap, 0.0)
    return found, None


def _all_gathered(best: Climb) -> Climb | None:
    """The first better graph that comes of turning all edges of one variable the same way."""
    graph, score = best.graph, best.score
    several = np.flatnonzero((graph | graph.T).sum(axis=0) > 1)
    for centre in several:
        for towards in (True, False):
            other = best.copy()
            if best.models.count <= _MOST_SCORES and other.gather(int(centre), towards):
                other.run()
                if other.score < score - _ENOUGH:
                    return other
    return None


def _turned(best: Climb, cause: int, effect: int) -> Climb | None:
    """The best graph near by with the edge turned round and held; None where the rules are against it."""
    if best.locked[cause, effect] or not best.rules.allowed[effect, cause]:
        return None
    other = best.copy()
    other.turn(cause, effect)
    if reaches(other.parents, effect, effect):  # a required path would close a cycle
        return None
    other.locked[effect, cause] = True
    return other.run()
