"""What a careful reader asks about data first: gaps, constant columns, outliers, unit roots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.series.panel import Panel

if TYPE_CHECKING:
    import pandas as pd

_LEAST_FOR_UNIT_ROOT = 25
DICKEY_FULLER_5_PERCENT = -2.86  # with a constant, many rows
_FAR_OUT = 8.0  # robust deviations from the median


def data_quality(panel: Panel) -> pd.DataFrame:
    """One row per variable: rows, missing, longest_gap, constant, outliers, dickey_fuller, warnings.

    `dickey_fuller` is the t-statistic of a unit-root test with a constant and one lagged difference;
    above -2.86 a unit root is not rejected at 5 %, and tests of edges may be too sure. With several
    series the counts are sums and the largest statistic is given.

    >>> from grace_plugin.series.panel import as_panel
    >>> walk = np.cumsum(np.random.default_rng(0).normal(size=(500, 1)), axis=0)
    >>> data_quality(as_panel(walk)).warnings.tolist()
    ['unit root not rejected']
    """
    import pandas as pd

    panel = panel.loaded()
    names = panel.names or tuple(f"x{index}" for index in range(panel.n_variables))
    rows = []
    for index, name in enumerate(names):
        columns = [np.asarray(one.values[:, index], dtype=np.float64) for one in panel.series]
        rows.append({"variable": name, **_of_columns(columns)})
    return pd.DataFrame(rows)


def _of_columns(columns: list[FloatArray]) -> dict[str, Any]:
    every = np.concatenate(columns)
    present = every[np.isfinite(every)]
    statistic = max((_dickey_fuller(column) for column in columns), default=np.nan)
    found: dict[str, Any] = {
        "rows": len(every),
        "missing": int((~np.isfinite(every)).sum()),
        "longest_gap": max(_longest_gap(column) for column in columns),
        "constant": bool(present.size == 0 or np.ptp(present) == 0.0),
        "outliers": _outliers(present),
        "dickey_fuller": statistic,
    }
    return {**found, "warnings": ", ".join(_warnings(found))}


def _warnings(found: dict[str, Any]) -> list[str]:
    words = []
    if found["constant"]:
        words.append("constant")
    if found["missing"] > 0.2 * found["rows"]:
        words.append("many gaps")
    if found["outliers"] > 0.01 * found["rows"]:
        words.append("heavy tails")
    if not found["constant"] and found["dickey_fuller"] > DICKEY_FULLER_5_PERCENT:
        words.append("unit root not rejected")
    return words


def _longest_gap(column: FloatArray) -> int:
    edges = np.diff(np.concatenate([[0], (~np.isfinite(column)).astype(np.int8), [0]]))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    return int(lengths.max(initial=0))


def _outliers(present: FloatArray) -> int:
    if present.size == 0:
        return 0
    away = np.abs(present - np.median(present))
    spread = 1.4826 * np.median(away)
    return int((away > _FAR_OUT * spread).sum()) if spread > 0.0 else 0


def _dickey_fuller(column: FloatArray) -> float:
    """t-statistic of the level in a regression of the change on level, last change and a constant."""
    change = np.diff(column)
    table = np.stack([change[1:], column[1:-1], change[:-1], np.ones(max(len(column) - 2, 0))], axis=1)
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) < _LEAST_FOR_UNIT_ROOT or np.ptp(table[:, 1]) == 0.0:
        return float("nan")
    target, inputs = table[:, 0], table[:, 1:] - [table[:, 1].mean(), 0.0, 0.0]
    weights, _, rank, _ = np.linalg.lstsq(inputs, target, rcond=None)
    if rank < inputs.shape[1]:
        return float("nan")
    residual = target - inputs @ weights
    variance = residual @ residual / (len(target) - rank)
    error = np.sqrt(variance * np.linalg.inv(inputs.T @ inputs)[0, 0])
    return float(weights[0] / error) if error > 0.0 else float("nan")
