"""Greedy search over acyclic graphs within one step: add, delete, turn round; then turn every edge by force.

Every move changes the causes of one or two variables, so only their columns of `toggle` are scored anew:
toggle[i, j] is what the score of j gains or loses if i becomes, or is no longer, one of its causes. Graphs
that are tried climb side by side, so that all the scores that they need next are made at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.node_models import Key, NodeModels
from grace_plugin.lag0.node_scores import NodeScores
from grace_plugin.lag0.rules import Rules, reaches

_ENOUGH = 1e-6  # nats a move must win
_MOST_MOVES = 20  # per variable
_MOST_SCORES = 50_000  # beyond them (some 10 s) the graph is taken as it is
_AT_ONCE = 32  # graphs side by side; of more, those behind a better one are made for nothing


class Climb:
    """One graph on its way to a better one."""

    def __init__(self, scores: NodeScores) -> None:
        self.scores, self.rules = scores, scores.rules
        self.locked = self.rules.required.copy()
        self.graph: BoolArray = self.rules.required.copy()  # [cause, effect]
        self.parents = [frozenset(np.flatnonzero(causes).tolist()) for causes in self.graph.T]
        self.toggle = np.full(self.graph.shape, np.inf)
        self._changed = set(range(len(self.parents)))

    def copy(self) -> Climb:
        other = object.__new__(Climb)
        other.scores, other.rules = self.scores, self.rules
        other.locked, other.graph, other.toggle = self.locked.copy(), self.graph.copy(), self.toggle.copy()
        other.parents, other._changed = list(self.parents), set(self._changed)
        return other

    @property
    def score(self) -> float:
        return sum(map(self.scores.score, enumerate(self.parents)))

    def needed(self) -> Iterator[Key]:
        """What the next step asks for."""
        return ((effect, self.parents[effect]) for effect in sorted(self._changed))

    def likely(self) -> Iterator[Key]:
        """What later steps may ask for: of every variable that gains by it, its best move alone."""
        best = self.toggle.argmin(axis=0)
        gains = self.toggle.min(axis=0) < -_ENOUGH
        gains[list(self._changed)] = False
        return (
            (effect, self.parents[effect] ^ {int(best[effect])}) for effect in np.flatnonzero(gains).tolist()
        )

    def turn(self, cause: int, effect: int) -> None:
        """Turn an edge round, and with it those by which a path would close a cycle."""
        self._set(cause, effect, False)
        for middle in sorted(self.parents[effect]):
            if self.locked[middle, effect] or not reaches(self.parents, cause, middle):
                continue
            self._set(middle, effect, False)
            if self.rules.allowed[effect, middle]:
                self._set(effect, middle, True)
        self._set(effect, cause, True)

    def gather(self, centre: int, towards: bool) -> bool:
        """Turn all edges of a variable towards it, or away; whether any could be, and none closes a cycle."""
        others = np.flatnonzero(self.graph[centre] if towards else self.graph[:, centre]).tolist()
        turned = [(centre, one) if towards else (one, centre) for one in others]
        turned = [edge for edge in turned if not self.locked[edge] and self.rules.allowed[edge[::-1]]]
        for cause, effect in turned:
            self._set(cause, effect, False)
            self._set(effect, cause, True)
        return bool(turned) and not reaches(self.parents, centre, centre)

    def step(self) -> bool:
        """Take the best move; whether one wins."""
        for effect in self._changed:
            self.toggle[:, effect] = self.scores.toggles((effect, self.parents[effect]))
        self._changed.clear()
        free = self.graph & ~self.locked
        single = np.where(free | ~(self.graph | self.graph.T), self.toggle, np.inf)
        turning = np.where(free & self.rules.allowed.T, self.toggle + self.toggle.T, np.inf)
        wins = np.stack([single, turning])
        while True:
            best = int(wins.argmin())
            if wins.flat[best] >= -_ENOUGH:
                return False
            turns, cause, effect = (int(part) for part in np.unravel_index(best, wins.shape))
            if self._take(cause, effect, turning=bool(turns)):
                return True
            wins[turns, cause, effect] = np.inf

    def _take(self, cause: int, effect: int, turning: bool) -> bool:
        """Make the move unless it closes a cycle."""
        if turning:
            if reaches(self.parents, cause, effect, skip=(cause, effect)):
                return False
            self._set(cause, effect, False)
            self._set(effect, cause, True)
        elif self.graph[cause, effect]:
            self._set(cause, effect, False)
        elif reaches(self.parents, effect, cause):
            return False
        else:
            self._set(cause, effect, True)
        return True

    def _set(self, cause: int, effect: int, there: bool) -> None:
        self.graph[cause, effect] = there
        self.parents[effect] = self.parents[effect] | {cause} if there else self.parents[effect] - {cause}
        self._changed.add(effect)


def climb_all(climbs: Sequence[Climb]) -> None:
    """Take the best move of each graph until none wins."""
    going = list(climbs)
    for _ in range(_MOST_MOVES * len(going[0].parents) if going else 0):
        _prepare_scores(going)
        going = [climb for climb in going if climb.step()]
        if not going:
            return


def _prepare_scores(going: Sequence[Climb]) -> None:
    """Make the scores of the next step; where there are some to make, those of later steps with them.

    Many models at once take little longer than few: of 10 variables twice as many are ready in half the time.
    """
    scores, due = going[0].scores, [key for climb in going for key in climb.needed()]
    if not scores.has(due):
        scores.prepare([*due, *(key for climb in going for key in climb.likely())])


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
    best = Climb(NodeScores(models, rules, against))
    climb_all([best])
    while True:
        found, better = _all_turned(best)
        better = better or _all_gathered(best)
        if better is None:
            return best, found
        best = better


def _all_turned(best: Climb) -> tuple[FloatArray, Climb | None]:
    """The gap of every edge; or the first better graph that comes of it."""
    found, score = np.zeros(best.toggle.shape), best.score
    edges = np.argwhere(best.graph).tolist()
    for start in range(0, len(edges), _AT_ONCE):
        some = edges[start : start + _AT_ONCE]
        others = [_turned(best, cause, effect) for cause, effect in some]
        climb_all([other for other in others if other is not None])
        for (cause, effect), other in zip(some, others, strict=True):
            gap = np.inf if other is None else other.score - score
            if other is not None and gap < -_ENOUGH and not _enough_scores(best):
                other.locked[effect, cause] = False
                climb_all([other])
                return found, other
            found[cause, effect] = max(gap, 0.0)
    return found, None


def _all_gathered(best: Climb) -> Climb | None:
    """The first better graph that comes of turning all edges of one variable the same way."""
    score = best.score
    several = np.flatnonzero((best.graph | best.graph.T).sum(axis=0) > 1).tolist()
    ways = [(centre, towards) for centre in several for towards in (True, False)]
    for start in range(0, len(ways), _AT_ONCE):
        if _enough_scores(best):
            return None
        others = [best.copy() for _ in ways[start : start + _AT_ONCE]]
        others = [other for other, way in zip(others, ways[start:], strict=False) if other.gather(*way)]
        climb_all(others)
        for other in others:
            if other.score < score - _ENOUGH:
                return other
    return None


def _enough_scores(best: Climb) -> bool:
    return best.scores.models.count > _MOST_SCORES


def _turned(best: Climb, cause: int, effect: int) -> Climb | None:
    """The graph with the edge turned round and held; None where the rules are against it."""
    if best.locked[cause, effect] or not best.rules.allowed[effect, cause]:
        return None
    other = best.copy()
    other.turn(cause, effect)
    if reaches(other.parents, effect, effect):  # a required path would close a cycle
        return None
    other.locked[effect, cause] = True
    return other
