"""What a refinement decides: one record for each candidate that was looked at.

Arrays [cause, effect, lag] are views of the records, made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.room import room_for
from grace_plugin.graph.shown import ActedRule, StepPairs

Codes = npt.NDArray[np.int8]
Shape = tuple[int, int, int]


class Reason(IntEnum):
    """Which part of the refinement decided about an edge."""

    SKELETON = 0  # never a candidate
    GATE = 1
    CERTIFICATE = 2
    KEEP = 3
    HOST = 4  # kept by the host's word: the rows cannot tell, or it stands for a lag that is not reported
    SMALL = 5  # closed: small beside the others of its effect, of which the model misses more

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, eq=False)
class EdgeRecords:
    """Columns with one entry per candidate, sorted by cause, effect and lag.

    Args:
        cause: position of the variable.
        effect: likewise.
        lag: steps between the two.
        gate: from 0 (closed) to 1 (open).
        gain: nats per sample that the edge adds to all other kept ones.
        p_value: of the test of that gain.
        reason: which part decided, as numbers of `Reason`.
        kept: whether the edge stayed.
        further: columns that later steps add, by name.
    """

    cause: IntArray
    effect: IntArray
    lag: IntArray
    gate: FloatArray
    gain: FloatArray
    p_value: FloatArray
    reason: Codes
    kept: BoolArray
    further: Mapping[str, FloatArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.cause)

    @property
    def cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """An index of [cause, effect, lag]."""
        return self.cause, self.effect, self.lag

    def chosen(self, which: BoolArray | IntArray) -> EdgeRecords:
        """The records of a mask, or in the order of an index."""
        columns = {name: getattr(self, name)[which] for name in _COLUMNS}
        return EdgeRecords(**columns, further={name: one[which] for name, one in self.further.items()})

    def with_columns(self, **columns: FloatArray) -> EdgeRecords:
        """The same records with further columns."""
        return replace(self, further={**self.further, **columns})


_COLUMNS = tuple(name for name in EdgeRecords.__dataclass_fields__ if name != "further")


def joined(one: EdgeRecords, other: EdgeRecords) -> EdgeRecords:
    """The records of both, sorted as records are; both must have the same further columns."""
    columns = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in _COLUMNS}
    further = {name: np.concatenate([one.further[name], other.further[name]]) for name in one.further}
    both = EdgeRecords(**columns, further=further)
    return both.chosen(np.lexsort((both.lag, both.effect, both.cause)))


class Sums(Protocol):
    """The sums over lagged rows that an engine worked on."""

    @property
    def rows(self) -> int:
        """Lagged rows."""

    @property
    def rows_given(self) -> int:
        """Rows of data."""

    @property
    def max_lag(self) -> int:
        """The largest lag."""

    def with_max_lag(self, max_lag: int) -> Sums:
        """The same without longer lags."""


class Levels(Protocol):
    """What all cells of a graph tell together; arrays are [cause, effect, lag]."""

    @property
    def log_p(self) -> FloatArray:
        """Ln of the level at which each cell would leave."""

    @property
    def possible(self) -> BoolArray:
        """The cells that count."""

    @property
    def probability(self) -> FloatArray:
        """Of an edge in each cell."""

    @property
    def q_value(self) -> FloatArray:
        """The expected share of false edges among all cells at least as likely."""

    @property
    def lags_together(self) -> bool:
        """Whether lags of one pair were judged together."""

    def expected_false(self, graph: BoolArray) -> float:
        """How many edges of a graph are expected to be false."""


class EngineOptions(Protocol):
    """An engine's own options: a dataclass of that engine."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


class UnitRows(Protocol):
    """The rows of several units, as `series` reads them."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The variables."""

    @property
    def n_variables(self) -> int:
        """How many there are."""


@dataclass(frozen=True, eq=False)
class Details:
    """What an engine tells of its work.

    Args:
        basis: the features of a lagged value.
        decide: which of gates and certificate decided.
        moments: the sums it worked on; None for a result that was read from a file.
        certify: the neural engine's certificate.
        epochs: of each training of the neural engine.
        options: the engine's own options, with what "auto" stood for.
        levels: the evidence of every possible edge, and what is learned from all of it.
        searched: whether every possible edge could become a candidate.
        notes: sentences about what was done to the data before.
        units: the rows of several units, for `Refinement.by_unit`; None where there is one.
        words: the levels of variables that hold words, by name.
        sample: [row, variable] some of the rows that were added up, for pictures; None where there are none.
        acted: the rules of `prepare` that acted, for pictures; None where rows could not be kept for them.
        step: what lagged causes leave within one step, where it was looked at.
    """

    basis: tuple[str, ...] = ()
    decide: str | None = None
    moments: Sums | None = None
    certify: str | None = None
    epochs: tuple[int, ...] = ()
    options: EngineOptions | None = None
    levels: Levels | None = None
    searched: bool = False
    notes: tuple[str, ...] = ()
    units: UnitRows | None = None
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sample: FloatArray | None = None
    acted: tuple[ActedRule, ...] | None = None
    step: StepPairs | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything an engine learned.

    `gain` is in nats per sample, `p_value` is the edge's test given all other kept edges;
    both are NaN where there is no candidate. `penalty` and `alpha` are the values that
    "auto" stood for (the penalty averaged over effects where it differs between them).

    >>> graph = np.zeros((2, 2, 2), dtype=bool)
    >>> graph[0, 1, 1] = True
    >>> outcome = Outcome.of_arrays(graph * 1.0, graph, graph * 0.1, graph * 0.5, graph * 2)
    >>> len(outcome.records), bool(outcome.graph[0, 1, 1]), bool(np.isnan(outcome.gain[1, 0, 1]))
    (1, True, True)
    """

    records: EdgeRecords
    shape: Shape
    penalty: float = 0.0
    alpha: float = 0.0
    rows_used: int = 0
    rows_given: int = 0
    details: Details = field(default_factory=Details)

    @classmethod
    def of_arrays(
        cls,
        gates: FloatArray,
        graph: BoolArray,
        gain: FloatArray,
        p_value: FloatArray,
        reason: npt.NDArray[Any],
        *,
        penalty: float = 0.0,
        alpha: float = 0.0,
        rows_used: int = 0,
        rows_given: int = 0,
    ) -> Outcome:
        """From arrays [cause, effect, lag]; candidates are the cells that have a reason."""
        cells = np.nonzero(np.asarray(reason) != int(Reason.SKELETON))
        cause, effect, lag = cells
        records = EdgeRecords(
            cause,
            effect,
            lag,
            gates[cells],
            gain[cells],
            p_value[cells],
            reason[cells].astype(np.int8),
            graph[cells],
        )
        shape = (gates.shape[0], gates.shape[1], gates.shape[2])
        return cls(records, shape, penalty, alpha, rows_used, rows_given)

    @cached_property
    def gates(self) -> FloatArray:
        """[cause, effect, lag]: exactly 0 where there is no candidate."""
        return self._spread(self.records.gate, 0.0)

    @cached_property
    def graph(self) -> BoolArray:
        """[cause, effect, lag]: the edges that stayed."""
        found: BoolArray = self._spread(self.records.kept, False)
        return found

    @cached_property
    def gain(self) -> FloatArray:
        """[cause, effect, lag]: NaN where there is no candidate."""
        return self._spread(self.records.gain, np.nan)

    @cached_property
    def p_value(self) -> FloatArray:
        """[cause, effect, lag]: NaN where there is no candidate."""
        return self._spread(self.records.p_value, np.nan)

    @cached_property
    def reason(self) -> Codes:
        """[cause, effect, lag]: numbers of `Reason`."""
        found: Codes = self._spread(self.records.reason, int(Reason.SKELETON))
        return found

    def further(self, name: str) -> FloatArray:
        """[cause, effect, lag]: a further column; NaN where there is no candidate."""
        return self._spread(self.records.further[name], np.nan)

    def up_to_lag(self, max_lag: int) -> Outcome:
        """What was decided about lags up to `max_lag`."""
        if self.shape[2] == max_lag + 1:
            return self
        moments = self.details.moments
        return replace(
            self,
            records=self.records.chosen(self.records.lag <= max_lag),
            shape=(self.shape[0], self.shape[1], max_lag + 1),
            details=replace(self.details, moments=moments and moments.with_max_lag(max_lag)),
        )

    def within(self, cells: BoolArray) -> Outcome:
        """What was decided about the candidates of a mask [cause, effect, lag]."""
        return replace(self, records=self.records.chosen(cells[self.records.cells]))

    def reordered(self, order: Sequence[int]) -> Outcome:
        """Variable `order[i]` becomes variable i; sums, which have the old order, are left out."""
        place = np.empty(len(order), dtype=np.int64)
        place[list(order)] = np.arange(len(order))
        records = self.records
        moved = replace(records, cause=place[records.cause], effect=place[records.effect])
        moved = moved.chosen(np.lexsort((moved.lag, moved.effect, moved.cause)))
        details = replace(self.details, moments=None, levels=None, units=None, sample=None)
        return replace(self, records=moved, details=details)

    def _spread(self, column: npt.NDArray[Any], empty: float) -> npt.NDArray[Any]:
        """A column as [cause, effect, lag], if it fits."""
        room_for(self.shape, column.dtype, "the whole graph")
        array = np.full(self.shape, empty, dtype=column.dtype)
        array[self.records.cells] = column
        return array
