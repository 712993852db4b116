"""How often the runs of a bootstrap agree on an edge: what tables and pictures are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import choice, number
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.protocols import HostResult
from grace_plugin.stability.run_store import RunRecord
from grace_plugin.stability.windows import Window

LEVELS = ("pair", "lag")


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """The runs and the arrays that count them; `Stability` says what the fields are and adds the methods."""

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


def _places(record: RunRecord, which: BoolArray) -> tuple[Any, ...]:
    return np.unravel_index(record.cells[which], record.shape)
