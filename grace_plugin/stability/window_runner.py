"""One run of a bootstrap: the rows of a window in, a record of its edges out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import OptionValue, RefineConfig
from grace_plugin.engines import load_engine
from grace_plugin.exceptions import DataError, OptionError
from grace_plugin.graph.outcome import Outcome
from grace_plugin.moments.features import LINEAR_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.run import Job, run
from grace_plugin.pipeline.verbs import analyze
from grace_plugin.protocols import HostResult
from grace_plugin.results.refinement import Refinement
from grace_plugin.series.controls import has_controls
from grace_plugin.series.forms import Data
from grace_plugin.series.panel import Panel, Series
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.windows import Span, Window

_UNIT_BYTES = 512_000_000  # moments that a worker keeps for windows to come

Rows = Callable[[], Data]  # makes a window's data in the form that the user gave


class WindowRule(Protocol):
    """How a window is turned into decisions about edges."""

    def outcome(self, panel: Panel, moments: Moments | None, rows: Rows, config: RefineConfig) -> Outcome:
        """The decisions; `moments` are sums that are known already."""


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """What `discover` or `refine` would do with the window."""

    job: Job

    def outcome(self, panel: Panel, moments: Moments | None, rows: Rows, config: RefineConfig) -> Outcome:
        del rows
        return run(replace(self.job, panel=panel, moments=moments, config=config)).outcome


@dataclass(frozen=True, eq=False)
class HostRun:
    """A host's own run function, called in every window; what it returns is refined."""

    function: Callable[[Data], HostResult]
    options: dict[str, OptionValue]

    def outcome(self, panel: Panel, moments: Moments | None, rows: Rows, config: RefineConfig) -> Outcome:
        del moments, config
        data = rows()
        result = self.function(data)
        given = panel if has_controls(panel) else data  # what the function gets holds no controls
        learned = result if isinstance(result, Refinement) else analyze(result, given, **self.options)
        if learned.parts:
            msg = "The function returned several graphs; a bootstrap takes one. Return one of them."
            raise OptionError(msg)
        return _in_order(learned, panel.names)


@dataclass(frozen=True, eq=False)
class SharedSums:
    """How the sums of windows are put together from those of common pieces.

    Args:
        units: the spans whose moments add up to those of a window, by run.
        reference: what all of them are standardised by.
        max_lag: of the sums.
        basis: of the sums.
    """

    units: dict[int, tuple[Span, ...]]
    reference: Moments
    max_lag: int
    basis: tuple[str, ...]


@dataclass(eq=False)
class WindowRunner:
    """All that a worker needs, sent to it once; without `shared` every window is summed up by itself."""

    panel: Panel
    rule: WindowRule
    config: RefineConfig
    frames: Callable[[Panel, Window], Data]
    shared: SharedSums | None = None
    _known: dict[Span, Moments] = field(default_factory=dict, init=False)

    def begin(self) -> None:
        """Load the engine before threads are limited: torch takes its number of them from then."""
        load_engine(self.config.engine)

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
        moments = None if self.shared is None else self.moments(window, self.shared)
        outcome = self.rule.outcome(panel, moments, lambda: self.frames(self.panel, window), config)
        return _record(window.run, outcome, _linear_moments(outcome, panel))

    def moments(self, window: Window, shared: SharedSums) -> Moments:
        """The sums of one window, put together from its pieces."""
        first, *rest = (self._unit(span, shared) for span in shared.units[window.run])
        for moments in rest:
            first = first + moments
        return first

    def _unit(self, span: Span, shared: SharedSums) -> Moments:
        if span not in self._known:
            panel = cut(self.panel, Window(0, (span,)))
            moments = Moments.of(panel, shared.max_lag, shared.basis, reference=shared.reference)
            if (len(self._known) + 1) * moments.products.nbytes > _UNIT_BYTES:
                return moments
            self._known[span] = moments
        return self._known[span]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}}


def cut(panel: Panel, window: Window) -> Panel:
    """The rows of `window`."""

    def part(span: Span) -> Series:
        one, rows = panel.series[span.series], slice(span.first, span.stop)
        return Series(
            one.values[rows],
            None if one.as_target is None else one.as_target[rows],
            None if one.as_input is None else one.as_input[rows],
            controls=None if one.controls is None else one.controls[rows],
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
    return learned.outcome.reordered(order)


def _linear_moments(outcome: Outcome, panel: Panel) -> Moments:
    """Sums from which the signs of effects are read."""
    moments = outcome.details.moments
    if isinstance(moments, Moments):
        return moments.linear()
    return Moments.of(panel, outcome.shape[2] - 1, LINEAR_BASIS)


def _record(run: int, outcome: Outcome, moments: Moments) -> RunRecord:
    shown = outcome.records.chosen((outcome.records.gate != 0.0) | outcome.records.kept)
    signs = linear_signs(moments, outcome.graph)
    return RunRecord(
        run,
        outcome.shape,
        np.ravel_multi_index(shown.cells, outcome.shape),
        shown.gate,
        shown.kept,
        signs[shown.cells],
        outcome.rows_used,
        shown.gain,
        shown.p_value,
    )


def linear_signs(moments: Moments, graph: BoolArray) -> npt.NDArray[np.int8]:
    """int8 [cause, effect, lag]: the sign of each kept edge's coefficient, given the other kept ones."""
    signs: npt.NDArray[np.int8] = np.zeros(graph.shape, dtype=np.int8)
    for effect in np.flatnonzero(graph.any(axis=(0, 2))):
        causes, lags = np.nonzero(graph[:, effect, :])
        columns = lags * moments.n_variables + causes
        gram = moments.covariance(columns, columns)
        cross = moments.covariance(columns, np.array([effect]))
        weights = np.linalg.lstsq(gram, cross, rcond=1e-10)[0][:, 0]
        signs[causes, effect, lags] = np.sign(weights)
    return signs
