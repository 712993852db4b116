"""What in the data makes a graph doubtful, said in a warning that names the variables.

All but shared cycles is read off the moments, so it costs no second look at the data.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray, IntArray
from grace_plugin._common.telling import tell
from grace_plugin.exceptions import DataWarning
from grace_plugin.graph.outcome import Outcome, Sums
from grace_plugin.moments.row_products import RowProducts
from grace_plugin.moments.sums import Moments
from grace_plugin.pipeline.hidden_causes import hidden_cause
from grace_plugin.pipeline.judging import MISFIT
from grace_plugin.pipeline.power_warnings import warn_about_power
from grace_plugin.prepare.cycles import shared_cycles
from grace_plugin.regression.tolerances import COLLINEAR
from grace_plugin.series.data_quality import DICKEY_FULLER_5_PERCENT
from grace_plugin.series.panel import Panel
from grace_plugin.series.units import too_short_to_centre

_NUMBERS_AT_ONCE = 10_000_000  # correlations held together
_ROWS_FOR_UNIT_ROOTS = 100
_SINGLE_VALUE = 2.5  # mean |x| times sqrt(rows) of a column of which one value holds nearly all variance
_LARGE_SHARE = 0.1  # of a direction without variance that makes a variable part of it
_MOST_VARIABLES = 1000  # beyond it relations among many variables are not looked for
_SHOWN = 6
_HARDLY_MOVING = 0.99  # share of equal values beyond which a column is nearly constant
_EQUAL_STEPS = 1e-6  # relative: rounding of times in seconds or years
_SUSPECTED_ROWS = 250  # by which copies are looked for among so many variables that sums are not held
_LOOKED_AT = 2_000_000  # numbers, for nearly constant columns

__all__ = ["DataWarning", "dickey_fuller", "warn_about", "warn_about_data", "warn_about_hidden_causes"]


def warn_about(outcome: Outcome, moments: Sums | None, names: tuple[str, ...], panel: Panel | None) -> None:
    """Warn where copies, relations, unit roots, single values, misfit, shared cycles or few rows cast doubt.

    `moments` are those that the engine worked on, `panel` the rows, if they can be read again.
    """
    if isinstance(moments, Moments):
        warn_about_data(moments, names, panel)
    for sentence in (*_determined(outcome, names), *_misfit(outcome)):
        tell(sentence, DataWarning)
    warn_about_power(outcome)


def _misfit(outcome: Outcome) -> tuple[str, ...]:
    return (MISFIT,) if MISFIT in outcome.details.notes else ()


def warn_about_data(moments: Moments, names: tuple[str, ...], panel: Panel | None) -> None:
    """The same from the data alone, without what a graph says of them."""
    if moments.rows < 2:
        return
    for check in (_copies, _single_values, _unit_roots):
        for sentence in check(moments, names):
            tell(sentence, DataWarning)
    if panel is not None and panel.stream is None:
        seen = (*_hardly_moving(panel, names), *_clocks(panel, names), *_cycles(panel, names))
        for sentence in (*seen, *too_short_to_centre(panel)):
            tell(sentence, DataWarning)


def _copies(moments: Moments, names: tuple[str, ...]) -> Iterator[str]:
    """Pairs of columns, possibly lagged, that cannot be told apart; else larger exact relations."""
    found: list[str] = []
    for shift in range(moments.max_lag + 1):
        for one, other in _copied_pairs(moments, shift):
            when = "" if shift == 0 else f", {shift} step{'s' if shift > 1 else ''} later"
            found.append(f"{names[other]} equals {names[one]} (or a multiple of it){when}")
    if found:
        more = f", and {len(found) - _SHOWN} more such pairs" if len(found) > _SHOWN else ""
        yield (
            f"{'; '.join(found[:_SHOWN])}{more}: no method can tell which of them acts, and edges may be "
            "given to either. Drop all but one of each."
        )
    elif moments.n_variables <= min(_MOST_VARIABLES, moments.rows - 2):  # of fewer rows any variables do
        yield from _relations(moments, names)


def _copied_pairs(moments: Moments, shift: int) -> list[tuple[int, int]]:
    """(i, j): variable i `shift` steps ago and variable j now, where the two are the same."""
    found: list[tuple[int, int]] = []
    suspects = _suspects(moments, shift)
    if suspects is not None:
        one, other = suspects
        counts = one < other if shift == 0 else one != other
        one, other = one[counts], other[counts]
        same = _pair_correlation(moments, shift, one, other) ** 2 > 1.0 - COLLINEAR
        return list(zip(one[same].tolist(), other[same].tolist(), strict=True))
    size = max(1, _NUMBERS_AT_ONCE // moments.n_variables)
    for start in range(0, moments.n_variables, size):
        some = np.arange(start, min(start + size, moments.n_variables))
        same = _correlation(moments, shift, some) ** 2 > 1.0 - COLLINEAR
        one, other = np.nonzero(same)
        one += start
        # A series that equals its own past is a slow one, which is another matter.
        counts = one < other if shift == 0 else one != other
        found += zip(one[counts].tolist(), other[counts].tolist(), strict=True)
    return found


def _suspects(moments: Moments, shift: int) -> tuple[IntArray, IntArray] | None:
    """Pairs that some rows do not tell apart, among which all copies are; None where that saves nothing.

    A copy leaves 1e-7 of a variance: on one row in n/m no more than 1e-7 n/m over the share v of the variance
    that these rows hold, which is below .1 where v is at least .01.
    """
    products = moments.products
    if not isinstance(products, RowProducts):
        return None
    times = products.times[:: max(1, len(products.times) // _SUSPECTED_ROWS)]
    past, now = (products.values[:, times - steps].astype(np.float32) for steps in (shift, 0))
    size = []
    for part in (past, now):
        part -= part.mean(axis=1)[:, None]
        size.append(np.sqrt(np.square(part).mean(axis=1)))
        if (size[-1] < 0.1).any():
            return None
    past /= (size[0] * len(times))[:, None]
    now /= size[1][:, None]
    found: list[IntArray] = [np.zeros((2, 0), dtype=np.int64)]
    step = max(1, _NUMBERS_AT_ONCE // len(now))
    for start in range(0, len(past), step):
        one, other = np.nonzero(np.square(past[start : start + step] @ now.T) > 0.9)
        found.append(np.stack([one + start, other]))
    pairs = np.concatenate(found, axis=1)
    return (pairs[0], pairs[1]) if pairs.shape[1] <= 10 * len(now) else None


def _pair_correlation(moments: Moments, shift: int, one: IntArray, other: IntArray) -> FloatArray:
    """[P]: of variables `shift` steps ago with others now."""
    width, d = len(moments.basis), moments.n_variables
    past, now = (one + shift * d) * width, other * width
    joint = moments.covariance(past[:, None], now[:, None])[:, 0, 0]
    scale = np.sqrt(_variance(moments, past) * _variance(moments, now))
    return np.asarray(np.divide(joint, scale, out=np.zeros(len(joint)), where=scale > 0.0))


def _correlation(moments: Moments, shift: int, some: IntArray | None = None) -> FloatArray:
    """[i, j]: of variables i (all, or some) `shift` steps ago with variable j now."""
    width, d = len(moments.basis), moments.n_variables
    now = np.arange(d) * width
    chosen = now if some is None else some * width
    past = chosen + shift * d * width
    # Sums of f(t) f(t - shift)': exact where one of the two lags is 0.
    joint = moments.products.with_past(shift, now, chosen).T / moments.rows
    joint -= np.outer(moments.mean[past], moments.mean[now])
    scale = [np.sqrt(_variance(moments, columns)) for columns in (past, now)]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = joint / np.outer(*scale)
    if shift == 0:
        found[np.arange(len(chosen)), chosen // width] = 1.0
    return np.asarray(np.nan_to_num(found, posinf=0.0, neginf=0.0))


def _variance(moments: Moments, columns: IntArray) -> FloatArray:
    return np.maximum(moments.covariance(columns[:, None], columns[:, None])[:, 0, 0], 0.0)


def _relations(moments: Moments, names: tuple[str, ...]) -> Iterator[str]:
    """Several variables of the same time that add up to nothing."""
    correlation = _correlation(moments, 0)
    try:
        if np.square(np.linalg.cholesky(correlation).diagonal()).min() > COLLINEAR:
            return
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(correlation)
    part = (np.abs(vectors[:, values < COLLINEAR]) > _LARGE_SHARE).any(axis=1)
    if part.any():
        yield (
            f"Variables {_listed(names, part)} satisfy an exact linear relation: edges of one of them may be "
            "given to the others. Drop one of them."
        )


def _determined(outcome: Outcome, names: tuple[str, ...]) -> Iterator[str]:
    """Effects of which their kept parents leave nothing."""
    kept = outcome.records.chosen(outcome.records.kept)
    part = np.zeros(len(names), dtype=np.bool_)
    part[kept.effect[np.nan_to_num(kept.gain) > -0.5 * np.log(COLLINEAR)]] = True
    if part.any():
        yield (
            f"Variables {_listed(names, part)} follow exactly from their kept causes: nothing is left by "
            "which other causes of them could be judged."
        )


def _single_values(moments: Moments, names: tuple[str, ...]) -> Iterator[str]:
    if "absolute" not in moments.basis:
        return
    width, d = len(moments.basis), moments.n_variables
    mean = moments.mean[np.arange(d) * width + moments.basis.index("absolute")] + 0.8
    deviation = np.sqrt(_variance(moments, np.arange(d) * width))
    part = mean * np.sqrt(moments.rows) < _SINGLE_VALUE * deviation
    if part.any():
        yield (
            f"Variables {_listed(names, part)} are ruled by one or two values far from all others, which "
            "hide whatever else there is. Repair such values or mark them as missing (NaN)."
        )


def _hardly_moving(panel: Panel, names: tuple[str, ...]) -> Iterator[str]:
    """Columns of which nearly all values are the same; the first rows of each series are looked at."""
    most, parts = _LOOKED_AT // max(panel.n_variables, 1), [one.values for one in panel.series]
    values = np.concatenate([part[: max(1, most // len(parts))] for part in parts])
    with np.errstate(invalid="ignore"):
        usual = np.median(values, axis=0)
    part = (values == usual).mean(axis=0) >= _HARDLY_MOVING
    if part.any():
        yield (
            f"Variables {_listed(names, part)} hardly ever change: at least {_HARDLY_MOVING:.0%} of their "
            "values are the same, so their edges rest on a few rows. Drop them, or take longer steps."
        )


def _clocks(panel: Panel, names: tuple[str, ...]) -> Iterator[str]:
    """Columns that grow by the same amount in every row of every series."""
    most = _LOOKED_AT // max(panel.n_variables, 1)
    steps = [np.diff(one.values[:most].astype(np.float64), axis=0) for one in panel.series]
    steps = [step for step in steps if len(step) > 1]
    if not steps:
        return
    first = steps[0][0]
    same = [np.abs(step - first).max(axis=0) <= _EQUAL_STEPS * np.abs(first) for step in steps]
    part = np.logical_and.reduce(same) & (first != 0.0)
    if part.any():
        yield (
            f"Variables {_listed(names, part)} grow by the same amount in every row, as a clock does, which "
            "is no cause. Make it the index of the table (data.set_index(...)), or drop it."
        )


def _unit_roots(moments: Moments, names: tuple[str, ...]) -> Iterator[str]:
    if moments.max_lag < 1 or moments.rows < _ROWS_FOR_UNIT_ROOTS:
        return
    part = dickey_fuller(moments) > DICKEY_FULLER_5_PERCENT
    if part.any():
        yield (
            f"Variables {_listed(names, part)} may have a unit root or a trend: tests of their edges may be "
            "too sure of themselves, unless they are corrected for it and made beside the trend, as "
            "prepare='auto' does. Keep the levels, which differences would take away, and give what is known "
            "of the drift as controls=."
        )


def warn_about_hidden_causes(moments: Sums | None, names: tuple[str, ...]) -> bool:
    """Warn where some variables move together as if they had a cause that is not in the data; whether so."""
    found = hidden_cause(moments) if isinstance(moments, Moments) else None
    if found is not None:
        count = int(found.part.sum())
        sentence = (
            f"Variables {_listed(names, found.part)} move together within the same step beside all lags "
            f"({found.pairs} of {count * (count - 1) // 2} pairs), as if one cause that is not in the data "
            "drove them: edges between them may stand for it, those of small gain first. Add it to the data "
            "if it can be measured."
        )
        tell(sentence, DataWarning)
    return found is not None


def _cycles(panel: Panel, names: tuple[str, ...]) -> Iterator[str]:
    for cycle in shared_cycles(panel):
        yield (
            f"Variables {_listed(names, cycle.part)} share a cycle of about {cycle.period:.1f} rows: edges "
            "between them may come from the cycle alone, unless effects are judged beside it, as "
            "prepare='auto' does where it finds it. Else give a sine and a cosine column of that period as "
            "controls=, or subtract the mean cycle from each (the mean of all rows at the same place of it)."
        )


def dickey_fuller(moments: Moments) -> FloatArray:
    """[d]: t of the level in a regression of the difference on it, with a constant.

    One lagged difference is among the regressors where the moments reach back far enough.
    """
    d, width = moments.n_variables, len(moments.basis)
    lags = min(moments.max_lag, 2) + 1
    columns = (np.arange(lags) * d + np.arange(d)[:, None]) * width
    covariance = moments.covariance(columns, columns)
    taken = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, -1.0]])[:lags, :lags]
    sums = taken @ covariance @ taken.T  # of the difference, the level, and the lagged difference
    gram, cross, total = sums[:, 1:, 1:], sums[:, 1:, :1], sums[:, 0, 0]
    inverse = np.linalg.pinv(gram, hermitian=True)
    weights = inverse @ cross
    left = np.maximum(total - (cross * weights).sum(axis=(1, 2)), 0.0)
    error = np.sqrt(left * inverse[:, 0, 0] / max(moments.rows - lags - 1, 1))
    return np.asarray(np.divide(weights[:, 0, 0], error, out=np.full(d, -np.inf), where=error > 0.0))


def _listed(names: tuple[str, ...], which: BoolArray) -> str:
    chosen = [names[index] for index in np.flatnonzero(which)]
    more = f" and {len(chosen) - _SHOWN} more" if len(chosen) > _SHOWN else ""
    return f"{chosen[:_SHOWN]}{more}"
