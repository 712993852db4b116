"""What an engine hands back: one number per candidate edge, in the skeleton's axis order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray


class Reason(IntEnum):
    """Which part of the refinement decided about an edge."""

    SKELETON = 0  # never a candidate
    GATE = 1
    CERTIFICATE = 2
    KEEP = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything an engine learned; all arrays are [cause, effect, lag].

    `gain` is in nats per sample, `p_value` is the edge's exact test given all other kept edges;
    both are NaN where the skeleton has no candidate. `penalty` and `alpha` are the values that
    "auto" stood for (the penalty averaged over effects where it differs between them).
    """

    gates: FloatArray
    graph: BoolArray
    gain: FloatArray
    p_value: FloatArray
    reason: npt.NDArray[np.int8]
    penalty: float
    alpha: float
    rows_used: int
    rows_given: int
    details: Mapping[str, Any] = field(default_factory=dict)
