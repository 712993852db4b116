"""Words as categories: codes where they are read, contrasts where they are added up.

A category of m levels becomes m - 1 columns, the shares-centred indicators of all levels but the most common,
made uncorrelated and of unit variance. Tests of all its columns together do not depend on that choice, and
columns that are unrelated within a step do not look like effects there. Levels of fewer than five rows count
as the most common one. Ordered categories are their ranks, and those of two levels one column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grace_plugin._common.arrays import FloatArray
from grace_plugin.exceptions import DataError
from grace_plugin.series.rows import Levels, Panel

if TYPE_CHECKING:
    import pandas as pd

MOST_LEVELS = 20  # more different words are names or numbers written out, not a category
RARE = 5  # rows below which a level is too rare for a column of its own


def encoded(frames: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """The same tables with columns of words as categories that all of them share.

    >>> import pandas as pd
    >>> tables = [pd.DataFrame({"sky": ["dry", "wet"]}), pd.DataFrame({"sky": ["wet", "ice"]})]
    >>> _, second = encoded(tables)
    >>> list(second.sky.cat.categories), second.sky.cat.codes.tolist()
    (['dry', 'ice', 'wet'], [2, 1])
    """
    import pandas as pd

    names = [name for name in frames[0].columns if any(_is_words(one.get(name)) for one in frames)]
    if not names:
        return list(frames)
    changed = [frame.copy(deep=False) for frame in frames]
    for name in names:
        columns = [frame[name] for frame in frames if name in frame.columns]
        labels, ordered = _labels(columns)
        if len(labels) > MOST_LEVELS:
            msg = (
                f"Columns {[str(name)]} do not hold real numbers but {len(labels)} different words; a "
                f"category has at most {MOST_LEVELS}. Convert the column to numbers, or drop it."
            )
            raise DataError(msg)
        for frame in changed:
            if name in frame.columns:
                frame[name] = pd.Categorical(frame[name], categories=labels, ordered=ordered)
    return changed


def _is_words(column: Any) -> bool:
    import pandas as pd

    if column is None or getattr(column, "ndim", 1) != 1:
        return False
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    words = pd.api.types.is_string_dtype(column.dtype) or column.dtype == object
    return bool(words and pd.api.types.infer_dtype(column, skipna=True) == "string")


def _labels(columns: Sequence[Any]) -> tuple[list[Any], bool]:
    """All levels, in their own order where every column has the same one."""
    import pandas as pd

    kinds = [column.dtype for column in columns]
    if all(isinstance(kind, pd.CategoricalDtype) and kind == kinds[0] for kind in kinds):
        return list(kinds[0].categories), bool(kinds[0].ordered)
    found = pd.unique(pd.concat([column.dropna().astype(object) for column in columns], ignore_index=True))
    return sorted(found, key=str), False


def levels_of(frame: pd.DataFrame) -> tuple[Levels | None, ...] | None:
    """The levels of every column; None where none is a category."""
    import pandas as pd

    found = tuple(
        Levels(tuple(str(label) for label in kind.categories), bool(kind.ordered))
        if isinstance(kind, pd.CategoricalDtype)
        else None
        for kind in frame.dtypes
    )
    return found if any(one is not None for one in found) else None


def as_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as the numbers of their levels, NaN where there is none."""
    changed = frame.copy(deep=False)
    for place, levels in enumerate(levels_of(frame) or ()):
        if levels is not None:
            codes = frame.iloc[:, place].cat.codes.to_numpy().astype(np.float64)
            changed.isetitem(place, np.where(codes < 0, np.nan, codes))
    return changed


@dataclass(frozen=True, eq=False)
class Groups:
    """A panel with categories as contrasts, and which of its columns belong to which variable."""

    panel: Panel
    members: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.members)

    @property
    def names_of_columns(self) -> tuple[str, ...]:
        """Of every column the name of its variable."""
        return tuple(name for name, group in zip(self.names, self.members, strict=True) for _ in group)

    @property
    def size(self) -> int:
        """How many columns there are."""
        return sum(map(len, self.members))


def as_contrasts(panel: Panel) -> Groups:
    """Every category that has no order as its contrasts; everything else as it is."""
    assert panel.levels is not None
    panel = panel.loaded()
    names = panel.names or tuple(f"x{place}" for place in range(panel.n_variables))
    tables = [_table(panel, place) for place in range(panel.n_variables)]
    parts: list[list[FloatArray]] = [[] for _ in panel.series]
    members: list[tuple[int, ...]] = []
    labels: list[str] = []
    for place, table in enumerate(tables):
        for part, one in zip(parts, panel.series, strict=True):
            column = np.asarray(one.values[:, place], dtype=np.float64)
            part.append(column[:, None] if table is None else _looked_up(table, column))
        width = 1 if table is None else table.shape[1]
        members.append(tuple(range(len(labels), len(labels) + width)))
        labels += [names[place]] if width == 1 else [f"{names[place]}[{number}]" for number in range(width)]
    series = tuple(
        replace(one, values=np.hstack(part)) for one, part in zip(panel.series, parts, strict=True)
    )
    wide = replace(panel, series=series, names=tuple(labels), n_variables=len(labels), levels=None)
    return Groups(wide, tuple(members), names)


def _table(panel: Panel, place: int) -> FloatArray | None:
    """[level, contrast]: what every level becomes; None for a column that stays as it is."""
    levels = panel.levels[place] if panel.levels is not None else None
    if levels is None or levels.ordered:
        return None
    codes = np.concatenate([np.asarray(one.values[:, place], dtype=np.float64) for one in panel.series])
    count = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(levels.labels))
    base, few = count.argmax(), count < RARE
    if few[base] or (~few).sum() < 2:
        return None  # as good as constant, which is said where constants are
    level = np.where(few, base, np.arange(len(count)))  # what is rare counts as the most common
    share = np.bincount(level, weights=count, minlength=len(count)) / count.sum()
    kept = np.flatnonzero(~few & (np.arange(len(count)) != base))
    centred = (np.eye(len(share)) - share)[np.ix_(level, kept)]
    covariance = np.diag(share[kept]) - np.outer(share[kept], share[kept])
    return np.asarray(np.linalg.solve(np.linalg.cholesky(covariance), centred.T).T)


def _looked_up(table: FloatArray, codes: FloatArray) -> FloatArray:
    seen = ~np.isnan(codes)
    found = np.full((len(codes), table.shape[1]), np.nan)
    found[seen] = table[codes[seen].astype(np.int64)]
    return found
