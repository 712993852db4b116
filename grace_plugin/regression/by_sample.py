"""More rows than can be held: sums of all of them find, some of them look again.

Evidence from sums counts every row. What needs the rows themselves (curves, products, noise that is heavy or
changes) is done on stretches of rows spread evenly over the data, beside the sums of these same stretches.
With c the chi-square(1) value of a cell's evidence,

    c = c(sums of all rows) * min(1, c(looked at on the stretches) / c(sums of the stretches)):

what a closer look takes off the evidence there, as a share, it takes off everywhere. A cause that only acts
together with another is judged by the stretches alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import log_ndtr

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.moments.sums import Moments
from grace_plugin.regression.evidence import Evidence, SearchSpace, search
from grace_plugin.regression.judge import Judged, judge
from grace_plugin.regression.lagged_rows import LaggedRows
from grace_plugin.regression.log_tail import chi_square_of
from grace_plugin.regression.products import Product
from grace_plugin.regression.row_model import RowRules


def judge_by_sample(
    moments: Moments,
    sample: Moments,
    rows: LaggedRows,
    space: SearchSpace,
    rules: RowRules,
    interactions: bool,
    progress: bool | None = False,
    n_jobs: int | None = 1,
) -> Judged:
    """The evidence of every lagged cell by all rows; `sample` and `rows` are those of the stretches."""
    whole = search(moments, space, progress=progress, n_jobs=n_jobs)
    plain = search(sample, space, rows, n_jobs=n_jobs)
    looked = judge(sample, rows, space, rules, interactions, progress, n_jobs=n_jobs)
    factors = _factors(looked.products, whole.rest.shape)
    log_p = _of_all(whole.dense(), plain.dense(), looked.evidence.dense(), factors)
    return replace(looked, evidence=_written(whole, looked.evidence, log_p))


def _of_all(whole: FloatArray, plain: FloatArray, looked: FloatArray, factors: BoolArray) -> FloatArray:
    """[cause, effect, lag]: ln p by all rows."""
    before, after = chi_square_of(plain), chi_square_of(looked)
    share = np.minimum(1.0, after / np.maximum(before, 1e-300))
    found = np.minimum(0.0, np.log(2.0) + log_ndtr(-np.sqrt(chi_square_of(whole) * share)))
    found = np.where(share < 1.0, found, whole)
    return np.asarray(np.where(factors, np.minimum(found, looked), found))


def _written(whole: Evidence, looked: Evidence, log_p: FloatArray) -> Evidence:
    """The evidence of both, with new p-values; cells that only the stretches have are added."""
    known = np.zeros(log_p.shape, dtype=np.bool_)
    known[tuple(whole.cells.T)] = True
    more = ~known[tuple(looked.cells.T)]
    cells = np.concatenate([whole.cells, looked.cells[more]])
    gain = np.concatenate([whole.gain, looked.gain[more]])
    rest = log_p.copy()
    rest[tuple(cells.T)] = 0.0
    return replace(
        whole, cells=cells, log_p=log_p[tuple(cells.T)], gain=gain, rest=rest, uneven=looked.uneven
    )


def _factors(products: Mapping[int, Sequence[Product]], shape: tuple[int, ...]) -> BoolArray:
    """[cause, effect, lag]: cells that act together with another."""
    found = np.zeros(shape, dtype=np.bool_)
    for effect, some in products.items():
        for one in some:
            for cause, lag in (one.first, one.second):
                found[cause, effect, lag] = True
    return found
