"""Effects within one step, as one more kind of candidate: found before the engine decides about all of them.

The search within the step gives an acyclic graph at lag 0 and the lagged causes that go with it. Both become
candidates, so that own past, lagged causes and causes within the step are decided together. Where the data do
not tell the direction of an edge, it is judged in the likelier one and reported as open: both cells are set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import KnownCells
from grace_plugin.graph.knowledge import kept_cells
from grace_plugin.graph.outcome import EdgeRecords, Outcome, joined
from grace_plugin.graph.shown import StepPairs
from grace_plugin.graph.skeleton import Skeleton, one_way
from grace_plugin.lag0.ask import Question, pairs_standing_out, question
from grace_plugin.lag0.common_noise import CONVINCING as COMMON
from grace_plugin.lag0.residuals import Residuals
from grace_plugin.lag0.rules import Rules, is_acyclic
from grace_plugin.lag0.within_step import StepSearch, WithinStep
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.regression.evidence import entry_level
from grace_plugin.skeletons import Source, get_skeleton

MOST_SHOWN = 40  # variables in the picture of the residuals
MOST_VARIABLES = 1000  # of more, correlations of all that can act would not fit into memory


@dataclass(frozen=True, eq=False)
class StepLook:
    """What a look at one step found.

    Args:
        question: how residuals move together.
        shown: what is drawn of the residuals.
        found: the graph within the step, if it was searched.
        searched: whether to search it.
        wanted: whether the user, or the skeleton that was chosen, asked for it.
        common: whether noise that moves together is the shorter description: what was found is then
            left out unless it was wanted.
        many: whether variables are so many that nothing but the question is asked.
    """

    question: Question
    shown: StepPairs
    found: WithinStep | None
    searched: bool = False
    wanted: bool = False
    common: bool = False
    many: bool = False

    def candidates(self, lagged: Skeleton) -> Skeleton:
        """The candidates with those within the step, each in its likelier direction."""
        if self.found is None:
            return lagged
        mask = lagged.mask | self.found.lagged
        mask[:, :, 0] = self.found.graph
        return _like(lagged, mask)

    def reported(self, judged: Skeleton) -> Skeleton:
        """The candidates as they are reported: an open edge in both cells."""
        if self.found is None:
            return judged
        mask = judged.mask.copy()
        mask[:, :, 0] = self.found.marks
        return _like(judged, mask)

    def written(self, outcome: Outcome) -> Outcome:
        """The outcome with the verdict on an open edge in both cells, and the probability of directions."""
        if self.found is None:
            return outcome
        untold = self.found.graph & ~self.found.told
        records = outcome.records
        again = records.chosen((records.lag == 0) & untold[records.cause, records.effect])
        records = joined(records, replace(again, cause=again.effect, effect=again.cause))
        return replace(outcome, records=_with_directions(records, self.found.direction))


def step_data(search: Source, prepared: Prepared) -> Source:
    """What the look at one step reads: rows without trends, steps and cycles.

    Left in, lagged values stand in for a season, and what stands in for it tells nothing of what acts.
    """
    rows = search.rows
    panel = None if rows is None else prepared.without_terms(rows)
    if panel is None or panel is rows:
        return search
    return Source(panel, search.max_lag, search.moments.basis, search.progress, search.effects)


def look_within_step(
    found: Skeleton, search: Source, config: RefineConfig, known: KnownCells, only_ask: bool = False
) -> StepLook | None:
    """Ask the residuals of the lagged candidates, and search where they, or the user, say so.

    Pairs at lag 0 that a skeleton function found itself are searched, and no others. What the residuals alone
    asked for is left out again where common noise explains it better. With `only_ask` the answer is all that
    is wanted.
    """
    wanted, many = config.contemporaneous, found.n_variables > MOST_VARIABLES
    if found.n_variables < 2 or search.max_lag < 1 or (many and wanted is not True):
        return None
    required = kept_cells(config, found)[:, :, 0]
    given = found.mask[:, :, 0] & ~required
    step = StepSearch(search.moments, found.mask, search.rows)
    touching = _looked_at(known)
    asked = question(step.residuals, touching)
    chosen = wanted is True or (wanted == "auto" and bool(given.any()))
    searched = chosen or (wanted == "auto" and asked.asks)
    rules = _rules(required, given, known.forbidden[:, :, 0])
    if touching is not None:
        rules = Rules(required, rules.allowed & touching | required)
    if not chosen:
        rules = Rules(required, rules.allowed & ~step.residuals.hidden | required)
    shown = _shown(step.residuals, touching, found.names)
    if not searched or (only_ask and chosen):
        return StepLook(asked, shown, None, searched, chosen)
    within = StepSearch(search.moments, _pool(found, search) & ~known.forbidden, search.rows)
    result = within.run(rules)
    free = touching is None and not given.any()  # a graph that may not be the best one proves nothing
    common = free and within.common_noise(result) > COMMON
    if common and not chosen:
        return StepLook(asked, shown, None, searched=False, common=True)
    if not chosen:
        result = within.without_shared_causes(result, rules)
    result = result.with_ruled_out(known.forbidden[:, :, 0] & ~required)
    result = result if known.asked is None else result.towards(known.asked)
    return StepLook(asked, shown, result, searched, chosen, common)


def residual_pairs(found: Skeleton, search: Source, known: KnownCells) -> StepPairs | None:
    """What lagged candidates leave within one step, to be drawn; None where it cannot be looked at."""
    if not 2 <= found.n_variables <= MOST_VARIABLES or search.max_lag < 1:
        return None
    step = StepSearch(search.moments, found.mask, search.rows)
    return _shown(step.residuals, _looked_at(known), found.names)


def _shown(left: Residuals, among: BoolArray | None, names: Sequence[str]) -> StepPairs:
    """Of many variables those with the strongest pairs that stand out."""
    standing, size = pairs_standing_out(left, among), np.abs(left.correlation)
    first = np.lexsort((-size.max(axis=1), -np.where(standing, size, 0.0).max(axis=1)))
    some = np.sort(first[:MOST_SHOWN])
    square, chosen = np.ix_(some, some), tuple(names[place] for place in some)
    pairs = int(standing.sum()) // 2
    return StepPairs(chosen, left.correlation[square], standing[square], pairs, len(names))


def _looked_at(known: KnownCells) -> BoolArray | None:
    """Pairs [d, d] that the question is about: of asked effects, and not ruled out both ways; None: all."""
    barred = known.forbidden[:, :, 0] & known.forbidden[:, :, 0].T
    np.fill_diagonal(barred, False)
    if known.asked is None:
        return ~barred if barred.any() else None
    return (known.asked[:, None] | known.asked) & ~barred


def _pool(found: Skeleton, search: Source) -> BoolArray:
    """The lagged edges that the search chooses from: liberal, because its own price decides.

    A past that is missing there cannot tell a direction: with that of the candidates alone, 10 variables and
    200 rows, F1 of directions is .89, with this one .94 (Gaussian noise, six tuning seeds).
    """
    level = entry_level(search.n_variables * search.max_lag)
    pool = found.mask | get_skeleton("basis")(search.for_all(), entry=level).mask
    pool[range(len(pool)), range(len(pool)), 1] = True
    return np.asarray(pool)


def _rules(required: BoolArray, given: BoolArray, forbidden: BoolArray) -> Rules:
    if not is_acyclic(required):
        msg = "keep asks for effects within one step (lag 0) that form a cycle; leave one of them out."
        raise OptionError(msg)
    rules = Rules.free(len(required))
    allowed = ((given if given.any() else rules.allowed) & ~forbidden) | required
    return Rules(required, allowed & ~required.T)


def oriented(
    judged: Skeleton, outcome: Outcome, search: Source, config: RefineConfig
) -> tuple[Skeleton, Outcome]:
    """A host's unoriented edges at lag 0 that stay, in the direction that the data tell.

    The host's own directions are taken as they are; lagged causes are chosen from all of its candidates.
    """
    pairs = judged.unoriented & outcome.graph[:, :, 0]
    settled = judged.directed[:, :, 0] & outcome.graph[:, :, 0]
    if not pairs.any() or not is_acyclic(settled):
        return judged, outcome
    step = StepSearch(search.moments, judged.mask, search.rows)
    kept = kept_cells(config, judged)[:, :, 0]
    found = step.run(Rules(settled, (pairs | settled) & ~(kept.T & ~kept)))
    told = found.told & pairs
    records = outcome.records
    against = (records.lag == 0) & told.T[records.cause, records.effect]
    direction = np.where(pairs, found.direction, 0.0)
    left = _with_directions(records.chosen(~against), direction)
    return _like(judged, one_way(judged, told)), replace(outcome, records=left)


def _with_directions(records: EdgeRecords, direction: FloatArray) -> EdgeRecords:
    """The records with a column: how probable the direction of an edge within the step is."""
    known = (records.lag == 0) & (direction[records.cause, records.effect] > 0.0)
    return records.with_columns(direction=np.where(known, direction[records.cause, records.effect], np.nan))


def without_pairs(found: Skeleton, config: RefineConfig) -> Skeleton:
    """The candidates without those at lag 0 that a skeleton function found itself."""
    mask = found.mask.copy()
    mask[:, :, 0] &= kept_cells(config, found)[:, :, 0]
    return _like(found, mask)


def _like(found: Skeleton, mask: BoolArray) -> Skeleton:
    required = found.required & mask if found.required is not None else None
    return Skeleton(mask, found.names if found.named else None, found.scores, required)
