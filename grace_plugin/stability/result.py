"""What `bootstrap` returns: how often each edge appears, and the graph of those that appear often enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import choice, number
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import HostResult
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.windows import Window

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = ("pair", "lag")


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
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

    records: tuple[RunRecord, ...]
    windows: tuple[Window, ...]
    names: tuple[str, ...]
    threshold: float = 0.7
    level: str = "pair"
    scheme: str = "moving"
    times: tuple[Any, ...] = (None,)
    skeleton: Skeleton | None = None
    make_native: Callable[[BoolArray], HostResult] | None = None

    def __post_init__(self) -> None:
        if number("threshold", self.threshold, 0.0, 1.0) == 1.0:
            msg = f"threshold={self.threshold!r}; give a share of runs, from 0 to below 1."
            raise OptionError(msg)
        choice("level", self.level, LEVELS)

    def at(self, threshold: float | None = None, level: str | None = None) -> Stability:
        """The same runs under another threshold or level; nothing is computed again."""
        return replace(
            self,
            threshold=self.threshold if threshold is None else threshold,
            level=self.level if level is None else level,
        )

    @property
    def succeeded(self) -> tuple[RunRecord, ...]:
        """The runs that count."""
        return tuple(record for record in self.records if not record.failure)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of all arrays: (d, d, largest lag of any run + 1)."""
        d = len(self.names)
        return d, d, max(record.shape[2] for record in self.succeeded)

    @cached_property
    def presence(self) -> BoolArray:
        """[run, cause, effect, lag]: whether each run that counts kept each edge."""
        present = np.zeros((len(self.succeeded), *self.shape), dtype=np.bool_)
        for row, record in enumerate(self.succeeded):
            place = (row, *_places(record, record.kept))
            present[place] = True
        return present

    @cached_property
    def frequency(self) -> FloatArray:
        """The share of runs that kept each edge."""
        return np.asarray(self.presence.mean(axis=0))

    @cached_property
    def pair_frequency(self) -> FloatArray:
        """[cause, effect]: the share of runs that kept an edge of this pair, at whichever lag."""
        return np.asarray(self.presence.any(axis=3).mean(axis=0))

    @cached_property
    def gates(self) -> FloatArray:
        """The mean gate of each edge over the runs; 0 where a run did not consider it."""
        total = np.zeros(self.shape)
        for record in self.succeeded:
            total[_places(record, np.ones(len(record.cells), dtype=np.bool_))] += record.gates
        return total / len(self.succeeded)

    @cached_property
    def pair_gates(self) -> FloatArray:
        """[cause, effect]: the mean over the runs of the widest gate of each pair."""
        total = np.zeros(self.shape[:2])
        for record in self.succeeded:
            widest = np.zeros(record.shape[:2])
            cause, effect, _ = np.unravel_index(record.cells, record.shape)
            np.maximum.at(widest, (cause, effect), record.gates)
            total += widest
        return total / len(self.succeeded)

    @property
    def pair_graph(self) -> BoolArray:
        """[cause, effect]: the pairs that stay."""
        return np.asarray(self.graph.any(axis=2))

    @cached_property
    def graph(self) -> BoolArray:
        """The edges that stay.

        A lag stays if its own frequency is above the threshold. At level "pair", a pair that is
        above it while none of its lags is (a travel time that varies, say) stays at its most
        frequent lag.
        """
        graph = self.frequency > self.threshold
        if self.level == "pair":
            varying = (self.pair_frequency > self.threshold) & ~graph.any(axis=2)
            cause, effect = np.nonzero(varying)
            graph[cause, effect, self.frequency[cause, effect].argmax(axis=1)] = True
        now = graph[:, :, 0]
        if self.skeleton is not None:  # an unoriented pair stays as a whole
            graph[:, :, 0] |= now.T & self.skeleton.unoriented
        return graph

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

    @property
    def expected_false_edges(self) -> float | None:
        """Bound on the expected number of kept edges that a random half would rarely select.

        q^2 / ((2 * threshold - 1) * p), for q edges selected per half on average, of p possible ones
        ("rarely" means with a probability of at most q / p). Only complementary pairs have it, for
        thresholds above one half; None otherwise.
        """
        if self.scheme != "pairs" or self.threshold <= 0.5:
            return None
        pairs = self.level == "pair"
        present = np.asarray(self.presence.any(axis=3) if pairs else self.presence)
        selected = float(present.sum()) / len(present)
        d, _, lags = self.shape
        possible = float(d * d if pairs else d * d * (lags - 1))
        if self.skeleton is not None:
            mask = self.skeleton.mask
            possible = float((mask.any(axis=2) if pairs else mask).sum())
        return selected**2 / ((2.0 * self.threshold - 1.0) * max(possible, 1.0))

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

    def plot_over_time(self, ax: Axes | None = None) -> Figure:
        """The heat map of `over_time`; returns the figure."""
        from grace_plugin.stability.plots import draw_over_time

        return draw_over_time(self, ax)

    def plot_map(
        self, positions: pd.DataFrame, truth: BoolArray | None = None, ax: Axes | None = None
    ) -> Figure:
        """The kept pairs between places (`lat`, `lon` per variable); returns the figure.

        With the true pairs [cause, effect], right, missed and false edges differ in colour.
        """
        from grace_plugin.stability.plots import draw_map

        return draw_map(self.names, self.pair_graph, positions, truth, self.pair_frequency, ax)

    def summary(self) -> str:
        """A few lines for people."""
        failed = len(self.records) - len(self.succeeded)
        off = ~np.eye(len(self.names), dtype=np.bool_)
        lines = [
            f"{int((self.pair_graph & off).sum())} pairs of {len(self.names)} variables appear in more than "
            f"{self.threshold:.0%} of {len(self.succeeded)} windows ({self.scheme})",
        ]
        if failed:
            lines.append(f"{failed} windows failed and do not count; see .runs")
        if self.expected_false_edges is not None:
            lines.append(f"at most {self.expected_false_edges:.2g} of them expected to be false")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Stability: {self.summary()}>"

    def _repr_html_(self) -> str:
        from grace_plugin.stability.tables import html_table

        return html_table(self)


def _places(record: RunRecord, which: BoolArray) -> tuple[Any, ...]:
    return np.unravel_index(record.cells[which], record.shape)
