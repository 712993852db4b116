"""lingam's prior matrices as background knowledge within one step, and back.

[effect, cause]: 0 says that no directed path leads from cause to effect, 1 that one does, -1 nothing. A path
is not an edge: where none is, no edge can be; where one is, no edge can run against it. So a matrix forbids
and never requires. Written, an entry is 0 where no path of edges that may be leads from cause to effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge, KnownCells


def is_prior_matrix(obj: object) -> bool:
    """Whether `obj` is a square matrix of -1, 0 and 1 with some -1 in it."""
    if not isinstance(obj, np.ndarray) or obj.ndim != 2 or obj.shape[0] != obj.shape[1]:
        return False
    return obj.dtype.kind in "if" and bool(np.isin(obj, (-1, 0, 1)).all() and (obj == -1).any())


def read_prior_matrix(given: npt.NDArray[Any], names: Sequence[str] | None) -> Knowledge:
    """What cannot be within one step."""
    if names is not None and len(names) != len(given):
        msg = f"{len(names)} names were given for a prior matrix of {len(given)} variables."
        raise OptionError(msg)
    cannot = (given.T == 0) | (given == 1)
    np.fill_diagonal(cannot, False)
    called: Sequence[Any] = range(len(given)) if names is None else names
    return Knowledge(forbidden=[(called[cause], called[effect], 0) for cause, effect in np.argwhere(cannot)])


def write_prior_matrix(known: KnownCells) -> npt.NDArray[np.int64]:
    """What is known of effects within one step."""
    now = ~known.forbidden[:, :, 0]
    np.fill_diagonal(now, False)
    found = np.where(_reached(now).T, -1, 0)
    found[known.required[:, :, 0].T] = 1
    np.fill_diagonal(found, -1)
    return found.astype(np.int64)


def _reached(edges: BoolArray) -> BoolArray:
    """[cause, effect]: whether a path of edges leads there."""
    paths = edges.copy()
    for middle in range(len(paths)):
        paths |= paths[:, middle][:, None] & paths[middle]
    return paths
