"""The array types that rooms hand to one another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Single = npt.NDArray[np.float32]  # where half the memory says enough
