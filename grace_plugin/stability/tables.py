"""The tables of a `Stability`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from grace_plugin.exceptions import OptionError

if TYPE_CHECKING:
    from grace_plugin.stability.agreement import Agreement

_SHOWN = 10  # pairs in a notebook


def _kept_cells(stability: Agreement) -> pd.DataFrame:
    """One row per run and kept edge."""
    parts = []
    for row, record in enumerate(stability.succeeded):
        cause, effect, lag = np.unravel_index(record.cells[record.kept], record.shape)
        parts.append(
            pd.DataFrame(
                {
                    "run": row,
                    "cause": cause,
                    "effect": effect,
                    "lag": lag,
                    "gate": record.gates[record.kept],
                    "sign": record.signs[record.kept].astype(int),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def pair_table(stability: Agreement) -> pd.DataFrame:
    """See `Stability.edges`."""
    cells = _kept_cells(stability)
    rows = [_pair_row(stability, int(c), int(e), part) for (c, e), part in cells.groupby(["cause", "effect"])]
    return _sorted(pd.DataFrame(rows, columns=list(_PAIR_COLUMNS)))


_PAIR_COLUMNS = (
    "cause",
    "effect",
    "frequency",
    "lag",
    "lag_frequency",
    "median_lag",
    "lag_spread",
    "gate",
    "sign",
    "sign_consistency",
    "kept",
)


def _pair_row(stability: Agreement, cause: int, effect: int, part: pd.DataFrame) -> dict[str, Any]:
    lag = int(stability.frequency[cause, effect].argmax())
    low, middle, high = np.quantile(part["lag"], [0.25, 0.5, 0.75])
    return {
        "cause": stability.names[cause],
        "effect": stability.names[effect],
        "frequency": stability.pair_frequency[cause, effect],
        "lag": lag,
        "lag_frequency": stability.frequency[cause, effect, lag],
        "median_lag": middle,
        "lag_spread": high - low,
        "gate": stability.pair_gates[cause, effect],
        **_signs(part["sign"].to_numpy()),
        "kept": bool(stability.pair_graph[cause, effect]),
    }


def lag_table(stability: Agreement) -> pd.DataFrame:
    """See `Stability.lagged_edges`."""
    cells = _kept_cells(stability)
    rows = []
    for (cause, effect, lag), part in cells.groupby(["cause", "effect", "lag"]):
        place = int(cause), int(effect), int(lag)
        rows.append(
            {
                "cause": stability.names[place[0]],
                "effect": stability.names[place[1]],
                "lag": place[2],
                "frequency": stability.frequency[place],
                "gate": stability.gates[place],
                **_signs(part["sign"].to_numpy()),
                "kept": bool(stability.graph[place]),
            }
        )
    columns = ["cause", "effect", "lag", "frequency", "gate", "sign", "sign_consistency", "kept"]
    return _sorted(pd.DataFrame(rows, columns=columns))


def _signs(signs: Any) -> dict[str, Any]:
    """The usual sign, and the share of appearances that have it."""
    positive, negative = float((signs > 0).mean()), float((signs < 0).mean())
    return {"sign": "+" if positive >= negative else "-", "sign_consistency": max(positive, negative)}


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("frequency", ascending=False, kind="stable", ignore_index=True)


def run_table(stability: Agreement) -> pd.DataFrame:
    """See `Stability.runs`."""
    rows = []
    for record, window in zip(stability.records, stability.windows, strict=True):
        first, last = _ends(stability, window)
        rows.append(
            {
                "run": record.run,
                "series": window.spans[0].series if len({s.series for s in window.spans}) == 1 else None,
                "first": first,
                "last": last,
                "spans": len(window.spans),
                "rows_used": record.rows_used,
                "edges": int(record.kept.sum()),
                "failure": record.failure,
            }
        )
    return pd.DataFrame(rows).set_index("run")


def _ends(stability: Agreement, window: Any) -> tuple[Any, Any]:
    first, last = min(window.spans), max(window.spans, key=lambda span: (span.series, span.stop))
    return _moment(stability, first.series, first.first), _moment(stability, last.series, last.stop - 1)


def _moment(stability: Agreement, series: int, row: int) -> Any:
    times = stability.times[series]
    return row if times is None else pd.Timestamp(times[row])


def time_table(stability: Agreement) -> pd.DataFrame:
    """See `Stability.over_time`."""
    if stability.scheme not in ("moving", "blocks"):
        msg = f"Windows of the scheme {stability.scheme!r} have no place in time; use 'moving' or 'blocks'."
        raise OptionError(msg)
    counted = [
        window for window, r in zip(stability.windows, stability.records, strict=True) if not r.failure
    ]
    middles = [_middle(stability, window) for window in counted]
    order = sorted(range(len(counted)), key=lambda i: (counted[i].spans[0], i))
    pairs = [(c, e) for c, e in np.argwhere(stability.pair_graph) if c != e]
    pairs.sort(key=lambda pair: -stability.pair_frequency[pair])
    lags = np.full((len(pairs), len(order)), np.nan)
    for row, (cause, effect) in enumerate(pairs):
        for column, run in enumerate(order):
            seen = np.flatnonzero(stability.presence[run, cause, effect])
            lags[row, column] = np.median(seen) if seen.size else np.nan
    index = pd.MultiIndex.from_tuples(
        [(stability.names[c], stability.names[e]) for c, e in pairs], names=["cause", "effect"]
    )
    return pd.DataFrame(lags, index=index, columns=[middles[run] for run in order])


def _middle(stability: Agreement, window: Any) -> Any:
    span = window.spans[0]
    return _moment(stability, span.series, (span.first + span.stop - 1) // 2)


def html_table(edges: pd.DataFrame, words: str) -> str:
    """The summary and the most frequent pairs for a notebook; names from data are escaped."""
    rows = edges.head(_SHOWN)
    columns = ["cause", "effect", "frequency", "lag", "kept"]
    table = rows[columns].to_html(index=False, float_format=lambda value: f"{value:.2f}", border=0)
    summary = "<br>".join(escape(line) for line in words.split("\n"))
    return (
        f'<div style="font-family:system-ui,sans-serif"><p style="margin:.3em 0">{summary}</p>{table}</div>'
    )
