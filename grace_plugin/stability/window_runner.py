"""One run of a bootstrap: the rows of a window in, a record of its edges out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.engines import load_engine
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.features import DEFAULT_BASIS, LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.discovery import _decide, _with_kept
from grace_plugin.pipeline.verbs import analyze
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.panel import Panel, Series
from grace_plugin.skeletons import SkeletonFunction, Source
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.windows import Span, Window

_UNIT_BYTES = 512_000_000  # moments that a worker keeps for windows to come


class Plan(Protocol):
    """How a window is turned into decisions about edges."""

    def outcome(self, source: Source, rows: Callable[[], Any], config: RefineConfig) -> Outcome:
        """The decisions; `rows` makes the window's data in the form that the user gave."""


@dataclass(frozen=True, eq=False)
class FixedCandidates:
    """The same skeleton in every window."""

    skeleton: Skeleton

    def outcome(self, source: Source, rows: Callable[[], Any], config: RefineConfig) -> Outcome:
        del rows
        return _decide(load_engine(config.engine), self.skeleton, source, config)


@dataclass(frozen=True, eq=False)
class SearchedCandidates:
    """Candidates searched anew in every window."""

    find: SkeletonFunction
    options: dict[str, Any]

    def outcome(self, source: Source, rows: Callable[[], Any], config: RefineConfig) -> Outcome:
        del rows
        found = _with_kept(self.find(source, **self.options), config)
        return _decide(load_engine(config.engine), found, source, config)


@dataclass(frozen=True, eq=False)
class HostRun:
    """A host's own run function, called in every window; what it returns is refined."""

    function: Callable[[Any], Any]
    options: dict[str, Any]

    def outcome(self, source: Source, rows: Callable[[], Any], config: RefineConfig) -> Outcome:
        del config
        data = rows()
        result = self.function(data)
        learned = result if isinstance(result, Refinement) else analyze(result, data, **self.options)
        if learned.parts:
            msg = "The function returned several graphs; a bootstrap takes one. Return one of them."
            raise OptionError(msg)
        return _in_order(learned, source.names)


@dataclass(eq=False)
class Bench:
    """All that a worker needs, sent to it once.

    `units` are the spans whose moments add up to those of a window, by run; without them every
    window is summed up and standardised by itself.
    """

    panel: Panel
    plan: Plan
    config: RefineConfig
    max_lag: int | None
    frames: Callable[[Panel, Window], Any]
    units: dict[int, tuple[Span, ...]] | None = None
    reference: Moments | None = None
    _kept: dict[Span, Moments] = field(default_factory=dict, init=False)

    def run(self, window: Window) -> RunRecord:
        """The record of one window; only a wrong option is an error of the whole bootstrap."""
        try:
            return self._run(window)
        except OptionError:
            raise
        except Exception as error:  # a host may fail in any way; the other windows still count
            return RunRecord(window.run, failure=f"{type(error).__name__}: {error}")

    def _run(self, window: Window) -> RunRecord:
        panel = cut(self.panel, window)
        _refuse_constant(panel)
        config = replace(self.config, seed=self.config.seed + window.run, progress=False)
        source = self._source(panel, window, config)
        outcome = self.plan.outcome(source, lambda: self.frames(self.panel, window), config)
        max_lag = outcome.graph.shape[2] - 1
        if source.max_lag == max_lag and self.max_lag is not None:
            moments = source.moments.linear()
        else:
            moments = Moments.of(panel, max_lag, LINEAR_BASIS)
        return _record(window.run, outcome, moments)

    def _source(self, panel: Panel, window: Window, config: RefineConfig) -> Source:
        basis = tuple(config.engine_options.get("basis", DEFAULT_BASIS))
        source = Source(panel, self.max_lag or 0, basis, progress=False)
        if self.units is None:
            return source
        first, *rest = (self._unit(span, basis) for span in self.units[window.run])
        for moments in rest:
            first = first + moments
        return source.with_moments(first)

    def _unit(self, span: Span, basis: tuple[str, ...]) -> Moments:
        if span not in self._kept:
            panel = cut(self.panel, Window(0, (span,)))
            moments = Moments.of(panel, self.max_lag or 0, basis, reference=self.reference)
            if (len(self._kept) + 1) * moments.products.nbytes > _UNIT_BYTES:
                return moments
            self._kept[span] = moments
        return self._kept[span]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}


def cut(panel: Panel, window: Window) -> Panel:
    """The rows of `window`."""

    def part(span: Span) -> Series:
        one, rows = panel.series[span.series], slice(span.first, span.stop)
        return Series(
            one.values[rows],
            None if one.as_target is None else one.as_target[rows],
            None if one.as_input is None else one.as_input[rows],
        )

    return replace(panel, series=tuple(part(span) for span in window.spans))


def _refuse_constant(panel: Panel) -> None:
    """Sums over standardised values cannot tell a constant from rounding, so the values are looked at."""
    values = np.concatenate([one.values for one in panel.series])
    present = ~np.isnan(values)
    low = np.where(present, values, np.inf).min(axis=0)
    high = np.where(present, values, -np.inf).max(axis=0)
    constant = np.flatnonzero(low >= high)
    if constant.size:
        names = panel.names or tuple(f"x{i}" for i in range(values.shape[1]))
        msg = f"{', '.join(names[c] for c in constant)} constant or missing"
        raise DataError(msg)


def _in_order(learned: Refinement, names: tuple[str, ...] | None) -> Outcome:
    """The outcome with its variables in the order of the data."""
    if names is None or not learned.skeleton.named or learned.names == names:
        return learned.outcome
    order = [learned.names.index(name) for name in names]
    both = np.ix_(order, order)
    outcome = learned.outcome
    return replace(outcome, gates=outcome.gates[both], graph=outcome.graph[both])


def _record(run: int, outcome: Outcome, moments: Moments) -> RunRecord:
    cells = np.flatnonzero((outcome.gates != 0.0) | outcome.graph)
    signs = linear_signs(moments, outcome.graph)
    return RunRecord(
        run,
        outcome.graph.shape,
        cells,
        outcome.gates.ravel()[cells],
        outcome.graph.ravel()[cells],
        signs.ravel()[cells],
        outcome.rows_used,
    )


def linear_signs(moments: Moments, graph: BoolArray) -> Any:
    """int8 [cause, effect, lag]: the sign of each kept edge's coefficient, given the other kept ones."""
    signs = np.zeros(graph.shape, dtype=np.int8)
    for effect in np.flatnonzero(graph.any(axis=(0, 2))):
        causes, lags = np.nonzero(graph[:, effect, :])
        columns = lags * moments.n_variables + causes
        gram = moments.covariance(columns, columns)
        cross = moments.covariance(columns, np.array([effect]))
        weights = np.linalg.lstsq(gram, cross, rcond=1e-10)[0][:, 0]
        signs[causes, effect, lags] = np.sign(weights)
    return signs
