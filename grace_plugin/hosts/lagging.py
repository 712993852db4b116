"""Lag-expanded tables: one column per variable and lag, as hosts without a time axis want them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from grace_plugin._common.checks import whole
from grace_plugin.exceptions import DataError
from grace_plugin.hosts.convert import read_panel
from grace_plugin.series.forms import Data


def lag_expand(data: Data, max_lag: int) -> pd.DataFrame:
    """The table of all variables at lags 0 to `max_lag`, in columns called `{var}_lag{k}`.

    Args:
        data: a numpy array [time, variable] or a pandas DataFrame; a list or dict of them (several
            realisations) is expanded one by one and stacked, so that no row mixes two of them.
        max_lag: the largest lag; the first `max_lag` rows of each series have no full past and go.

    Returns:
        A float table: all variables at lag 0 first, then all at lag 1, and so on. A pandas index is
        kept: each row bears the label of its lag-0 values. Columns of numpy data are called x0, x1, ...

    >>> import numpy as np
    >>> lag_expand(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), max_lag=1)
       x0_lag0  x1_lag0  x0_lag1  x1_lag1
    0      2.0     20.0      1.0     10.0
    1      3.0     30.0      2.0     20.0
    """
    max_lag = whole("max_lag", max_lag, 0)
    labelled = isinstance(data, (pd.DataFrame, pd.Series))
    parts = [_expanded(table, max_lag, labelled) for table in _tables(data)]
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def _tables(data: Data) -> Iterator[pd.DataFrame]:
    panel = read_panel(data, {})
    if panel is None:
        msg = "lag_expand() needs data; see `refine` for the forms it takes."
        raise DataError(msg)
    panel = panel.loaded()
    names = panel.names or tuple(f"x{index}" for index in range(panel.n_variables))
    for one in panel.series:
        yield pd.DataFrame(one.values, columns=list(names), index=one.index, dtype=float)


def _expanded(table: pd.DataFrame, max_lag: int, keep_index: bool) -> pd.DataFrame:
    rows = len(table) - max_lag
    if rows < 1:
        msg = (
            f"A series of {len(table)} rows has no row with a full past of max_lag={max_lag}; "
            "give longer series or a smaller max_lag."
        )
        raise DataError(msg)
    columns = {
        f"{name}_lag{lag}": table[name].to_numpy()[max_lag - lag : max_lag - lag + rows]
        for lag in range(max_lag + 1)
        for name in table.columns
    }
    return pd.DataFrame(columns, index=table.index[max_lag:] if keep_index else None)
