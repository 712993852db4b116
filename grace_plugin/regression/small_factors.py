"""Cholesky factors of very many small matrices at once: each step is a few long vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.regression.tolerances import COLLINEAR


def inverse_factors(blocks: FloatArray, alive: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Inverse Cholesky factors of many small matrices [k, k, ...] at once, and their pivots [k, ...].

    Rows of features that are not alive, or that the earlier ones explain, are zero.
    """
    width = len(blocks)
    inverse = np.zeros(blocks.shape)
    pivots = np.zeros(blocks.shape[1:])
    for i in range(width):
        # Row i of the factor in the basis of the rows before it.
        shares = [_dot(inverse[j][: j + 1], blocks[i]) for j in range(i)]
        pivot = blocks[i, i] - _dot(shares, shares) if i else blocks[i, i]
        pivots[i] = pivot
        usable = (pivot > COLLINEAR) & alive[i]
        root = np.where(usable, 1.0 / np.sqrt(np.where(usable, pivot, 1.0)), 0.0)
        inverse[i, i] = root
        for j in range(i):
            inverse[i, j] = -root * _dot(shares[j:], inverse[j:i, j])
    return inverse, pivots


def _dot(some: Sequence[FloatArray] | FloatArray, others: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """The sum of products, entry by entry, as far as `some` go."""
    found: FloatArray = some[0] * others[0]
    for place in range(1, len(some)):
        found += some[place] * others[place]
    return found


def explained_shares(
    blocks: FloatArray, cross: FloatArray, alive: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """[k, ...]: what each feature explains beyond the earlier ones of its candidate, and their pivots.

    By the Cholesky factors of blocks [k, k, ...]; features that are not alive, or that the earlier ones
    explain, explain nothing.
    """
    found, pivots = np.empty(cross.shape), np.empty(cross.shape)
    factor: list[list[FloatArray]] = []
    roots: list[FloatArray] = []
    solved: list[FloatArray] = []
    for i in range(len(cross)):
        row: list[FloatArray] = []
        pivot, left = blocks[i, i], cross[i]
        for j in range(i):
            share = blocks[i, j]
            for m in range(j):
                share = share - row[m] * factor[j][m]
            row.append(share * roots[j])
            pivot = pivot - row[j] * row[j]
            left = left - row[j] * solved[j]
        usable = (pivot > COLLINEAR) & alive[i]
        roots.append(np.where(usable, 1.0 / np.sqrt(np.where(usable, pivot, 1.0)), 0.0))
        solved.append(left * roots[i])
        factor.append(row)
        pivots[i] = pivot
        np.multiply(solved[i], solved[i], out=found[i])
    return found, pivots
