"""How far back the data ask one to look: for `max_lag="auto"`, and for users before they run a host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, IntArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.engines.additive.engine import AdditiveEngine
from grace_plugin.exceptions import DataError
from grace_plugin.hosts.convert import read_panel
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.pipeline.grouped import any_between
from grace_plugin.series.categories import as_contrasts
from grace_plugin.series.forms import Data
from grace_plugin.series.gaps import fill_gaps
from grace_plugin.series.panel import Panel
from grace_plugin.series.units import centred
from grace_plugin.skeletons import Source, get_skeleton

AUTO_LAGS = (10, 20, 40)  # searched one after the other, while the last lag is still needed
_AUTO_CAUTION = 0.01  # expected false edges that "auto" could take for the largest lag
_ROWS_PER_LAG = 20


@dataclass(frozen=True)
class LagSuggestion:
    """How far back to look, and why; `int(suggestion)` is the lag.

    Args:
        max_lag: the largest lag of an edge that is certain.
        searched: lags up to this one were looked at.
        edges: certain edges by lag.
        strongest: names of a cause and its effect at the largest lag, if there is one.
    """

    max_lag: int
    searched: int
    edges: Mapping[int, int]
    strongest: tuple[str, str] | None = None

    def __int__(self) -> int:
        return self.max_lag

    def __index__(self) -> int:
        return self.max_lag

    def __str__(self) -> str:
        if self.strongest is None:
            return f"max_lag {self.max_lag}: no edge is certain at any of the lags 1 to {self.searched}."
        cause, effect = self.strongest
        told = ", ".join(f"{count} at lag {lag}" for lag, count in self.edges.items())
        return (
            f"max_lag {self.max_lag}: of the lags 1 to {self.searched}, certain edges are {told}; "
            f"the longest is {cause} -> {effect}."
        )


def suggest_max_lag(
    data: Data, *, unit: str | list[str] | None = None, time: str | None = None
) -> LagSuggestion:
    """The lag that `discover(data, max_lag="auto")` would take, for use before a host is run.

    Args:
        data: of any form that `refine` takes.
        unit: column, level or dimension that says of what a row is.
        time: column, level or dimension that holds the times.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> x[4:, 1] += 0.8 * x[:-4, 0]
    >>> print(suggest_max_lag(x))
    max_lag 4: of the lags 1 to 10, certain edges are 1 at lag 4; the longest is x0 -> x1.
    """
    panel = read_panel(
        data, {key: name for key, name in (("unit", unit), ("time", time)) if name is not None}
    )
    if panel is None:
        msg = "suggest_max_lag() needs data; see `refine` for the forms it takes."
        raise DataError(msg)
    panel, names = panel.loaded(), panel.names or tuple(f"x{index}" for index in range(panel.n_variables))
    groups = None if panel.levels is None else as_contrasts(panel)
    rows = fill_gaps(centred(panel if groups is None else groups.panel), AUTO_LAGS[0])
    source, graph = _searched(rows, DEFAULT_BASIS, RefineConfig())
    graph = graph if groups is None else any_between(graph, groups)
    counts = graph.sum(axis=(0, 1))
    edges = {int(lag): int(counts[lag]) for lag in np.flatnonzero(counts)}
    longest = _largest(graph)
    pairs = np.argwhere(graph[:, :, longest])
    strongest = (names[pairs[0, 0]], names[pairs[0, 1]]) if len(pairs) else None
    return LagSuggestion(longest, source.max_lag, edges, strongest)


def with_needed_lags(
    panel: Panel, basis: tuple[str, ...], config: RefineConfig, effects: IntArray | None = None
) -> Source:
    """The data with the largest lag that they need, and moments without another reading."""
    source, graph = _searched(panel.loaded(), basis, config, effects)
    return source.with_moments(source.moments.with_max_lag(_largest(graph)))


def _searched(
    panel: Panel, basis: tuple[str, ...], config: RefineConfig, effects: IntArray | None = None
) -> tuple[Source, BoolArray]:
    """The longest search that was needed, and the edges that are certain in it."""
    longest = max(1, max(len(one.values) for one in panel.series) // _ROWS_PER_LAG)
    for most in AUTO_LAGS:
        source = Source(panel, min(most, longest), basis, config.progress, effects)
        found = get_skeleton("basis")(source)
        cautious = RefineConfig(
            alpha=_AUTO_CAUTION / (source.n_variables**2 * source.max_lag),
            progress=config.progress,
        )
        graph = AdditiveEngine().refine_moments(found, source.moments, cautious).graph
        if _largest(graph) < source.max_lag or source.max_lag == longest:
            break
    return source, graph


def _largest(graph: BoolArray) -> int:
    return max(1, int(np.flatnonzero(graph.any(axis=(0, 1))).max(initial=0)))
