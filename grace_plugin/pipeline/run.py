"""The one path from what is asked to what was learned; every verb is a door to it.

    a door      reads options, a host's result and data of any form     -> Job
    rows        several series each about its mean, gaps filled in       -> Panel
    prepare     tails, counts; trends, steps and cycles as controls      -> Prepared
    features    those of a lagged value that rows can pay or ask for     -> RefineConfig
    controls    a user's, beside every effect, or taken out of the rows  -> Panel
    search data sums over lagged rows, with lags beyond as controls      -> Source
    candidates  by a skeleton function, or as a host gave them           -> Skeleton
    step        effects within one step, where the data ask for them     -> StepLook
    engine      gates and tests decide about every candidate             -> Outcome
    report      without the lags that were only looked at                -> Learned
    warnings    what in the data makes the graph doubtful
    the door    writes the host's own kind of object, or a Skeleton      -> Refinement

What changes the rows comes before the search data; what judges candidates comes between them and the report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grace_plugin._common.arrays import IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin._common.log import LOGGER
from grace_plugin._common.parallel import pool_of_processes
from grace_plugin._common.telling import tell
from grace_plugin.engines import MomentsEngine, load_engine
from grace_plugin.exceptions import DataWarning
from grace_plugin.graph.knowledge import asked_effects, known_cells, without_forbidden
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.shown import ActedRule
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.candidates import CandidateRule, FixedCandidates
from grace_plugin.pipeline.control_lags import cut_skeleton, looked_at
from grace_plugin.pipeline.data_warnings import warn_about, warn_about_hidden_causes
from grace_plugin.pipeline.explained_tails import with_explained_tails
from grace_plugin.pipeline.features import basis_of, told_of_features, with_features
from grace_plugin.pipeline.grouped import (
    gathered_outcome,
    gathered_skeleton,
    spread_config,
    spread_skeleton,
)
from grace_plugin.pipeline.judging import LEFT_OUT, judges, refuse_rate, ruled
from grace_plugin.pipeline.lag_search import AUTO_LAGS, with_needed_lags
from grace_plugin.pipeline.step_warnings import warn_about_step
from grace_plugin.pipeline.threads import enough_threads
from grace_plugin.pipeline.wide import MANY_CANDIDATES, WideGraph
from grace_plugin.pipeline.within_step import (
    StepLook,
    look_within_step,
    oriented,
    residual_pairs,
    step_data,
    without_pairs,
)
from grace_plugin.prepare.preparing import Prepared, prepare
from grace_plugin.prepare.shown import acted_rules
from grace_plugin.regression.foretold import Missing
from grace_plugin.series.categories import Groups, as_contrasts
from grace_plugin.series.controls import has_controls, without_controlled_part
from grace_plugin.series.gaps import fill_gaps
from grace_plugin.series.panel import Panel, refuse_long_lag
from grace_plugin.series.units import centred
from grace_plugin.skeletons import Source

_OF_COLUMNS = ("keep", "forbid", "likely", "effects", "contemporaneous")  # that say other things of columns
_SAMPLED = 400  # rows that a result keeps, to show where values lie
_LOST_OF_STREAM = 0.02  # share of the rows that gaps may cost before they are spoken of


@dataclass(frozen=True, eq=False)
class Job:
    """What is asked.

    Args:
        panel: the rows.
        candidates: where candidate edges come from.
        max_lag: the largest lag that is reported; None: the largest that the data need.
        config: every option.
        moments: sums of the rows that are known already; then their lags and features count.
        warns: whether to warn of what makes the graph doubtful.
    """

    panel: Panel
    candidates: CandidateRule
    max_lag: int | None
    config: RefineConfig
    moments: Moments | None = None
    warns: bool = True

    @property
    def looks(self) -> bool:
        """Whether the residuals are asked about effects within one step: a host has decided that itself."""
        return self.candidates.searched and (self.warns or self.config.contemporaneous is not False)


@dataclass(frozen=True, eq=False)
class Learned:
    """The candidates, what was decided about them, and the options with what "auto" stood for."""

    skeleton: Skeleton
    outcome: Outcome
    config: RefineConfig
    look: StepLook | None = None  # what was seen within one step, where it was looked at


def run(job: Job) -> Learned:
    """Take every step in order."""
    cores = enough_threads(job.panel, job.max_lag, job.config)
    # What is too small for a float is zero, whatever the caller says.
    with np.errstate(under="ignore"), cores, pool_of_processes():
        return _steps(job)


def _steps(job: Job) -> Learned:
    if job.warns and job.panel.turned:
        tell(job.panel.turned, DataWarning)
    if job.panel.levels is not None:
        return _run_with_categories(job)
    LOGGER.info("rows: %d series of %d variables", max(len(job.panel.series), 1), job.panel.n_variables)
    job = replace(job, panel=usable_rows(job.panel, job.max_lag, job.config))
    refuse_rate(config := job.config)
    raw, prepared = job.panel, _prepared(job, config)
    lags = looked_at(job.panel, job.max_lag or 1, config.control_lag)
    by_rows = goes_wide(job, config)
    config = with_features(config, prepared.panel, lags, job.candidates.searched, by_rows)
    bent = told_of_features(job.config, config, prepared.panel, job.candidates.searched)
    if prepared.panel is not job.panel:
        if not by_rows:
            basis, names = basis_of(config), job.panel.names
            prepared = with_explained_tails(prepared, job.panel, max(lags, 1), basis, names)
        job = replace(job, panel=prepared.panel, moments=None)
    LOGGER.info("prepared: %s", "; ".join(note.sentence for note in prepared.notes) or "nothing to be done")
    acted = acted_rules(raw, prepared)
    if by_rows:
        return _among_many(job, config, prepared, acted, bent)
    rows, job = job.panel, _freed(job, config)
    search = search_data(job, config)
    reported = search.max_lag if job.max_lag is None else job.max_lag
    found = job.candidates.find(search, reported, config)
    LOGGER.info("candidates: %d edges at lags up to %d", int(found.mask.sum()), reported)
    known = known_cells(config, found).within_step(job.candidates.step_pairs)
    found = without_forbidden(found, known)
    if job.candidates.searched and config.contemporaneous is False:
        found = without_pairs(found, config)
    step_rows = step_data(search, prepared)
    look = look_within_step(found, step_rows, config, known) if job.looks else None
    judged = found if look is None else look.candidates(found)
    if judges(config):
        is_open = job.candidates.is_open
        judged, outcome = ruled(judged, known.bound(), search, reported, prepared, config, is_open, rows)
    else:
        outcome = decided(judged, search, config)
    if look is not None:
        judged, outcome = look.reported(judged), look.written(outcome)
    elif config.orient:
        judged, outcome = oriented(judged, outcome, step_rows, config)
    units = job.panel if len(job.panel.series) > 1 else None
    sample = job.panel.some_rows(_SAMPLED)
    notes = (*_notes(job.panel, outcome, config), *bent)
    step = None if look is None else look.shown
    left_out = next((sentence for sentence in LEFT_OUT.values() if sentence in notes), None)
    if left_out is not None:
        step = step or residual_pairs(found, step_rows, known)
    acted = None if acted is None else (*acted, *(outcome.details.acted or ()))
    details = replace(outcome.details, notes=notes, units=units, sample=sample, acted=acted, step=step)
    outcome = replace(outcome, details=details)
    learned = Learned(cut_skeleton(judged, reported), outcome.up_to_lag(reported), config, look)
    LOGGER.info("decided: %d edges kept", int(learned.outcome.records.kept.sum()))
    if job.warns:
        warn_about(learned.outcome, outcome.details.moments, found.names, search.rows)
        warn_about_step(look, found.names)
        if look is None or not look.question.hidden:  # that it is one of all variables was just said
            told = warn_about_hidden_causes(outcome.details.moments, found.names)
            silent = look is not None and not look.question.pairs and not told
            if left_out is not None and (silent or left_out == LEFT_OUT[Missing.SLOW]):
                tell(left_out, DataWarning)
    return learned


def _prepared(job: Job, config: RefineConfig) -> Prepared:
    asked = judges(config) or config.prepare != "auto"  # other rules take the rows as they are
    n_jobs = config.n_jobs if goes_wide(job, config) else 1
    return prepare(job.panel, config.prepare if asked else "none", n_jobs)


def goes_wide(job: Job, config: RefineConfig) -> bool:
    """Whether variables are so many that nothing of the size of all possible edges should be held.

    Effects within one step are not looked for there.
    """
    rows = job.panel.stream is None and job.moments is None and job.max_lag is not None
    if not (rows and judges(config) and job.candidates.is_open) or config.contemporaneous is True:
        return False
    if has_controls(job.panel):  # they are nobody's candidates, and each effect is judged beside them
        return False
    if any(len(tuple(edge)) == 3 and tuple(edge)[2] == 0 for edge in config.keep):
        return False
    lags = looked_at(job.panel, job.max_lag or 1, config.control_lag)
    return job.panel.n_variables * lags > MANY_CANDIDATES


def _among_many(
    job: Job,
    config: RefineConfig,
    prepared: Prepared,
    acted: tuple[ActedRule, ...] | None,
    bent: tuple[str, ...],
) -> Learned:
    """The rest of the steps where variables are many."""
    assert job.max_lag is not None
    refuse_long_lag(job.panel, job.max_lag)
    lags = looked_at(job.panel, job.max_lag, config.control_lag)
    graph = WideGraph(prepared, job.panel.names, lags, job.max_lag, basis_of(config), config)
    found, outcome = graph.run()
    units = job.panel if len(job.panel.series) > 1 else None
    notes = (*_notes(job.panel, outcome, config), *bent)
    details = replace(outcome.details, notes=notes, units=units, acted=acted)
    outcome = replace(outcome, details=details)
    if job.warns:
        warn_about(outcome, outcome.details.moments, found.names, job.panel)
        warn_about_step(graph.look, found.names)
    return Learned(found, outcome, config, graph.look)


def _run_with_categories(job: Job) -> Learned:
    """The same on columns for the levels of words; then one decision for each variable that they make up."""
    assert job.panel.levels is not None
    on_columns, groups = _as_columns(job)
    learned = run(replace(on_columns, warns=False))
    levels = {
        name: one.labels for name, one in zip(groups.names, job.panel.levels, strict=True) if one is not None
    }
    outcome = gathered_outcome(learned.outcome, groups, job.config, job.candidates.searched)
    outcome = replace(outcome, details=replace(outcome.details, words=levels))
    asked = {name: getattr(job.config, name) for name in _OF_COLUMNS}
    config = replace(learned.config, **asked)
    if job.warns:
        warn_about(outcome, outcome.details.moments, groups.names, None)
        warn_about_step(learned.look, groups.names_of_columns)
    return Learned(gathered_skeleton(learned.skeleton, outcome, groups), outcome, config)


def _as_columns(job: Job) -> tuple[Job, Groups]:
    """The same job on columns for the levels of words."""
    groups, candidates = as_contrasts(job.panel), job.candidates
    if isinstance(candidates, FixedCandidates):
        candidates = FixedCandidates(spread_skeleton(candidates.skeleton, groups))
    config = spread_config(job.config, groups)
    return replace(job, panel=groups.panel, candidates=candidates, config=config), groups


def usable_rows(panel: Panel, max_lag: int | None, config: RefineConfig) -> Panel:
    """Every series about its own mean, and missing values filled in if they would cost many rows.

    Words become columns first, in `run`.
    """
    if panel.levels is not None:
        return panel
    if config.pool == "units":
        panel = centred(panel)
    if config.gaps == "drop":
        return panel
    most = AUTO_LAGS[0] if max_lag is None else max_lag
    return fill_gaps(panel, looked_at(panel, most, config.control_lag))


def _notes(panel: Panel, outcome: Outcome, config: RefineConfig) -> tuple[str, ...]:
    """What was done to the rows, for the summary."""
    lost = outcome.rows_given - outcome.rows_used
    beside = f"Every effect is judged beside controls: {', '.join(map(str, config.controls))}."
    told = (*panel.notes, *([beside] if config.controls else []), *outcome.details.notes)
    if panel.stream is None or lost <= _LOST_OF_STREAM * outcome.rows_given:
        return told
    return (
        *told,
        f"{lost} of {outcome.rows_given} rows have missing values in them or in their past and were left out:"
        " data that can be read only once are not filled in. Give them as one array or table for that.",
    )


def with_step_settled(job: Job) -> RefineConfig:
    """The options with what contemporaneous="auto" stands for on all rows: all windows do the same."""
    config = job.config
    if config.contemporaneous != "auto" or not job.candidates.searched:
        return config
    names: tuple[str, ...] | None = None
    if job.panel.levels is not None:
        job, groups = _as_columns(job)
        job = replace(job, panel=usable_rows(job.panel, job.max_lag, config))
        names = groups.names_of_columns
    prepared = _prepared(job, job.config)
    job = _freed(replace(job, panel=prepared.panel), job.config)
    lags = looked_at(job.panel, job.max_lag or 1, config.control_lag)
    search = search_data(job, with_features(config, job.panel, lags))
    found = job.candidates.find(search, job.max_lag or search.max_lag, job.config)
    step_rows, known = step_data(search, prepared), known_cells(job.config, found)
    look = look_within_step(found, step_rows, job.config, known, only_ask=True)
    warn_about_step(look, names or found.names)
    return replace(config, contemporaneous=look is not None and look.searched)


def search_data(job: Job, config: RefineConfig) -> Source:
    """The rows with their sums, which are read when first asked for."""
    panel, control_lag, effects = job.panel, config.control_lag, _asked(job)
    if not isinstance(load_engine(config.engine), MomentsEngine):
        panel = panel.loaded()  # it reads the rows many times
        control_lag = control_lag if job.candidates.searched else 0  # the paper's method as it is
    if job.moments is not None:
        given = Source(panel, job.moments.max_lag, progress=config.progress, effects=effects)
        return given.with_moments(job.moments)
    if job.max_lag is None:
        return with_needed_lags(panel, basis_of(config), config, effects)
    refuse_long_lag(panel, job.max_lag)
    looked = looked_at(panel, job.max_lag, control_lag)
    judged = judges(config) and job.candidates.is_open
    return Source(panel, looked, basis_of(config), config.progress, effects, judged, config.n_jobs)


def _freed(job: Job, config: RefineConfig) -> Job:
    """The same with what controls tell taken out of the rows; evidence is judged beside them instead."""
    if not has_controls(job.panel):
        return job
    panel = without_controlled_part(job.panel, looked_at(job.panel, job.max_lag or 1, config.control_lag))
    return replace(job, panel=panel, moments=None)


def _asked(job: Job) -> IntArray | None:
    """Positions of the variables to explain; None where all are."""
    panel, candidates = job.panel, job.candidates
    names = panel.names or tuple(f"x{place}" for place in range(panel.n_variables))
    if isinstance(candidates, FixedCandidates):
        names = candidates.skeleton.names
    asked = asked_effects(job.config, names)
    return None if asked is None else np.flatnonzero(asked)


def decided(found: Skeleton, search: Source, config: RefineConfig) -> Outcome:
    """What the chosen engine says of every candidate."""
    engine = load_engine(config.engine)
    if isinstance(engine, MomentsEngine):
        return engine.refine_moments(found, search.moments, config, search.rows)
    return engine.refine(found, search.panel, config)
