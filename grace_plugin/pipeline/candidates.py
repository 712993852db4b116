"""Where the candidate edges of a job come from, and how edges that a user knows join them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import Options, RefineConfig
from grace_plugin.exceptions import SkeletonError
from grace_plugin.graph.knowledge import kept_cells, kept_edges
from grace_plugin.graph.skeleton import Skeleton
from grace_plugin.pipeline.control_lags import cut_skeleton, with_controls
from grace_plugin.skeletons import SkeletonFunction, Source
from grace_plugin.skeletons.basis import basis_skeleton


class CandidateRule(Protocol):
    """Where candidates come from."""

    @property
    def searched(self) -> bool:
        """Whether they are searched in the data, which a fourth feature of the sums helps.

        Of candidates that a host found it was measured to change nothing but a few false edges more.
        """

    @property
    def is_open(self) -> bool:
        """Whether every possible edge may become a candidate, or only those that are found."""

    @property
    def step_pairs(self) -> BoolArray | None:
        """[d, d]: the pairs that may act on one another within one step; None: all of them."""

    def find(self, search: Source, reported: int, config: RefineConfig) -> Skeleton:
        """Candidates of all lags of `search`; those beyond `reported` serve as controls."""


@dataclass(frozen=True, eq=False)
class SearchedCandidates:
    """Candidates that a skeleton function finds in the data."""

    function: SkeletonFunction
    options: Options = field(default_factory=dict)
    searched: ClassVar[bool] = True
    step_pairs: ClassVar[None] = None

    @property
    def is_open(self) -> bool:
        """Forward selection is part of the search for evidence, unless a user sets its own options."""
        return self.function is basis_skeleton and not set(self.options) - {"contemporaneous"}

    def find(self, search: Source, reported: int, config: RefineConfig) -> Skeleton:
        """What the function finds, and the edges of `keep`."""
        found = _at_all_lags(self.function(search, **self.options), search)
        kept_edges(config, _everything(cut_skeleton(found, reported)))  # refuses lags that are not reported
        return with_kept(found, config)


@dataclass(frozen=True, eq=False)
class FixedCandidates:
    """Candidates that a host or a user gave."""

    skeleton: Skeleton
    searched: ClassVar[bool] = False
    is_open: ClassVar[bool] = False

    @property
    def step_pairs(self) -> BoolArray | None:
        """A host has decided itself."""
        return None

    def find(self, search: Source, reported: int, config: RefineConfig) -> Skeleton:
        """The given ones, and those beyond their lags that the data ask for."""
        del reported
        kept_edges(config, self.skeleton)  # refuses edges that are no candidates
        return with_controls(self.skeleton, search)


class UnionCandidates(FixedCandidates):
    """Candidates that several hosts gave.

    Hosts that look within one step and hosts that do not are at odds about lag 0, so the data are asked, and
    then the pairs that some host has are searched, as `discover` does. Of 37 worlds (tuning seed 1002; PCMCI,
    PCMCI+, VARLiNGAM and VAR) F1 is .852 so, and .821 where every host's pair is a candidate as it is.
    """

    searched: ClassVar[bool] = True

    @property
    def step_pairs(self) -> BoolArray | None:
        """Those of any host, in either direction."""
        now = self.skeleton.mask[:, :, 0]
        return np.asarray(now | now.T)

    def find(self, search: Source, reported: int, config: RefineConfig) -> Skeleton:
        """The lagged ones; of those within one step, what is required."""
        given = self.skeleton
        mask = given.mask.copy()
        mask[:, :, 0] &= kept_edges(config, given)[:, :, 0]
        assert given.required is not None
        names = given.names if given.named else None
        return with_controls(Skeleton(mask, names, given.scores, given.required & mask), search)


def _at_all_lags(found: Skeleton, search: Source) -> Skeleton:
    """A skeleton function's answer, without candidates at later lags than it looked at."""
    d, beyond = search.n_variables, search.max_lag - found.max_lag
    if len(found.mask) != d or beyond < 0:
        msg = (
            f"The skeleton has shape {found.mask.shape}; the data have {d} variables and lags up to "
            f"{search.max_lag}: give a mask of shape {(d, d, search.max_lag + 1)} [cause, effect, lag]."
        )
        raise SkeletonError(msg)
    if not beyond:
        return found
    room = ((0, 0), (0, 0), (0, beyond))
    scores = None if found.scores is None else np.pad(found.scores, room)
    required = None if found.required is None else np.pad(found.required, room)
    return Skeleton(np.pad(found.mask, room), found.names if found.named else None, scores, required)


def with_kept(found: Skeleton, config: RefineConfig) -> Skeleton:
    """Edges that the user knows are candidates whether the skeleton found them or not."""
    mask = found.mask.copy()
    everything = _everything(found)
    for edge in config.keep:
        known = kept_cells(replace(config, keep=(edge,)), everything)
        whole_pair = len(tuple(edge)) == 2
        if whole_pair:
            known[:, :, 0] = False
        if not whole_pair or not (mask & known).any():  # a pair means those of its lags that were found
            mask |= known
    return Skeleton(mask, found.names if found.named else None, found.scores, found.required)


def _everything(found: Skeleton) -> Skeleton:
    """Every possible edge between the same variables."""
    mask = np.ones_like(found.mask)
    mask[:, :, 0] = ~np.eye(len(mask), dtype=np.bool_)
    return Skeleton(mask, found.names)
