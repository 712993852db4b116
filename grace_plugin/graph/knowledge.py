"""What is known of edges before any test: those that must stay, cannot be, or are likelier than others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np

from grace_plugin._common.arrays import BoolArray
from grace_plugin._common.config import RefineConfig
from grace_plugin.exceptions import OptionError
from grace_plugin.graph.background import Knowledge, KnownCells
from grace_plugin.graph.skeleton import Skeleton


def kept_edges(config: RefineConfig, skeleton: Skeleton) -> BoolArray:
    """[cause, effect, lag]: the edges of `keep=` and those that the host itself requires.

    A pair of unknown direction is kept as a whole.
    """
    kept = kept_cells(config, skeleton)
    pairs = kept[:, :, 0] & skeleton.unoriented
    kept[:, :, 0] |= pairs.T
    return kept


def kept_cells(config: RefineConfig, skeleton: Skeleton) -> BoolArray:
    """The same in the directions that were given."""
    assert skeleton.required is not None
    kept = skeleton.required.copy()
    for edge in config.keep:
        kept |= _one_kept(edge, skeleton)
    return kept


def known_cells(config: RefineConfig, skeleton: Skeleton) -> KnownCells:
    """What `forbid=` and `likely=` say of every cell; what is kept as well is refused."""
    known = Knowledge(forbidden=config.forbid, likely=dict(config.likely))
    cells = known.on(skeleton.names, skeleton.max_lag)
    for edge in config.keep if config.forbid else ():
        Knowledge(required=[edge], forbidden=config.forbid).on(skeleton.names, skeleton.max_lag)
    return cells


def without_forbidden(skeleton: Skeleton, known: KnownCells) -> Skeleton:
    """The candidates that may be edges."""
    if not (skeleton.mask & known.forbidden).any():
        return skeleton
    mask = skeleton.mask & ~known.forbidden
    assert skeleton.required is not None
    names = skeleton.names if skeleton.named else None
    return Skeleton(mask, names, skeleton.scores, skeleton.required & mask)


def _one_kept(edge: Any, skeleton: Skeleton) -> BoolArray:
    if isinstance(edge, str) or not isinstance(edge, Iterable):
        msg = f"keep holds {edge!r}; give tuples (cause, effect, lag) or (cause, effect)."
        raise OptionError(msg)
    parts = tuple(edge)
    if len(parts) not in (2, 3):
        msg = f"keep holds {edge!r}; give tuples (cause, effect, lag) or (cause, effect)."
        raise OptionError(msg)
    cause, effect = (_variable(part, skeleton) for part in parts[:2])
    chosen = np.zeros_like(skeleton.mask)
    lags = slice(None) if len(parts) == 2 else _lag(edge, parts[2])
    if isinstance(lags, int) and lags > skeleton.max_lag:
        msg = f"keep holds {edge!r}, beyond the graph's largest lag {skeleton.max_lag}."
        raise OptionError(msg)
    chosen[cause, effect, lags] = True
    chosen &= skeleton.mask
    if not chosen.any():
        msg = f"keep holds {edge!r}, which is not among the candidate edges; only those can be kept."
        raise OptionError(msg)
    return chosen


def _lag(edge: Any, lag: Any) -> int:
    if isinstance(lag, bool) or not isinstance(lag, (int, np.integer)):
        msg = f"keep holds {edge!r}; the lag must be a whole number."
        raise OptionError(msg)
    return abs(int(lag))


def _variable(which: Any, skeleton: Skeleton) -> int:
    if isinstance(which, (int, np.integer)) and not isinstance(which, bool):
        if 0 <= which < skeleton.n_variables:
            return int(which)
    elif str(which) in skeleton.names:
        return skeleton.names.index(str(which))
    close = difflib.get_close_matches(str(which), skeleton.names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    msg = f"keep names the variable {which!r}, which the graph does not have.{hint}"
    raise OptionError(msg)
