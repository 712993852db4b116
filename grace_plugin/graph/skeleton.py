"""The one tensor everything speaks: candidate edges as a bool array [cause, effect, lag]."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from grace_plugin._common.arrays import BoolArray, FloatArray
from grace_plugin._common.checks import refuse_names, shown
from grace_plugin.exceptions import SkeletonError

_MOST_CELLS = 500_000_000  # of a graph: 4 GB for each array of numbers


def checked_shape(variables: int, max_lag: int) -> tuple[int, int, int]:
    """(d, d, max_lag + 1), if an array of this shape is any that a graph could need.

    >>> checked_shape(3, 2)
    (3, 3, 3)
    """
    if variables * variables * (max_lag + 1) > _MOST_CELLS:
        msg = (
            f"{variables} variables with lags up to {max_lag} are more than {_MOST_CELLS:,} possible edges; "
            "give fewer variables or smaller lags."
        )
        raise SkeletonError(msg)
    return variables, variables, max_lag + 1


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The candidate edges of a time-series graph.

    Args:
        mask: bool array [cause, effect, lag]; the lag axis runs from 0 to `max_lag`.
        names: one name per variable; without them the variables are called x0, x1, ...
        scores: the host's own strength of each edge, same shape as `mask` (optional).
        required: edges that the host knows as given, never to be pruned, same shape (optional).

    `mask[i, j, 0]` and `mask[j, i, 0]` both set mean one contemporaneous edge whose direction
    is not known; see `unoriented`.

    >>> mask = np.zeros((2, 2, 3), dtype=bool)
    >>> mask[0, 1, 2] = True
    >>> skeleton = Skeleton(mask, names=["rain", "river"])
    >>> list(skeleton)
    [(0, 1, 2)]
    >>> skeleton
    Skeleton(2 variables, max_lag=2, 1 candidate edge)
    """

    mask: BoolArray
    names: tuple[str, ...] = ()
    scores: FloatArray | None = None
    required: BoolArray | None = None
    named: bool = field(init=False)

    def __init__(
        self,
        mask: npt.ArrayLike,
        names: Iterable[Hashable] | None = None,
        scores: npt.ArrayLike | None = None,
        required: npt.ArrayLike | None = None,
    ) -> None:
        tensor = _checked_mask(mask)
        object.__setattr__(self, "mask", tensor)
        object.__setattr__(self, "named", names is not None)
        object.__setattr__(self, "names", checked_names(names, tensor.shape[0]))
        object.__setattr__(self, "scores", _checked_scores(scores, tensor))
        object.__setattr__(self, "required", _checked_required(required, tensor))

    @property
    def n_variables(self) -> int:
        return self.mask.shape[0]

    @property
    def max_lag(self) -> int:
        return self.mask.shape[2] - 1

    @property
    def unoriented(self) -> BoolArray:
        """[i, j]: the contemporaneous edge i - j is a candidate whose direction is not known."""
        now = self.mask[:, :, 0]
        return now & now.T

    @property
    def directed(self) -> BoolArray:
        """`mask` without its unoriented contemporaneous pairs."""
        directed = self.mask.copy()
        directed[:, :, 0] &= ~self.unoriented
        return directed

    def renamed(self, names: Iterable[Hashable] | None) -> Skeleton:
        """The same edges under other names."""
        return Skeleton(self.mask, names, self.scores, self.required)

    def __len__(self) -> int:
        """The number of candidate edges; an unoriented pair counts once."""
        return int(self.mask.sum() - self.unoriented.sum() // 2)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Every candidate (cause, effect, lag) once; an unoriented pair as (smaller, larger, 0)."""
        once = self.mask.copy()
        once[:, :, 0] &= ~np.tril(self.unoriented)
        for cause, effect, lag in np.argwhere(once):
            yield int(cause), int(effect), int(lag)

    def __repr__(self) -> str:
        edges = len(self)
        plural = "" if edges == 1 else "s"
        return (
            f"Skeleton({self.n_variables} variables, max_lag={self.max_lag}, {edges} candidate edge{plural})"
        )


def one_way(skeleton: Skeleton, directions: BoolArray) -> BoolArray:
    """The mask in which unoriented pairs at lag 0 point as `directions` [cause, effect] say; others stay.

    >>> mask = np.zeros((2, 2, 1), dtype=bool)
    >>> mask[0, 1, 0] = mask[1, 0, 0] = True
    >>> list(Skeleton(one_way(Skeleton(mask), np.array([[False, False], [True, False]]))))
    [(1, 0, 0)]
    """
    mask = skeleton.mask.copy()
    mask[:, :, 0] &= ~(directions.T & ~directions & skeleton.unoriented)
    return mask


def _frozen(array: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    array.setflags(write=False)
    return array


def _array(name: str, given: npt.ArrayLike) -> npt.NDArray[np.generic]:
    """`given` as an array; a masked entry is an entry that is not there."""
    if isinstance(given, np.ma.MaskedArray):
        given = np.ma.filled(given, 0)  # type: ignore[no-untyped-call]
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        msg = f"{name}={shown(given)} is no array ({error}); give [cause, effect, lag]."
        raise SkeletonError(msg) from error


def _checked_mask(mask: npt.ArrayLike) -> BoolArray:
    given = _array("mask", mask)
    if given.ndim != 3 or given.shape[0] != given.shape[1] or 0 in given.shape:
        msg = (
            f"The mask has shape {given.shape}; expected [cause, effect, lag] = (d, d, max_lag + 1) "
            "with at least one variable and lag 0 on the lag axis."
        )
        raise SkeletonError(msg)
    if given.dtype != np.bool_ and (given.dtype.kind not in "iufO" or not np.isin(given, (0, 1)).all()):
        msg = f"The mask has dtype {given.dtype} and values other than 0 and 1; give a bool array."
        raise SkeletonError(msg)
    tensor = given.astype(np.bool_, copy=True)
    loops = np.flatnonzero(tensor[:, :, 0].diagonal())
    if loops.size:
        msg = f"Variables {loops.tolist()} have an edge to themselves at lag 0; clear mask[i, i, 0]."
        raise SkeletonError(msg)
    _frozen(tensor)
    return tensor


def checked_names(names: Iterable[Hashable] | None, count: int) -> tuple[str, ...]:
    """One name per variable, each its own; x0, x1, ... where none are given."""
    if names is None:
        return tuple(f"x{index}" for index in range(count))
    if isinstance(names, str):
        msg = f"names is the single string {names!r}; give one name per variable, as a list."
        raise SkeletonError(msg)
    if not isinstance(names, Iterable) or isinstance(names, bytes):
        msg = f"names={shown(names)}; give one name per variable, as a list."
        raise SkeletonError(msg)
    result = tuple(str(name) for name in names)
    if len(result) != count:
        msg = f"{len(result)} names were given for {count} variables."
        raise SkeletonError(msg)
    refuse_names("Names", result, SkeletonError)
    return result


def _checked_scores(scores: npt.ArrayLike | None, mask: BoolArray) -> FloatArray | None:
    if scores is None:
        return None
    array = _array("scores", scores)
    if array.dtype.kind not in "biuf":
        msg = f"scores have dtype {array.dtype}; give real numbers."
        raise SkeletonError(msg)
    numbers = array.astype(np.float64)
    if numbers.shape != mask.shape:
        msg = f"scores have shape {numbers.shape}, the mask has {mask.shape}; they must agree."
        raise SkeletonError(msg)
    _frozen(numbers)
    return numbers


def _checked_required(required: npt.ArrayLike | None, mask: BoolArray) -> BoolArray:
    if required is None:
        return _frozen(np.zeros_like(mask))  # type: ignore[return-value]
    array = _array("required", required)
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        msg = f"required has dtype {array.dtype} and values other than 0 and 1; give a bool array."
        raise SkeletonError(msg)
    flags = array.astype(np.bool_)
    if flags.shape != mask.shape:
        msg = f"required has shape {flags.shape}, the mask has {mask.shape}; they must agree."
        raise SkeletonError(msg)
    if (flags & ~mask).any():
        msg = f"{int((flags & ~mask).sum())} required edges are not among the candidates of the mask."
        raise SkeletonError(msg)
    _frozen(flags)
    return flags
