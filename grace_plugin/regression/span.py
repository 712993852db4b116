"""What columns span, by their Gram matrix: many tests share most of it, so that each costs little."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from grace_plugin._common.arrays import FloatArray

_SINGULAR = 1e-11  # of a Gram matrix with ones on its diagonal; below it rounding speaks


@dataclass(frozen=True, eq=False)
class Span:
    """The space of some columns [n, q]; those that add nothing do not count."""

    columns: FloatArray
    gram: FloatArray
    whitener: FloatArray  # [q, rank]: columns @ whitener is orthonormal

    @classmethod
    def of(cls, columns: FloatArray, gram: FloatArray | None = None) -> Span:
        """Of columns whose Gram matrix may be known.

        >>> Span.of(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 1.0]])).rank
        2
        """
        gram = columns.T @ columns if gram is None else gram
        length = np.sqrt(np.maximum(gram.diagonal(), 0.0))
        alive = np.flatnonzero(length > 0.0)
        scale = length[alive]
        white = _whitener(gram[alive[:, None], alive] / np.outer(scale, scale))
        whitener = np.zeros((len(gram), white.shape[1]))
        whitener[alive] = white / scale[:, None]
        return cls(columns, gram, whitener)

    @classmethod
    def with_constant(cls, columns: FloatArray) -> Span:
        """Of columns and a constant."""
        return cls.of(np.column_stack([np.ones(len(columns)), columns]))

    def and_of(self, more: FloatArray) -> Span:
        """Of further columns too."""
        mixed = self.columns.T @ more
        gram = np.block([[self.gram, mixed], [mixed.T, more.T @ more]])
        return Span.of(np.column_stack([self.columns, more]), gram)

    def weighted(self, root: FloatArray) -> Span:
        """Of the same with every row [n] multiplied."""
        return Span.of(self.columns * root[:, None])

    @property
    def rank(self) -> int:
        return int(self.whitener.shape[1])

    @cached_property
    def leverage(self) -> FloatArray:
        """[n]: how much each row leans on itself."""
        white = self.columns @ self.whitener
        return np.asarray(np.einsum("nq,nq->n", white, white))

    def left_of(self, values: FloatArray) -> FloatArray:
        """What the columns leave of values [n] or [n, k]; taken twice, for what rounding lets through."""
        return self.taken_out_of(self.taken_out_of(values))

    def taken_out_of(self, values: FloatArray) -> FloatArray:
        """The same, taken once: enough for what is nearly orthogonal to the columns."""
        share = self.whitener @ (self.whitener.T @ (self.columns.T @ values))
        return np.asarray(values - self.columns @ share)


def _whitener(gram: FloatArray) -> FloatArray:
    """W with W W' the inverse of a Gram matrix, as far as that has one.

    By the inverse of its Cholesky factor L where that shows that every column counts: the smallest
    eigenvalue is at least 1 / tr(G^-1) = 1 / |L^-1|^2. Eigenvectors take several times as long.
    """
    if not len(gram):
        return gram
    factor, failed = dpotrf(gram, lower=True)
    inverse, singular = dtrtri(factor, lower=True) if not failed else (factor, failed)
    if not (failed or singular) and float(np.square(inverse).sum()) * _SINGULAR < 1.0:
        return np.asarray(inverse.T)
    value, vector = np.linalg.eigh(gram)
    good = value > _SINGULAR
    return np.asarray(vector[:, good] / np.sqrt(value[good]))
