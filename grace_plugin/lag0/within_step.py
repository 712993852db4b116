"""The graph within one step: an acyclic graph, and how sure the direction of each edge is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.lag0.candidates import candidate_rules
from grace_plugin.lag0.columns import Columns
from grace_plugin.lag0.common_noise import shorter_by_common_noise
from grace_plugin.lag0.node_models import PRICE, NodeModels
from grace_plugin.lag0.residuals import Residuals, residuals
from grace_plugin.lag0.rules import Rules
from grace_plugin.lag0.search import best_graph
from grace_plugin.lag0.shared_cause import shared_causes
from grace_plugin.lag0.step_rows import StepRows
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import Panel

_MOST_AGAINST = 20.0  # nats; from 10 to 30 slow-sampled pairs have F1 .83 instead of .75, others as without
CONVINCING = 0.8  # probability from which a direction counts as told by the data


@dataclass(frozen=True, eq=False)
class WithinStep:
    """What was found within one step; all arrays are [cause, effect].

    Args:
        graph: the best acyclic graph.
        direction: the probability of each edge's direction, given that the pair is connected; both cells
            of a connected pair add up to one, all others are 0.
        lagged: [cause, effect, lag], the lagged causes chosen beside those of `graph`.
    """

    graph: BoolArray
    direction: FloatArray
    lagged: BoolArray

    @property
    def told(self) -> BoolArray:
        """The edges whose direction the data tell."""
        return np.asarray(self.graph & (self.direction >= CONVINCING))

    @property
    def marks(self) -> BoolArray:
        """The graph with both cells set where the direction is open."""
        untold = self.graph & ~self.told
        return np.asarray(self.graph | untold.T)

    def with_ruled_out(self, forbidden: BoolArray) -> WithinStep:
        """The same where a direction that cannot be leaves the other as the only one."""
        settled = self.graph & forbidden.T
        direction = np.where(settled, 1.0, np.where(settled.T, 0.0, self.direction))
        return WithinStep(self.graph, direction, self.lagged)

    def towards(self, asked: BoolArray) -> WithinStep:
        """What is found of the variables to be explained: causes of theirs, and edges of open direction.

        An open edge of which one end is asked for is judged as an effect on that end.
        """
        open_edges = self.graph & ~self.told & ~asked[None, :] & asked[:, None]
        graph = (self.graph & asked[None, :]) | open_edges.T
        lagged = self.lagged.copy()
        lagged[:, ~asked] = False
        touched = graph | graph.T
        return WithinStep(graph, np.where(touched, self.direction, 0.0), lagged)


class StepSearch:
    """Looks at one step of the data.

    Args:
        moments: sums over lagged rows.
        pool: [cause, effect, lag], the lagged edges that models may choose from.
        panel: the rows, if they can be read again; without them the shape of residuals tells nothing.
    """

    def __init__(self, moments: Moments, pool: BoolArray, panel: Panel | None = None) -> None:
        self.columns = Columns(moments, pool)
        readable = panel is not None and panel.stream is None
        rows = StepRows(panel, self.columns) if panel is not None and readable else None
        self.models = NodeModels(self.columns, rows)
        self._residuals: Residuals | None = None

    @property
    def residuals(self) -> Residuals:
        """What the lagged models leave."""
        if self._residuals is None:
            self._residuals = residuals(self.models)
        return self._residuals

    def run(self, rules: Rules | None = None) -> WithinStep:
        """Search, and weigh the directions."""
        rules = Rules.free(self.columns.n_variables) if rules is None else rules
        best, gaps = best_graph(self.models, candidate_rules(self.residuals, rules), self._against())
        sure = expit(gaps)
        graph = best.graph
        direction = np.where(graph, sure, 0.0)
        direction += np.where(graph.T & ~graph, 1.0 - sure.T, 0.0)
        return WithinStep(graph, direction, self._lagged(best.parents))

    def without_shared_causes(self, found: WithinStep, rules: Rules) -> WithinStep:
        """What is found without pairs that a shared cause explains better, as long as there are some."""
        while (shared := shared_causes(self.models, found.graph, rules.required, self._against())).any():
            rules = Rules(rules.required, rules.allowed & ~(shared | shared.T))
            found = self.run(rules)
        return found

    def common_noise(self, found: WithinStep) -> float:
        """Nats by which noise that moves together describes the data in less than the effects found do."""
        return shorter_by_common_noise(self.models, found.graph)

    def _against(self) -> FloatArray:
        """[cause, effect]: nats that an effect within the step costs more against the precedence in time.

        Where steps are slower than causes, what acts within a step acts on the next one too, the same way.
        """
        ahead = np.maximum(self.residuals.precedence - PRICE, 0.0)
        return np.asarray(np.clip(ahead.T - ahead, 0.0, _MOST_AGAINST))

    def _lagged(self, parents: list[frozenset[int]]) -> BoolArray:
        table = self.columns
        found = np.zeros((table.n_variables, table.n_variables, table.moments.max_lag + 1), dtype=np.bool_)
        for effect, causes in enumerate(parents):
            places = self.models.model(effect, causes).columns // table.width
            places = places[places >= table.n_variables]
            found[table.variable[places], effect, table.lag[places]] = True
        return found
