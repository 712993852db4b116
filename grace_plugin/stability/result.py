"""What `bootstrap` returns: how often each edge appears, and the graph of those that appear often enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import HostResult
from grace_plugin.stability.agreement import Agreement

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from grace_plugin.show.style import Picture


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Agreement):
    """The runs of a bootstrap and what they agree on; arrays are [cause, effect, lag].

    Made by `bootstrap`. `at` gives the same runs under another threshold.

    >>> import numpy as np
    >>> from grace_plugin import bootstrap
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(600, 2))
    >>> x[1:, 1] += 0.8 * x[:-1, 0]
    >>> stable = bootstrap("basis", x, max_lag=2, window=200, runs=10)
    >>> stable.graph.sum(), stable.at(0.9).graph.sum()
    (np.int64(1), np.int64(1))

    Args:
        records: one per run.
        windows: the rows that each run saw.
        names: the variables, in axis order.
        threshold: an edge is kept if it appears in more than this share of the runs.
        level: "pair": at whichever lag; "lag": at one and the same lag.
        scheme: how the windows were drawn.
        times: of the rows of each series, or None.
        skeleton: the candidates, where they were the same in all runs.
        make_native: graph -> the host's own object.
    """

    def at(self, threshold: float | None = None, level: str | None = None) -> Stability:
        """The same runs under another threshold or level; nothing is computed again."""
        return replace(
            self,
            threshold=self.threshold if threshold is None else threshold,
            level=self.level if level is None else level,
        )

    @cached_property
    def native(self) -> HostResult:
        """The graph as the host's own kind of object, or a Skeleton with frequencies as scores.

        Where the source was a function, it is called once more, on all rows, and its result loses
        the edges that are not stable.
        """
        if self.make_native is not None:
            return self.make_native(self._native_graph())
        return Skeleton(self.graph, self.names, self.frequency)

    def _native_graph(self) -> BoolArray:
        return self.graph if self.skeleton is None else self.graph & self.skeleton.mask

    @cached_property
    def edges(self) -> pd.DataFrame:
        """One row per pair that any run kept, most frequent first.

        cause, effect, frequency, lag (the most frequent one) and its lag_frequency, median_lag and
        lag_spread (interquartile range), gate (mean), sign of the linear effect and the share of runs
        that agree with it, and whether the pair is kept.
        """
        from grace_plugin.stability.tables import pair_table

        return pair_table(self)

    @cached_property
    def lagged_edges(self) -> pd.DataFrame:
        """One row per edge (cause, effect, lag) that any run kept, most frequent first."""
        from grace_plugin.stability.tables import lag_table

        return lag_table(self)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run: the first and last row or time it saw, rows used, edges kept, and any failure."""
        from grace_plugin.stability.tables import run_table

        return run_table(self)

    def over_time(self) -> pd.DataFrame:
        """Edge by window: the lag at which each kept pair was seen in each window, NaN where it was not.

        Columns are the windows in time order, named by the middle of each; a pair with several lags
        in a window shows the median.
        """
        from grace_plugin.stability.tables import time_table

        return time_table(self)

    def plot(
        self,
        kind: str = "graph",
        *,
        ax: Axes | None = None,
        truth: BoolArray | None = None,
        positions: FloatArray | pd.DataFrame | None = None,
        labels: Mapping[str, str] | Sequence[str] | None = None,
        layout: str = "auto",
        strongest: int | None = None,
        page: int = 1,
        colorbar: bool = True,
    ) -> Picture:
        """Draw with matplotlib and return (figure, axes).

        `kind` is "graph", "network", "matrix" or "time_series" as of a `Refinement`, where red and blue tell
        the sign of an edge, and width and depth the share of windows that have it; "over_time" (when each
        edge appears) or "map" (between places: `positions` is a table with lat and lon per variable). The
        other arguments are those of `grace_plugin.show.plot`.
        """
        from grace_plugin.stability.plots import plot_stability

        return plot_stability(
            self,
            kind,
            ax=ax,
            truth=truth,
            positions=positions,
            labels=labels,
            layout=layout,
            strongest=strongest,
            page=page,
            colorbar=colorbar,
        )

    def plot_over_time(self, ax: Axes | None = None) -> Figure:
        """The heat map of `over_time`; returns the figure."""
        from grace_plugin.stability.plots import draw_over_time

        return draw_over_time(self, self.over_time(), ax)

    def plot_map(
        self, positions: pd.DataFrame, truth: BoolArray | None = None, ax: Axes | None = None
    ) -> Figure:
        """The kept pairs between places (`lat`, `lon` per variable); returns the figure.

        With the true pairs [cause, effect], right, missed and false edges differ in colour.
        """
        from grace_plugin.stability.plots import draw_map

        return draw_map(self.names, self.pair_graph, positions, truth, self.pair_frequency, ax)

    def __repr__(self) -> str:
        return f"<Stability: {self.summary()}>"

    def _repr_html_(self) -> str:
        from grace_plugin.stability.tables import html_table

        return html_table(self.edges, self.summary())
