"""Rows with their past, as many as the shape of residuals needs to be seen."""

from __future__ import annotations

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.lag0.columns import Columns
from grace_plugin.moments.features import expand
from grace_plugin.moments.lagged_blocks import window_blocks
from grace_plugin.series.panel import Panel

_MOST_ROWS = 4000  # a shape that so many rows do not tell is Gaussian for all purposes
_MOST_NUMBERS = 20_000_000
_CHUNK_ROWS = 4096


class StepRows:
    """Evenly spread rows of a panel that can be read again; each column is made when it is asked for."""

    def __init__(self, panel: Panel, columns: Columns) -> None:
        self._columns = columns
        most = min(_MOST_ROWS, max(1, _MOST_NUMBERS // max(1, len(columns.variable))))
        self._values = _picked(panel, columns, most)
        self._table: FloatArray = np.empty((len(columns.ids), len(self._values)))
        self._made: BoolArray = np.zeros(len(columns.variable), dtype=np.bool_)

    @property
    def count(self) -> int:
        return len(self._values)

    def columns(self, chosen: IntArray) -> FloatArray:
        """[m, n]: some columns, standardised on these rows."""
        places = chosen // self._columns.width
        if not self._made[places].all():
            self._make(np.unique(places[~self._made[places]]))
        return self._table[chosen]

    def _make(self, places: IntArray) -> None:
        """All features of some values."""
        basis = self._columns.moments.basis
        values = np.ascontiguousarray(expand(self._values[:, places], basis).T)
        values -= values.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.einsum("cn,cn->c", values, values) / max(values.shape[1], 1))[:, None]
        self._table[self._columns.of(places.tolist())] = values / np.where(spread > 0.0, spread, 1.0)
        self._made[places] = True


def _picked(panel: Panel, columns: Columns, most: int) -> FloatArray:
    """[n, places]: the standardised values."""
    moments = columns.moments
    step = -(-moments.rows // most)
    parts, seen = [np.zeros((0, len(columns.variable)))], 0
    for block in window_blocks(panel, moments.max_lag, _CHUNK_ROWS):
        times = np.flatnonzero(block.windows)
        mine = times[(np.arange(seen, seen + len(times)) % step) == 0]
        seen += len(times)
        past = block.values[mine[:, None] - columns.lag, columns.variable]
        parts.append((past - moments.center[columns.variable]) / moments.scale[columns.variable])
    return np.concatenate(parts)
