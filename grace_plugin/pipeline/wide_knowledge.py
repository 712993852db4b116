"""What a user knows of edges among many variables: cells, and arrays only where somebody said something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.graph.background import Knowledge


@dataclass(frozen=True, eq=False)
class WideKnowledge:
    """Required cells, and what is said of all others.

    Args:
        required: [R, 3], (cause, effect, lag) of cells that stay.
        forbidden: [cause, effect, lag], cells that cannot be; None where all can.
        believed: [cause, effect, lag], odds; None where nothing is said.
    """

    required: IntArray
    forbidden: BoolArray | None = None
    believed: FloatArray | None = None

    @classmethod
    def of(cls, config: RefineConfig, names: tuple[str, ...], max_lag: int) -> WideKnowledge:
        """What `keep`, `forbid` and `likely` say; a pair that is kept is kept at all of its lags."""
        nothing = np.zeros((0, 3), dtype=np.int64)
        if not (config.keep or config.forbid or config.likely):
            return cls(nothing)
        said = Knowledge(required=config.keep, forbidden=config.forbid, likely=dict(config.likely))
        cells = said.on(names, max_lag)
        lagged = cells.required.copy()
        lagged[:, :, 0] = False
        return cls(
            np.argwhere(lagged),
            cells.forbidden if config.forbid else None,
            cells.odds if config.likely else None,
        )

    def allowed(self, max_lag: int) -> BoolArray | None:
        """[cause, effect, lag]: which cells of all lags that are looked at may enter."""
        if self.forbidden is None:
            return None
        beyond = max_lag + 1 - self.forbidden.shape[2]
        return ~np.pad(self.forbidden, ((0, 0), (0, 0), (0, beyond)))

    def is_required(self, cells: IntArray) -> BoolArray:
        """[M]: whether each cell stays whatever the data say."""
        if not len(self.required):
            return np.zeros(len(cells), dtype=np.bool_)
        known = {tuple(cell) for cell in self.required.tolist()}
        return np.array([tuple(cell) in known for cell in cells.tolist()], dtype=np.bool_)

    def odds(self, cells: IntArray) -> FloatArray | None:
        """[M]: factors that a user believes in."""
        return None if self.believed is None else self.believed[tuple(cells.T)]
