"""What evidence rests on: sums of all rows, and the rows themselves or, of very many, stretches of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grace_plugin._common.arrays import FloatArray
from grace_plugin.exceptions import OptionError
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.series.controls import control_columns, has_controls
from grace_plugin.series.panel import Panel
from grace_plugin.series.stretches import stretches
from grace_plugin.skeletons import Source

_MOST_NUMBERS = 50_000_000  # values that are held as rows (400 MB)
# Of longer data: rows of all stretches together. They show what explains a ten-thousandth of a variance.
_SAMPLED_ROWS, _STRETCHES = 250_000, 64


@dataclass(frozen=True, eq=False)
class Grounds:
    """Sums and rows.

    Args:
        moments: of all rows.
        rows: those that can be looked at themselves; None where there are none.
        controls: [n, m], a user's controls at these rows.
        sample: sums of the rows, where they are only some of all.
    """

    moments: Moments
    rows: LaggedRows | None
    controls: FloatArray | None = None
    sample: Moments | None = None

    def notes(self, interactions: bool) -> list[str]:
        """What was not looked at on all rows."""
        looked = f"Bent curves, noise that changes{' and causes that act together' if interactions else ''}"
        if self.rows is None:
            return [f"{looked} were not looked for: the rows can be read only once."]
        if self.sample is None:
            return []
        return [
            f"{looked} were looked for on {self.sample.rows:,} of {self.moments.rows:,} rows, in "
            f"{_STRETCHES} stretches spread evenly; what that takes off an edge's evidence there is taken "
            "off the evidence of all rows."
        ]


def grounds_of(moments: Moments, search: Source, beside: Panel | None) -> Grounds:
    """What the evidence of a search rests on; `beside` are the rows with a user's controls, if any."""
    if beside is not None and has_controls(beside):
        raw = Source(beside, moments.max_lag, moments.basis)
        rows = held_rows(raw, raw.moments)
        if rows is None:
            msg = (
                "controls= need the rows in memory, which these are too many for; give fewer rows or columns."
            )
            raise OptionError(msg)
        return Grounds(raw.moments, rows, control_columns(beside, rows.times, moments.max_lag))
    rows = held_rows(search, moments)
    if rows is not None or search.rows is None:
        return Grounds(moments, rows)
    some = _stretches_of(search.rows)
    sample = Moments.of(some, moments.max_lag, moments.basis, moments)
    rows = LaggedRows.of(some, moments.max_lag, moments.center, moments.scale)
    return Grounds(moments, rows, sample=sample)


def held_rows(search: Source, moments: Moments) -> LaggedRows | None:
    """All lagged rows, where they can be read again and fit into memory."""
    panel = search.rows
    if panel is None or sum(one.values.size for one in panel.series) > _MOST_NUMBERS:
        return None
    return LaggedRows.of(panel, moments.max_lag, moments.center, moments.scale)


def _stretches_of(panel: Panel) -> Panel:
    """Rows spread evenly over all series, each series by its length."""
    total = sum(len(one.values) for one in panel.series)
    most = min(_SAMPLED_ROWS, _MOST_NUMBERS // panel.n_variables)
    parts = []
    for one in panel.series:
        count = max(1, round(_STRETCHES * len(one.values) / total))
        parts += stretches(one, count, max(1, int(most * len(one.values) / total) // count))
    return replace(panel, series=tuple(parts))
