"""In how many units a kept edge shows by itself.

Each unit (series) alone gives one regression per effect on the features of all its kept causes. An edge's
p-value there is twice the smaller of two F-tests beside the other kept causes, of the linear term alone and
of all features; its effect is the weight of the linear term, in standard deviations of the pooled data. A
category is tested by all its columns at once (`regression.joint_test`), and its effect is the correlation
that they have with what the other causes leave, which has no sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import fdtrc

from grace_plugin._common.arrays import FloatArray, IntArray
from grace_plugin.exceptions import DataError
from grace_plugin.graph.outcome import UnitRows
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.joint_test import joint_test
from grace_plugin.series.categories import Groups, as_contrasts
from grace_plugin.series.forms import Data
from grace_plugin.series.rows import Panel

if TYPE_CHECKING:
    import pandas as pd

    from grace_plugin.results.findings import Findings

_COLUMNS = ["cause", "effect", "lag", "unit", "rows", "weight", "p_value", "shows", "shows_in", "units"]
_NONE = np.zeros(0, dtype=np.int64)
_TINY = 1e-10  # share of a variance below which a direction is none


def by_unit(refinement: Findings, units: Groups, level: float) -> pd.DataFrame:
    """See `Refinement.by_unit`."""
    import pandas as pd

    rows = [
        (*(refinement.names[place] for place in edge[:2]), edge[2], *found)
        for edge, found in _tested(refinement, units)
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS[:7])
    table["shows"] = table.p_value <= level
    groups = table.groupby(["cause", "effect", "lag"], sort=False).shows
    table["shows_in"] = groups.transform("sum").astype(int)
    table["units"] = groups.transform("size").astype(int)
    return table[_COLUMNS]


def rows_of_units(refinement: Findings, data: Data | None) -> Groups:
    """The rows that this result was learned from, or `data` read once more."""
    units: UnitRows | None = refinement.outcome.details.units
    if data is not None:
        from grace_plugin.hosts.convert import matched, read_panel

        panel = matched(refinement.skeleton, read_panel(data, {}))[1]  # type: ignore[arg-type]
        units = panel if panel.levels is None else as_contrasts(panel)
    if isinstance(units, Panel):
        single = tuple((column,) for column in range(units.n_variables))
        units = Groups(units, single, refinement.names)
    if not isinstance(units, Groups) or len(units.panel.series) < 2:
        msg = (
            "by_unit() needs several units: a dict of tables, a table with unit=..., or a MultiIndex. A "
            "result that was read from a file holds no rows: by_unit(data=...)."
        )
        raise DataError(msg)
    return units


def _tested(refinement: Findings, units: Groups) -> Iterator[tuple[tuple[int, int, int], tuple[Any, ...]]]:
    graph, panel = refinement.graph, units.panel
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
                weight, p_value = _edge(moments, units, int(effect), parents, place)
                unit = number if one.unit is None else one.unit
                yield (int(cause), int(effect), int(lag)), (unit, moments.rows, weight, p_value)


def _edge(moments: Moments, units: Groups, effect: int, parents: IntArray, place: int) -> tuple[float, float]:
    """Weight and p-value of one of the parents in one unit; NaN where its rows cannot tell."""
    columns = [_columns(moments, units.members[cause], lag) for cause, lag in parents]
    own, others = columns[place], np.concatenate([*columns[:place], *columns[place + 1 :], _NONE])
    members = units.members[effect]
    if len(members) > 1 or len(units.members[parents[place, 0]]) > 1:
        return _joint(moments, members, own, others)
    some = len(own) if moments.rows > 2 * sum(map(len, columns)) else 1
    p_values = [_p_value(moments, members[0], others, own[:count]) for count in {1, some}]
    if not np.isfinite(p_values).any():
        return np.nan, np.nan
    linear = np.concatenate([own[:1], *(one[:1] for one in columns if one is not own)])
    weight = _fit(moments, members[0], linear)[1][0]
    return float(weight), float(min(1.0, len(p_values) * np.nanmin(p_values)))


def _columns(moments: Moments, members: tuple[int, ...], lag: int) -> IntArray:
    """Of the moment matrix: all features of a number, the contrasts themselves of a category."""
    width = len(moments.basis)
    first = (lag * moments.n_variables + np.array(members)) * width
    return np.asarray(first if len(members) > 1 else first + np.arange(width))


def _joint(
    moments: Moments, members: tuple[int, ...], own: IntArray, others: IntArray
) -> tuple[float, float]:
    targets = np.array([column * len(moments.basis) for column in members])
    moving = targets[moments.covariance(targets, targets).diagonal() > _TINY]  # a unit may lack a level
    found = joint_test(moments, moving, own, others) if len(moving) else None
    if found is None or (found.gain == 0.0 and found.log_p == 0.0):
        return np.nan, np.nan
    return float(np.sqrt(-np.expm1(-2.0 * found.gain))), float(np.exp(found.log_p))


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
