"""What a skeleton function is given: the data, and the moments that it shares with the refiner."""

from __future__ import annotations

from functools import cached_property

import numpy.typing as npt

from grace_plugin._common.arrays import IntArray
from grace_plugin.exceptions import DataError
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.moments.features import DEFAULT_BASIS
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import Forward
from grace_plugin.regression.regressions import refuse_few_rows
from grace_plugin.series.panel import Panel


class Source:
    """The data of one `discover`, read as late and as rarely as possible.

    Args:
        panel: the data.
        max_lag: the largest lag to search.
        basis: features of the moments.
        progress: as in `RefineConfig`.
        effects: positions of the variables to explain; None means all.
        is_judged: whether evidence is searched afterwards, which begins as forward selection does.
        n_jobs: workers that share that selection, where it is long.
    """

    def __init__(
        self,
        panel: Panel,
        max_lag: int,
        basis: tuple[str, ...] = DEFAULT_BASIS,
        progress: bool | None = None,
        effects: IntArray | None = None,
        is_judged: bool = False,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_jobs = n_jobs
        self.max_lag = max_lag
        self.is_judged = is_judged
        self.basis = basis
        self.progress = progress
        self.effects = effects
        self._panel = panel
        self._read = False

    @property
    def names(self) -> tuple[str, ...] | None:
        return self._panel.names

    @property
    def n_variables(self) -> int:
        return self._panel.n_variables

    @cached_property
    def moments(self) -> Moments:
        """All that the additive engine needs; computed once, for both stages."""
        moments = Moments.of(self._panel, self.max_lag, self.basis, progress=self.progress)
        self._read = True
        refuse_few_rows(moments)
        return moments

    @cached_property
    def forward(self) -> Forward | None:
        """Forward selection among all candidates, for both stages; None where only the first wants it."""
        if not self.is_judged:
            return None
        return Forward.of(self.moments, self.effects, self.progress, self.n_jobs)

    @property
    def panel(self) -> Panel:
        """The rows themselves; a stream is read into memory, so ask before `moments`."""
        if self._panel.stream is not None:
            if self._read:
                msg = "The row chunks were read already and cannot be read again; give the data as one array."
                raise DataError(msg)
            self._panel = self._panel.loaded()
        return self._panel

    @property
    def rows(self) -> Panel | None:
        """The rows if they can be read again: not those of a stream."""
        return self._panel if self._panel.stream is None else None

    def with_moments(self, moments: Moments) -> Source:
        """The same data with moments that are known already, and their largest lag."""
        other = Source(self._panel, moments.max_lag, moments.basis, self.progress, self.effects)
        other._read = self._read
        other.__dict__["moments"] = moments
        return other

    def for_all(self) -> Source:
        """The same data with every variable to be explained."""
        if self.effects is None:
            return self
        other = self.with_moments(self.moments)
        other.effects = None
        return other

    def skeleton(self, mask: npt.ArrayLike, scores: npt.ArrayLike | None = None) -> Skeleton:
        """A Skeleton with the names of the data."""
        return Skeleton(mask, self.names, scores)
