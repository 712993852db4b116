"""Variables of several columns (categories): one cause, one effect, one decision.

Every column takes part in the search on its own; then each pair of variables of which one has several columns
is judged by one joint test of all of them beside the kept causes of the effect, so that no p-value is picked
from the best of several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.decide.decision import Decision, make_decision
from grace_plugin.graph.background import Knowledge, edge_cells, edge_pattern, index_of
from grace_plugin.graph.outcome import Outcome, Reason
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.judging import chosen
from grace_plugin.regression.joint_test import JointTest, joint_test
from grace_plugin.series.categories import Groups
from grace_plugin.series.rows import Panel


def spread_skeleton(skeleton: Skeleton, groups: Groups) -> Skeleton:
    """Candidates between columns, for candidates between variables."""
    owner = _owner(groups)
    square = np.ix_(owner, owner)
    mask = skeleton.mask[square].copy()
    same = owner[:, None] == owner
    mask[:, :, 0] &= ~same
    scores = None if skeleton.scores is None else skeleton.scores[square]
    required = None if skeleton.required is None else skeleton.required[square] & mask
    return Skeleton(mask, groups.panel.names, scores, required)


def spread_config(config: RefineConfig, groups: Groups) -> RefineConfig:
    """The same options with edges between columns."""
    return replace(
        config,
        keep=tuple(spread for edge in config.keep for spread in _spread_edge("keep", edge, groups)),
        forbid=(
            *(spread for edge in config.forbid for spread in _spread_edge("forbid", edge, groups)),
            *(pair for group in groups.members for pair in _own_step(group)),
        ),
        likely=tuple(
            (spread, odds) for edge, odds in config.likely for spread in _spread_edge("likely", edge, groups)
        ),
        effects=tuple(
            column
            for one in config.effects
            for column in groups.members[index_of("effects", one, groups.names)]
        ),
    )


def _own_step(group: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """What columns of one variable are to each other within a step: nothing that could be an effect."""
    yield from ((first, second, 0) for first in group for second in group if first != second)


def _spread_edge(name: str, edge: Any, groups: Groups) -> Iterator[tuple[Any, ...]]:
    """An edge, or a pattern of edges, between variables as edges between their columns."""
    pattern = edge_pattern(name, edge)
    for cause, effect in np.argwhere(edge_cells(name, pattern[:2], groups.names, 1)[:, :, 1]):
        for first in groups.members[cause]:
            for second in groups.members[effect]:
                if cause != effect or pattern[2:] != (0,):
                    yield (first, second, *pattern[2:])


def gathered_skeleton(skeleton: Skeleton, outcome: Outcome, groups: Groups) -> Skeleton:
    """Candidates between variables: all that `outcome`, which is between them already, has a word of."""
    mask = np.zeros(outcome.shape, dtype=np.bool_)
    mask[outcome.records.cells] = True
    required = None if skeleton.required is None else any_between(skeleton.required, groups) & mask
    return Skeleton(mask, groups.names, None, required)


def gathered_outcome(outcome: Outcome, groups: Groups, config: RefineConfig, searched: bool) -> Outcome:
    """One decision for each pair of variables and lag; `searched` where no host gave the directions."""
    moments = outcome.details.moments
    assert isinstance(moments, Moments)
    found = _Gathered(outcome, moments, groups)
    if searched:
        found.open_words(config)
    decision = found.decision(config)
    first = np.array([group[0] for group in groups.members])
    units = outcome.details.units  # the rows as columns, of which by_unit() must know whose they are
    details = replace(
        outcome.details,
        moments=moments.with_variables(first),
        units=replace(groups, panel=units) if isinstance(units, Panel) else None,
        levels=decision,
        sample=None if outcome.details.sample is None else outcome.details.sample[:, first],
    )
    whole = Outcome.of_arrays(found.gates, found.graph, found.gain, np.exp(found.log_p), found.reason)
    records = whole.records
    if decision is not None:
        cells = records.cells
        records = records.with_columns(
            q_value=decision.q_value[cells], probability=decision.probability[cells]
        )
    return replace(outcome, records=records, shape=whole.shape, details=details)


class _Gathered:
    """Arrays [cause, effect, lag] between variables."""

    def __init__(self, outcome: Outcome, moments: Moments, groups: Groups) -> None:
        self.outcome, self.moments, self.groups = outcome, moments, groups
        self.levels = outcome.details.levels
        candidates = any_between(outcome.reason != int(Reason.SKELETON), groups)
        self.possible = candidates if self.levels is None else any_between(self.levels.possible, groups)
        self.known = None if self.levels is None else self.levels.log_p
        shape = self.possible.shape
        self.gates, self.graph = np.zeros(shape), any_between(outcome.graph, groups)
        self.gain, self.log_p = np.zeros(shape), np.zeros(shape)
        self.keep = any_between(outcome.reason == int(Reason.KEEP), groups)
        self.reason = np.where(candidates | self.graph, int(Reason.CERTIFICATE), int(Reason.SKELETON))
        self.reason[self.keep] = int(Reason.KEEP)
        for cause, effect, lag in np.argwhere(self.possible | candidates):
            self._judge(int(cause), int(effect), int(lag))

    def decision(self, config: RefineConfig) -> Decision | None:
        """Decide about what was judged jointly, as the options ask; None where a plain level does."""
        wide = np.array([len(group) > 1 for group in self.groups.members])
        joint = (wide[:, None] | wide)[:, :, None] & self.possible
        if self.levels is None:
            self.graph = np.where(joint, self.log_p <= np.log(self.outcome.alpha), self.graph) | self.keep
            return None
        known = Knowledge(likely=dict(config.likely)).on(self.groups.names, self.log_p.shape[2] - 1)
        decision = make_decision(self.log_p, self.possible, ~self.keep, known.odds)
        wanted = chosen(decision, config)
        self.graph = np.where(joint, wanted, self.graph) | self.keep
        self.reason[self.graph & (self.reason == int(Reason.SKELETON))] = int(Reason.CERTIFICATE)
        self.gates[self.graph & (self.gates == 0.0)] = 1.0
        return decision

    def open_words(self, config: RefineConfig) -> None:
        """Leave a word and what it goes with in one step without direction, but for what is known of them.

        Its columns tell one, and of ten that they told on twelve worlds (500 rows) two were wrong.
        """
        wide = np.array([len(group) > 1 for group in self.groups.members])
        kept, known = self.graph[:, :, 0], Knowledge(required=config.keep, forbidden=config.forbid)
        cells = known.on(self.groups.names, self.log_p.shape[2] - 1)
        told = self.keep[:, :, 0] | cells.forbidden[:, :, 0].T
        for cause, effect in np.argwhere((wide[:, None] | wide) & kept & ~kept.T & ~told):
            for values in (self.gates, self.graph, self.gain, self.log_p, self.reason, self.possible):
                values[effect, cause, 0] = values[cause, effect, 0]

    def _judge(self, cause: int, effect: int, lag: int) -> None:
        causes, effects = self.groups.members[cause], self.groups.members[effect]
        block, where = np.ix_(causes, effects, [lag]), (cause, effect, lag)
        self.gates[where] = self.outcome.gates[block].max()
        if len(causes) > 1 or len(effects) > 1:
            found = self._joint(causes, effects, lag)
            self.gain[where], self.log_p[where] = found.gain, found.log_p
            return
        self.gain[where] = np.nan_to_num(self.outcome.gain[block]).item()
        p_value = np.nan_to_num(self.outcome.p_value[block], nan=1.0).item()
        known = None if self.known is None else self.known[block].item()
        self.log_p[where] = np.log(max(p_value, 1e-300)) if known is None else known

    def _joint(self, causes: tuple[int, ...], effects: tuple[int, ...], lag: int) -> JointTest:
        """The test of all columns together; of a numeric cause, the better of its linear and full form."""
        given = self._given(effects)
        given[list(causes), lag] = False
        given[list(effects), 0] = False
        beside = self._features([(int(c), int(at)) for c, at in np.argwhere(given)])
        targets = np.array(effects) * len(self.moments.basis)
        tested = self._features([(column, lag) for column in causes])
        full = joint_test(self.moments, targets, tested, beside)
        if len(causes) > 1:
            return full
        linear = joint_test(self.moments, targets, tested[:1], beside)
        best = min((full, linear), key=lambda one: one.log_p)
        return JointTest(best.gain, min(0.0, best.log_p + np.log(2.0)))

    def _given(self, effects: tuple[int, ...]) -> BoolArray:
        """[column, lag]: all columns of every cause of which one was kept; some would say too little."""
        kept = self.outcome.graph[:, list(effects)].any(axis=1)
        starts = [group[0] for group in self.groups.members]
        return np.asarray(np.logical_or.reduceat(kept, starts, axis=0)[_owner(self.groups)])

    def _features(self, cells: list[tuple[int, int]]) -> IntArray:
        """Columns of the moment matrix: all features of numbers, the contrasts themselves of categories."""
        width = len(self.moments.basis)
        wide = {column for group in self.groups.members if len(group) > 1 for column in group}
        found = [
            (lag * self.moments.n_variables + column) * width + feature
            for column, lag in cells
            for feature in range(1 if column in wide else width)
        ]
        return np.array(found, dtype=np.int64)


def _owner(groups: Groups) -> IntArray:
    """[column]: the variable that it belongs to."""
    return np.repeat(np.arange(len(groups.members)), [len(group) for group in groups.members])


def any_between(cells: BoolArray, groups: Groups) -> BoolArray:
    """[cause, effect, lag] between variables: whether any cell between their columns is set."""
    starts = [group[0] for group in groups.members]
    found = np.logical_or.reduceat(np.logical_or.reduceat(cells, starts, axis=0), starts, axis=1)
    found[np.arange(len(starts)), np.arange(len(starts)), 0] = False
    return np.asarray(found)
