"""The question of `ask.py` among so many variables that no matrix of all pairs is held: block after block.

A pair stands out as it does there: by its correlation, by the standard error of constant noise, and by the
one that believes the products, which is made only where the first two say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray, Single
from grace_plugin.lag0.ask import LEAST_CORRELATION, Question, standing_out

_AT_ONCE = 8_000_000  # correlations held together (32 MB)
_COPY = 1e-5  # what single precision does not tell from nothing: of copies nothing is said
_LEAST = 1e-30


@dataclass(frozen=True, eq=False)
class ManyPairs:
    """What residuals ask, and which variables do.

    Args:
        question: how they move together.
        size: [d], the largest |z| of a variable's pairs that stand out; 0 where none does.
    """

    question: Question
    size: FloatArray


def ask_many(residuals: Single, barred: BoolArray | None = None) -> ManyPairs:
    """Which pairs of residuals [d, n] stand out; pairs that are `barred` [d, d] do not count.

    >>> x = np.random.default_rng(0).normal(size=(600, 300)).astype(np.float32)
    >>> x[7] += 0.6 * x[400]
    >>> found = ask_many(x).question
    >>> found.pairs, found.possible, found.strongest
    (1, 179700, (7, 400))
    """
    d = len(residuals)
    size, pairs, most, strongest, correlation = np.zeros(d), 0, 0.0, (0, 0), 0.0
    for one in _blocks(_unit(residuals), barred, standing_out(d)):
        pairs += int(np.count_nonzero(one.z))
        size[one.first] = np.maximum(size[one.first], one.z.max(axis=1))
        size[one.second] = np.maximum(size[one.second], one.z.max(axis=0))
        if one.z.max() > most:
            place = np.unravel_index(int(one.z.argmax()), one.z.shape)
            most, correlation = float(one.z[place]), float(one.correlation[place])
            strongest = int(one.first[place[0]]), int(one.second[place[1]])
    possible = d * (d - 1) // 2 - (0 if barred is None else int(np.triu(barred, 1).sum()))
    return ManyPairs(Question(pairs, possible, strongest, correlation, hidden=0), size)


class _Block(NamedTuple):
    """Pairs of some variables with some others: |z| of those that stand out, and all correlations."""

    first: IntArray
    second: IntArray
    z: Single
    correlation: Single


def pairs_among(
    residuals: Single, some: IntArray, barred: BoolArray | None = None
) -> tuple[FloatArray, BoolArray]:
    """[m, m] twice: correlations of some of the residuals, and which of them stand out among all."""
    unit = _unit(residuals[some])
    correlation = (unit @ unit.T).astype(np.float64)
    np.fill_diagonal(correlation, 0.0)
    standing = np.zeros(correlation.shape, dtype=np.bool_)
    out = None if barred is None else barred[np.ix_(some, some)]
    for one in _blocks(unit, out, standing_out(len(residuals))):
        standing[np.ix_(one.first, one.second)] = one.z > 0.0
    return correlation, standing | standing.T


def _unit(residuals: Single) -> Single:
    """About their means, each with a sum of squares of one."""
    unit: Single = residuals - residuals.mean(axis=1, keepdims=True)
    unit /= np.sqrt(np.maximum(np.square(unit).sum(axis=1), _LEAST))[:, None]
    return unit


def _blocks(unit: Single, barred: BoolArray | None, bound: float) -> Iterator[_Block]:
    """Every pair once; only the variables of a block that may have one that stands out."""
    least = max(LEAST_CORRELATION, bound / float(np.sqrt(unit.shape[1])))
    step = max(1, _AT_ONCE // len(unit))
    for start in range(0, len(unit), step):
        some = slice(start, start + step)
        found = unit[some] @ unit[start:].T
        counts = np.triu((np.abs(found) > least) & (np.square(found) < 1.0 - _COPY), 1)
        if barred is not None:
            counts &= ~barred[some, start:]
        first, second = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
        if not len(first):
            continue
        found, counts = found[np.ix_(first, second)], counts[np.ix_(first, second)]
        first, second = first + start, second + start
        shared = np.square(unit[first]) @ np.square(unit[second]).T  # the error that believes the products
        z = np.abs(found) / np.sqrt(np.maximum(shared, _LEAST))
        yield _Block(first, second, np.where(counts & (z > bound), z, np.float32(0.0)), found)
