"""What a refinement found: the part of a result that tables, texts and files are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.graph.outcome import Outcome, Reason
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import HostResult

if TYPE_CHECKING:
    import pandas as pd

Words = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Candidates, what became of them, and by which options; arrays are [cause, effect, lag].

    `Refinement` adds the methods; modules that it calls know only this.
    """

    native: HostResult
    skeleton: Skeleton
    outcome: Outcome
    config: RefineConfig = field(default_factory=RefineConfig)
    source: HostResult = None
    adapter: str = ""
    parts: Mapping[str, Findings] = field(default_factory=dict)

    @property
    def gates(self) -> FloatArray:
        """The gate of every candidate, from 0 (closed) to 1 (open); exactly 0 outside the skeleton."""
        return self.outcome.gates

    @property
    def graph(self) -> BoolArray:
        """The edges that stayed."""
        return self.outcome.graph

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in axis order."""
        return self.skeleton.names

    @property
    def penalty(self) -> float:
        """The price of an open gate that was used, in nats per sample."""
        return self.outcome.penalty

    @property
    def alpha(self) -> float:
        """The level of the certificate that was used."""
        return self.outcome.alpha

    @cached_property
    def edges(self) -> pd.DataFrame:
        """One row per candidate, strongest first: cause, effect, lag, gate, gain, p_value, kept, reason.

        An unoriented contemporaneous pair has one row, with `oriented` False. The table's `attrs` tell the
        complete windows that were used, the rows that were given, and the level of the tests.
        """
        return edge_table(self)


def edge_table(findings: Findings) -> pd.DataFrame:
    """The table behind `Refinement.edges`."""
    import pandas as pd

    skeleton, outcome = findings.skeleton, findings.outcome
    records = outcome.records
    unoriented = records.lag == 0
    if unoriented.any():
        unoriented = unoriented & skeleton.unoriented[records.cause, records.effect]
    once = ~unoriented | (records.cause < records.effect)
    records, unoriented = records.chosen(once), unoriented[once]
    names: Words = np.array(skeleton.names, dtype=object)
    table = pd.DataFrame(
        {
            "cause": names[records.cause],
            "effect": names[records.effect],
            "lag": records.lag,
            "gate": records.gate,
            "gain": records.gain,
            "p_value": records.p_value,
            **_in_words(records.further, names),
            "kept": records.kept,
            "reason": [str(Reason(code)) for code in records.reason],
            "oriented": ~unoriented,
        }
    )
    table = table.sort_values(["kept", "gain"], ascending=False, kind="stable", ignore_index=True)
    table.attrs = {
        "rows_used": outcome.rows_used,
        "rows_given": outcome.rows_given,
        "alpha": outcome.alpha,
    }
    return table


def _in_words(columns: Mapping[str, FloatArray], names: Words) -> dict[str, object]:
    """The columns, partners by their names."""
    told: dict[str, object] = dict(columns)
    if "partner" in columns:
        known = ~np.isnan(columns["partner"])
        partners = np.full(len(known), None, dtype=object)
        partners[known] = names[columns["partner"][known].astype(np.int64)]
        told["partner"] = partners
    return told
