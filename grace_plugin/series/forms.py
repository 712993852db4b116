"""The forms of data that every door takes, as types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from grace_plugin.series.rows import HostData, Panel

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Data", "HostData", "Table"]

Table: TypeAlias = "npt.NDArray[Any] | pd.DataFrame | pd.Series[Any]"  # [time, variable]
Data: TypeAlias = "Table | Panel | Sequence[Table] | Mapping[Any, Table] | Iterable[Table] | HostData"
