"""The forms of data that every door takes, as types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.series.panel import Panel

HostData: TypeAlias = Any  # a container of a host's own, which has no types: a tigramite DataFrame, say
Table: TypeAlias = "npt.NDArray[Any] | pd.DataFrame | pd.Series[Any]"  # [time, variable]
Data: TypeAlias = "Table | Panel | Sequence[Table] | Mapping[Any, Table] | Iterable[Table] | HostData"
