"""Evidence that is written anew, cell by cell, as the rows are looked at once more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.regression.evidence import Evidence


class EvidenceWriter:
    """Takes what is said of cells, those of `found` and new ones."""

    def __init__(self, found: Evidence) -> None:
        self.found = found
        self.log_p, self.gain = found.log_p.copy(), found.gain.copy()
        self.rest = found.rest.copy()
        self.place = {tuple(cell): place for place, cell in enumerate(found.cells.tolist())}
        self.more: list[tuple[int, int, int]] = []
        self.more_log_p: list[float] = []
        self.more_gain: list[float] = []

    def write(self, effect: int, cells: IntArray, log_p: FloatArray, gain: FloatArray) -> None:
        for (cause, lag), p_value, nats in zip(cells.tolist(), log_p, gain, strict=True):
            place = self.place.get((cause, effect, lag))
            if place is None:
                self.more.append((cause, effect, lag))
                self.more_log_p.append(float(p_value))
                self.more_gain.append(float(nats))
                self.rest[cause, effect, lag] = 0.0
            else:
                self.log_p[place], self.gain[place] = p_value, nats

    def evidence(self) -> Evidence:
        more = np.array(self.more, dtype=np.int64).reshape(-1, 3)
        return replace(
            self.found,
            cells=np.concatenate([self.found.cells, more]),
            log_p=np.concatenate([self.log_p, self.more_log_p]),
            gain=np.concatenate([self.gain, self.more_gain]),
            rest=self.rest,
        )
