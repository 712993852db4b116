"""The default decision: the evidence of all cells, one probability each, and gates at the price of one half.

A host's edges are judged against everything that the host could have reported: cells outside its result have
their evidence from the same sums, so that `refine` and `discover` share one decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import LEAST_ALPHA, RefineConfig
from grace_plugin.decide.decision import Decision, make_decision
from grace_plugin.decide.effects import Effects, effect_sizes
from grace_plugin.decide.host_edges import host_edges
from grace_plugin.engines.additive.engine import AdditiveEngine
from grace_plugin.engines.additive.judged_run import GATED, Verdict
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import KnownCells
from grace_plugin.graph.knowledge import kept_edges
from grace_plugin.graph.outcome import EdgeRecords, Outcome, Reason
from grace_plugin.graph.shown import ActedRule
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.grounds import Grounds, grounds_of, held_rows
from grace_plugin.pipeline.partners import partner_columns
from grace_plugin.pipeline.shown_noise import acted_noise
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.regression.asked_for import effect_columns, row_rules
from grace_plugin.regression.by_sample import judge_by_sample
from grace_plugin.regression.evidence import Evidence, Forward, SearchSpace
from grace_plugin.regression.foretold import Missing
from grace_plugin.regression.judge import Judged, judge
from grace_plugin.regression.products import Product
from grace_plugin.regression.regressions import affordable, refuse_constants
from grace_plugin.series.panel import Panel
from grace_plugin.skeletons import Source

_SHOWN_PRODUCTS = 10
LEFT_OUT = {
    Missing.SHARED: "What causes leave of the variables moves together within one step, as where a cause is "
    "not in the data or noise is shared: every edge was judged beside all lagged values at once. Believe "
    "weak ones little.",
    Missing.SLOW: "Something slow seems to be missing: what causes leave of the variables moves together "
    "over ten rows, or their own past reaches back over many lags with one sign, as where noise of the "
    "measurement has a memory or a slow cause is not in the data. Every edge was judged beside all lagged "
    "values at once; believe weak ones little.",
}
MISFIT = (
    "Own past reaches back over several values of which each tells a little, as where values are measured "
    "with noise, rounded, filled in or averaged: edges that are small beside that were left out (reason "
    "'small'). Believe the smallest of the others little."
)


def judges(config: RefineConfig) -> bool:
    """Whether the options leave the decision to the evidence: a price or a level rule of one's own binds."""
    decide = config.engine_options.get("decide", "both")
    plain = config.penalty == "auto" and not config.lag_concentration and isinstance(decide, str)
    return config.engine == "additive" and plain and decide == "both" and config.alpha != "level"


def refuse_rate(config: RefineConfig) -> None:
    """A false discovery rate needs the evidence of all cells, which other ways to decide do not have."""
    if config.fdr is not None and not judges(config):
        msg = (
            f"fdr={config.fdr} needs the evidence of every possible edge, which engine='neural', penalty=, "
            "decide= and lag_concentration= do not give; leave those out, or give alpha= instead."
        )
        raise OptionError(msg)


def ruled(
    found: Skeleton,
    known: KnownCells,
    search: Source,
    reported: int,
    prepared: Prepared,
    config: RefineConfig,
    is_open: bool,
    beside: Panel | None = None,
) -> tuple[Skeleton, Outcome]:
    """The candidates and what is decided of them; where the search `is_open`, every cell may become one.

    `beside` are the rows with a user's controls still in them: evidence is judged beside the controls, all
    else on the rows of `search`, which are without what controls tell.
    """
    moments = affordable(search.moments)
    refuse_constants(moments, found.names)
    keep = kept_edges(config, found)
    grounds = grounds_of(moments, search, beside)
    judged = _judged(found, keep, known, grounds, prepared, config, search.forward)
    decision = _decision(judged.evidence, found, keep, known, reported)
    wanted = chosen(decision, config)
    by_host = np.zeros_like(wanted)
    if is_open:
        found = _with_cells(found, judged.evidence, wanted)
    elif isinstance(config.alpha, str) and config.fdr is None:
        theirs, alike = found.directed[:, :, : reported + 1], _alike(moments, reported)
        by_host = host_edges(decision, theirs, alike, found.unoriented)
    kept = np.zeros(found.mask.shape, dtype=np.bool_)
    kept[:, :, : reported + 1] = wanted | by_host
    kept[:, :, reported + 1 :] = judged.evidence.dense()[:, :, reported + 1 :] <= np.log(
        max(decision.half_level, LEAST_ALPHA)
    )
    verdict = _verdict(judged.evidence, kept & found.directed, decision, config)
    outcome = AdditiveEngine().refine_judged(found, moments, config, verdict)
    outcome = replace(outcome, records=_by_word(outcome.records, wanted, by_host))
    sizes = effect_sizes(outcome.graph, moments, held_rows(search, moments))
    together = acting_together(judged.products, lambda *cell: bool(outcome.graph[cell]), found.names)
    acted = _acted(judged, grounds, found.names)
    notes = (*(note.sentence for note in prepared.notes), *grounds.notes(config.interactions))
    notes = (*notes, *(one.sentence for one in acted), *together)
    partners = partner_columns(judged.products, outcome.records, grounds.rows)
    records, few = too_small(outcome.records, judged.evidence.small, reported)
    few = (*few, MISFIT) if few and judged.evidence.misfit else few
    outcome = replace(outcome, records=records)
    outcome = _told(outcome, decision, (*notes, *_undecided(records), *few), sizes, moments, is_open)
    outcome = replace(outcome, details=replace(outcome.details, acted=acted))
    return found, replace(outcome, records=outcome.records.with_columns(**partners))


def _acted(judged: Judged, grounds: Grounds, names: tuple[str, ...]) -> tuple[ActedRule, ...]:
    """The rules of `prepare` that act where candidates are tested."""
    noise = acted_noise(judged.noise, grounds.rows, names)
    hidden = None if judged.missing is None else ActedRule("hidden", LEFT_OUT[judged.missing], 0, ())
    return tuple(one for one in (noise, hidden) if one is not None)


def _alike(moments: Moments, reported: int) -> FloatArray:
    """[cause, lag, lag]: the share of a variable's variance at one lag that its value at another tells."""
    width, d = len(moments.basis), moments.n_variables
    columns = (np.arange(reported + 1) * d + np.arange(d)[:, None]) * width
    shared = moments.covariance(columns, columns)
    spread = np.maximum(np.diagonal(shared, axis1=1, axis2=2), 1e-300)
    return np.asarray(np.square(shared) / spread[:, :, None] / spread[:, None, :])


def _by_word(records: EdgeRecords, wanted: BoolArray, by_host: BoolArray) -> EdgeRecords:
    """The records, those that stay by a host's word with that reason; pairs within one step come last."""
    place = tuple(np.where(records.lag < by_host.shape[2], part, 0) for part in records.cells)
    theirs = by_host[place] & ~wanted[place] & (records.lag < by_host.shape[2])
    theirs &= (records.reason != int(Reason.KEEP)) & (records.kept == (records.lag > 0))
    reason = np.where(theirs, np.int8(Reason.HOST), records.reason)
    return replace(records, reason=reason, kept=records.kept | theirs)


def _undecided(records: EdgeRecords) -> tuple[str, ...]:
    theirs = records.reason == int(Reason.HOST)
    cells = set(zip(*(part[theirs].tolist() for part in records.cells), strict=True))
    count = sum(lag > 0 or cause < effect or (effect, cause, 0) not in cells for cause, effect, lag in cells)
    if not count:
        return ()
    edges, stay = ("edge", "stays") if count == 1 else ("edges", "stay")
    return (
        f"{count} {edges} of the host {stay} by its word (reason 'host'): too few rows to decide, or it "
        "stands for a lag close by that the host does not report.",
    )


def too_small(
    records: EdgeRecords, small: Iterable[Sequence[int]], reported: int
) -> tuple[EdgeRecords, tuple[str, ...]]:
    """The records, those that are too small beside the others with that reason, and what is said of them."""
    wanted = {tuple(int(part) for part in cell) for cell in small}
    cells = zip(*(part.tolist() for part in records.cells), strict=True)
    closed = np.array([cell in wanted for cell in cells], dtype=np.bool_) & ~records.kept
    count = int((closed & (records.lag <= reported)).sum())
    if not count:
        return records, ()
    edges = "edge is" if count == 1 else "edges are"
    said = (
        f"{count} {edges} small beside the others of the same effect (reason 'small'), less than "
        "what the model misses, as where values are measured with noise and in chaotic systems: left out."
    )
    return replace(records, reason=np.where(closed, np.int8(Reason.SMALL), records.reason)), (said,)


def chosen(decision: Decision, config: RefineConfig) -> BoolArray:
    """[cause, effect, lag]: the graph that the options ask for."""
    if config.fdr is not None:
        return decision.at_rate(config.fdr)
    if isinstance(config.alpha, str):
        return decision.likely()
    return decision.at_level(float(config.alpha))


def _judged(
    found: Skeleton,
    keep: BoolArray,
    known: KnownCells,
    grounds: Grounds,
    prepared: Prepared,
    config: RefineConfig,
    begun: Forward | None,
) -> Judged:
    directed = found.directed
    allowed = directed.copy()
    factors = ~known.forbidden
    factors[:, :, 0] = False
    allowed[:, :, 1:] = factors[:, :, 1:]  # beside whatever acts, a host's edge or not
    rows = grounds.rows
    columns = {} if rows is None else effect_columns(prepared, rows, grounds.controls)
    required = (keep & directed) | _own_last_values(allowed)
    effects = None if known.asked is None else np.flatnonzero(known.asked)
    space = SearchSpace(
        allowed, required if required.any() else None, directed, columns, effects, factors=factors
    )
    rules = row_rules(prepared, bool(config.engine_options.get("second_look", True)))
    if (found.mask & ~directed).any():  # pairs whose direction is open move together and are in no model
        rules = replace(rules, sees_hidden=False)
    moments, sample = grounds.moments, grounds.sample
    interactions = config.interactions and len(moments.basis) > 1
    if sample is not None and rows is not None:
        return judge_by_sample(
            moments, sample, rows, space, rules, interactions, config.progress, config.n_jobs
        )
    return judge(moments, rows, space, rules, interactions, config.progress, begun, config.n_jobs)


def _own_last_values(allowed: BoolArray) -> BoolArray:
    """Where something acts within the step, a variable's own last value leaves its model last of all.

    What it acts on within the step would stand in for it: at 200 rows 1.1 instead of 1.3 false lagged edges.
    """
    found = np.zeros_like(allowed)
    if allowed[:, :, 0].any() and allowed.shape[2] > 1:
        own = np.arange(len(allowed))
        found[own, own, 1] = allowed[own, own, 1]
    return found


def _decision(
    evidence: Evidence, found: Skeleton, keep: BoolArray, known: KnownCells, reported: int
) -> Decision:
    lags = slice(reported + 1)
    possible = np.ones(found.mask[:, :, lags].shape, dtype=np.bool_)
    possible[:, :, 0] = found.directed[:, :, 0]
    possible &= ~known.forbidden[:, :, lags]
    log_p, unsure, odds = evidence.dense()[:, :, lags], ~keep[:, :, lags], known.odds[:, :, lags]
    return make_decision(log_p, possible, unsure, odds, evidence.uneven)


def _with_cells(found: Skeleton, evidence: Evidence, wanted: BoolArray) -> Skeleton:
    """The candidates, all cells that entered the search, and all that are kept."""
    mask = found.mask.copy()
    mask[tuple(evidence.cells.T)] = True
    mask[:, :, : wanted.shape[2]] |= wanted
    return Skeleton(mask, found.names if found.named else None, found.scores, found.required)


def _verdict(evidence: Evidence, kept: BoolArray, decision: Decision, config: RefineConfig) -> Verdict:
    log_p = evidence.dense()
    gain = np.zeros(log_p.shape)
    gain[tuple(evidence.cells.T)] = evidence.gain
    level = decision.half_level if isinstance(config.alpha, str) else float(config.alpha)
    return Verdict(log_p, gain, kept, kept | (log_p < GATED), level, decision.price(evidence.rows))


def acting_together(
    products: Mapping[int, Sequence[Product]], kept: Callable[[int, int, int], bool], names: tuple[str, ...]
) -> list[str]:
    """Which kept causes act together; `kept` says whether (cause, effect, lag) is an edge."""
    found = []
    for effect, some in products.items():
        for one in some:
            (first, lag), (second, other) = one.first, one.second
            if kept(first, effect, lag) and kept(second, effect, other):
                found.append(
                    f"{names[first]} at lag {lag} acts together with {names[second]} at lag {other} on "
                    f"{names[effect]}."
                )
    more = len(found) - _SHOWN_PRODUCTS
    return found if more <= 0 else [*found[:_SHOWN_PRODUCTS], f"{more} more pairs of causes act together."]


def _told(
    outcome: Outcome,
    decision: Decision,
    notes: tuple[str, ...],
    sizes: Effects,
    moments: Moments,
    is_open: bool,
) -> Outcome:
    """The outcome with the columns and the notes that a user sees."""
    records = outcome.records
    shown = records.lag < decision.log_p.shape[2]
    cells = tuple(np.where(shown, part, 0) for part in records.cells)
    columns: dict[str, FloatArray] = {
        "q_value": np.where(shown, decision.q_value[cells], np.nan),
        "probability": np.where(shown, decision.probability[cells], np.nan),
        "effect_size": sizes.size[records.cells],
        "effect_raw": sizes.raw(moments.scale)[records.cells],
        "low": sizes.low[records.cells],
        "high": sizes.high[records.cells],
        "bent": sizes.bent[records.cells],
    }
    details = replace(
        outcome.details, levels=decision, searched=is_open, notes=(*outcome.details.notes, *notes)
    )
    return replace(outcome, records=records.with_columns(**columns), details=details)
