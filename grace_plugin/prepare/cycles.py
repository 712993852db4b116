"""Cycles that several variables share, such as those of the day or the year: sharp lines in their spectra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin.series.panel import Panel, Series
from grace_plugin.series.standardise import standardisation

_FEWEST_ROWS = 100
_FEWEST_CYCLES = 5  # fewer could be a trend, or chance
_MOST_ROWS = 65_536  # that are looked at, and fewer where columns are many
_MOST_NUMBERS = 1_000_000
_FINENESS = 4  # frequencies per bin, so that a line between two bins loses no more than 5 %
_NEIGHBOURS = 8  # bins on either side, beside which a line must stand out
_SHARE = 0.1  # of a column's variance that a line must hold
_SHARPNESS = 0.7  # of the variance in its neighbourhood that it must hold, with many rows
_FEW_ROWS = 8.0  # over the number of rows: what is added to that, since short records have lines by chance
_EXACT = 1e-8  # of the variance that may be left of a column that is a sine and nothing else
_MOST_CYCLES = 3  # that are reported


@dataclass(frozen=True, eq=False)
class Cycle:
    """A cycle of `period` rows and which variables have it."""

    period: float
    part: BoolArray  # [d]


def shared_cycles(panel: Panel) -> Iterator[Cycle]:
    """The cycles that two or more variables share, the most common first.

    Looked at are the first rows of the longest series. A line counts where the sine of one frequency, of
    which the rows hold five cycles or more, takes 10 % of a column's variance and 70 % of that within eight
    bins around it (75 % at 160 rows). An oscillation that chance drives wanders in frequency and is too
    broad for that, unless it keeps its beat over a good part of the rows. A cycle that is in the data as
    a sine and a cosine column of its own does not count.
    """
    rows = _rows(panel)
    if len(rows) < _FEWEST_ROWS or rows.shape[1] < 2:
        return
    share, sharp = _spectrum(rows)
    lines = sharp & (share > _SHARE)
    lines[: _FEWEST_CYCLES * _FINENESS] = False
    for _ in range(_MOST_CYCLES):
        near = _widened(lines, _FINENESS // 2)
        common = near.sum(axis=1)
        if common.max(initial=0) < 2:
            return
        # Neighbouring frequencies see the same columns: the true one has most of their variance.
        power = np.where(near, share, 0.0).sum(axis=1)
        place = int(np.argmax(np.where(common == common.max(), power, -1.0)))
        part = near[place]
        if (part & _sines(rows)).sum() < 2:
            yield Cycle(_FINENESS * len(rows) / _peak(share[:, part].sum(axis=1), place), part)
        lines[max(0, place - 2 * _FINENESS) : place + 2 * _FINENESS + 1] = False


def _rows(panel: Panel) -> FloatArray:
    """[n, d]: standardised; zeros where a value is missing or not to be used."""
    longest = max(panel.series, key=lambda one: len(one.values))
    most = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_NUMBERS // panel.n_variables))
    rows = np.array(longest.values[:most], dtype=np.float64)
    for allowed in (longest.as_target, longest.as_input):
        if allowed is not None:
            rows[~allowed[:most]] = np.nan
    _, center, scale = standardisation(Panel((Series(rows),), panel.names, n_variables=panel.n_variables))
    return np.nan_to_num((rows - center) / scale, copy=False)


def _spectrum(rows: FloatArray) -> tuple[FloatArray, BoolArray]:
    """[frequencies, d]: the share of the variance that a sine takes, and whether it stands out."""
    count, time = len(rows), np.linspace(-1.0, 1.0, len(rows))
    level = rows - rows.mean(axis=0)
    level -= np.outer(time, time @ level / (time @ time))  # a trend would leak into everything
    total = np.square(level).sum(axis=0)
    share = np.square(np.abs(np.fft.rfft(level, _FINENESS * count, axis=0)[: _FINENESS * (count // 2)]))
    share *= 2.0 / count / np.where(total > 0.0, total, 1.0)
    upto = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(share, axis=0)]) / _FINENESS
    places, reach = np.arange(len(share)), _FINENESS * _NEIGHBOURS
    around = upto[np.minimum(places + reach + 1, len(share))] - upto[np.maximum(places - reach, 0)]
    return share, share > (_SHARPNESS + _FEW_ROWS / count) * around


def _widened(lines: BoolArray, reach: int) -> BoolArray:
    wide = lines.copy()
    for shift in range(1, reach + 1):
        wide[shift:] |= lines[:-shift]
        wide[:-shift] |= lines[shift:]
    return wide


def _peak(power: FloatArray, place: int) -> float:
    """Where a parabola through three neighbouring frequencies is highest."""
    before, at, after = power[place - 1 : place + 2] if place + 1 < len(power) else (0.0, 1.0, 0.0)
    bend = before - 2.0 * at + after
    return place + (float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0.0 else 0.0)


def _sines(rows: FloatArray) -> BoolArray:
    """[d]: columns that are a sine and nothing else, so that x(t + 1) + x(t - 1) is a multiple of x(t)."""
    sides, middle = rows[2:] + rows[:-2], rows[1:-1]
    sides, middle = sides - sides.mean(axis=0), middle - middle.mean(axis=0)
    total = np.square(middle).sum(axis=0)
    left = sides - middle * ((sides * middle).sum(axis=0) / np.where(total > 0.0, total, 1.0))
    return np.asarray(np.square(left).sum(axis=0) < _EXACT * total)
