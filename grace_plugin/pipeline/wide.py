"""The path of `discover` where variables are many: nothing of the size of all possible edges is held.

The steps are those of `run.py`. Effects are judged in blocks, on this machine or wherever the user's joblib
backend has workers; a graph of many variables is a list of cells from here to the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray
from grace_plugin._common.config import LEAST_ALPHA, RefineConfig
from grace_plugin._common.parallel import run_through
from grace_plugin._common.progress import progress_bar
from grace_plugin._common.room import machine_memory
from grace_plugin.decide.decision import Decision, make_listed_decision
from grace_plugin.engines.additive.judged_run import GATED
from grace_plugin.engines.additive.options import AdditiveOptions
from grace_plugin.exceptions import DataError
from grace_plugin.graph.cell_skeleton import CellSkeleton
from grace_plugin.graph.knowledge import asked_effects
from grace_plugin.graph.outcome import Details, EdgeRecords, Outcome, Reason
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.judging import MISFIT, acting_together, too_small
from grace_plugin.pipeline.partners import partner_columns
from grace_plugin.pipeline.step_warnings import step_sentences
from grace_plugin.pipeline.wide_knowledge import WideKnowledge
from grace_plugin.pipeline.wide_step import look_among_many
from grace_plugin.pipeline.wide_worker import (
    GateTask,
    JudgeTask,
    PathTask,
    ProductTask,
    Result,
    Task,
    WideWorker,
)
from grace_plugin.pipeline.within_step import StepLook
from grace_plugin.prepare.preparing import Prepared
from grace_plugin.regression.asked_for import effect_columns, row_rules
from grace_plugin.regression.evidence import MOST_LIBERAL
from grace_plugin.regression.lack_of_fit import small_beside_own_past
from grace_plugin.regression.lagged_rows import values_seen
from grace_plugin.regression.product_paths import Path, settled
from grace_plugin.regression.products import Product
from grace_plugin.regression.regressions import NONLINEAR_ROWS, refuse_constants, refuse_few_rows
from grace_plugin.regression.wide.judge import WideEvidence, WideJudge, joined_evidence

MANY_CANDIDATES = 2500  # of an effect; beyond them sums of all pairs cost more than the rows
_NOT_LOOKED_FOR = (
    "Among so many variables effects within one step were not looked for, nor hidden causes, nor products of "
    "the last step beside the last values alone, nor weak edges that only their number shows, nor tails that "
    "causes explain."
)
_MOST_MEMORY = 0.8  # share of the machine's memory that is counted on
_BLOCK_NUMBERS = 8_000_000  # shares of candidates that are held at once for a block of effects
_MOST_IN_BLOCK = 128  # effects of a block, so that workers come back often enough to be shared and seen
_BLOCKS, _LEAST_IN_BLOCK = 25, 32  # of fewer effects so many blocks: the last one keeps one worker alone busy


class WideGraph:
    """One discovery among many variables.

    Args:
        prepared: the rows, and what they ask for.
        names: of the variables; None where the data have none.
        max_lag: the largest lag that is looked at.
        reported: the largest that is reported.
        basis: features of a lagged value.
        config: every option.
    """

    def __init__(
        self,
        prepared: Prepared,
        names: Sequence[str] | None,
        max_lag: int,
        reported: int,
        basis: tuple[str, ...],
        config: RefineConfig,
    ) -> None:
        self.prepared, self.given_names, self.reported, self.config = prepared, names, reported, config
        rows = sum(len(one.values) for one in prepared.panel.series)
        fits = lags_that_fit(prepared.panel.n_variables, rows, len(basis), max_lag, reported, config.n_jobs)
        self.cut = max_lag if fits < max_lag else None  # lags that do not fit as controls
        max_lag = fits
        moments, series = Moments.of_rows(prepared.panel, max_lag, basis)
        refuse_few_rows(moments)
        if moments.rows < NONLINEAR_ROWS:
            moments, series = Moments.of_rows(prepared.panel, max_lag, ("linear",))
        self.moments, self.d = moments, moments.n_variables
        self.names = tuple(names) if names is not None else tuple(f"x{i}" for i in range(self.d))
        refuse_constants(moments, self.names)
        self.known = WideKnowledge.of(config, self.names, reported)
        self.worker = WideWorker(self._judge(series), moments, self.names)
        self.look: StepLook | None = None

    def _judge(self, series: IntArray) -> WideJudge:
        products: Any = self.moments.products
        plain = WideJudge(products, series, self.reported)
        second_look = bool(self.config.engine_options.get("second_look", True))
        return replace(
            plain,
            columns=effect_columns(self.prepared, plain.rows),
            rules=row_rules(self.prepared, second_look),
            interactions=self.config.interactions and len(self.moments.basis) > 1,
            required=self.known.required,
            allowed=self.known.allowed(self.moments.max_lag),
            seen=values_seen(self.prepared.panel),
        )

    def run(self) -> tuple[Skeleton, Outcome]:
        """The candidates and what is decided of them."""
        evidence, products = self._evidence()
        self.look = look_among_many(evidence.left, self.known, self.names)
        misfit = small_beside_own_past(evidence.cells, evidence.log_p, evidence.gain)
        evidence = replace(evidence, log_p=np.where(misfit, np.log(MOST_LIBERAL), evidence.log_p))
        decision = self._decision(evidence)
        kept = self._kept(evidence, decision)
        records = self._records(evidence, decision, kept)
        records = records.chosen(records.lag <= self.reported)
        records, few = too_small(records, evidence.cells[misfit | evidence.small], self.reported)
        records = records.with_columns(**partner_columns(products, records, self.worker.judge.rows))
        shape = (self.d, self.d, self.reported + 1)
        notes = (
            *self._lags_left_out(),
            _NOT_LOOKED_FOR,
            *(note.sentence for note in self.prepared.notes),
            *(() if self.look is None else step_sentences(self.look, self.names)),
            *acting_together(products, _kept_cells(records), self.names),
            *few,
            *((MISFIT,) if few and misfit.any() else ()),
        )
        details = Details(
            self.moments.basis, "both", self.moments, levels=decision, searched=True, notes=notes
        )
        level = decision.half_level if isinstance(self.config.alpha, str) else float(self.config.alpha)
        outcome = Outcome(
            records,
            shape,
            decision.price(self.moments.rows),
            max(level, LEAST_ALPHA),
            self.moments.rows,
            self.moments.rows_given,
            replace(
                details,
                moments=self.moments.with_max_lag(self.reported),
                step=self.look.shown if self.look is not None and self.look.question.pairs else None,
            ),
        )
        return CellSkeleton(
            np.stack(records.cells, axis=1), shape, self.given_names, self.known.required
        ), outcome

    def _lags_left_out(self) -> list[str]:
        if self.cut is None:
            return []
        return [
            f"Lags up to {self.moments.max_lag} were looked at: as many as fit into memory, not {self.cut}, "
            "which control_lag asks for."
        ]

    def _evidence(self) -> tuple[WideEvidence, dict[int, list[Product]]]:
        asked = asked_effects(self.config, self.names)
        effects = np.arange(self.d) if asked is None else np.flatnonzero(asked)
        most = min(_MOST_IN_BLOCK, max(_LEAST_IN_BLOCK, len(effects) // _BLOCKS))
        size = max(1, min(most, _BLOCK_NUMBERS // max(self.d * self.moments.max_lag, 1)))
        blocks = [effects[start : start + size] for start in range(0, len(effects), size)]
        found = joined_evidence(self._through("judging effects", [JudgeTask(block) for block in blocks]))

        def again(effects: list[int], share: float) -> dict[int, Path]:
            parts = _parts(effects, size)
            tasks = [PathTask({e: found.paths[e].factors for e in part}, share) for part in parts]
            return {effect: path for one in self._through("products", tasks) for effect, path in one.items()}

        products = settled(found.paths, len(effects), self.d * self.moments.max_lag, again)
        if products:
            acting = sorted(products)
            parts = _parts(acting, size)
            tasks = [ProductTask({effect: products[effect] for effect in part}) for part in parts]
            anew = self._through("products", tasks)
            found = joined_evidence([found.without(np.array(acting)), *anew])
        return found, products

    def _through(self, label: str, tasks: Sequence[Task[Result]]) -> list[Result]:
        with progress_bar(len(tasks), label, self.config.progress) as tick:
            found: list[Result] = []
            for one in run_through(self.worker, tasks, self.config.n_jobs):
                found.append(one)
                tick()
        return found

    def _decision(self, evidence: WideEvidence) -> Decision:
        cells = np.concatenate([evidence.cells, evidence.listed])
        log_p = np.concatenate([evidence.log_p, evidence.listed_log_p])
        order = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0]))
        order = order[cells[order, 2] <= self.reported]
        cells, log_p = cells[order], log_p[order]
        shape = (self.d, self.d, self.reported + 1)
        known = self.known
        return make_listed_decision(
            cells,
            log_p,
            evidence.unlisted,
            shape,
            ~known.is_required(cells),
            known.odds(cells),
            known.forbidden,
        )

    def _kept(self, evidence: WideEvidence, decision: Decision) -> BoolArray:
        """[E]: which of the cells that entered stay; of lags beyond the reported, those as likely as not."""
        config = self.config
        alpha = None if isinstance(config.alpha, str) else float(config.alpha)
        level = np.log(max(decision.half_level, 1e-300))
        wanted = evidence.log_p <= level
        chosen = decision.chosen(alpha=alpha, fdr=config.fdr)
        shown = evidence.cells[:, 2] <= self.reported
        place = _places(decision.cells, evidence.cells[shown], decision.shape)
        wanted[shown] = chosen[place]
        return np.asarray(wanted | self.known.is_required(evidence.cells))

    def _records(self, evidence: WideEvidence, decision: Decision, kept: BoolArray) -> EdgeRecords:
        """One record for each cell that entered."""
        cells, log_p = evidence.cells, evidence.log_p
        fixed = self.known.is_required(cells)
        gated = kept | (log_p < GATED)
        steps = AdditiveOptions(**self.config.engine_options).steps
        price = decision.price(self.moments.rows)
        order = np.argsort(cells[:, 1], kind="stable")
        bounds = np.searchsorted(cells[order, 1], np.arange(0, self.d + _MOST_IN_BLOCK, _MOST_IN_BLOCK))
        tasks = [
            GateTask(part, cells[part], gated[part], kept[part], fixed[part], price, steps)
            for start, stop in pairwise(bounds)
            if len(part := order[start:stop])
        ]
        columns = np.zeros((5, len(cells)))
        for places, found in self._through("gates", tasks):
            columns[:, places] = found
        gate, size, low, high, bent = columns
        reason = np.where(
            fixed,
            int(Reason.KEEP),
            np.where(kept | (gate > self.config.gate_threshold), int(Reason.CERTIFICATE), int(Reason.GATE)),
        )
        cause, effect, lag = cells.T
        shown = lag <= self.reported
        place = np.zeros(len(cells), dtype=np.int64)
        place[shown] = _places(decision.cells, cells[shown], decision.shape)
        scale = self.moments.scale
        return EdgeRecords(
            cause,
            effect,
            lag,
            gate,
            evidence.gain,
            np.exp(log_p),
            reason.astype(np.int8),
            kept,
            {
                "q_value": np.where(shown, decision.cell_q_value[place], np.nan),
                "probability": np.where(shown, decision.cell_probability[place], np.nan),
                "effect_size": size,
                "effect_raw": size * scale[effect] / scale[cause],
                "low": low,
                "high": high,
                "bent": bent,
            },
        )


def lags_that_fit(
    variables: int, rows: int, features: int, max_lag: int, reported: int, n_jobs: int | None
) -> int:
    """The largest lag up to `max_lag` for which rows and products fit into memory, at least `reported`."""
    from joblib import effective_n_jobs

    workers = effective_n_jobs(n_jobs)
    numbers = variables * rows
    for lags in range(max_lag, reported - 1, -1):
        # Rows three times here, and what is left of them three times in single precision; with every worker
        # its rows, features, and lagged values with their squares.
        needed = 36 * numbers + max(workers, 1) * numbers * (8 + 4 * features + 8 * lags)
        if needed < _MOST_MEMORY * machine_memory():
            return lags
    msg = (
        f"{variables} variables with {rows} rows and lags up to {reported} need about {needed / 1e9:,.0f} GB "
        f"of memory with {workers} worker{'s' if workers > 1 else ''}, more than this machine has; give "
        "smaller lags, fewer variables or rows, or fewer workers."
    )
    raise DataError(msg)


def _parts(effects: list[int], size: int) -> list[list[int]]:
    return [effects[start : start + size] for start in range(0, len(effects), size)]


def _places(known: IntArray, cells: IntArray, shape: tuple[int, int, int]) -> IntArray:
    """Of cells among sorted ones."""
    flat, wanted = (np.ravel_multi_index(tuple(some.T), shape) for some in (known, cells))
    return np.asarray(np.searchsorted(flat, wanted))


def _kept_cells(records: EdgeRecords) -> Callable[[int, int, int], bool]:
    kept = set(zip(*(part[records.kept].tolist() for part in records.cells), strict=True))
    return lambda cause, effect, lag: (cause, effect, lag) in kept
