"""In how many units a kept edge shows by itself.

Each unit (series) alone gives one regression per effect on the features of all its kept causes. An edge's
p-value there is twice the smaller of two F-tests beside the other kept causes, of the linear term alone and
of all features; its effect is the weight of the linear term, in standard deviations of the pooled data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.exceptions import DataError
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.series.forms import Data
from grace_plugin.series.rows import Panel

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.results.findings import Findings

_COLUMNS = ["cause", "effect", "lag", "unit", "rows", "weight", "p_value", "shows", "shows_in", "units"]
_TINY = 1e-10  # share of a variance below which a direction is none


def by_unit(refinement: Findings, panel: Panel, level: float) -> pd.DataFrame:
    """See `Refinement.by_unit`."""
    import pandas as pd

    rows = [
        (*(refinement.names[place] for place in edge[:2]), edge[2], *found)
        for edge, found in _tested(refinement, panel)
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS[:7])
    table["shows"] = table.p_value <= level
    groups = table.groupby(["cause", "effect", "lag"], sort=False).shows
    table["shows_in"] = groups.transform("sum").astype(int)
    table["units"] = groups.transform("size").astype(int)
    return table[_COLUMNS]


def rows_of_units(refinement: Findings, data: Data | None) -> Panel:
    """The rows that this result was learned from, or `data` read once more."""
    panel = refinement.outcome.details.units
    if data is not None:
        from grace_plugin.hosts.convert import matched, read_panel

        panel = matched(refinement.skeleton, read_panel(data, {}))[1]  # type: ignore[arg-type]
    if not isinstance(panel, Panel) or len(panel.series) < 2:
        msg = (
            "by_unit() needs several units: a dict of tables, a table with unit=..., or a MultiIndex. A "
            "result that was read from a file holds no rows: by_unit(data=...)."
        )
        raise DataError(msg)
    return panel


def _tested(refinement: Findings, panel: Panel) -> Iterator[tuple[tuple[int, int, int], tuple[Any, ...]]]:
    graph = refinement.graph
    max_lag = refinement.skeleton.max_lag
    pooled = Moments.of(panel, 0, DEFAULT_BASIS)
    alone = [
        Moments.of(Panel((one,), panel.names, n_variables=panel.n_variables), max_lag, DEFAULT_BASIS, pooled)
        for one in panel.series
    ]
    for effect in np.flatnonzero(graph.any(axis=(0, 2))):
        parents = np.argwhere(graph[:, effect])
        for place, (cause, lag) in enumerate(parents):
            for number, (one, moments) in enumerate(zip(panel.series, alone, strict=True)):
                weight, p_value = _edge(moments, int(effect), parents, place)
                unit = number if one.unit is None else one.unit
                yield (int(cause), int(effect), int(lag)), (unit, moments.rows, weight, p_value)


def _edge(moments: Moments, effect: int, parents: IntArray, place: int) -> tuple[float, float]:
    """Weight and p-value of one of the parents in one unit; NaN where its rows cannot tell."""
    width = len(moments.basis)
    first = (parents[:, 1] * moments.n_variables + parents[:, 0]) * width
    every = (first[:, None] + np.arange(width)).ravel()
    own = np.isin(every, first[place] + np.arange(width))
    linear = np.isin(every, first)
    p_values = [
        _p_value(moments, effect, every[~own], every[own][:count])
        for count in ((1, width) if moments.rows > 2 * len(every) else (1,))
    ]
    if not np.isfinite(p_values).any():
        return np.nan, np.nan
    weights = _fit(moments, effect, every[linear])[1]
    return float(weights[place]), float(min(1.0, len(p_values) * np.nanmin(p_values)))


def _p_value(moments: Moments, effect: int, others: IntArray, tested: IntArray) -> float:
    left, _, rank = _fit(moments, effect, np.concatenate([others, tested]))
    without, _, rank_without = _fit(moments, effect, others)
    more, dof = rank - rank_without, moments.rows - rank - 1
    if more < 1 or dof < 1 or left <= 0.0:
        return float("nan")
    return float(fdtrc(more, dof, (without - left) / more / (left / dof)))


def _fit(moments: Moments, effect: int, columns: IntArray) -> tuple[float, FloatArray, int]:
    """What is left of the effect's variance, weights, and how many directions the columns have."""
    target = np.array([effect * len(moments.basis)])
    total = float(moments.covariance(target, target)[0, 0])
    if not len(columns):
        return total, np.zeros(0), 0
    gram = moments.covariance(columns, columns)
    cross = moments.covariance(columns, target)[:, 0]
    weights, _, rank, _ = np.linalg.lstsq(gram, cross, rcond=_TINY)
    return max(total - float(weights @ cross), 0.0), np.asarray(weights), int(rank)
