"""The rows that the network reads: standardised, every complete window once, gathered per batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.exceptions import OptionError
from grace_plugin.moments.features import expand
from grace_plugin.moments.lagged_blocks import complete_windows
from grace_plugin.moments.sums import Moments
from grace_plugin.series.panel import Panel


@dataclass(frozen=True, eq=False)
class Problem:
    """One effect with its candidate parents, as (cause, lag) rows; `fixed` ones are not up for decision."""

    effect: int
    parents: IntArray  # [K, 2]
    fixed: BoolArray  # [K]


def usable_device(name: str) -> torch.device:
    """The torch device called `name`, if it can hold numbers."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except Exception as error:  # every backend refuses in its own way
        msg = f"device={name!r} cannot be used ({str(error).splitlines()[0]}); give 'cpu' or one you have."
        raise OptionError(msg) from error
    return device


class Windows:
    """All series one after the other, and the times at which a complete window ends."""

    def __init__(self, panel: Panel, moments: Moments, basis: tuple[str, ...], device: torch.device) -> None:
        """`moments` of the same panel lend the standardisation and have checked the values."""
        self.max_lag, self.features = moments.max_lag, len(basis)
        series = [replace(one, values=np.asarray(one.values, dtype=np.float64)) for one in panel.series]
        starts = np.cumsum([0, *(len(one.values) for one in series)])
        ends = [np.flatnonzero(complete_windows(one, self.max_lag)) for one in series]
        values = np.concatenate([one.values for one in series])
        times = np.concatenate([start + end for start, end in zip(starts[:-1], ends, strict=True)])
        self.rows_given, self.n_variables = (int(size) for size in values.shape)
        self.times = torch.from_numpy(times).to(device)
        # A missing value is never read: no complete window holds one.
        standard = np.nan_to_num((values - moments.center) / moments.scale)
        # [variable * feature, time], so that one lagged feature of a batch is one short gather
        features = np.ascontiguousarray(expand(standard, basis).T.astype(np.float32))
        self._features = torch.from_numpy(features).to(device).flatten()
        self._targets = torch.from_numpy(np.ascontiguousarray(standard.T.astype(np.float32))).to(device)

    @property
    def rows(self) -> int:
        return len(self.times)

    def targets(self, effects: Tensor, times: Tensor) -> Tensor:
        """[E, B]."""
        return self._targets[effects[:, None], times]

    def inputs(self, offsets: Tensor, times: Tensor) -> Tensor:
        """[E, K, F, B] for the `offsets` [E, K, F] of `Gathered`."""
        return torch.take(self._features, offsets[..., None] + times)

    def batch(self, offsets: Tensor, effects: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        """Features [V, F, B] at the `offsets` [V, F] of lagged inputs, and targets [E, B]."""
        return torch.take(self._features, offsets[..., None] + times), self.targets(effects, times)

    def offsets_of(self, columns: Tensor) -> Tensor:
        """[V, F]: the offsets of lagged inputs by their number (see `Gathered.columns`)."""
        lags = torch.div(columns, self.n_variables, rounding_mode="floor")
        return self.offsets(columns - lags * self.n_variables, lags)

    def offsets(self, causes: Tensor, lags: Tensor) -> Tensor:
        """Where the features of (cause, lag) start, such that adding a time gives their place."""
        feature = torch.arange(self.features, device=causes.device)
        return (causes[..., None] * self.features + feature) * self.rows_given - lags[..., None]


@dataclass(frozen=True, eq=False)
class Gathered:
    """E problems padded to the same number K of candidates, as tensors."""

    effects: Tensor  # [E]
    causes: Tensor  # [E, K]
    live: Tensor  # [E, K]: False is padding
    fixed: Tensor  # [E, K]
    columns: Tensor  # [E, K]: which of the lagged inputs each candidate is
    offsets: Tensor  # [E, K, F]: see `Windows.offsets`
    n_inputs: int

    @classmethod
    def of(cls, problems: list[Problem], windows: Windows, n_variables: int) -> Gathered:
        most = max(len(problem.parents) for problem in problems)
        causes = np.zeros((len(problems), most), dtype=np.int64)
        lags = np.zeros_like(causes)
        live = np.zeros(causes.shape, dtype=np.bool_)
        fixed = np.zeros_like(live)
        for row, problem in enumerate(problems):
            count = len(problem.parents)
            causes[row, :count], lags[row, :count] = problem.parents.T
            live[row, :count], fixed[row, :count] = True, problem.fixed
        effects = np.array([problem.effect for problem in problems])
        device = windows.times.device
        parts = (torch.from_numpy(part).to(device) for part in (effects, causes, lags, live, fixed))
        effect, cause, lag, alive, given = parts
        return cls(
            effect,
            cause,
            alive,
            given,
            lag * n_variables + cause,
            windows.offsets(cause, lag),
            n_variables * (windows.max_lag + 1),
        )

    def some(self, problems: Tensor) -> Gathered:
        """The given problems alone, with no more padding than they need."""
        most = int(self.live[problems].sum(dim=1).max())
        padded = (self.causes, self.live, self.fixed, self.columns, self.offsets)
        causes, live, fixed, columns, offsets = (part[problems, :most] for part in padded)
        return Gathered(self.effects[problems], causes, live, fixed, columns, offsets, self.n_inputs)

    def pairs_and(self, free_lags: FloatArray) -> tuple[Tensor, Tensor]:
        """Number the (problem, cause) pairs [E, K], and the free lags of each number."""
        rows = torch.arange(len(self.effects), device=self.causes.device)[:, None]
        table = torch.from_numpy(free_lags).to(device=self.causes.device, dtype=torch.float32)
        return rows * len(table) + self.causes, table[:, self.effects].T.flatten()
