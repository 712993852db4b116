"""One regression per effect, gathered from the moments and batched by in-degree.

Features are whitened within each variable (the linear one stays first), and the target has unit
variance, so that every number that follows is free of units. Features that a variable does not
have (the square of a 0/1 column, say) and padding are inert: unit diagonal, no covariance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin.exceptions import DataError
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.tolerances import DEAD_FEATURE

_BATCH_NUMBERS = 2_000_000  # Gram entries held at once: 16 MB, which malloc reuses from step to step
_SMALL = 60  # below it a batch costs more in calls than in arithmetic, so padding is cheap
_CONSTANT = 1e-20  # variance after standardisation by the overall deviation
_ROUNDING = 1e-12  # variance that sums of squares of this size leave for rounding
NONLINEAR_ROWS = 60  # below it squares and absolute values cost more power than they bring
_LEAST_ROWS = 20  # below it an F-test of even one edge says nothing


@dataclass(frozen=True, eq=False)
class Batch:
    """Regressions of about the same size: B effects, K candidates each (padded), k features per candidate."""

    effects: IntArray  # [B]
    causes: IntArray  # [B, K]
    lags: IntArray  # [B, K]
    live: BoolArray  # [B, K]: False is padding
    dof: IntArray  # [B, K]: features that a candidate really has
    gram: FloatArray  # [B, K * k, K * k]
    cross: FloatArray  # [B, K * k]
    rows: int
    width: int  # k

    @property
    def blocks(self) -> FloatArray:
        """[B, K, k, k]: each candidate's own Gram matrix."""
        return own_blocks(self.gram, self.width)


def refuse_few_rows(moments: Moments) -> None:
    """Say how many complete windows there are where they are too few for any test."""
    if moments.rows < _LEAST_ROWS:
        msg = (
            f"{moments.rows} complete windows of {moments.max_lag + 1} rows are left of "
            f"{moments.rows_given} rows; at least {_LEAST_ROWS} are needed. "
            "Give more rows, fewer lags, or fill the gaps."
        )
        raise DataError(msg)


def affordable(moments: Moments) -> Moments:
    """Refuse too few rows; fall back to linear features where rows are scarce."""
    refuse_few_rows(moments)
    return moments.linear() if moments.rows < NONLINEAR_ROWS else moments


def own_blocks(matrix: FloatArray, width: int) -> FloatArray:
    """The k x k blocks on the diagonal of [B, K * k, K * k], as a view [B, K, k, k]."""
    size = matrix.shape[-1] // width
    shaped = matrix.reshape(matrix.shape[0], size, width, size, width)
    return shaped.diagonal(axis1=1, axis2=3).transpose(0, 3, 1, 2)


class Regressions:
    """Gathers batches of regressions from one set of moments."""

    def __init__(self, moments: Moments, names: tuple[str, ...]) -> None:
        self.moments = moments
        self.width = len(moments.basis)
        self._whitening = _whitening(moments, names)

    def groups(self, candidates: BoolArray) -> list[IntArray]:
        """Every effect that has a candidate in `candidates` [cause, effect, lag], with others of its size."""
        return self.groups_of(candidates.sum(axis=(0, 2)))

    def groups_of(self, degree: IntArray) -> list[IntArray]:
        """The same from how many candidates every effect has."""
        order = np.argsort(-degree, kind="stable")
        return list(_by_size(order[degree[order] > 0], degree, self.width))

    def gather(self, effects: IntArray, parents: list[IntArray]) -> Batch:
        """The regressions of `effects`; `parents[i]` holds the (cause, lag) rows of the i-th."""
        most = max(len(rows) for rows in parents)
        causes = np.zeros((len(effects), most), dtype=np.int64)
        lags = np.zeros_like(causes)
        live = np.zeros(causes.shape, dtype=np.bool_)
        for row, pairs in enumerate(parents):
            causes[row, : len(pairs)], lags[row, : len(pairs)] = pairs.T
            live[row, : len(pairs)] = True
        gram, cross = self._gram_and_cross(np.asarray(effects), causes, lags)
        dead = ~(live[:, :, None] & self._alive[causes])
        gram, cross = _inert(gram, cross, dead.reshape(len(effects), -1))
        return Batch(
            np.asarray(effects),
            causes,
            lags,
            live,
            np.where(live, self._alive[causes].sum(axis=2), 0),
            gram,
            cross,
            self.moments.rows,
            self.width,
        )

    @property
    def _alive(self) -> BoolArray:
        return np.asarray(self._whitening.any(axis=2))  # [variable, feature]

    def _gram_and_cross(
        self, effects: IntArray, causes: IntArray, lags: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        width = self.width
        first_column = (lags * self.moments.n_variables + causes) * width
        columns = (first_column[:, :, None] + np.arange(width)).reshape(len(effects), -1)
        gram = self.moments.covariance(columns, columns)
        cross = self.moments.covariance(columns, effects[:, None] * width)
        white = self._whitening[causes]  # [B, K, k, k]
        shape = (len(effects), causes.shape[1], width)
        scale = self._whitening[effects, 0, 0][:, None, None]
        cross = np.einsum("bkij,bkj->bki", white, cross.reshape(shape)) * scale
        return _whitened(gram, white), cross.reshape(len(effects), -1)


def _whitened(gram: FloatArray, white: FloatArray) -> FloatArray:
    """W G W' with W block-diagonal."""
    batch, candidates, width, _ = white.shape
    size = candidates * width
    rows = np.matmul(white, gram.reshape(batch, candidates, width, size)).reshape(batch, size, size)
    columns = np.ascontiguousarray(rows.transpose(0, 2, 1)).reshape(batch, candidates, width, size)
    return np.asarray(np.matmul(white, columns).reshape(batch, size, size))


def _inert(gram: FloatArray, cross: FloatArray, dead: BoolArray) -> tuple[FloatArray, FloatArray]:
    gram[dead[:, :, None] | dead[:, None, :]] = 0.0
    batch, feature = np.nonzero(dead)
    gram[batch, feature, feature] = 1.0
    return gram, np.where(dead, 0.0, cross)


def refuse_constants(moments: Moments, names: tuple[str, ...]) -> None:
    """Name the variables that do not vary in the rows that can be used."""
    columns = (np.arange(moments.n_variables) * len(moments.basis))[:, None]
    variance = moments.covariance(columns, columns)[:, 0, 0]
    rounding = _ROUNDING * np.square(moments.mean[columns[:, 0]])
    constant = np.flatnonzero(variance <= np.maximum(_CONSTANT, rounding))
    if constant.size:
        msg = (
            f"Variables {[names[c] for c in constant]} are constant in the rows that can be used, or vary by "
            "no more than rounding; drop them from the data and from the graph."
        )
        raise DataError(msg)


def _whitening(moments: Moments, names: tuple[str, ...]) -> FloatArray:
    """[variable, k, k]: maps to features of unit covariance, of every variable now."""
    d, width = moments.n_variables, len(moments.basis)
    columns = np.arange(d)[:, None] * width + np.arange(width)
    refuse_constants(moments, names)
    return whitening(moments.covariance(columns, columns))


def whitening(covariance: FloatArray) -> FloatArray:
    """[d, k, k]: lower-triangular maps to features of unit covariance; dead rows are zero."""
    d, width, _ = covariance.shape
    white = np.zeros((d, width, width))
    for feature in range(width):
        direction = np.zeros((d, width))
        direction[:, feature] = 1.0
        for earlier in range(feature):
            share = np.einsum("di,dij,dj->d", white[:, earlier], covariance, direction)
            direction -= share[:, None] * white[:, earlier]
        rest = np.einsum("di,dij,dj->d", direction, covariance, direction)
        alive = rest > DEAD_FEATURE * np.maximum(covariance[:, feature, feature], DEAD_FEATURE)
        white[alive, feature] = direction[alive] / np.sqrt(rest[alive])[:, None]
    return white


def _by_size(order: IntArray, degree: IntArray, width: int) -> Iterator[IntArray]:
    """Groups of effects, largest first, such that padding at most doubles a large Gram matrix."""
    start = 0
    while start < len(order):
        largest = int(degree[order[start]])
        least = 0.7 * largest - 1 if largest * width > _SMALL else 1
        room = max(1, _BATCH_NUMBERS // (largest * width) ** 2)
        stop = start + 1
        while stop < len(order) and stop - start < room and degree[order[stop]] >= least:
            stop += 1
        yield order[start:stop]
        start = stop
