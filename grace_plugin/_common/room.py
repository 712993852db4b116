"""Whether something fits into this machine's memory; what does not is refused before it is tried."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from grace_plugin.exceptions import DataError

_UNKNOWN_MEMORY = 64_000_000_000  # where the system does not tell
_SHARE = 0.5  # of the memory that one array on request may take


def machine_memory() -> int:
    """The bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return _UNKNOWN_MEMORY


def room_for(shape: Sequence[int], dtype: npt.DTypeLike, what: str) -> None:
    """Refuse an array that would take more than half of the memory."""
    needed = prod(shape) * np.dtype(dtype).itemsize
    if needed > _SHARE * machine_memory():
        msg = (
            f"An array {tuple(shape)} for {what} needs {needed / 1e9:,.1f} GB, more than half of the memory "
            "of this machine. The table `.edges` and the edges of `.native` hold the same without it; or "
            "choose fewer variables or lags."
        )
        raise DataError(msg)
