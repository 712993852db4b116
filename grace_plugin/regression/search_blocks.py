"""The search in pieces: blocks of effects, the same however many processes share them.

A sum rounds by the shape of what is added up, so which effects go together is settled by their number and
their candidates alone, and every piece is the same arithmetic wherever it is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.parallel import run_where_worth
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.backward import Eliminated, Regressions, eliminate
from grace_plugin.regression.beside import BesideColumns
from grace_plugin.regression.forward import Candidates, Selection, select_forward

Result = TypeVar("Result", covariant=True)

_BATCH_NUMBERS = 2_000_000  # Gram entries held at once in backward elimination


class Piece(Protocol[Result]):
    """A part of the search that stands alone."""

    def done_by(self, blocks: SearchBlocks) -> Result:
        """Its result, with what says where it belongs."""


@dataclass(frozen=True, eq=False)
class SearchBlocks:
    """All that a piece of the search needs; sent to every worker once.

    Args:
        moments: the sums.
        candidates: of every effect.
        beside: what effects are judged beside.
        allowed: as in `SearchSpace`.
        entry: the liberal level.
        most: candidates that may enter.
    """

    moments: Moments
    candidates: Candidates
    beside: BesideColumns
    allowed: BoolArray | None
    entry: float
    most: int

    def begin(self) -> None:
        """Nothing is to be loaded."""

    def run(self, piece: Piece[Result]) -> Result:
        """The result of one piece."""
        return piece.done_by(self)

    def results(
        self, pieces: Sequence[Piece[Result]], n_jobs: int | None, seconds: float
    ) -> Iterator[Result]:
        """Of all pieces, in any order; `seconds` is about what they take together."""
        return run_where_worth(self, pieces, n_jobs, seconds)

    def selected(self, effects: IntArray, rest: FloatArray) -> Selection:
        """What enters of some effects; `rest` [B, K] is written."""
        forbidden = None
        if self.allowed is not None:
            variable, lag = self.candidates.place(np.arange(self.candidates.count))
            forbidden = ~self.allowed[variable[None, :], effects[:, None], lag[None, :]]
        beside = self.beside.of(effects)
        return select_forward(self.candidates, effects, self.entry, self.most, forbidden, beside, rest)

    def gathered(self, effects: IntArray, chosen: IntArray, live: BoolArray) -> Regressions:
        """Gram matrices of the chosen candidates in correlations, what they are judged beside taken out."""
        candidates, width = self.candidates, self.candidates.width
        columns = candidates.columns(chosen).reshape(len(effects), -1)
        scale = candidates.feature_scale[chosen].reshape(len(effects), -1)
        gram = self.moments.covariance(columns, columns)
        gram *= scale[:, :, None] * scale[:, None, :]
        cross = self.moments.covariance(columns, (effects * width)[:, None])[:, :, 0]
        cross *= scale * candidates.target_scale[effects][:, None]
        total: FloatArray = np.ones(len(effects))
        used: FloatArray = np.ones(len(effects))
        beside = self.beside.of(effects)
        if beside is not None:
            places = (chosen[:, :, None] + np.arange(width) * candidates.count).reshape(len(effects), -1)
            known = np.take_along_axis(beside.directions, places[:, None, :], axis=2)
            gram -= known.transpose(0, 2, 1) @ known
            cross -= (beside.share[:, None, :] @ known)[:, 0]
            total, used = total - np.square(beside.share).sum(axis=1), used + beside.count
        alive = candidates.alive.T[chosen] & live[:, :, None]
        dead = ~alive.reshape(len(effects), -1)
        gram[dead[:, :, None] | dead[:, None, :]] = 0.0
        place, column = np.nonzero(dead)
        gram[place, column, column] = 1.0
        cross[dead] = 0.0
        return Regressions(gram, cross, total, alive.sum(axis=2), used, self.moments.rows)


@dataclass(frozen=True, eq=False)
class ForwardPiece:
    """Forward selection of some effects.

    Args:
        places: [B], of the effects among all; they come back with the results.
        effects: [B].
    """

    places: IntArray
    effects: IntArray

    def done_by(self, blocks: SearchBlocks) -> tuple[IntArray, Selection, FloatArray]:
        """The places; what entered; [B, K], ln p of every candidate beside that."""
        rest = np.zeros((len(self.effects), blocks.candidates.count))
        return self.places, blocks.selected(self.effects, rest), rest


@dataclass(frozen=True, eq=False)
class BackwardPiece:
    """Backward elimination of some effects with about as many candidates.

    Args:
        batch: [B], places of the effects among all; they come back with the results.
        effects: [B].
        chosen: [B, C], candidates, padded.
        live: [B, C], which are no padding.
        required: [B, C], which never leave.
    """

    batch: IntArray
    effects: IntArray
    chosen: IntArray
    live: BoolArray
    required: BoolArray

    def done_by(self, blocks: SearchBlocks) -> tuple[BackwardPiece, Eliminated]:
        """What is said of every candidate, and of which."""
        return self, eliminate(blocks.gathered(self.effects, self.chosen, self.live), self.required)


def by_size(degree: IntArray, width: int) -> list[IntArray]:
    """Groups of effects with about as many candidates, so that padding costs little."""
    order = np.argsort(-degree, kind="stable")
    order = order[degree[order] > 0]
    groups, start = [], 0
    while start < len(order):
        largest = int(degree[order[start]])
        room = max(1, _BATCH_NUMBERS // (largest * width) ** 2)
        stop = start + 1
        while stop < len(order) and stop - start < room and degree[order[stop]] >= 0.6 * largest - 1:
            stop += 1
        groups.append(order[start:stop])
        start = stop
    return groups
